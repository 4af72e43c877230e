/**
 * A response that an operation spells out, in place of a plain result:
 *
 *   reply(202, { queued: true })
 *   created(7, { id: 7, name: 'Rex' })
 *   reply(303, undefined, { Location: '/v1/pet/7' })
 *   reply(200, createReadStream('ant.png'), { 'Content-Type': 'image/png' })
 *   problem(402, 'The card was declined.', { code: 'declined' })
 */
import { type ApiError, type Challenging, makeStatusRejection, PROBLEM_OPTIONS, type StatusOptions } from '../errors/api-error.ts';
import type { Rejection } from '../errors/problem.ts';
import { checkHeaders, filterHeaders, FRAMING_HEADERS, hasHeader, toHeadersObject, type ReplyHeaders } from '../util/headers.ts';
import { isBodiless, type Outgoing } from '../http/response.ts';
import { findInternals } from '../util/internals.ts';
import type { Properties } from '../util/options.ts';
import { checkAwaited, disownAll, disownCall, isThenable } from '../util/promises.ts';
import { findHeader } from '../http/head.ts';
import { isJsonType } from '../http/media-type.ts';
import { closeUnread, isBytes, isNodeStream, isStream, type Stream } from '../util/stream.ts';

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type ParseNumber<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The statuses that begin with one of these digits. */
export type StatusIn<First extends number> = ParseNumber<`${First}${Digit}${Digit}`>;

/**
 * Names the statuses of success, 200 to 299.
 *
 * @example
 * ```ts
 * const isNew = (status: SuccessStatus): boolean => status === 201;
 * ```
 */
export type SuccessStatus = StatusIn<2>;

/** A response that `reply` made, with the types of its body and of its status. */
export interface Reply<T, Status extends number = number, Headers = {}> {
  readonly ' internal': ReplyTypes<T, Status, Headers>;
}

/** Only for the compiler: at run time there is only a mark. */
interface ReplyTypes<T, Status, Headers> {
  readonly body: T;
  readonly status: Status;
  readonly headers: Headers;
}

interface CreatedTypes<Id, T, Headers> extends ReplyTypes<T, 201, Headers> {
  readonly id: Id;
}

interface ProblemTypes<Extensions, Status, Type> extends ReplyTypes<Extensions, Status, {}> {
  readonly type: Type;
}

/** The 201 of a create that sends more than the id. `created` makes it. */
export interface Created<Id, T, Headers = {}> extends Reply<T, 201, Headers> {
  readonly ' internal': CreatedTypes<Id, T, Headers>;
}

/**
 * An error that an operation returns. `problem` makes it. Its type parameters are the types of its extensions, its status and its `type`.
 */
export interface ReturnedProblem<Extensions, Status extends number = number, Type = string> extends Reply<Extensions, Status> {
  readonly ' internal': ProblemTypes<Extensions, Status, Type>;
}

/** The options of `problem`. `Type` is the type of the problem's `type`. */
interface ReturnedOptions<Type> extends Omit<StatusOptions, 'cause' | 'extensions' | 'type'> {
  readonly type?: Type;
}

/** A body that can be sent. Not `undefined`, since that may be an item that was not found; not a promise, which would be sent as `{}`. */
type Present<T> = T extends PromiseLike<unknown> | undefined ? never : T;

// As a constraint, it keeps the types of literals within a body: `{ status: 'queued' }`.
interface Literals {
  readonly [name: string]: Literals | readonly Literals[] | (string & {}) | '' | (number & {}) | 0 | boolean | null | undefined;
}

// As a constraint, it keeps the types of literals: `{ 'X-Order': 'asc' }`.
interface HeaderLiterals {
  readonly [name: string]: (string & {}) | '' | (number & {}) | 0 | boolean | readonly string[];
}

/** A status from 200 to 399, as far as the compiler knows it. */
type ReplyStatus<Status extends number> =
  [Failing<Status>] extends [never] ? Status : `a reply has a status from 200 to 399: return problem(${Failing<Status>})`;
