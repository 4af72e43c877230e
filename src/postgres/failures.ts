/** What the errors of a driver say. They can be the cause of an error of a library, such as Drizzle's. */
import { ApiError } from '../errors/api-error.ts';

const MAX_CAUSES = 8;
// Serialization failure, deadlock.
const CONFLICT = /^(?:40001|40P01)$/;
// `statement_timeout`, `lock_timeout`, and the timeouts of transactions.
const TIMED_OUT = /^(?:57014|55P03|25P0[34])$/;
// A cancel that somebody has asked for, and NOWAIT, have the same codes.
const ON_REQUEST = /user request|could not obtain lock/;
// A write, and what else a standby does not have: serializable transactions, unlogged tables, numbers of transactions. A statement after
// one.
const NEEDS_PRIMARY = /^(?:25006|0A000|55000|25P02)$/;
// PostgreSQL: no connection, no resources, shutdown, a server that only reads. Prisma: P…; Postgres.js: CONNECT…
const LOST = /^(?:08\d..|53[0-3]00|57P0[1-5]|25006|P1001|P1008|P1017|P2024|P2037|CONNECTION_(?:CLOSED|DESTROYED)|CONNECT_TIMEOUT)$/;
// A code and a `syscall` of Node. A file has other codes if it cannot be read.
const LOST_SOCKET = /^E(?:\w+ (?:connect|getaddrinfo)|(?:CONN\w+|PIPE|TIMEDOUT|HOST\w+|NET\w+) (?:read|write))\b/;
// The errors of `pg` that have no code, and Node's for a connection that ends before TLS has begun.
const LOST_MESSAGE = new RegExp('^(?:Connection terminated(?: unexpectedly| due to connection timeout)?'
  + '|timeout exceeded when trying to connect'
  + '|timeout expired|Query read timeout|Client (?:has encountered a connection error|was closed) and is not queryable'
  + '|Client network socket disconnected before secure TLS connection was established)$');

// What PgBouncer says if a setting of it, or of the pool, is wrong.
const WRONG_SETTING = /^(?:unsupported startup parameter|no such (?:database|user)|bouncer config error|(?:SSL|TLS).* required)/;
const REJECTED_LOGIN = /\bauthentication failed/;

// A value of a type: too long, out of range, not a date or time, not UTF-8. Too large for an index. Prisma: P2000, P2020.
const INVALID_VALUE = /^(?:22001|22003|22007|22008|22009|22021|22P05|54000|P2000|P2020)$/;
const DATA_EXCEPTION = /^22/;
// The context of an error that PostgreSQL found as it read a parameter, before it ran the statement.
const PARAMETER = /^(?:unnamed portal|portal ".*") parameter \$\d+/m;

/** How often something is tried that fails because of others. */
export const ATTEMPTS = 5;

/** What is read of an error. `originalCode` and `meta` are Prisma's, `config` and `options` those of clients for HTTP. */
interface DriverError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly severity?: unknown;
  /** The context of the error, and its place in the statement. */
  readonly where?: unknown;
  readonly position?: unknown;
  readonly syscall?: unknown;
  readonly errors?: readonly DriverError[];
  readonly config?: unknown;
  readonly options?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** Whether an error says that the transaction can succeed if it is repeated. */
export function isConflict(error: unknown): boolean {
  return someCause(error, (each) => hasCode(each, CONFLICT));
}

/**
 * Returns whether an error of a database driver, or its cause, says that the database is not available: there is no connection, it was
 * lost, or the server only reads, as after a switch-over. Returns `false` for a statement that took too long (57014), for a setting that is
 * wrong, such as a password, and for errors of `fetch`. A socket of `node:http` or Redis has the same errors as one of a database, so
 * convert these. Never throws.
 *
 * @example
 * ```ts
 * const isHealthy = await db.query('SELECT 1').then(() => true, (error: unknown) => !isDatabaseUnavailable(error));
 * ```
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(error, (each) => {
    const { code, severity, errors, syscall = errors?.[0]?.syscall } = each;
    // Prisma puts lines of its own before the message of a driver.
    const message = String(each.message).split('\n').at(-1) ?? '';
    return hasCode(each, LOST) || LOST_SOCKET.test(`${code} ${syscall ?? message}`) || LOST_MESSAGE.test(message)
      // PgBouncer ends a connection with the code that PostgreSQL has for a wrong number of parameters.
      || (code === '08P01' && severity === 'FATAL' && !WRONG_SETTING.test(message) && !REJECTED_LOGIN.test(message));
  });
}

/** Whether the server has ended a statement or a transaction since it took too long: the transaction is rolled back. */
export function hasTimedOut(error: unknown): boolean {
  return someCause(error, (each) => hasCode(each, TIMED_OUT) && !ON_REQUEST.test(String(each.message)));
}

