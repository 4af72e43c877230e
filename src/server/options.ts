/** The server's options, with their defaults and checks. */
import type { RequestListener, Server } from 'node:http';
import type { Server as HttpsServer, ServerOptions } from 'node:https';
import { type ErrorMapper, type NotFoundPredicate, reportsNotFound } from '../errors/api-error.ts';
import { boolean, type Checked, functionOr, integer, MAX_MS, oneOf, option, type Shape, shape } from '../util/options.ts';
import type { ErrorForm } from '../errors/problem.ts';
import { checkAllowedHosts } from '../http/host.ts';
import { type Limits, LIMITS } from '../http/limits.ts';
import { type Logger, guardLogger } from './logger.ts';
import {
  type CheckedFormat, checkProblemFormat, type FormatProblemOptions, type ProblemFormat, makeProblemFormatter, type ProblemFormatter,
} from './problem-formatter.ts';
import { checkTls, type TlsOptions } from './tls-options.ts';

/**
 * The option `createServer`, which makes the server of `start`.
 *
 * @example
 * ```ts
 * const withApp: CreateServer = (listener, options) => createServer(options, app);
 * ```
 */
export type CreateServer = (listener: RequestListener, options: ServerOptions) => Server | HttpsServer;

/** All options can be left out. An unknown name, or a value out of range, throws `TypeError` when the server is made. */
export interface ApiServerOptions {
  /** Logs routes and failures. Default: the console. */
  readonly logger?: Logger;
  /** Limits of requests and connections: `limits: { bodyBytes: 10_000_000 }`. Operations can have `limits` of their own. */
  readonly limits?: Limits;
  /**
   * Listens with TLS: `cert` and `key`, and whatever else `https.createServer` takes for TLS. A handshake may take
   * `limits.headersMs`. No HTTP/2 is offered. `setSecureContext` replaces the certificate.
   */
  readonly tls?: TlsOptions;
  /**
   * Makes the server that `start` lets listen and `stop` closes, so that Socket.IO, `ws` or an app can share it. Called at each `start`. Its listeners
   * for requests pass on to `listener` what is for this API. Pass `options` to `http.createServer` or `https.createServer`: they have the limits.
   *
   * @example
   * ```ts
   * createServer: (listener, options) => {
   *   const http = createServer(options, listener);
   *   new SocketServer(http);
   *   return http;
   * }
   * ```
   */
  readonly createServer?: CreateServer;
  /** How long `stop` waits for requests in flight, in milliseconds, before it destroys their connections. Default 10 s. */
  readonly stopGraceMs?: number;
  /**
   * How long `stop` keeps an idle connection for one last request, in milliseconds. A client may have sent a request just before it
   * could know of the stop. It is answered with `Connection: close`. Default 50 ms. 0 closes idle connections at once.
   */
  readonly stopLingerMs?: number;
  /** The names and addresses, without a port, that `Host` may have; others get 421. Default: any. */
  readonly allowedHosts?: readonly string[];
  /**
   * Refuses bodies with an object that has a key twice (RFC 8259 section 4), which `JSON.parse` reads as the last one: 400. Takes 20 to
   * 50 % of the time of `JSON.parse` more. Default `false`.
   */
  readonly uniqueKeys?: boolean;
  /** Refuses operations for which neither they nor their endpoint have a `context`, so that none is open to anyone by mistake. Default `false`. */
  readonly requireContext?: boolean;
  /** Whether clients get the text of internal errors, which can hold a store's secrets. Default `false`. */
  readonly exposeInternalErrors?: boolean;
  /** The status for values that a decoder refuses, of a body, a query or header fields. A body that is not JSON is 400. Default 400. */
  readonly validationStatus?: 400 | 422;
  /**
   * Returns `true` if a failure of a store means that an item does not exist. A missing file does not by default: an endpoint of files says so.
   *
   * @example
   *   isNotFound: (error) => (error as NodeJS.ErrnoException).code === 'ENOENT'
   * @default errors with `notFound: true`, the name `NotFoundError`, or the code `LEVEL_NOT_FOUND` or `P2025`
   */
  readonly isNotFound?: NotFoundPredicate;
  /**
   * Makes an `ApiError` of an error that an operation or a context threw. Asked after the `mapError` of the endpoint, and before
   * `isNotFound`. If a `mapError` throws, `isNotFound` is asked next.
   */
  readonly mapError?: ErrorMapper;
  /**
   * Formats the bodies of errors. If it throws, the problem is sent as it is, and that is logged. As options, it also says what the bodies
   * look like, for documents and checks: their media type and their schema.
   *
   * @example
   * ```ts
   * formatProblem: {
   *   schema: z.object({ error: z.object({ code: z.int(), message: z.string() }) }),
   *   format: ({ status, title, detail }) => ({ body: { error: { code: status, message: detail ?? title } } }),
   * }
   * ```
   */
  readonly formatProblem?: ProblemFormat | FormatProblemOptions;
  /**
   * Replaces `JSON.stringify` for results and for the bodies of replies. An operation can have its own for its results. A throw, or a result
   * that is not a string, is a logged 500.
   */
  readonly stringify?: (value: unknown) => string;
}

/** The options after their check. */
export interface Settings extends Omit<Checked<ApiServerOptions, Defaulted>, 'limits' | 'allowedHosts' | 'formatProblem'> {
  readonly limits: Required<Limits>;
  readonly allowedHosts: ReadonlySet<string> | undefined;
  readonly formatProblem: ProblemFormatter | undefined;
  /** What `formatProblem` says of the bodies. */
  readonly errorForm: ErrorForm | undefined;
}

type Defaulted = Exclude<keyof ApiServerOptions, 'allowedHosts' | 'mapError' | 'formatProblem' | 'stringify' | 'tls' | 'createServer'>;

export const SERVER_OPTIONS: Shape<Omit<Settings, 'formatProblem' | 'errorForm'> & { readonly formatProblem: CheckedFormat | undefined }> = shape({
  logger: option<Logger>('`{ info, error }`', checkLogger, console),
  limits: LIMITS,
  tls: option('an object', checkTls, undefined),
  createServer: functionOr(),
  stopGraceMs: integer(0, MAX_MS, 10_000),
  stopLingerMs: integer(0, MAX_MS, 50),
  allowedHosts: option('a list of host names', checkAllowedHosts, undefined),
  uniqueKeys: boolean(),
  requireContext: boolean(),
  exposeInternalErrors: boolean(),
  validationStatus: oneOf([400, 422]),
  isNotFound: functionOr(reportsNotFound),
  mapError: functionOr(),
  formatProblem: option('a function, or `{ format, type, schema, extensionsAt }`', checkProblemFormat, undefined),
  stringify: functionOr(),
});

/** Checks a user's options and fills in the defaults. Throws `TypeError` with the option's name. */
export function checkServerOptions(options: ApiServerOptions): Settings {
  const checked = SERVER_OPTIONS.check(options, '');
  const logger = guardLogger(checked.logger);
  const { formatProblem } = checked;
  return {
    ...checked,
    logger,
    formatProblem: formatProblem && makeProblemFormatter(formatProblem, (error) => logger.error(error)),
    errorForm: formatProblem?.form,
  };
}

function checkLogger(value: unknown, path: string): Logger {
  const { info, error } = Object(value) as Partial<Logger>;
  if (typeof info !== 'function' || typeof error !== 'function') throw new TypeError(`${path} must have info and error`);
  return value as Logger;
}
