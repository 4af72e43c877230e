/**
 * An answer that an operation spells out, in place of a plain result:
 *
 *   reply(202, { queued: true })
 *   created(7, { id: 7, name: 'Rex' })
 *   reply(303, undefined, { Location: '/v1/pet/7' })
 *   reply(200, createReadStream('ant.png'), { 'Content-Type': 'image/png' })
 */
import type { ApiError } from '../errors/api-error.ts';
import { checkedHeaders, FRAMING_FIELDS, hasField, headersOf, type ResponseHeaders } from '../http/headers.ts';
import { disown, disownCall, isThenable } from '../util/promises.ts';
import { fieldValue } from '../http/head.ts';
import { isJsonType } from '../http/media-type.ts';
import { closeUnread, isBytes, isNodeStream, isStream, type Stream } from './stream.ts';

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The statuses that begin with one of these digits. */
export type StatusIn<First extends number> = NumberIn<`${First}${Digit}${Digit}`>;

/** The statuses of success. */
export type SuccessStatus = StatusIn<2>;

/** An answer that `reply` made. The types are those of its body and its status. */
export interface Reply<T, Status extends number = number> {
  readonly ' reply': T;
  readonly ' status': Status;
}

/** The 201 of a create that sends more than the id. `created` makes it. */
export interface Created<Id, T> extends Reply<T, 201> {
  readonly ' id': Id;
}

/** A body that can be sent. An item may not have been found, and a promise would be sent as `{}`. */
type Present<T> = T extends PromiseLike<unknown> | undefined ? never : T;

// As a constraint, it keeps the types of literals within a body: `{ status: 'queued' }`.
interface Literals {
  readonly [name: string]: Literals | readonly Literals[] | (string & {}) | '' | (number & {}) | 0 | boolean | null | undefined;
}

/** A status from 200 to 399, as far as the compiler knows it. */
type Replied<Status extends number> =
  [Failing<Status>] extends [never] ? Status : `a reply has a status from 200 to 399: throw ApiError.status(${Failing<Status>})`;
type Failing<Status extends number> = number extends Status ? never : Exclude<`${Status}`, `${2 | 3}${Digit}${Digit}`>;

/** The answer without a body: `Content-Length: 0`, but for 204 and 304, which have no length. */
export function reply<const Status extends number>(status: Replied<Status>): Reply<undefined, Status>;
/** The answer without a body, but with header fields: `reply(303, undefined, { Location: '/v1/pet/7' })`. Not for 200. */
export function reply<const Status extends number>(status: Replied<Status>, body: undefined, headers: ResponseHeaders): Reply<undefined, Status>;
/**
 * The answer with a status from 200 to 399, a body and header fields. Any operation can return it in place of a plain result.
 *
 * The body is sent as JSON, with three exceptions:
 * - A `Uint8Array` is sent as it is, as `application/octet-stream` unless `headers` say otherwise.
 * - So is a stream of strings and `Uint8Array`s: a Node `Readable`, a web `ReadableStream` or an async iterable. The server reads it
 *   as fast as the client takes it, and closes it when the client leaves. If it fails, that is logged, and the connection is
 *   destroyed.
 * - A string is sent as it is if `headers` have a `Content-Type` that is not JSON.
 *
 * These three can have a `Content-Length`. A stream with another number of bytes has failed.
 *
 * Throws `TypeError` for a status out of range; a header field that is invalid, occurs twice, or is set by the server; a body with status
 * 204, 205 or 304; a body that is `undefined`, a promise, or not of its `Content-Type`.
 */
export function reply<T extends object | Literals, const Status extends number>(
  status: Replied<Status>, body: Present<T>, headers?: ResponseHeaders,
): Reply<T, Status>;
/** The same with a string, a number, a boolean or `null` as its body. */
export function reply<T, const Status extends number>(
  status: Replied<Status>, body: Present<T>, headers?: ResponseHeaders,
): Reply<T, Status>;
export function reply(...values: ReplyArguments): Reply<unknown> {
  refuseUnsent(values);
  return new GivenReply(...values);
}

/** The 201 of a `create`, with `Location` of the new item, and without a body. */
export function created<Id>(id: Present<Id>): Created<Id, undefined>;
/** The same with header fields. */
export function created<Id>(id: Present<Id>, body: undefined, headers: ResponseHeaders): Created<Id, undefined>;
/**
 * The 201 of a `create`, with `Location` of the new item, and with a body, which is sent as `reply` says. `headers` can have another `Location`.
 *
 * Throws `TypeError` as `reply` does, and for an id that is `undefined` or a promise.
 */
