/**
 * An operation throws an `ApiError` to choose the status of its response:
 *
 *   ApiError.argument('legs must be even')      ->   400  "Bad arguments: legs must be even"
 *   ApiError.internal('disk is full')           ->   500  "Internal error: disk is full"
 *   ApiError.notFound()                         ->   404  "Not found."
 *   ApiError.status(409, 'the name is taken')   ->   409  "the name is taken"
 */
import { BODY_HEADERS, checkHeaders, hasHeader, type HeaderNames, replaceHeaders, type ResponseHeaders } from '../util/headers.ts';
import { anything, type Checked, checkInteger, checkObject, checkString, type Shape, shape, string } from '../util/options.ts';
import {
  makeDecodeRejection, makeProblem, toPhrase, formatArgumentMessage, LocatedIssue, type Problem, type ProblemIssueWithPath,
  type ProblemReason, type ProblemStatus, REASONS, Rejection,
} from './problem.ts';
import { checkAwaited, disown, formatError, isError, readProperty, shortenString } from '../util/promises.ts';

/** The kinds that have a fixed status. */
type FixedKind = 'Argument' | 'Internal' | 'NotFound';

/** The kinds of errors. Each has a fixed HTTP status, except `Status`: there, the operation chooses it. */
export type ErrorKind = FixedKind | 'Status';

// A new kind does not compile until it has a status.
const REASON_OF_KIND: Readonly<Record<FixedKind, ProblemReason>> = { Argument: 'value', NotFound: 'item', Internal: 'internal' };
const STATUS_OF_KIND: Readonly<Record<FixedKind, ProblemStatus>> = {
  Argument: 400,
  Internal: 500,
  NotFound: 404,
};

/**
 * Makes an `ApiError` of an error that an operation threw. Returns `undefined` for errors that it does not know.
 *
 * @example
 * ```ts
 * const mapError: ErrorMapper = (thrown) => {
 *   const { code } = Object(thrown);
 *   if (code === 'ENOENT') return ApiError.notFound();
 *   // A unique violation of PostgreSQL.
 *   return code === '23505' ? ApiError.status(409, 'The name is taken.') : undefined;
 * };
 * new ApiServer('/v1', { mapError });
 * ```
 */
export type ErrorMapper = (thrown: unknown) => ApiError | undefined;

/**
 * The options of `ApiError.argument`.
 *
 * @example
 * ```ts
 * const options: ArgumentOptions = { errors: [{ detail: 'Too short.', path: ['name'] }] };
 * throw ApiError.argument('The pet is not valid.', options);
 * ```
 */
export interface ArgumentOptions extends ErrorOptions {
  /** The errors of the request, sent as `errors` of the problem. */
  readonly errors?: readonly ProblemIssueWithPath[];
}

/**
 * The options of `ApiError.status`, with the names of RFC 9457. `problem` takes them too, but for `cause` and `extensions`.
 *
 * @example
 * ```ts
 * const options: StatusOptions = { extensions: { holder: 'Ann' }, headers: { 'Retry-After': '5' } };
 * throw ApiError.status(409, 'The pet is reserved.', options);
 * ```
 */
export interface StatusOptions extends ErrorOptions {
  /** A URI that names the kind of problem. @default 'about:blank' */
  readonly type?: string;
  /** The title of the kind of problem. Any title but the phrase of the status needs a `type`. @default the phrase of the status */
  readonly title?: string;
  /** A URI that names this occurrence. */
  readonly instance?: string;
  /** Further properties of the problem. They cannot be `type`, `title`, `status`, `detail` or `instance`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Headers of the response. The server sets the ones that describe the body and the connection. */
  readonly headers?: ResponseHeaders;
  /** The error that caused it. It is logged, and never sent. */
  readonly cause?: unknown;
}

type Challenge<Name extends string> = { readonly [N in Name]: string | readonly string[] };

/** Options with a challenge. */
export interface Challenging {
  readonly headers: Challenge<'WWW-Authenticate'> | Challenge<'www-authenticate'>;
}

/** The arguments after the status: for a status that may be 401, options with a challenge (RFC 9110 section 15.5.2). */
type StatusArguments<Status extends number> = [Extract<Status, 401>] extends [never]
  ? [detail?: string | undefined, options?: StatusOptions]
  : [detail: string | undefined, options: StatusOptions & Challenging];