type Failing<Status extends number> = number extends Status ? never : Exclude<`${Status}`, `${2 | 3}${Digit}${Digit}`>;
/** A status from 400 to 599, as far as the compiler knows it. A 401 needs a challenge (RFC 9110 section 15.5.2). */
type ReturnedProblemStatus<Status extends number> = number extends Status ? Status
  : 401 extends Status ? "a 401 needs a challenge: problem(401, detail, {}, { headers: { 'WWW-Authenticate': 'Bearer' } })"
  : Exclude<`${Status}`, `${4 | 5}${Digit}${Digit}`> extends never ? Status
  : 'a problem has a status from 400 to 599: return reply(status)';

/**
 * Makes a response without a body: `Content-Length: 0`, except for 204 and 304, which have no length.
 *
 * @example
 * ```ts
 * defineEndpoint({ custom: { start: () => reply(202) } });
 * ```
 * @throws `TypeError` for a status out of range.
 */
export function reply<const Status extends number>(status: ReplyStatus<Status>): Reply<undefined, Status>;
/**
 * Makes a response with headers and without a body. Not for 200.
 *
 * @example
 * ```ts
 * defineEndpoint({ custom: { newest: () => reply(303, undefined, { Location: '/v1/pet/7' }) } });
 * ```
 * @throws `TypeError` for a status out of range, and for a header that is invalid, occurs twice, or is set by the server.
 */
export function reply<const Status extends number, Headers extends HeaderLiterals>(
  status: ReplyStatus<Status>, body: undefined, headers: Headers,
): Reply<undefined, Status, Headers>;
/**
 * Makes a response with a status from 200 to 399, a body and headers. Any operation can return it in place of a plain result.
 *
 * The body is sent as JSON, with three exceptions:
 * - A `Uint8Array` is sent as it is, as `application/octet-stream` unless `headers` say otherwise.
 * - A stream of strings and `Uint8Array`s is sent in the same way: a Node `Readable`, a web `ReadableStream` or an async iterable. The
 *   server reads it as fast as the client takes it, and closes it when the client leaves. A stream that fails is logged, and its connection
 *   is destroyed.
 * - A string is sent as it is if `headers` have a `Content-Type` that is not JSON.
 *
 * These three can have a `Content-Length`. A stream with a different number of bytes fails.
 *
 * @example
 * ```ts
 * import { createReadStream } from 'node:fs';
 *
 * server.registerEndpoint('/photo', {
 *   get: () => reply(200, createReadStream('rex.png'), { 'Content-Type': 'image/png' }),
 * });
 * ```
 * @throws `TypeError` for a status out of range; a header that is invalid, occurs twice, or is set by the server; a body with status 204,
 * 205 or 304; a body that is `undefined`, a promise, or not of its `Content-Type`.
 */
export function reply<T extends object | Literals, const Status extends number, Headers extends HeaderLiterals = {}>(
  status: ReplyStatus<Status>, body: Present<T>, headers?: Headers,
): Reply<T, Status, Headers>;
/**
 * Makes a response whose body is a string, a number, a boolean or `null`. It is JSON, unless it is a string and `headers` have a
 * `Content-Type` that is not JSON.
 *
 * @example
 * ```ts
 * server.registerEndpoint('/greeting', { get: () => reply(200, 'Hello.', { 'Content-Type': 'text/plain' }) });
 * ```
 * @throws `TypeError` for a status out of range; a header that is invalid, occurs twice, or is set by the server; a body with status 204,
 * 205 or 304; a body that is not of its `Content-Type`.
 */
export function reply<T, const Status extends number, Headers extends HeaderLiterals = {}>(
  status: ReplyStatus<Status>, body: Present<T>, headers?: Headers,
): Reply<T, Status, Headers>;
export function reply(...values: ReplyArguments): Reply<unknown> {
  return makeReply(values);
}

/** Throws `TypeError` if a value is not valid, and ignores the promises in all of them. */
function makeReply(values: ReplyArguments, createdId?: unknown): Reply<unknown> {
  try {
    checkSendable(values);
    const [status, body, headers] = values;
    return new GivenReply(status, body, headers, createdId);
  } catch (thrown) {
    disownAll(values);
    throw thrown;
  }
}

/**
 * Makes the 201 of a `create`, with the `Location` of the new item, and without a body.
 *
 * @example
 * ```ts
 * defineEndpoint({ id: integerId, schema: Pet, get: (id) => db.find(id), create: async (pet) => created(await db.insert(pet)) });
 * ```
 * @throws `TypeError` for an id that is `undefined` or a promise.
 */
