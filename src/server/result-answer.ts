/** The answer to a result as a value, for interceptors. It has the bytes that `serve` sends of a result without one. */
import { encodedReply } from '../endpoint/encoded-reply.ts';
import { formatIn } from '../endpoint/format.ts';
import type { Answer } from '../endpoint/interceptor.ts';
import type { Operation } from '../endpoint/operation.ts';
import { GivenReply, replyIn } from '../endpoint/reply.ts';
import { ApiError } from '../errors/api-error.ts';
import { hasField, headersOf } from '../errors/headers.ts';
import { ErrorAnswer } from '../errors/problem.ts';
import type { Exchange } from './connection/exchange.ts';

/** Returns the path of a new item. */
type LocationOf = (id: unknown) => string | undefined;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

export async function answerToResult(operation: Operation, exchange: Exchange, result: unknown, locationOf: LocationOf): Promise<Answer> {
  const { answer, status, kind: { missing }, outputs, resultFormat, tagOf } = operation;
  const reply = replyIn(result, resultFormat !== undefined);
  if (reply !== undefined) return answerOf(await decodedReply(operation, exchange, located(reply, locationOf)), operation);
  if (missing?.includes(result) === true) throw ApiError.notFound();
  const tag = tagOf === undefined || result === undefined ? {} : { ETag: tagOf(result) };
  if (resultFormat !== undefined) {
    return answerOf(encodedReply(new GivenReply(status, undefined, tag), resultFormat, await resultFormat.encode?.(result, exchange.connection)), operation);
  }
  if (answer !== 'json') refuseUndeclared(operation, status);
  if (answer === 'nothing') return { status, headers: {}, body: undefined };
  if (answer === 'id') return createdAnswer(operation, result, locationOf);
  if (result === undefined && outputs?.outputOf(204) === null) return { status: 204, headers: {}, body: undefined };
  return { status, headers: { ...JSON_HEADERS, ...tag }, body: operation.toJson(await decoded(operation, status, result)) };
}

function answerOf({ '~status': status, '~reply': body, content, headers: fields }: GivenReply, operation: Operation): Answer {
  const headers = headersOf(fields);
  if (content.kind === 'json') return { status, headers, body: operation.replyToJson(content.value) };
  if (content.kind !== 'stream' || content.declaredBytes === undefined) return { status, headers, body };
  return { status, headers: { ...headers, 'Content-Length': String(content.declaredBytes) }, body };
}

function located(reply: GivenReply, locationOf: LocationOf): GivenReply {
  const { '~id': id, '~reply': body, headers } = reply;
  const location = id === undefined || hasField(headers, 'location') ? undefined : locationOf(id);
  return location === undefined ? reply : reply.withBody(body, { defaults: { Location: location } });
}

async function decodedReply(operation: Operation, exchange: Exchange, reply: GivenReply): Promise<GivenReply> {
  const { '~status': status, '~reply': body, content } = reply;
  const format = formatIn(operation.outputs?.outputOf(status));
  if (format !== undefined && content.kind !== 'none') return encodedReply(reply, format, await format.encode?.(body, exchange.connection));
  if (content.kind === 'json') return reply.withBody(await decoded(operation, status, body));
  refuseUndeclared(operation, status);
  return reply;
}

async function decoded(operation: Operation, status: number, result: unknown): Promise<unknown> {
  refuseUndeclared(operation, status);
  const output = operation.outputs?.outputOf(status);
  if (output === null) throw new TypeError(`output declares status ${status} without a body`);
  const value = typeof output === 'function' ? await output(result) : result;
  if (value instanceof ErrorAnswer) throw new TypeError(`the result is not what output says: ${value.problem.detail}`);
  return value;
}

/** Throws `TypeError` for a success that `output` does not declare. */
export function refuseUndeclared({ outputs }: Operation, status: number): void {
  if (outputs !== undefined && status < 300 && outputs.outputOf(status) === undefined) throw new TypeError(`output does not declare status ${status}`);
}

function createdAnswer({ endpoint: { id }, status }: Operation, result: unknown, locationOf: LocationOf): Answer {
  if (id === undefined) return { status, headers: {}, body: undefined };
  const text = id.format(result);
  const location = locationOf(result);
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...(location !== undefined && { Location: location }) }, body: text };
}