export function created<Id, T>(id: Present<Id>, body: Present<T>, headers?: ResponseHeaders): Created<Id, T>;
export function created(id: unknown, ...values: BodyArguments): Reply<unknown> {
  refusePromise(id, 'the id of created');
  if (id === undefined) throw new TypeError('the id of created must not be undefined');
  refuseUnsent([201, ...values]);
  const [body, headers] = values;
  return new GivenReply(201, body, headers, id);
}

type BodyArguments = [body?: unknown, headers?: ResponseHeaders];
type ReplyArguments = [status: number, ...BodyArguments];

function refuseUnsent(values: ReplyArguments): void {
  const [status, body, headers] = values;
  refusePromise(body, 'the body of a reply');
  // With 200, and without header fields, nobody writes `undefined` on purpose: it is an item that was not found.
  if (body === undefined && values.length > 1 && (headers === undefined || status === 200)) {
    throw new TypeError('the body of a reply must not be undefined');
  }
}

function refusePromise(value: unknown, what: string): void {
  if (!isThenable(value)) return;
  disown(value);
  throw new TypeError(`${what} must not be a promise`);
}

/** The head of a request, and of the reply that answers it. */
export interface ChoiceHead {
  readonly method: string;
  /** Of the request. Names and values alternate. */
  readonly rawHeaders: readonly string[];
  /** Of the reply. */
  readonly status: number;
  /** Of the reply. Names and values alternate. */
  readonly fields: readonly string[];
}

/** A body that depends on the request, such as the part of a file that a client asks for. `restpoint/formats` has one: `ranges`. */
export interface ChosenBody {
  /** Returns the body to send in place of it, with header fields that replace those of the reply. An `ApiError` is answered as it is. */
  readonly ' choose': (head: ChoiceHead) => Choice | ApiError;
  /** Returns the headers that take the place of the reply's `fields` whatever is chosen, also in a 304. */
  readonly ' headers': (fields: readonly string[]) => ResponseHeaders;
  /** Closes what the body is read from. Called when the response is over, and when nothing of the body is sent. */
  readonly ' close': () => unknown;
}

/** The choice of a `ChosenBody`. */
export interface Choice {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array | Stream;
  /** Whether the response has no `Content-Type`, since the client has it from an earlier one. */
  readonly omitsType?: boolean;
}

/** The body of a reply, by how it is sent. */
export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'stream'; readonly stream: Stream; readonly declaredBytes: number | undefined }
  | { readonly kind: 'chosen'; readonly chosen: ChosenBody };

const OCTETS = 'application/octet-stream';
// A text with a `Content-Type` is sent as it is. Any other would be JSON.
const DEFAULT_TYPES = { none: undefined, json: 'application/json', text: undefined, bytes: OCTETS, stream: OCTETS, chosen: OCTETS } as const;
const BODILESS: readonly number[] = [204, 205, 304];
// The host may know how long its stream is.
const REFUSED_FIELDS = new Set([...FRAMING_FIELDS].filter((name) => name !== 'content-length'));

/** A reply, as the server sends it. */
export class GivenReply implements Reply<unknown> {
  readonly ' reply': unknown;
  readonly ' status': number;
  /** The id of `created`; `undefined` for any other reply. */
  readonly ' id': unknown;
  readonly content: Content;
  /** Names and values alternate. `Content-Type` is there if there is a body, and `Content-Length` never. */
  readonly headers: readonly string[];
  /** The header fields of the host, less `Content-Length`. */
  readonly #own: readonly string[];
  readonly #brand = true;

  constructor(status: number, body: unknown, headers: ResponseHeaders = {}, createdId?: unknown, omitsType = false) {
    if (!Number.isInteger(status) || status < 200 || status > 399) {
      const hint = status >= 400 && status <= 599 ? `. An error is thrown: throw ApiError.status(${status}, 'why')` : '';
      throw new TypeError(`the status of a reply must be from 200 to 399: ${String(status)}${hint}`);
    }
    if (body !== undefined && BODILESS.includes(status)) throw new TypeError(`a reply with status ${status} has no body`);
    const fields = checkedHeaders(headers, REFUSED_FIELDS);
    const type = fieldValue(fields, 'content-type');
    const length = takeLength(fields);
    this[' status'] = status;
    this[' reply'] = body;
    this[' id'] = createdId;
    this.content = contentOf(body, type, length);
    const defaultType = omitsType ? undefined : DEFAULT_TYPES[this.content.kind];
    this.#own = fields;
    this.headers = type === undefined && defaultType !== undefined ? ['Content-Type', defaultType, ...fields] : fields;
  }