export function created<Id>(id: Present<Id>): Created<Id, undefined>;
/**
 * Makes the 201 of a `create`, with headers, and without a body.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   schema: Pet,
 *   get: (id) => db.find(id),
 *   create: async (pet) => created(await db.insert(pet), undefined, { ETag: '"1"' }),
 * });
 * ```
 * @throws `TypeError` for an id that is `undefined` or a promise, and for a header that is invalid, occurs twice, or is set by the server.
 */
export function created<Id, Headers extends HeaderLiterals>(
  id: Present<Id>, body: undefined, headers: Headers,
): Created<Id, undefined, Headers>;
/**
 * Makes the 201 of a `create`, with the `Location` of the new item, and with a body, which is sent as by `reply`. `headers` can have a
 * different `Location`.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   schema: Pet,
 *   get: (id) => db.find(id),
 *   create: async (pet) => {
 *     const id = await db.insert(pet);
 *     return created(id, { id, ...pet });
 *   },
 * });
 * ```
 * @throws `TypeError` for an id that is `undefined` or a promise, and for a body and headers that `reply` rejects.
 */
export function created<Id, T, Headers extends HeaderLiterals = {}>(
  id: Present<Id>, body: Present<T>, headers?: Headers,
): Created<Id, T, Headers>;
export function created(id: unknown, ...values: BodyArguments): Reply<unknown> {
  if (id === undefined || isThenable(id)) disownAll(values);
  checkAwaited(id, 'the id of created');
  if (id === undefined) throw new TypeError('the id of created must not be undefined');
  return makeReply([201, ...values], id);
}

/**
 * Makes an error with a status from 400 to 599 and without extensions, as the result of an operation. It is sent as a problem (RFC 9457).
 *
 * Throw an `ApiError` to fail: a transaction is rolled back, and an idempotency key is free again. Return `problem` where the error is what
 * the operation has done: interceptors get it as a result, so a transaction commits, and `idempotent` stores it.
 *
 * @example
 * ```ts
 * const asleep = () => problem(409, 'The pet is asleep.', undefined, { headers: { 'Retry-After': '60' } });
 * defineEndpoint({ custom: { wake: { errors: { 409: null }, run: asleep } } });
 * ```
 * @throws `TypeError` for a status or an option that `ApiError.status` rejects.
 */
export function problem<const Status extends number>(
  status: ReturnedProblemStatus<Status>, detail?: string, extensions?: undefined, options?: ReturnedOptions<string>,
): ReturnedProblem<{}, Status>;
/**
 * Makes a 401, as the result of an operation, with a challenge. A 401 that an operation throws is logged; this is not.
 *
 * @example
 * ```ts
 * problem(401, 'The name or the password is wrong.', {}, { headers: { 'WWW-Authenticate': 'Cookie' } });
 * ```
 * @throws `TypeError` for an option that `ApiError.status` rejects.
 */
export function problem<const Status extends number, Extensions extends object | Literals | undefined, const Type extends string = string>(
  status: Status & 401, detail: string | undefined, extensions: Extensions, options: ReturnedOptions<Type> & Challenging,
): ReturnedProblem<Extensions extends undefined ? {} : Extensions, 401, Type>;
/**
 * Makes an error with a status from 400 to 599, as the result of an operation. It is sent as the problem (RFC 9457) that `ApiError.status`
 * makes, with these extensions beside its other properties.
 *
 * Throw an `ApiError` to fail: a transaction is rolled back, and an idempotency key is free again. Return `problem` where the error is what
 * the operation has done: interceptors get it as a result, so a transaction commits, and `idempotent` stores it.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   custom: {
 *     pay: {
 *       input: z.object({ card: z.string() }),
 *       errors: { 402: z.object({ code: z.enum(['declined', 'expired']) }) },
 *       run: ({ card }) => (card === '4242' ? { isPaid: true } : problem(402, 'The card was declined.', { code: 'declined' })),
 *     },
 *   },
 * });
 * ```
 * @throws `TypeError` for a status, an extension or an option that `ApiError.status` rejects.
 */
