/** The server's options, with their defaults and checks. */
import type { RequestListener, Server } from 'node:http';
import type { Server as HttpsServer, ServerOptions } from 'node:https';
import { type ErrorMapper, type NotFoundPredicate, reportsNotFound } from '../errors/api-error.ts';
import { functionFrom, knownMembersOf, MAX_BYTES, MAX_MS, numberFrom, oneOf } from '../util/options.ts';
import type { ErrorForm } from '../errors/problem.ts';
import { allowedHostNames } from '../http/host.ts';
import { type Logger, safeLogger } from './logger.ts';
import { type FormatProblemOptions, type ProblemFormat, problemFormatFrom, problemFormatter, type ProblemFormatter } from './problem-formatter.ts';
import { type TlsOptions, tlsOptionsFrom } from './tls-options.ts';

/** The limits of requests and connections. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Max length of a body; longer ones get 413. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Max time for the head of a request, and for a new connection to send its first byte. Default 10 s. */
  readonly headersMs?: number;
  /** Max time for a whole request to arrive. Default 30 s. */
  readonly requestMs?: number;
  /**
   * Max time for the host's part of a request: context, decoders, operation and output together, without the time in which the body
   * arrives. Then the request gets 503. It also limits the time until the last middleware calls `next`. 0 means no limit. Default 60 s.
   */
  readonly operationMs?: number;
  /**
   * Max time in which a client takes no byte of an unsent reply. Then its connection is destroyed. Default 30 s. A byte counts as
   * taken when the operating system has buffered it. Linux buffers up to 4 MiB, and then takes no more until a third of that is
   * free again. So a client should read about 2 MiB of a long reply in this time. Raise the limit for slower clients.
   */
  readonly sendMs?: number;
  /** Max time for which a connection may be idle. Default 72 s, longer than the 60 s of most load balancers. */
  readonly keepAliveMs?: number;
  /** Max length of a request's head; longer ones get 431. Default 16 KiB. */
  readonly headerBytes?: number;
  /** Max number of open connections; further ones are closed at once. No limit by default. */
  readonly connections?: number;
  /**
   * Max number of requests in work; further ones get 503. No limit by default. A response that is a stream leaves the count when its head is
   * sent. A mount can be exempt: `registerHandler('/health', handler, { inFlight: false })`.
   */
  readonly inFlight?: number;
  /**
   * Max number of responses that are open streams, such as events and downloads; further ones get 503, and their streams are closed. Streams
   * that a mount writes do not count. No limit by default.
   */
  readonly streams?: number;
  /**
   * Max bytes of replies that clients have not taken, over all connections. Past it, the connections of the slowest readers are destroyed,
   * and that is logged. Default 256 MiB.
   */
  readonly unsentBytes?: number;
}

/** Makes the server of `start`. Used by the option `createServer`. */
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
  /** `'any'` reads every body as JSON, whatever its `Content-Type`. Default `'json'`: other types get 415. */
  readonly contentType?: 'json' | 'any';
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
   * Makes an `ApiError` of an error that an operation or a context threw. Asked after the `errorFrom` of the endpoint, and before
   * `isNotFound`. If an `errorFrom` throws, `isNotFound` is asked next.
   */
  readonly errorFrom?: ErrorMapper;
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
   * Replaces `JSON.stringify` for results and for the bodies of replies. A `stringify` of an endpoint or of an operation comes before
   * it, for results. A throw or a result that is no string is answered 500 and logged.
   */
  readonly stringify?: (value: unknown) => string;
}

/** The options, with the default of each that is left out. */
export interface Settings extends Required<Omit<ApiServerOptions, 'limits' | 'allowedHosts' | 'errorFrom' | 'formatProblem' | 'stringify' | 'tls' | 'createServer'>> {
  readonly limits: Required<Limits>;
  readonly allowedHosts: ReadonlySet<string> | undefined;
  readonly errorFrom: ErrorMapper | undefined;
  readonly formatProblem: ProblemFormatter | undefined;
  /** What `formatProblem` says of the bodies. */
  readonly errorForm: ErrorForm | undefined;
  readonly stringify: ((value: unknown) => string) | undefined;
  readonly tls: TlsOptions | undefined;
  readonly createServer: CreateServer | undefined;
}

