/**
 * The header field `Idempotency-Key`, as a decoder of header fields: a String of Structured Fields (RFC 9651 section 3.3.3) without parameters, or the
 * same key as a bare token, as most clients write it.
 *
 *   Idempotency-Key: "8e03978e"   ->   8e03978e
 *   Idempotency-Key: 8e03978e     ->   8e03978e
 */
import { ApiError } from '../errors/api-error.ts';
import { fieldSchema, type FieldSchema, type SentFields } from './field-schema.ts';

/** The decoded field. Its name is in lower case, as decoders of header fields have it. */
export interface KeyField {
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
  description: 'A new key for each request, and the same key when it is sent again: it is not done twice, and has the first response.',
};

/** The decoder of the field. A malformed key is refused with 400, and so is a request without one if it is required. */
export function keySchema(isRequired: boolean): FieldSchema<KeyField> {
  const jsonSchema = { type: 'object', properties: { 'Idempotency-Key': PROPERTY }, ...(isRequired && { required: ['Idempotency-Key'] }) };
  return fieldSchema<KeyField>(jsonSchema, ({ [NAME]: sent }: SentFields) => {
    if (sent === undefined && !isRequired) return { value: {} };
    const key = parseKey(String(sent ?? ''));
    // An issue would have the server's `validationStatus`, and to a client with a key a 422 means another request.
    if (key.length === 0 || key.length > MAX_LENGTH) {
      throw ApiError.argument(MALFORMED, { errors: [{ detail: MALFORMED, header: NAME, path: [NAME] }] });
    }
    return { value: { [NAME]: key } };
  });
}

/** The key in the value of the field; an empty text if it is malformed. */
function parseKey(value: string): string {
  if (!QUOTED.test(value)) return TOKEN.test(value) ? value : '';
  const text = value.slice(1, -1);
  return text.includes('\\') ? text.replace(/\\(.)/g, '$1') : text;
}
