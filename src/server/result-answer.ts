/** The answer to a result as a value, for interceptors. It has the bytes that `serve` sends of a result without one. */
import type { Decode } from '../endpoint/decoder.ts';
import { encodedReply } from '../endpoint/encoded-reply.ts';
import type { Answer } from '../endpoint/interceptor.ts';
import type { Operation } from '../endpoint/operation.ts';
import { GivenReply, replyIn } from '../endpoint/reply.ts';
import { ApiError } from '../errors/api-error.ts';
import { headersOf } from '../errors/headers.ts';
import { ErrorAnswer } from '../errors/problem.ts';
import type { Exchange } from './connection/exchange.ts';

/** `locationOf` gives the path of a new item, by the text of its id. */
export async function answerToResult(
  operation: Operation, exchange: Exchange, result: unknown, locationOf: (idText: string) => string | undefined,
): Promise<Answer> {
  const { kind: { answer, status, mayFindNothing }, encodesResult, outputs } = operation;
  const given = replyIn(result, encodesResult);
  if (given !== undefined) return answerOf(await decodedReply(operation, exchange, given), operation);
  if (mayFindNothing === true && result === undefined) throw ApiError.notFound();
  const output = outputs?.get(status);
  if (typeof output === 'object') {
    return answerOf(encodedReply(new GivenReply(status, undefined), output, await output.encode?.(result, exchange.connection)), operation);
  }
  if (answer === 'nothing') return { status, headers: {}, body: undefined };
  if (answer === 'id') return createdAnswer(operation, result, locationOf);
  return { status, headers: { 'Content-Type': 'application/json' }, body: operation.toJson(await decoded(output, result)) };
}

function answerOf({ '~status': status, '~reply': body, content, headers: fields }: GivenReply, operation: Operation): Answer {
  const headers = headersOf(fields);
  if (content.kind === 'json') return { status, headers, body: operation.replyToJson(content.value) };
  if (content.kind !== 'stream' || content.declaredBytes === undefined) return { status, headers, body };
  return { status, headers: { ...headers, 'Content-Length': String(content.declaredBytes) }, body };
}

async function decodedReply(operation: Operation, exchange: Exchange, given: GivenReply): Promise<GivenReply> {
  const { '~status': status, '~reply': body, content } = given;
  const output = operation.outputs?.get(status);
  if (content.kind === 'none') return given;
  if (typeof output === 'object') return encodedReply(given, output, await output.encode?.(body, exchange.connection));
  return content.kind === 'json' && output !== undefined ? given.withBody(await decoded(output, body)) : given;
}

async function decoded(output: Decode | undefined, result: unknown): Promise<unknown> {
  const value = output === undefined ? result : await output(result);
  if (value instanceof ErrorAnswer) throw new TypeError(`the result is not what output says: ${value.problem.detail}`);
  return value;
}

function createdAnswer({ endpoint: { id }, kind: { status } }: Operation, result: unknown, locationOf: (idText: string) => string | undefined): Answer {
  if (id === undefined) return { status, headers: {}, body: undefined };
  const text = id.format(result);
  const location = locationOf(text);
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...(location !== undefined && { Location: location }) }, body: text };
}
