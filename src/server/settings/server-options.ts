/** The server's options, with their defaults and checks. */
import type { SchemaConverter } from '../../declaration/decoder.ts';
import { checkJsonTypes } from '../../declaration/define-format.ts';
import type { ErrorMapper } from '../../errors/api-error.ts';
import { boolean, type Checked, functionOr, integer, MAX_MS, oneOf, option, type Shape, shape } from '../../util/options.ts';
import type { ErrorFormat } from '../../errors/problem.ts';
import { type CheckedCors, checkCors, type CorsOptions } from '../../http/cors.ts';
import { checkAllowedHosts } from '../../http/target.ts';
import { findInternals } from '../../util/internals.ts';
import { type Limits, LIMITS } from '../../http/limits.ts';
import { type Logger, guardLogger } from './logger.ts';
import {
  type CheckedFormat, checkProblemFormat, type FormatProblemOptions, type ProblemFormat, makeProblemFormatter, type ProblemFormatter,
} from './problem-formatter.ts';
import { type CheckedProxy, PROXY_OPTIONS, type ProxyOptions } from './proxy.ts';
import { type CheckedRequestId, checkRequestId, type RequestIdOptions, RequestIds } from './request-id.ts';
import { checkTls, type TlsOptions } from './tls-options.ts';

/**
 * All options can be left out. An unknown name, or a value out of range, throws `TypeError` when the server is made.
 *
 * @example
 * ```ts
 * const options: ApiServerOptions = {
 *   limits: { bodyBytes: 1_000_000, operationMs: 10_000 },
 *   cors: { origins: ['https://app.example'] },
 *   stopGraceMs: 30_000,
 * };
 * new ApiServer('/v1', options);
 * ```
 */
export interface ApiServerOptions {
  /**
   * Logs routes and failures.
   *
   * @default console
   */
  readonly logger?: Logger;
  /** Limits of requests and connections: `limits: { bodyBytes: 10_000_000 }`. Operations can have `limits` of their own. */
  readonly limits?: Limits;
  /**
   * Listens with TLS: `cert` and `key`, and whatever else `https.createServer` takes for TLS. A handshake may take
   * `limits.headersMs`. No HTTP/2 is offered. `setSecureContext` replaces the certificate.
   */
  readonly tls?: TlsOptions;
  /**
   * How long `stop` waits for requests in flight before it destroys their connections, in milliseconds.
   *
   * @default 10_000
   */
  readonly stopGraceMs?: number;
  /**
   * The names and addresses, without a port, that `Host` may have. Any other gets 421, and the first request for each of the first 20 is
   * logged. The address of a machine is one too: a load balancer may send it with its probes.
   *
   * @default any
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Lets pages of other origins call the server, its mounts included. Preflights get 204, with the methods of the path and the headers
   * that its operations declare.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', { cors: { origins: ['https://app.example'], credentials: true } });
   * ```
   * @default none
   */
  readonly cors?: CorsOptions;
  /**
   * Rejects bodies with an object that has a key twice (RFC 8259 section 4): 400. `JSON.parse` would use the last one. Parsing takes 20 to
   * 50 % longer.
   *
   * @default false
   */
  readonly uniqueKeys?: boolean;
  /**
   * The media types of all JSON: bodies must have one of them, and results have the first. `json` of `restpoint/formats` gives an endpoint
   * or an operation others. Errors have the `type` of `formatProblem`.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/scim/v2', { jsonTypes: ['application/scim+json', 'application/json'] });
   * ```
   * @default application/json, and in bodies also any type that ends in +json, except in a PATCH
   */
  readonly jsonTypes?: readonly string[];
  /**
   * Throws for an operation that has no `context`, nor its endpoint, and for a mount without one, so that none is open to anyone by
   * mistake. Public operations and mounts have the context `anyone` of `restpoint/auth`.
   *
   * @default false
   */
  readonly requireContext?: boolean;
  /**
   * The status for a body, a query or headers that a decoder rejects. A body that is not JSON gets 400.
   *
   * @default 400
   */
  readonly validationStatus?: 400 | 422;
  /**
   * Makes an `ApiError` of an error that an operation or a context threw. Called if the `mapError` of the endpoint returns `undefined`. If
   * both do, errors with `notFound: true`, the name `NotFoundError`, or the code `LEVEL_NOT_FOUND` or `P2025` are a 404, and others a 500.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', { mapError: (error) => (Object(error).code === 'ENOENT' ? ApiError.notFound() : undefined) });
   * ```
   */
  readonly mapError?: ErrorMapper;
  /**
   * Formats the bodies of errors. If it throws, the problem is sent as it is, and the failure is logged. The options object also describes
   * the bodies for documents and checks: their media type and their schema.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', {
   *   formatProblem: {
   *     schema: z.object({ error: z.object({ code: z.int(), message: z.string() }) }),
   *     format: ({ status, title, detail }) => ({ body: { error: { code: status, message: detail ?? title } } }),
   *   },
   * });
   * ```
   */
  readonly formatProblem?: ProblemFormat | FormatProblemOptions;
  /**
   * Returns the JSON Schema (draft 2020-12) of one side of a decoder, or `undefined`: for documents, tools and checks. Called for decoders
   * without a Standard JSON Schema, and for those whose own fails. If it returns `undefined`, the document has `{}` for a decoder without
   * one, and for a part that failed.
   */
  readonly jsonSchema?: SchemaConverter;
  /**
   * Gives each request an id: the one that a proxy has sent, of those that the option `proxy` trusts, or a new UUID. It is `request.id` of
   * operations, interceptors and Node's request, the `X-Request-Id` of each response, and in each logged error.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', { requestId: true, proxy: { trusted: 1 } });
   * ```
   * @default none
   */
  readonly requestId?: true | RequestIdOptions;
  /**
   * The proxies in front of the server: whom they say that the client is, for `request.client` and `rateLimit`, and the URL at which
   * clients reach the server, for `request.urlOf(id)` and `Location`.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', { proxy: { trusted: 1, url: 'https://api.example/zoo' } });
   * ```
   * @default none
   */
  readonly proxy?: ProxyOptions;
}

