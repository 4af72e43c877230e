/** The bodies of requests and responses: their media types, and the schema of each. */
import type { Bytes } from '../endpoint/bytes.ts';
import type { Operation } from '../endpoint/operation.ts';
import { ownerOf } from './operations.ts';
import type { Side } from './schemas/conversion.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

/** The Request Body Object of OpenAPI. */
export interface RequestBody {
  readonly required?: true;
  readonly content: Content;
}

export const JSON_TYPE = 'application/json';

/** `undefined` if an operation takes no body. */
export function requestBodyOf(operation: Operation, schemas: Schemas): RequestBody | undefined {
  const { input, members: { optional } } = operation;
  if (input === undefined) return undefined;
  const content = contentOf(operation, 'body', input, 'input', schemas);
  return optional === true ? { content } : { required: true, content };
}

/** The content of a part of an operation, by its decoder. */
export function contentOf(operation: Operation, part: string, decoder: unknown, side: Side, schemas: Schemas): Content {
  // Bytes have no JSON Schema.
  if (isBytes(decoder)) return Object.fromEntries((decoder.types ?? ['*/*']).map((type) => [type, {}]));
  return { [JSON_TYPE]: { schema: schemas.schemaOf(decoder, side, ownerOf(operation, part, decoder)) } };
}

/** Whether `bytes` made a decoder. */
export function isBytes(decoder: unknown): decoder is Bytes {
  // In the package, this entry and the main one each have the class, so `instanceof` would be false.
  return (decoder as Partial<Bytes>)['~standard']?.vendor === 'restpoint';
}