  /** This reply with another body. `defaults` are header fields for those that it lacks; `replacing` take the place of any. */
  withBody(body: unknown, { status = this[' status'], defaults = {}, replacing = {}, omitsType = false }: Replacement = {}): GivenReply {
    const replaced = [...Object.keys(replacing), ...(omitsType ? ['Content-Type'] : [])].flatMap((name) => [name, '']);
    const headers = { ...without(defaults, this.#own), ...without(headersOf(this.#own), replaced), ...replacing };
    return new GivenReply(status, body, headers, this[' id'], omitsType);
  }

  /** Whether an operation's result is one. A private name can be asked for in any object, as `instanceof` cannot in some proxies. */
  static is(result: object): result is GivenReply {
    return #brand in result;
  }
}

interface Replacement {
  readonly status?: number;
  readonly defaults?: ResponseHeaders | undefined;
  readonly replacing?: ResponseHeaders;
  readonly omitsType?: boolean | undefined;
}

/** The header fields that a list of names and values does not have. */
function without(headers: ResponseHeaders, fields: readonly string[]): ResponseHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hasField(fields, name.toLowerCase())));
}

/**
 * The reply that an operation has returned; `undefined` for a plain result. Throws `TypeError` for a reply of another copy of this
 * package, which would be sent as JSON with its header fields, and for a plain stream, which would be sent as `{}`, unless
 * a format encodes it.
 */
export function replyIn(result: unknown, encodesResult = false): GivenReply | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  if (GivenReply.is(result)) return result;
  if (' reply' in result && ' status' in result) throw new TypeError('the reply was made by another copy of restpoint than the server is of');
  if (encodesResult || !(Symbol.asyncIterator in result) || !isStream(result) || 'toJSON' in result) return undefined;
  dropUnsent(result);
  throw new TypeError('a stream can only be sent as the body of a reply: reply(200, stream)');
}

/** Decides how a body is sent. Throws `TypeError` if it is not of its `Content-Type`, or not as long as it says. */
function contentOf(body: unknown, type: string | undefined, declaredBytes: number | undefined): Content {
  if (isStream(body)) {
    // It may fail before the server reads it, and an `error` event without a listener would end the process.
    if (isNodeStream(body)) body.on('error', () => {});
    return { kind: 'stream', stream: body, declaredBytes };
  }
  const content: Content = isChosen(body) ? { kind: 'chosen', chosen: body } : wholeContentOf(body, type);
  if (declaredBytes === undefined) return content;
  const bytes = bytesOf(content);
  if (bytes === undefined) throw new TypeError('header Content-Length cannot be set: the server sets it');
  if (bytes !== declaredBytes) throw new TypeError(`the body has ${bytes} bytes, and its Content-Length is ${declaredBytes}`);
  return content;
}

/** Whether a body depends on the request. */
export function isChosen(body: unknown): body is ChosenBody {
  return typeof body === 'object' && body !== null && ' choose' in body;
}

/** Closes a body that is not sent, if it is a stream or depends on the request. Ignores failures of that: nobody waits for it. */
export function dropUnsent(body: unknown): void {
  if (isStream(body)) disownCall(() => closeUnread(body));
  else if (isChosen(body)) disownCall(() => body[' close']());
}

function wholeContentOf(body: unknown, type: string | undefined): Content {
  if (body === undefined) {
    if (type === undefined) return { kind: 'none' };
    throw new TypeError('a reply without a body has no Content-Type');
  }
  if (isBytes(body)) return { kind: 'bytes', bytes: body };
  if (type === undefined || isJsonType(type)) return { kind: 'json', value: body };
  if (typeof body === 'string') return { kind: 'text', text: body };
  throw new TypeError(`a body of type ${typeof body} cannot be sent as ${type}`);
}

function bytesOf(content: Content): number | undefined {
  if (content.kind === 'bytes') return content.bytes.byteLength;
  return content.kind === 'text' ? Buffer.byteLength(content.text) : undefined;
}

/** Takes `Content-Length` out of a list of fields, and returns its number. */
function takeLength(fields: string[]): number | undefined {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
  if (at === -1) return undefined;
  const [, length = ''] = fields.splice(at, 2);
  if (/^(?:0|[1-9]\d{0,14})$/.test(length)) return Number(length);
  throw new TypeError(`Content-Length must be a whole number: ${JSON.stringify(length)}`);
}
