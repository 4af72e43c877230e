/** The limits of a server and of its operations. Times are in milliseconds, sizes in bytes. */
import { integer, MAX_BYTES, MAX_MS, option, optional, type Shape, shape } from '../util/options.ts';

/**
 * The limits of requests and connections. Times are in milliseconds, sizes in bytes.
 *
 * @example
 * ```ts
 * const limits: Limits = { bodyBytes: 5_000_000, requestMs: 60_000, operationMs: 10_000 };
 * new ApiServer('/v1', { limits });
 * ```
 */
export interface Limits {
  /** Max length of a body; longer ones get 413. @default 1 MiB */
  readonly bodyBytes?: number;
  /** Max time for the head of a request, and for a new connection to send its first byte. @default 10 s */
  readonly headersMs?: number;
  /** Max time for a whole request to arrive. @default 30 s */
  readonly requestMs?: number;
  /**
   * Max time for your functions of a request: context, decoders, operation and output together, without the time in which the body
   * arrives. After it, the request gets 503. It also limits the time until the last middleware calls `next`. 0 means no limit.
   * @default 60 s
   */
  readonly operationMs?: number;
  /**
   * Max time in which a client takes nothing of a response; then its connection is destroyed. Linux takes more from the server only when a
   * third of its buffer of up to 4 MiB is free, so a client must read about 2 MiB of a long response in this time. Raise it for
   * slower ones.
   * @default 30 s
   */
  readonly sendMs?: number;
  /** Max time for which a connection may be idle. It should be longer than your load balancer's, often 60 s. @default 72 s */
  readonly keepAliveMs?: number;
  /** Max length of a request's head; longer ones get 431. @default 16 KiB */
  readonly headerBytes?: number;
  /** Max number of open connections; further ones are closed at once. @default no limit */
  readonly connections?: number;
  /**
   * Max number of requests in work; further ones get 503. A streamed response no longer counts when its head is sent. A mount can be
   * exempt: `mount('/health', handler, { inFlight: false })`.
   * @default no limit
   */
  readonly inFlight?: number;
}

/** The maximum of `bodyBytes` for a body that is read as a stream. */
const MAX_STREAM = Number.MAX_SAFE_INTEGER;

export const LIMITS: Shape<Required<Limits>> = shape({
  bodyBytes: integer(0, MAX_BYTES, 2 ** 20),
  headersMs: integer(1, MAX_MS, 10_000),
  requestMs: integer(1, MAX_MS, 30_000),
  operationMs: integer(0, MAX_MS, 60_000),
  sendMs: integer(1, MAX_MS, 30_000),
  keepAliveMs: integer(1, MAX_MS, 72_000),
  headerBytes: integer(64, MAX_BYTES, 2 ** 14),
  connections: integer(1, Infinity, Infinity),
  inFlight: integer(1, Infinity, Infinity),
});

const { bodyBytes, requestMs, operationMs } = LIMITS.table;

/** `limits: of an operation`: {@link OperationLimits}. */
export const OPERATION_LIMITS: Shape<Partial<Record<'bodyBytes' | 'requestMs' | 'operationMs', number | undefined>>> = shape({
  bodyBytes: option(bodyBytes.values, (value, path): number | undefined => {
    if (typeof value !== 'number' || value <= MAX_BYTES) return bodyBytes.check(value, path);
    throw new TypeError(`${path} must be at most ${MAX_BYTES}: ${value}. A body that bytes() or a different format reads has no maximum`);
  }, undefined),
  requestMs: optional(requestMs),
  operationMs: optional(operationMs),
});

/** The limits of an operation whose body is a stream. It never becomes one string, so it can be longer. */
export const STREAM_LIMITS: typeof OPERATION_LIMITS = shape({ ...OPERATION_LIMITS.table, bodyBytes: integer(0, MAX_STREAM) });
