/** All tables of options, by the function that takes them. */
import { AUTHENTICATION_OPTIONS } from '../../src/auth/authentication.ts';
import { BEARER_OPTIONS } from '../../src/auth/bearer.ts';
import { AUTHORIZATION_CODE_OPTIONS, FLOWS } from '../../src/auth/oauth-flows.ts';
import { CHECKS_OPTIONS, SAMPLE } from '../../src/checks/options.ts';
import { BYTES_OPTIONS } from '../../src/endpoint/bytes.ts';
import { SHARED_OPTIONS } from '../../src/endpoint/define-endpoint.ts';
import { CACHE_OPTIONS } from '../../src/endpoint/caching.ts';
import { DEPRECATION_OPTIONS } from '../../src/endpoint/deprecation.ts';
import { ENDPOINT_OPTIONS } from '../../src/endpoint/endpoint.ts';
import { FORMAT_PARTS } from '../../src/endpoint/format.ts';
import { INTERCEPTOR_OPTIONS } from '../../src/endpoint/interceptor.ts';
import { OPERATION_OPTIONS } from '../../src/endpoint/operation-options.ts';
import { PROBLEM_OPTIONS, STATUS_OPTIONS } from '../../src/errors/api-error.ts';
import { EVENTS_OPTIONS } from '../../src/formats/events.ts';
import { FILE_OPTIONS, FORM_OPTIONS } from '../../src/formats/form.ts';
import { NDJSON_OPTIONS } from '../../src/formats/ndjson.ts';
import { RANGES_OPTIONS } from '../../src/formats/ranges.ts';
import { IDEMPOTENT_OPTIONS } from '../../src/interceptors/idempotent.ts';
import { MEMORY_IDEMPOTENCY_STORE_OPTIONS } from '../../src/interceptors/memory-idempotency-store.ts';
import { MEMORY_RATES_OPTIONS } from '../../src/interceptors/memory-rates.ts';
import { PAGES_OPTIONS } from '../../src/interceptors/pages.ts';
import { RATE_LIMIT_OPTIONS } from '../../src/interceptors/rate-limit.ts';
import { MCP_OPTIONS } from '../../src/mcp/options.ts';
import { OPEN_API_OPTIONS } from '../../src/openapi/options.ts';
import { SWAGGER_UI_OPTIONS } from '../../src/openapi/swagger-ui-handler.ts';
import { CORS_OPTIONS } from '../../src/http/cors.ts';
import { OPERATION_LIMITS } from '../../src/http/limits.ts';
import { RESOURCE_OPTIONS } from '../../src/http/protected-resource.ts';
import { ENDPOINTS_OPTIONS } from '../../src/server/api-server.ts';
import { RUN_OPTIONS } from '../../src/server/interceptor-chain.ts';
import { MOUNT_OPTIONS } from '../../src/server/mounts.ts';
import { SERVER_OPTIONS } from '../../src/server/options.ts';
import { FORMAT_PROBLEM_OPTIONS } from '../../src/server/problem-formatter.ts';
import { UPGRADE_OPTIONS } from '../../src/server/upgrades.ts';
import type { Option, Shape } from '../../src/util/options.ts';

/** By the call that documents have it as. */
export const OPTION_TABLES: Readonly<Record<string, Shape<any>>> = {
  'new ApiServer(root, options)': SERVER_OPTIONS,
  'cors: options': CORS_OPTIONS,
  'formatProblem: options': FORMAT_PROBLEM_OPTIONS,
  'server.registerEndpoints(endpoints, options)': ENDPOINTS_OPTIONS,
  'defineEndpoint(options)': ENDPOINT_OPTIONS,
  'endpointWith(options)': SHARED_OPTIONS,
  'an operation': OPERATION_OPTIONS,
  'limits: of an operation': OPERATION_LIMITS,
  'cache: of an operation': CACHE_OPTIONS,
  'deprecated: dates': DEPRECATION_OPTIONS,
  'an interceptor': INTERCEPTOR_OPTIONS,
  'defineFormat(parts)': FORMAT_PARTS,
  'server.mount(route, handler, options)': MOUNT_OPTIONS,
  'server.registerUpgrade(route, handler, options)': UPGRADE_OPTIONS,
  'ApiError.status(status, detail, options)': STATUS_OPTIONS,
  'problem(status, detail, extensions, options)': PROBLEM_OPTIONS,
  'run(adds, options)': RUN_OPTIONS,
  'bytes(options)': BYTES_OPTIONS,
  'ndjson(item, options)': NDJSON_OPTIONS,
  'form(schema, options)': FORM_OPTIONS,
  'files: a file': FILE_OPTIONS,
  'events(data, options)': EVENTS_OPTIONS,
  'ranges(options)': RANGES_OPTIONS,
  'bearer(verify, options)': BEARER_OPTIONS,
  'oauth2: options': FLOWS,
  'authorizationCode: options': AUTHORIZATION_CODE_OPTIONS,
  'resource: options': RESOURCE_OPTIONS,
  'basic(verify, options), apiKey(header, verify, options), cookie(name, verify, options)': AUTHENTICATION_OPTIONS,
  'pages(options)': PAGES_OPTIONS,
  'idempotent(keys, options)': IDEMPOTENT_OPTIONS,
  'memoryIdempotencyStore(options)': MEMORY_IDEMPOTENCY_STORE_OPTIONS,
  'rateLimit(options)': RATE_LIMIT_OPTIONS,
  'memoryRates(options)': MEMORY_RATES_OPTIONS,
  'openApi(server, options)': OPEN_API_OPTIONS,
  'swaggerUiHandler(options)': SWAGGER_UI_OPTIONS,
  'mcpHandler(server, options)': MCP_OPTIONS,
  'checks(server, options)': CHECKS_OPTIONS,
  'samples: sample': SAMPLE,
};

/** An option of a table, with the names of the tables that it is in: `limits.bodyBytes`. */
export interface NamedOption extends Option<unknown> {
  readonly name: string;
}

/** The options of a table and of the tables in it. */
export function listOptions(shape: Shape<any>, path = ''): NamedOption[] {
  return Object.entries(shape.table as Record<string, Option<unknown>>).flatMap(([name, option]): NamedOption[] => {
    return 'table' in option ? listOptions(option as Shape<any>, `${path}${name}.`) : [{ ...option, name: `${path}${name}` }];
  });
}