/**
 * Whether a short statement of this entry can succeed later: the database is not available, or so busy that `statement_timeout` or
 * `lock_timeout` ended the statement.
 */
export function isTemporary(error: unknown): boolean {
  return isDatabaseUnavailable(error) || someCause(error, (each) => hasCode(each, TIMED_OUT));
}

/**
 * Makes a 503 with `Retry-After` of an error that says that the database is not available: the `mapError` of a server or an endpoint. The
 * database may have been lost after a change, so a client should send an `Idempotency-Key`, or repeat only what can run twice.
 *
 * @example
 * ```ts
 * const server = new ApiServer('/v1', { mapError: mapUnavailable });
 * ```
 */
export function mapUnavailable(error: unknown): ApiError | undefined {
  return isDatabaseUnavailable(error) ? makeUnavailable(error) : undefined;
}

/**
 * Makes a 400 of an error that says that PostgreSQL cannot store a value: a number beyond its type, a date that `timestamptz` does not
 * hold, a string with NUL, or one too long for its column or for an index. It is the `mapError` of a server or an endpoint, such as
 * `(error) => mapUnavailable(error) ?? mapInvalidValue(error)`.
 *
 * What the text of a statement has, and what fails within a function of the database, is a mistake of the program, and stays a 500. It
 * cannot tell a value of the client from one that the program, or a calculation in the statement, has made: that is a 400, too, which is
 * not logged.
 *
 * @example
 * ```ts
 * const server = new ApiServer('/v1', { mapError: mapInvalidValue });
 * ```
 */
export function mapInvalidValue(error: unknown): ApiError | undefined {
  if (!someCause(error, isInvalidValue)) return undefined;
  return ApiError.status(400, 'The database cannot store a value of the request.', { cause: error });
}

function isInvalidValue(error: DriverError): boolean {
  if (typeof error.where === 'string') return hasCode(error, DATA_EXCEPTION) && PARAMETER.test(error.where);
  return hasCode(error, INVALID_VALUE) && error.position === undefined;
}

/**
 * Whether a statement may have failed since its server has become a standby. A proxy, or the pool, keeps connections to it, which can only
 * read from then on.
 */
export function needsPrimary(error: unknown): boolean {
  return someCause(error, (each) => hasCode(each, NEEDS_PRIMARY));
}

function hasCode({ code, originalCode = code }: DriverError, codes: RegExp): boolean {
  return typeof originalCode === 'string' && codes.test(originalCode);
}

/** Whether an error or one of its causes is such an error. What `fetch` has thrown is about a different server. Never throws. */
function someCause(error: unknown, isSuch: (each: DriverError) => boolean): boolean {
  try {
    let each = error;
    for (let causes = 0; causes < MAX_CAUSES && each !== undefined; causes += 1) {
      const failure = Object(each) as DriverError;
      const { name, config, options, meta, cause = meta?.driverAdapterError } = failure;
      if (name === 'TypeError' || config !== undefined || options !== undefined) return false;
      if (isSuch(failure)) return true;
      each = cause;
    }
  } catch {
    // A getter of the error, or a proxy, may throw.
  }
  return false;
}

/** Makes the 503 of a conflict that goes on. */
export function makeConflict(cause: unknown): ApiError {
  return makeRepeatable('Too many requests change the same data.', cause);
}

/** Makes the 503 of a statement that took too long. */
export function makeTimedOut(cause: unknown): ApiError {
  return makeRepeatable('The database did not respond in time.', cause);
}

/** Makes the 503 of a database that cannot be reached. */
export function makeUnavailable(cause: unknown): ApiError {
  return makeRepeatable('The database is not available.', cause);
}

/** Makes a 503 that asks the client to try again. */
function makeRepeatable(detail: string, cause: unknown): ApiError {
  return ApiError.status(503, detail, { cause, headers: { 'Retry-After': '1' } });
}
