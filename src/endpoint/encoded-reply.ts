/** The reply whose body a format has encoded. */
import { nameOf } from '../errors/thrown.ts';
import { encodedTypeOf, type Format } from './format.ts';
import { type GivenReply, isChosen } from './reply.ts';
import { isBytes, isStream } from './stream.ts';

/** A reply whose body is replaced by the encoded one. Throws `TypeError` if the format has returned no body. */
export function encodedReply(reply: GivenReply, format: Format, body: unknown): GivenReply {
  if (body !== undefined && body === reply['~reply']) return reply;
  // Text of a JSON type would be written as JSON once more.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (!isBytes(bytes) && !isStream(bytes) && !isChosen(bytes)) throw new TypeError(`a format encoded a result as ${nameOf(bytes)}`);
  return reply.withBody(bytes, { defaults: { 'Content-Type': encodedTypeOf(format), ...format.headers } });
}