/**
 * Ends an operation with an error, when the operation throws it. Clients get its status, and its message as a problem (RFC 9457). The
 * message of `ApiError.internal` is only logged. `cause` is logged, and never sent.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   delete: (id) => {
 *     if (pets.get(id)?.name === 'Rex') throw ApiError.status(409, 'Rex stays here.');
 *     return pets.delete(id);
 *   },
 * });
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Decides the status: `Argument` 400, `NotFound` 404, `Internal` 500, `Status` any from 400 to 599. */
  readonly kind: ErrorKind;
  /** The HTTP status of the response. */
  readonly status: number;
  readonly #rejection: Rejection | undefined;

  private constructor(kind: ErrorKind, message: string, options: ErrorOptions | undefined, rejection?: Rejection) {
    super(message, options);
    if (rejection === undefined && !Object.hasOwn(STATUS_OF_KIND, kind)) {
      throw new TypeError("ApiError has no public constructor: throw ApiError.status(409, 'The name is taken.')");
    }
    this.kind = kind;
    this.status = rejection?.problem.status ?? STATUS_OF_KIND[kind as FixedKind];
    this.#rejection = rejection;
  }

  /**
   * Creates an error for a wrong request: 400, with the message `Bad arguments: <message>`. `errors` says where the mistakes are.
   *
   * @example
   * ```ts
   * throw ApiError.argument('a pet has at most 8 legs', { errors: [{ detail: 'too many legs', pointer: '#/legs' }] });
   * ```
   * @throws `TypeError` if one of `errors` has no `detail`.
   */
  static argument(message: string, options: ArgumentOptions = {}): ApiError {
    const rejection = options.errors === undefined ? undefined : makeDecodeRejection(message, options.errors.map(checkedIssue));
    return new ApiError('Argument', formatArgumentMessage(checkAwaited(message, 'message')), options, rejection);
  }

  /**
   * Creates an error for a failure: 500. `Internal error: <message>` is logged, and not sent.
   *
   * @example
   * ```ts
   * new ApiServer('/v1', { mapError: (thrown) => ApiError.internal('the database failed', { cause: thrown }) });
   * ```
   */
  static internal(message: string, options?: ErrorOptions): ApiError {
    return new ApiError('Internal', `Internal error: ${checkAwaited(message, 'message')}`, options);
  }

  /**
   * Creates an error for an item that does not exist: 404, with the message `Not found.`
   *
   * @example
   * ```ts
   * if (!pets.has(7)) throw ApiError.notFound();
   * ```
   */
  static notFound(options?: ErrorOptions): ApiError {
    return new ApiError('NotFound', NOT_FOUND_MESSAGE, options);
  }

  /**
   * Creates an error with a status from 400 to 599. `message` is `detail`, or else the title. Clients get both, so put no secrets into
   * them.
   *
   * @example
   * ```ts
   * throw ApiError.status(409, 'The name Rex is taken.', {
   *   type: 'https://api.example/problems/name-taken',
   *   title: 'Name taken',
   *   extensions: { name: 'Rex' },
   * });
   * ```
   * @throws `TypeError` for:
   *
   * - a status out of range;
   * - a `title` without a `type`, unless it is the phrase of the status;
   * - one of `extensions` that RFC 9457 defines, or that JSON cannot represent;
   * - a header that is invalid, or that describes the body or the connection;
   * - a 401 without `WWW-Authenticate`, and a 405 without `Allow`.
   */
  static status<Status extends number>(status: Status, ...[detail, options = {}]: StatusArguments<Status>): ApiError {
    const rejection = makeStatusRejection(status, detail, STATUS_OPTIONS.check(options, 'options'));
    return new ApiError('Status', rejection.problem.detail ?? rejection.problem.title, options, rejection);
  }

  /**
   * Converts any thrown value to an `ApiError`, whose `cause` it becomes. Returns an `ApiError` as it is. An error of a store with
   * `notFound: true`, the name `NotFoundError`, or the code `LEVEL_NOT_FOUND` or `P2025` becomes `NotFound`. Any other becomes `Internal`,
   * with its own message. Never throws, even if a getter of the failure throws.
   *
   * @example
   * ```ts
   * const error = ApiError.from(new Error('the disk is full'));
   * console.log(error.status, error.message); // 500 Internal error: the disk is full
   * ```
   */
  static from(thrown: unknown): ApiError {
    return !isApiError(thrown) && reportsNotFound(thrown) ? ApiError.notFound({ cause: thrown }) : toInternalError(thrown);
  }

  /** The properties of the problem that RFC 9457 does not define. They cannot be set: `with` makes an error that has more. */
  get extensions(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(ApiError.findRejection(this)?.problem ?? {}).filter(([name]) => !RESERVED.includes(name)));
  }

  set extensions(_value: never) {
    throw new TypeError('the extensions of an ApiError are read-only: throw error.with({ extensions })');
  }

  /**
   * Returns the same error with further properties and headers, which replace the ones with the same names. This error is its `cause`. A
   * copy such as `{ ...error, balance: 30 }` is not an error: it has neither the message nor the extensions.
   *
   * @example
   * ```ts
   * const error = ApiError.status(402, 'The balance is too low.');
   * throw error.with({ extensions: { balance: 30 }, headers: { 'Retry-After': '60' } });
   * ```
   * @throws `TypeError` for extensions and headers that `ApiError.status` rejects.
   */
  with(additions: Pick<StatusOptions, 'extensions' | 'headers'>): ApiError {
    const { extensions, headers } = ADDITIONS.check(additions, 'additions');
    const checkedHeaders = headers === undefined ? [] : checkHeaders(headers, BODY_HEADERS);
    const { problem, headers: own, cause, reason } = toRejection(this);
    const rejection = new Rejection({ ...problem, ...checkExtensions(extensions) }, replaceHeaders(own, checkedHeaders), cause, reason);
    return new ApiError(this.kind, this.message, { cause: this }, rejection);
  }

  /**
   * Makes an error as `status` does, for a reason of the server itself.
   * @internal
   */
  static because(reason: ProblemReason, detail?: string, options?: StatusOptions): ApiError {
    const rejection = makeStatusRejection(REASONS[reason], detail, STATUS_OPTIONS.check(options ?? {}, 'options'));
    rejection.reason = reason;
    return new ApiError('Status', rejection.problem.detail ?? rejection.problem.title, options, rejection);
  }

  /**
   * Makes an error of a rejection.
   * @internal
   */
  static wrap(rejection: Rejection): ApiError {
    const { cause, problem } = rejection;
    return new ApiError('Status', String(problem.detail ?? problem.title), cause === undefined ? undefined : { cause }, rejection);
  }

  /**
   * Returns the rejection of an error that has more than its kind and its message. `undefined` for other errors, and for an object that
   * only looks like an error.
   * @internal
   */
  static findRejection(error: ApiError): Rejection | undefined {
    return #rejection in error ? error.#rejection : undefined;
  }
}

