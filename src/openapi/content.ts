/** The media types of a body, and the schema of each. */
import type { Bytes } from '../endpoint/bytes.ts';
import { ownerOf, type DescribedOperation } from './described-endpoint.ts';
import type { Side } from './schemas/conversion.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

export type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

export interface RequestBody {
  readonly required?: true;
  readonly content: Content;
}

export const JSON_TYPE = 'application/json';

/** The Request Body Object of an operation. `undefined` if it takes no body. */
export function requestBodyOf(operation: DescribedOperation, schemas: Schemas): RequestBody | undefined {
  const { input, members: { optional } } = operation;
  if (input === undefined) return undefined;
  const content = contentOf(operation, input, 'input', 'body', schemas);
  return optional === true ? { content } : { required: true, content };
}

/** The content that a decoder stands for. `part` names its place in the operation. */
export function contentOf(operation: DescribedOperation, decoder: unknown, side: Side, part: string, schemas: Schemas): Content {
  // Bytes have no JSON Schema.
  if (isBytes(decoder)) return Object.fromEntries((decoder.types ?? ['*/*']).map((type) => [type, {}]));
  return { [JSON_TYPE]: { schema: schemaOf(operation, decoder, side, part, schemas) } };
}

/** The schema of a decoder, at its place in the document. The endpoint's `schema` becomes a component. */
export function schemaOf(operation: DescribedOperation, decoder: unknown, side: Side, part: string, schemas: Schemas): JsonSchema {
  const sided = schemas.use(decoder, side, ownerOf(operation, part, decoder));
  if (decoder === operation.endpoint.members['schema']) sided.local.promoteRoot();
  return schemas.place(sided);
}

/**
 * Whether `bytes` made a decoder. In the package, this entry and the main one have their own copies of its class, so `instanceof` would
 * find none.
 */
export function isBytes(decoder: unknown): decoder is Bytes {
  return (decoder as Partial<Bytes>)['~standard']?.vendor === 'restpoint';
}
