/**
 * The answer to the result of an operation. `serve` sends it, and interceptors can get it as a value.
 *
 *   a plain result     ->   its status, with JSON, with the id of the new item, or without a body
 *   with a format      ->   a reply with the encoded body
 *   a reply            ->   the same, with the body that `output` decodes or encodes
 *   of `created`       ->   also with the path of the new item as `Location`
 */
import type { MaybePromise } from '../endpoint/decoder.ts';
import { encodedTypeOf, type Format, formatIn } from '../endpoint/format.ts';
import { findStatus } from '../endpoint/kinds.ts';
import { locationOf } from '../endpoint/location.ts';
import type { Operation } from '../endpoint/operation.ts';
import { decodeOutput } from '../endpoint/outputs.ts';
import { type Content, dropUnsent, GivenReply, isChosen, replyIn } from '../endpoint/reply.ts';
import { isBytes, isStream } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import { hasField } from '../http/headers.ts';
import { adopt, isError, isThenable, nameOf } from '../util/promises.ts';
import { MAX_BODY, tooLong } from '../http/answer.ts';
import type { Call } from './call.ts';
import { sendUnmet } from './conditions.ts';
import { EncodedAnswer } from './encoded-answer.ts';
import { logFailure } from './error-responses.ts';

/** A result on its way to the client. */
interface Returned {
  readonly call: Call;
  /** Whether `output` decodes results. After a timeout nobody gets them. */
  readonly decodes: boolean;
  /** The entity tag of its result. */
  readonly etag: string | undefined;
}

/** The answer to a plain result. */
export interface PlainAnswer {
  readonly status: number;
  /** Names and values alternate. */
  readonly fields: readonly string[];
  readonly body: string | undefined;
}

/** A reply, and its body as it is sent. */
export interface ReplyAnswer {
  readonly reply: GivenReply;
  readonly content: Content;
}

/** An answer that is ready to be sent. */
export type ReadyAnswer = PlainAnswer | ReplyAnswer;

const NO_FIELDS: readonly string[] = [];
const JSON_FIELDS: readonly string[] = ['Content-Type', 'application/json'];
const TEXT_FIELDS: readonly string[] = ['Content-Type', 'text/plain; charset=utf-8'];
const MAX_SHOWN = 100;

/** Returns the response to the result of an operation, or a promise of it if a function of the user's does. Throws or rejects if it cannot be sent. */
export function toResponse(call: Call, result: unknown): MaybePromise<ReadyAnswer> | undefined {
  const { operation, exchange } = call;
  if (operation.interceptors !== undefined && EncodedAnswer.is(result)) return result.ready;
  const etag = operation.tagOf === undefined ? undefined : etagOf(operation, result);
  // A result for a format can be a stream, which is closed as that of a reply.
  if (etag !== undefined && operation.resultFormat === undefined && exchange.head.isConditional && sendUnmet(exchange, operation.status, ['ETag', etag])) return undefined;
  return answerToResult({ call, decodes: exchange.isOpen, etag }, result);
}

function answerToResult(returned: Returned, result: unknown): MaybePromise<ReadyAnswer> {
  const { etag, call: { operation } } = returned;
  const { answer, endpoint: { id }, outputs, resultFormat, status } = operation;
  const reply = replyIn(result, resultFormat !== undefined);
  if (reply !== undefined) return answerToReply(returned, reply);
  if (resultFormat !== undefined && !operation.isNothing(result)) {
    return encoded(returned, resultFormat, result, new GivenReply(status, undefined, etag === undefined ? {} : { ETag: etag }));
  }
  const jsonFields = etag === undefined ? JSON_FIELDS : [...JSON_FIELDS, 'ETag', etag];
  if (answer === 'json' && outputs === undefined) return { status, fields: jsonFields, body: operation.toJson(result) };
  // JSON refuses it anyway. Any other answer would be one of success.
  if (typeof result === 'object' && isError(result)) throw new TypeError('the result is an error: throw it', { cause: result });
  if (answer === 'json') return answerToOutput(returned, result, jsonFields);
  if (outputs !== undefined) refuseUndeclared(operation, status);
  if (answer === 'nothing' || id === undefined) return { status: findPlainStatus(operation, result), fields: NO_FIELDS, body: undefined };
  const body = id.format(result, 'create must return the id of the new item, or created(id, body): it returned');
  const location = locationOfItem(returned, result, body);
  if (outputs?.outputOf(status) === null) return { status, fields: location === undefined ? NO_FIELDS : ['Location', location], body: undefined };
  return { status, fields: location === undefined ? TEXT_FIELDS : [...TEXT_FIELDS, 'Location', location], body };
}

/** The status of a plain result that is not sent. */
function findPlainStatus({ kind, members, status }: Operation, result: unknown): number {
  return members['status'] === undefined ? findStatus(kind, result) ?? status : status;
}

/** Encodes a result for interceptors, also after a timeout: they may keep it for a later request. Throws `ApiError.notFound()` for a missing item. */
export function encodedAnswer(call: Call, result: unknown): MaybePromise<ReadyAnswer> {
  const { operation } = call;
  if (findStatus(operation.kind, result) === 404) throw ApiError.notFound();
  return after(answerToResult({ call, decodes: true, etag: etagOf(operation, result) }, result), (answer) => {
    if (!('reply' in answer) || answer.content.kind !== 'json') return answer;
    return { reply: answer.reply, content: { kind: 'text', text: operation.replyToJson(answer.content.value) } };
  });
}