/** The options that have a different form after their check. */
type Converted = 'limits' | 'allowedHosts' | 'cors' | 'formatProblem' | 'requestId' | 'proxy';

/** The options after their check. */
export interface Settings extends Omit<Checked<ApiServerOptions, Defaulted>, Converted> {
  readonly limits: Required<Limits>;
  readonly allowedHosts: ReadonlySet<string> | undefined;
  readonly cors: CheckedCors | undefined;
  readonly formatProblem: ProblemFormatter | undefined;
  readonly requestId: RequestIds | undefined;
  readonly proxy: CheckedProxy;
  /** How long `stop` keeps idle connections. Only tests choose it. */
  readonly lingerMs: number;
  /** Max bytes of responses that clients have not taken, over all connections. Only tests choose it. */
  readonly unsentBytes: number;
  /** The description of the bodies of errors in `formatProblem`. */
  readonly errorForm: ErrorFormat | undefined;
}

type Defaulted = Exclude<keyof ApiServerOptions, Exclude<Converted, 'limits'> | 'jsonTypes' | 'mapError' | 'jsonSchema' | 'tls'>;

type CheckedServerOptions = Omit<Settings, 'formatProblem' | 'requestId' | 'errorForm' | 'lingerMs' | 'unsentBytes'> & {
  readonly formatProblem: CheckedFormat | undefined; readonly requestId: CheckedRequestId | undefined;
};

/**
 * How long `stop` keeps an idle connection for one last request, in milliseconds. A client may have sent a request just before it could
 * know of the stop.
 */
const LINGER_MS = 50;
const UNSENT_BYTES = 2 ** 28;

/** `new ApiServer(root, options)`: {@link ApiServerOptions}, {@link Limits}, {@link ProxyOptions}. */
export const SERVER_OPTIONS: Shape<CheckedServerOptions> = shape({
  logger: option<Logger>('`{ info, error }`', checkLogger, console),
  limits: LIMITS,
  tls: option('an object', checkTls, undefined),
  stopGraceMs: integer(0, MAX_MS, 10_000),
  allowedHosts: option('a list of host names', checkAllowedHosts, undefined),
  cors: option('`{ origins, credentials, … }`', checkCors, undefined),
  uniqueKeys: boolean(),
  jsonTypes: option<readonly string[] | undefined>('media types of JSON', checkJsonTypes, undefined),
  requireContext: boolean(),
  validationStatus: oneOf([400, 422]),
  mapError: functionOr(),
  formatProblem: option('a function, or `{ format, type, schema }`', checkProblemFormat, undefined),
  jsonSchema: functionOr(),
  requestId: option('`true`, or `{ header, generate }`', checkRequestId, undefined),
  proxy: PROXY_OPTIONS,
});

/** Checks a user's options and fills in the defaults. Throws `TypeError` with the option's name. */
export function checkServerOptions(options: ApiServerOptions): Settings {
  const checked = SERVER_OPTIONS.check(options, '');
  const logger = guardLogger(checked.logger);
  const { formatProblem, requestId } = checked;
  return {
    ...checked,
    logger,
    lingerMs: findInternals<Settings>(options)?.lingerMs ?? LINGER_MS,
    unsentBytes: findInternals<Settings>(options)?.unsentBytes ?? UNSENT_BYTES,
    formatProblem: formatProblem && makeProblemFormatter(formatProblem, logger),
    requestId: requestId && new RequestIds(requestId, checked.proxy.trusted, logger),
    errorForm: formatProblem?.form,
  };
}

function checkLogger(value: unknown, path: string): Logger {
  const { info, error } = Object(value) as Partial<Logger>;
  if (typeof info !== 'function' || typeof error !== 'function') throw new TypeError(`${path} must have info and error`);
  return value as Logger;
}
