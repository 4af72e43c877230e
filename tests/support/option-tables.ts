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
import { OPEN_API_OPTIONS, WEBHOOK_OPTIONS } from '../../src/openapi/options.ts';
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
  'webhooks: a webhook': WEBHOOK_OPTIONS,
  'swaggerUiHandler(options)': SWAGGER_UI_OPTIONS,
  'mcpHandler(server, options)': MCP_OPTIONS,
  'checks(server, options)': CHECKS_OPTIONS,
  'samples: sample': SAMPLE,
};

/** The types whose docstrings describe the options of a call, in `src`. */
export const OPTION_TYPES: Readonly<Record<string, readonly string[]>> = {
  'new ApiServer(root, options)': ['ApiServerOptions', 'Limits'],
  'cors: options': ['CorsOptions'],
  'formatProblem: options': ['FormatProblemOptions'],
  'server.registerEndpoints(endpoints, options)': ['EndpointsOptions'],
  'defineEndpoint(options)': ['ApiEndpoint'],
  'endpointWith(options)': ['ApiEndpoint'],
  'an operation': ['OperationOptions'],
  'cache: of an operation': ['CacheOptions'],
  'limits: of an operation': ['OperationLimits'],
  'deprecated: dates': ['Deprecation'],
  'an interceptor': ['Interceptor'],
  'defineFormat(parts)': ['FormatParts'],
  'server.mount(route, handler, options)': ['MountOptions'],
  'server.registerUpgrade(route, handler, options)': ['UpgradeOptions'],
  'ApiError.status(status, detail, options)': ['StatusOptions'],
  'problem(status, detail, extensions, options)': ['StatusOptions'],
  'run(adds, options)': ['RunOptions'],
  'bytes(options)': ['BytesOptions'],
  'ndjson(item, options)': ['NdjsonOptions'],
  'form(schema, options)': ['FormOptions'],
  'files: a file': ['FileOptions'],
  'events(data, options)': ['EventsOptions'],
  'ranges(options)': ['RangesOptions'],
  'bearer(verify, options)': ['BearerOptions', 'AuthenticationOptions'],
  'oauth2: options': ['OAuthFlows'],
  'authorizationCode: options': ['OAuthFlow'],
  'resource: options': ['ProtectedResource'],
  'basic(verify, options), apiKey(header, verify, options), cookie(name, verify, options)': ['AuthenticationOptions'],
  'pages(options)': ['PagesOptions', 'CodedPagesOptions', 'interceptors/pages/CommonOptions'],
  'idempotent(keys, options)': ['IdempotentOptions'],
  'memoryIdempotencyStore(options)': ['MemoryIdempotencyStoreOptions'],
  'rateLimit(options)': ['RateLimitOptions', 'interceptors/rate-limit/CommonOptions'],
  'memoryRates(options)': ['MemoryRatesOptions'],
  'openApi(server, options)': ['OpenApiOptions'],
  'webhooks: a webhook': ['OpenApiWebhook'],
  'swaggerUiHandler(options)': ['SwaggerUiOptions'],
  'mcpHandler(server, options)': ['McpOptions'],
  'checks(server, options)': ['ChecksOptions'],
  'samples: sample': ['Sample'],
};

/** Options that no docstring describes, mostly since their types depend on others. */
export const OPTION_NOTES: Readonly<Record<string, string>> = {
  'formatProblem: options.format': 'Makes the response of a problem: `{ status, headers, body }`.',
  'an operation.run': 'The operation itself. It gets the id, the decoded body, and the request as its last argument.',
  'an operation.input': 'Decodes the body. A format, such as `form` or `bytes()`, reads other bodies than JSON.',
  'an operation.query': 'Decodes the query, as `request.query`. A value is a string, or a list of strings if it occurs several times.',
  'an operation.context': "Replaces the endpoint's `context`.",
  'deprecated: dates.since': 'Since when the operation is deprecated: `Deprecation` (RFC 9745).',
  'ApiError.status(status, detail, options).cause': 'The error behind it. It is logged, and never sent.',
  'oauth2: options.implicit': 'The implicit flow, which RFC 9700 advises against.',
  'oauth2: options.password': 'The flow with a password, which RFC 9700 advises against.',
  'authorizationCode: options.authorizationUrl': 'Where a user signs in.',
  'authorizationCode: options.tokenUrl': 'Where a client gets its token.',
  'authorizationCode: options.refreshUrl': 'Where a client gets a new token.',
  'rateLimit(options).by': 'Counts the requests of each address, before authentication, or of each caller, after it.',
  'openApi(server, options).info': '`{ title, version }`, and the other properties of `info` in OpenAPI.',
  'openApi(server, options).servers': 'The servers, as in OpenAPI. The paths have the root of the server already.',
  'openApi(server, options).tags': 'Descriptions of tags, as in OpenAPI.',
  'samples: sample.query': 'The query, as an object.',
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
