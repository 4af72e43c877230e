/**
 * Decodes the header `Idempotency-Key`: a String of Structured Fields (RFC 9651 section 3.3.3) without parameters, or the same key as a
 * bare token, as most clients write it.
 *
 *   Idempotency-Key: "8e03978e"   ->   8e03978e
 *   Idempotency-Key: 8e03978e     ->   8e03978e
 */
import { ApiError } from '../errors/api-error.ts';
import { parameterSchema, type ParameterSchema, type SentParameters } from './parameter-schema.ts';

/** The decoded header. */
export interface KeyHeader {
  readonly 'idempotency-key'?: string;
}

const NAME = 'idempotency-key';
const MAX_LENGTH = 255;
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;
// The characters of a Token. A key may begin with any of them, as a UUID does with a digit.
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z:/-]+$/;
const MALFORMED = `Idempotency-Key: expected a string in quotes, or a token, of 1 to ${MAX_LENGTH} characters`;
const PROPERTY = {
  type: 'string',
  minLength: 1,
  description: 'A new key for each request, and the same key to repeat it: a repeated request gets the first response, without being run.',
};

/** Makes the decoder of the header. A malformed key gets 400, and so does a missing one if it is required. */
export function keySchema(isRequired: boolean): ParameterSchema<KeyHeader> {
  const jsonSchema = { type: 'object', properties: { 'Idempotency-Key': PROPERTY }, ...(isRequired && { required: ['Idempotency-Key'] }) };
  return parameterSchema<KeyHeader>(jsonSchema, ({ [NAME]: sent }: SentParameters) => {
    if (sent === undefined && !isRequired) return { value: {} };
    const key = parseKey(String(sent ?? ''));
    // Always 400. An issue would get the server's `validationStatus`, and a 422 means that the key was used for a different request.
    if (key.length === 0 || key.length > MAX_LENGTH) {
      throw ApiError.argument(MALFORMED, { errors: [{ detail: MALFORMED, header: NAME, path: [NAME] }] });
    }
    return { value: { [NAME]: key } };
  });
}

/** Parses the value of the header. Returns an empty string if it is malformed. */
function parseKey(value: string): string {
  if (!QUOTED.test(value)) return TOKEN.test(value) ? value : '';
  return value.slice(1, -1).replace(/\\(.)/g, '$1');
}