export function problem<const Status extends number, Extensions extends object | Literals, const Type extends string = string>(
  status: ReturnedProblemStatus<Status>, detail: string | undefined, extensions: Extensions, options?: ReturnedOptions<Type>,
): ReturnedProblem<Extensions, Status, Type>;
export function problem(status: unknown, detail: unknown, extensions: Properties = {}, options: unknown = {}): unknown {
  const checked = PROBLEM_OPTIONS.check(options, 'options');
  return new GivenProblem(makeStatusRejection(status, detail, { ...checked, extensions }, 'extensions'), extensions);
}

type BodyArguments = [body?: unknown, headers?: ReplyHeaders];
type ReplyArguments = [status: number, ...BodyArguments];

function checkSendable(values: ReplyArguments): void {
  const [status, body, headers] = values;
  checkAwaited(status, 'the status of a reply');
  if (!Number.isInteger(status) || status < 200 || status > 399) {
    const hint = status >= 400 && status <= 599 ? `. Return problem(${status}, 'why'), or throw ApiError.status(${status}, 'why')` : '';
    throw new TypeError(`the status of a reply must be from 200 to 399: ${String(status)}${hint}`);
  }
  checkAwaited(body, 'the body of a reply');
  // With 200, and without headers, nobody writes `undefined` on purpose: it is an item that was not found.
  if (body === undefined && values.length > 1 && (headers === undefined || status === 200)) {
    throw new TypeError('the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()');
  }
}

/** The heads of a request and of its response. */
export interface ChoiceHead {
  readonly method: string;
  /** Of the request. Names and values alternate. */
  readonly rawHeaders: readonly string[];
  /** Of the response. */
  readonly status: number;
  /** Of the response. Names and values alternate. */
  readonly headers: readonly string[];
}

/** A body that depends on the request, such as the part of a file that a client asks for. `restpoint/formats` has one: `ranges`. */
export interface ChosenBody {
  readonly ' internal': BodyChooser;
}

interface BodyChooser {
  /** Returns the response to send in place of the whole body. An `ApiError` is sent as it is. */
  readonly choose: (head: ChoiceHead) => Outgoing<Uint8Array | Stream> | ApiError;
  /** Returns the headers that replace the headers of the response, whatever is chosen, even in a 304. */
  readonly makeHeaders: (headers: readonly string[]) => readonly string[];
  /** Closes the source of the body. Called when the response is over, and when nothing of the body is sent. */
  readonly close: () => unknown;
}

/** A body that can be sent. */
export type ReplyBody = string | Uint8Array | Stream | ChosenBody | undefined;

const OCTETS = 'application/octet-stream';
// The user may know how long its stream is.
const REJECTED_HEADERS = new Set([...FRAMING_HEADERS].filter((name) => name !== 'content-length'));

// Even a reply of a different copy of this package has it, and so does a copy such as `{ ...reply }`.
const MARK = 'reply' as unknown as ReplyTypes<unknown, number, {}>;

/** The value that `reply` and `created` return. */
export class GivenReply implements Reply<unknown> {
  readonly ' internal': ReplyTypes<unknown, number, {}> = MARK;
  readonly status: number;
  readonly body: unknown;
  /** The headers as the user's code gave them. */
  readonly givenHeaders: ReplyHeaders;
  /** The id that `created` got; `undefined` for any other reply. */
  readonly createdId: unknown;
  /** Names and values alternate. `Content-Length` is there only for a stream. */
  readonly headers: readonly string[];
  /** Whether the body is sent as JSON. */
  readonly isJson: boolean;
  readonly #brand = true;

  /** `isEncoded`: a string is sent as it is. */
  constructor(status: number, body: unknown, headers: ReplyHeaders = {}, createdId?: unknown, isEncoded = false) {
    if (body !== undefined && isBodiless(status)) throw new TypeError(`a reply with status ${status} must not have a body`);
    const all = checkHeaders(headers, REJECTED_HEADERS, true);
    const type = findHeader(all, 'content-type');
    this.status = status;
    this.body = body;
    this.givenHeaders = headers;
    this.createdId = createdId;
    const isRaw = body === undefined || isEncoded || isBytes(body) || isStream(body) || isChosen(body);
    this.isJson = !isRaw && (type === undefined || isJsonType(type));
    if (body === undefined && type !== undefined) throw new TypeError('a reply without a body must not have a Content-Type');
    if (!isRaw && !this.isJson && typeof body !== 'string') {
      throw new TypeError(`a body of type ${typeof body} cannot be sent as ${type}: give a string or bytes`);
    }
    this.headers = checkContentLength(body, all, this.isJson);
    ignoreStreamErrors(body);
  }

