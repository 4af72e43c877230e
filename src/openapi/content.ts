/** The bodies of requests and responses: their media types, and the schema of each. */
import { encodedTypeOf, formatIn } from '../endpoint/format.ts';
import type { Operation } from '../endpoint/operation.ts';
import { ownerOf } from './operations.ts';
import type { Side } from './schemas/conversion.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

/** The Media Type Objects of a body. `itemSchema` is OpenAPI 3.2's, for a sequence. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema; readonly itemSchema?: JsonSchema }>>;

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
  const format = formatIn(decoder);
  if (format !== undefined) {
    const { types = ['*/*'], jsonSchema, isSequence } = format;
    // Bytes have none.
    const schema = jsonSchema?.((inner) => schemas.schemaOf(inner, side, ownerOf(operation, part, inner))) as JsonSchema | undefined;
    const media = schema === undefined ? {} : isSequence === true && schemas.hasItemSchemas ? { itemSchema: schema } : { schema };
    // An encoded body has one type.
    return Object.fromEntries((side === 'output' && jsonSchema !== undefined ? [encodedTypeOf(format)] : types).map((type) => [type, media]));
  }
  return { [JSON_TYPE]: { schema: schemas.schemaOf(decoder, side, ownerOf(operation, part, decoder)) } };
}