type Range = readonly [byDefault: number, min: number, max: number];

const LIMITS: Readonly<Record<keyof Limits, Range>> = {
  bodyBytes: [2 ** 20, 0, MAX_BYTES],
  headersMs: [10_000, 1, MAX_MS],
  requestMs: [30_000, 1, MAX_MS],
  operationMs: [60_000, 0, MAX_MS],
  sendMs: [30_000, 1, MAX_MS],
  keepAliveMs: [72_000, 1, MAX_MS],
  headerBytes: [2 ** 14, 64, MAX_BYTES],
  connections: [Infinity, 1, Infinity],
  inFlight: [Infinity, 1, Infinity],
  streams: [Infinity, 1, Infinity],
  unsentBytes: [2 ** 28, 0, Infinity],
};
const STOP_GRACE: Range = [10_000, 0, MAX_MS];
const STOP_LINGER: Range = [50, 0, MAX_MS];

const NAMES: readonly string[] = [
  'logger', 'limits', 'stopGraceMs', 'stopLingerMs', 'allowedHosts', 'contentType', 'uniqueKeys', 'requireContext',
  'exposeInternalErrors', 'validationStatus', 'isNotFound', 'errorFrom', 'formatProblem', 'stringify', 'tls', 'createServer',
] satisfies (keyof ApiServerOptions)[];

/** Checks a host's options and fills in the defaults. Throws `TypeError` with the option's name. */
export function settingsFrom(options: ApiServerOptions): Settings {
  const {
    logger: hostLogger = console, limits = {}, stopGraceMs, stopLingerMs, allowedHosts, contentType = 'json',
    uniqueKeys = false, requireContext = false, exposeInternalErrors = false, validationStatus = 400, isNotFound = reportsNotFound, errorFrom,
    formatProblem: format, stringify, tls, createServer,
  } = knownMembersOf(options, 'options', NAMES);
  const logger = safeLogger(loggerFrom(hostLogger));
  const formatProblem = problemFormatFrom(format);
  return {
    logger,
    limits: limitsFrom(limits),
    stopGraceMs: numberOr(stopGraceMs, 'stopGraceMs', STOP_GRACE),
    stopLingerMs: numberOr(stopLingerMs, 'stopLingerMs', STOP_LINGER),
    allowedHosts: allowedHosts === undefined ? undefined : allowedHostNames(allowedHosts),
    contentType: oneOf(contentType, 'contentType', ['json', 'any']),
    uniqueKeys: oneOf(uniqueKeys, 'uniqueKeys', [false, true]),
    requireContext: oneOf(requireContext, 'requireContext', [false, true]),
    exposeInternalErrors: oneOf(exposeInternalErrors, 'exposeInternalErrors', [false, true]),
    validationStatus: oneOf(validationStatus, 'validationStatus', [400, 422]),
    isNotFound: functionFrom<NotFoundPredicate>(isNotFound, 'isNotFound') ?? reportsNotFound,
    errorFrom: functionFrom<ErrorMapper>(errorFrom, 'errorFrom'),
    formatProblem: formatProblem && problemFormatter(formatProblem, (error) => logger.error(error)),
    errorForm: formatProblem?.form,
    stringify: functionFrom<(value: unknown) => string>(stringify, 'stringify'),
    tls: tls === undefined ? undefined : tlsOptionsFrom(tls),
    createServer: functionFrom<CreateServer>(createServer, 'createServer'),
  };
}

function limitsFrom(value: unknown): Required<Limits> {
  const limits = knownMembersOf(value, 'limits', Object.keys(LIMITS));
  const entries = Object.entries(LIMITS).map(([name, range]) => [name, numberOr(limits[name], `limits.${name}`, range)]);
  return Object.fromEntries(entries) as Required<Limits>;
}

function numberOr(value: unknown, path: string, [byDefault, min, max]: Range): number {
  return value === undefined ? byDefault : numberFrom(value, path, [min, max]);
}

function loggerFrom(value: unknown): Logger {
  const { info, error } = Object(value) as Partial<Logger>;
  if (typeof info !== 'function' || typeof error !== 'function') throw new TypeError('logger must have info and error');
  return value as Logger;
}