/** Whether a thrown value is an intact `ApiError`. Never throws, as `instanceof` does for some proxies. */
export function isApiError(thrown: unknown): thrown is ApiError {
  try {
    if (!(thrown instanceof ApiError) || typeof thrown.message !== 'string') return false;
    return thrown.kind === 'Status' ? ApiError.findRejection(thrown) !== undefined : Object.hasOwn(STATUS_OF_KIND, thrown.kind);
  } catch {
    return false;
  }
}

/**
 * Returns the properties of a problem for the decoder of its extensions. A schema that names a property of RFC 9457, such as `type`, gets
 * it. Any other does not see it, even if it rejects properties that it does not name.
 */
export function hideReserved(problem: Problem): object {
  const extensions = { ...problem };
  for (const name of RESERVED) if (name in problem) Object.defineProperty(extensions, name, { enumerable: false });
  return extensions;
}

/**
 * Returns a rejection with these properties in place of its extensions, as `errors` of an operation has decoded them. The issues of
 * `ApiError.argument` stay. Throws `TypeError` if they cannot be extensions. They can have the properties of RFC 9457 that the rejection
 * has.
 */
export function replaceExtensions({ problem, headers, cause, reason }: Rejection, extensions: unknown, path: string): Rejection {
  const { type, title, status, detail, instance, errors } = problem;
  const given = Object.entries(checkObject(extensions, path));
  const others = given.filter(([name, value]) => !RESERVED.includes(name) || value !== problem[name]);
  const replaced: Problem = {
    type,
    title,
    status,
    ...(detail !== undefined && { detail }),
    ...(instance !== undefined && { instance }),
    ...(Array.isArray(errors) && errors.every((issue) => issue instanceof LocatedIssue) && { errors }),
    ...checkExtensions(Object.fromEntries(others), path),
  };
  return new Rejection(replaced, headers, cause, reason);
}

/** Returns the rejection of an error. The message of an `Internal` error can contain secrets, and is left out. */
export function toRejection(error: ApiError): Rejection {
  const { kind, message } = error;
  const own = ApiError.findRejection(error);
  if (own !== undefined) return own;
  const status = kind === 'Status' ? error.status : STATUS_OF_KIND[kind];
  const reason = kind === 'Status' ? undefined : REASON_OF_KIND[kind];
  return new Rejection(makeProblem(status, kind === 'Internal' ? undefined : message), [], undefined, reason);
}

const COPY_MESSAGE = 'a copy of an ApiError was thrown, without its message and its extensions: throw error.with({ extensions })';

/** Converts a thrown value to an `ApiError`. Any that is not one becomes `Internal`, with its own message. */
export function toInternalError(thrown: unknown): ApiError {
  if (isApiError(thrown)) return thrown;
  disown(thrown);
  return ApiError.internal(isCopy(thrown) ? COPY_MESSAGE : formatError(thrown), { cause: thrown });
}

/** Whether a thrown value is a copy of an `ApiError`: `{ ...error }`. */
function isCopy(thrown: unknown): boolean {
  try {
    const { name, kind } = Object(thrown) as { readonly name?: unknown; readonly kind?: unknown };
    return name === 'ApiError' && typeof kind === 'string' && !isError(thrown);
  } catch {
    return false;
  }
}

