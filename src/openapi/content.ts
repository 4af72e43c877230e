/** The bodies of requests and responses: their media types, and the schema of each. */
import { encodedTypeOf, formatIn } from '../endpoint/format.ts';
import type { Operation } from '../endpoint/operation.ts';
import { describeOwner } from './names.ts';
import type { DecoderSide } from './schemas/conversion.ts';
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

/** Describes the body of an operation. `undefined` if it takes none. */
export function describeBody(operation: Operation, schemas: Schemas): RequestBody | undefined {
  const { input, members: { optional } } = operation;
  if (input === undefined) return undefined;
  const content = describeContent(operation, 'body', input, 'input', schemas);
  return optional === true ? { content } : { required: true, content };
}

/** Describes a part of an operation, by its decoder. */
export function describeContent(operation: Operation, part: string, decoder: unknown, side: DecoderSide, schemas: Schemas): Content {
  const format = formatIn(decoder);
  if (format !== undefined) {
    const { types = ['*/*'], jsonSchema, isSequence } = format;
    // Bytes have no schema.
    const schema = jsonSchema?.((inner) => schemas.describe(inner, side, describeOwner(operation, part, inner))) as JsonSchema | undefined;
    const media = schema === undefined ? {} : isSequence === true && schemas.hasItemSchemas ? { itemSchema: schema } : { schema };
    // A format encodes as one media type, even if it reads several.
    const listed = side === 'output' && jsonSchema !== undefined ? [encodedTypeOf(format)] : types;
    return Object.fromEntries(listed.map((type) => [type, media]));
  }
  return { [JSON_TYPE]: { schema: schemas.describe(decoder, side, describeOwner(operation, part, decoder)) } };
}
