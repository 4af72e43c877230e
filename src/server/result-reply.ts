/** The reply to a result, as interceptors encode it: what `serve` sends without one, as a value. */
import type { Decode } from '../endpoint/decoder.ts';
import { encodedReply } from '../endpoint/encoded-reply.ts';
import type { Operation } from '../endpoint/operation.ts';
import { GivenReply, replyIn } from '../endpoint/reply.ts';
import { ApiError } from '../errors/api-error.ts';
import { ErrorAnswer } from '../errors/problem.ts';
import type { Exchange } from './connection/exchange.ts';

/** `locationOf` gives the path of a new item, by the text of its id. */
export async function replyToResult(
  operation: Operation, exchange: Exchange, result: unknown, locationOf: (idText: string) => string | undefined,
): Promise<GivenReply> {
  const { kind: { answer, status, mayFindNothing }, encodesResult, outputs } = operation;
  const given = replyIn(result, encodesResult);
  if (given !== undefined) return decodedReply(operation, exchange, given);
  if (mayFindNothing === true && result === undefined) throw ApiError.notFound();
  const output = outputs?.get(status);
  if (typeof output === 'object') return encodedReply(new GivenReply(status, undefined), output, await output.encode?.(result, exchange.connection));
  if (answer === 'nothing') return new GivenReply(status, undefined);
  if (answer === 'id') return createdReply(operation, result, locationOf);
  return new GivenReply(status, Buffer.from(operation.toJson(await decoded(output, result))), { 'Content-Type': 'application/json' });
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

function createdReply({ endpoint: { id }, kind: { status } }: Operation, result: unknown, locationOf: (idText: string) => string | undefined): GivenReply {
  if (id === undefined) return new GivenReply(status, undefined);
  const text = id.format(result);
  const location = locationOf(text);
  return new GivenReply(status, text, { 'Content-Type': 'text/plain; charset=utf-8', ...(location !== undefined && { Location: location }) });
}