  /** The same reply with a different body. */
  withBody(body: unknown): GivenReply {
    return new GivenReply(this.status, body, toHeadersObject(this.headers), this.createdId);
  }

  /** Whether an operation's result is a reply. `instanceof` would throw for some proxies. */
  static is(result: object): result is GivenReply {
    return #brand in result;
  }
}

/** An error that an operation has returned, as the server encodes it. */
export class GivenProblem extends GivenReply {
  readonly rejection: Rejection;
  readonly #brand = true;

  constructor(rejection: Rejection, extensions: object) {
    super(rejection.problem.status, extensions, toHeadersObject(rejection.headers));
    this.rejection = rejection;
  }

  static override is(result: unknown): result is GivenProblem {
    return typeof result === 'object' && result !== null && #brand in result;
  }
}

/** Makes the response of a reply, with these headers. `value` is its body, after its check by `output`. */
export function encodeReply(
  { status, isJson }: GivenReply, headers: readonly string[], value: unknown, writeJson: (value: unknown) => string, jsonType?: string,
): Outgoing<ReplyBody> {
  if (value === undefined && !isJson) return { status, headers, body: undefined };
  const body = isJson ? writeJson(value) : (value as ReplyBody);
  if (hasHeader(headers, 'content-type')) return { status, headers, body };
  return { status, headers: ['Content-Type', isJson ? jsonType ?? 'application/json' : OCTETS, ...headers], body };
}

/** Keeps a stream that fails before the server reads it from ending the process, by an `error` event without a listener. */
export function ignoreStreamErrors(body: unknown): void {
  if (isStream(body) && isNodeStream(body)) body.on('error', () => {});
}

/**
 * Returns the reply that an operation returned; `undefined` for a plain result. Throws `TypeError` for a reply that a different copy of
 * this package made, which would be sent as JSON, and for a plain stream, which would be sent as `{}`, unless a format encodes it.
 */
export function findReply(result: unknown, encodesResult = false): GivenReply | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  if (GivenReply.is(result)) return result;
  if (' internal' in result && result[' internal'] === MARK) {
    throw new TypeError('the reply was made by a different copy of restpoint than the server: npm dedupe removes one');
  }
  if (encodesResult || !(Symbol.asyncIterator in result) || !isStream(result) || 'toJSON' in result) return undefined;
  dropUnsent(result);
  throw new TypeError('a stream can only be sent as the body of a reply: reply(200, stream)');
}

/** Whether a body depends on the request. */
export function isChosen(body: unknown): body is ChosenBody {
  return typeof body === 'object' && findInternals<BodyChooser>(body)?.choose !== undefined;
}

/** Closes a body that is not sent, if it is a stream or depends on the request. Ignores its errors: nobody waits for them. */
export function dropUnsent(body: unknown): void {
  if (isStream(body)) disownCall(() => closeUnread(body));
  else if (isChosen(body)) disownCall(() => body[' internal'].close());
}

/** Returns the headers without a `Content-Length` that the server sets itself. Throws `TypeError` for a wrong length. */
function checkContentLength(body: unknown, headers: string[], isJson: boolean): string[] {
  const length = findHeader(headers, 'content-length');
  if (length === undefined) return headers;
  if (!/^(?:0|[1-9]\d{0,14})$/.test(length)) throw new TypeError(`Content-Length must be a whole number: ${JSON.stringify(length)}`);
  if (isStream(body)) return headers;
  if (isJson || (typeof body !== 'string' && !isBytes(body))) {
    throw new TypeError('header Content-Length cannot be set: the server sets it');
  }
  const bytes = Buffer.byteLength(body);
  if (bytes !== Number(length)) throw new TypeError(`the body has ${bytes} bytes, but its Content-Length is ${length}`);
  return filterHeaders(headers, (lowerCase) => lowerCase !== 'content-length');
}