export const NOT_FOUND_MESSAGE = 'Not found.';

// The codes of Level stores and Prisma. Not ENOENT: a file that is missing can also be a template or a certificate that was not deployed.
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['LEVEL_NOT_FOUND', 'P2025']);

/** Whether an error of a store means that an item does not exist. */
function reportsNotFound(error: unknown): boolean {
  if (typeof error !== 'object') return false;
  const read = (name: string): unknown => readProperty(error, name);
  return read('notFound') === true || read('name') === 'NotFoundError' || NOT_FOUND_CODES.has(read('code'));
}

const RESERVED: readonly string[] = ['type', 'title', 'status', 'detail', 'instance'];
const REQUIRED_HEADERS: Readonly<Record<number, string>> = { 401: 'WWW-Authenticate', 405: 'Allow' };

/** The headers by which an error says what to do next. */
export const ERROR_HEADERS: HeaderNames = { adds: ['Retry-After', ...Object.values(REQUIRED_HEADERS)] };

const ADDITIONS: Shape<Checked<Pick<StatusOptions, 'extensions' | 'headers'>>> = shape({
  extensions: anything('an object'),
  headers: anything('headers'),
});

const NAMES = { type: string('about:blank'), title: string(), instance: string() };

/** Those of `ApiError.status` that `problem` takes: it has the extensions as an argument, and no cause. */
export const PROBLEM_OPTIONS: Shape<Checked<Omit<StatusOptions, 'cause' | 'extensions'>, 'type'>> = shape({
  ...NAMES,
  headers: ADDITIONS.table.headers,
});

/** `ApiError.status(status, detail, options), problem(status, detail, extensions, options)`: {@link StatusOptions}. */
export const STATUS_OPTIONS: Shape<Checked<StatusOptions, 'type'>> = shape({
  ...NAMES,
  ...ADDITIONS.table,
  cause: anything('any value'),
});

/** Returns the rejection with a status. `path` names the extensions in messages. Throws `TypeError` as `ApiError.status` does. */
export function makeStatusRejection(
  status: unknown, detail: unknown, options: Omit<Checked<StatusOptions, 'type'>, 'cause'>, path?: string,
): Rejection {
  const { type, title: ownTitle, instance, extensions, headers } = options;
  checkAwaited(status, 'status');
  checkAwaited(detail, 'detail');
  const checkedHeaders = headers === undefined ? [] : checkHeaders(headers, BODY_HEADERS);
  requireHeaders(checkErrorStatus(status), checkedHeaders);
  const phrase = toPhrase(checkErrorStatus(status));
  const title = ownTitle ?? phrase;
  if (type === 'about:blank' && title !== phrase) throw new TypeError(`title needs a type: "${title}"`);
  const problem: Problem = {
    type,
    title,
    status: checkErrorStatus(status),
    ...(detail !== undefined && { detail: shortenString(checkString(detail, 'detail')) }),
    ...(instance !== undefined && { instance }),
    ...checkExtensions(extensions, path),
  };
  return new Rejection(problem, checkedHeaders);
}

function checkedIssue({ detail, pointer, parameter, header, path }: ProblemIssueWithPath, index: number): LocatedIssue {
  if (typeof detail !== 'string') throw new TypeError(`options.errors[${index}].detail must be a string: ${typeof detail}`);
  const location = {
    ...(pointer !== undefined && { pointer }),
    ...(parameter !== undefined && { parameter }),
    ...(header !== undefined && { header }),
  };
  return new LocatedIssue(detail, location, path);
}

/** Returns an error status as it is. Throws `TypeError` for anything else. */
export function checkErrorStatus(status: unknown): number {
  return checkInteger(status, 'status', 400, 599);
}

/** Throws `TypeError` if a header is missing that this status needs (RFC 9110 sections 15.5.2 and 15.5.6). */
export function requireHeaders(status: number, headers: readonly string[]): void {
  const required = REQUIRED_HEADERS[status];
  if (required === undefined || hasHeader(headers, required.toLowerCase())) return;
  throw new TypeError(`status ${status} needs the header ${required}`);
}

function checkExtensions(extensions: unknown, path = 'options.extensions'): object {
  if (extensions === undefined) return {};
  const copied = { ...checkObject(extensions, path) };
  const reserved = RESERVED.find((name) => Object.hasOwn(copied, name));
  if (reserved !== undefined) throw new TypeError(`${path} must not have "${reserved}": a different argument or option sets it`);
  for (const [name, value] of Object.entries(copied)) checkAwaited(value, `${path}.${name}`);
  // A value that cannot be sent throws here, where the stack shows who passed it.
  JSON.stringify(copied);
  return copied;
}