/** The answer to a plain result that `output` decodes. */
function answerToOutput(returned: Returned, result: unknown, fields: readonly string[]): MaybePromise<PlainAnswer> {
  const { operation } = returned.call;
  const { status } = operation;
  if (operation.isNothing(result)) return { status: 204, fields: NO_FIELDS, body: undefined };
  return after(decoded(returned, status, result), (value) => ({ status, fields, body: operation.toJson(value) }));
}

/** The entity tag of a plain result that is an item with a version. */
export function etagOf({ tagOf, resultFormat, kind }: Operation, result: unknown): string | undefined {
  if (tagOf === undefined || result === undefined || isError(result) || findStatus(kind, result) === 404) return undefined;
  return replyIn(result, resultFormat !== undefined) === undefined ? tagOf(result) : undefined;
}

function answerToReply(returned: Returned, given: GivenReply): MaybePromise<ReplyAnswer> {
  try {
    return contentOfReply(returned, located(returned, given));
  } catch (thrown) {
    dropUnsent(given[' reply']);
    throw thrown;
  }
}

function contentOfReply(returned: Returned, reply: GivenReply): MaybePromise<ReplyAnswer> {
  const { ' status': status, ' reply': body, content } = reply;
  const format = formatIn(returned.call.operation.outputs?.outputOf(status));
  if (format !== undefined && content.kind !== 'none') return encoded(returned, format, body, reply);
  if (content.kind !== 'json') {
    refuseUndeclared(returned.call.operation, status);
    if (content.kind !== 'none') refuseBody(returned.call.operation, status);
    return { reply, content };
  }
  return after(decoded(returned, status, content.value), (value) => ({ reply, content: { kind: 'json', value } }));
}

/** The reply of `created` with the path of the new item, unless the host has set another. */
function located(returned: Returned, reply: GivenReply): GivenReply {
  const { ' id': id, ' reply': body, headers } = reply;
  const { endpoint, kind } = returned.call.operation;
  if (id === undefined) return reply;
  if (kind.result !== 'id' || endpoint.id === undefined) throw new TypeError('only a create of an endpoint with ids can give created()');
  if (hasField(headers, 'location')) return reply;
  const location = locationOfItem(returned, id, endpoint.id.format(id, 'created takes the id of the new item: it got'));
  return location === undefined ? reply : reply.withBody(body, { defaults: { Location: location } });
}

/** The path of a new item. If no path can have its id, logs that. */
function locationOfItem({ call }: Returned, id: unknown, idText: string): string | undefined {
  const { operation, exchange: { baseUrl }, path } = call;
  if (idText.length > MAX_BODY) throw tooLong();
  const location = baseUrl === undefined ? undefined : locationOf(operation.endpoint, baseUrl + path, idText);
  if (location === undefined) {
    const reason = baseUrl === undefined ? 'begin as that of the mount' : `carry the id ${JSON.stringify(idText.slice(0, MAX_SHOWN))}`;
    logFailure(call, `no Location, since no path can ${reason}`, id);
  }
  return location;
}

/** The reply with a value that a format encodes. */
function encoded({ call: { exchange } }: Returned, format: Format, value: unknown, reply: GivenReply): MaybePromise<ReplyAnswer> {
  return after(format.encode?.(value, exchange.connection), (body) => {
    const sent = withEncoded(reply, format, body);
    return { reply: sent, content: sent.content };
  });
}

/** The reply with a body that a format has returned. Throws `TypeError` if that is none. */
function withEncoded(reply: GivenReply, format: Format, body: unknown): GivenReply {
  if (body !== undefined && body === reply[' reply']) return reply;
  // Text of a JSON type would be written as JSON once more.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (!isBytes(bytes) && !isStream(bytes) && !isChosen(bytes)) throw new TypeError(`a format encoded a result as ${nameOf(bytes)}`);
  return reply.withBody(bytes, { defaults: { 'Content-Type': encodedTypeOf(format), ...format.headers } });
}

/** Lets the host's `output` check and change a result before it is sent as JSON. Throws for a status that it does not declare. */
function decoded({ call: { operation }, decodes }: Returned, status: number, result: unknown): MaybePromise<unknown> {
  const decode = operation.outputs?.outputOf(status);
  refuseUndeclared(operation, status);
  refuseBody(operation, status);
  return typeof decode === 'function' && decodes ? decodeOutput(decode, result, 'the result is not what output says') : result;
}

/** Throws `TypeError` for a success that `output` does not declare. */
function refuseUndeclared({ outputs }: Operation, status: number): void {
  if (outputs !== undefined && status < 300 && outputs.outputOf(status) === undefined) throw new TypeError(`output does not declare status ${status}`);
}

/** Throws `TypeError` for a body of a status that `output` declares without one. */
function refuseBody({ outputs }: Operation, status: number): void {
  if (outputs?.outputOf(status) === null) throw new TypeError(`output declares status ${status} without a body`);
}

function after<T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> {
  return isThenable(value) ? adopt(value as PromiseLike<T>).then(next) : next(value);
}
