/** The bodies of requests and responses: their media types, and the schema of each. */
import { chooseContentType, type FileField, findFiles, findFormat, type Format } from '../endpoint/format.ts';
import type { Operation } from '../endpoint/operation.ts';
import { describeOwner } from './names.ts';
import { isPlainObject } from './parameters.ts';
import type { DecoderSide } from './schemas/conversion.ts';
import { isSchema, type JsonSchema } from './schemas/json-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

/** A Media Type Object. `itemSchema` is OpenAPI 3.2's, for a sequence. */
export interface MediaType {
  readonly schema?: JsonSchema;
  readonly itemSchema?: JsonSchema;
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

/** The Media Type Objects of a body. */
export type Content = Readonly<Record<string, MediaType>>;

/** The Request Body Object of OpenAPI. */
export interface RequestBody {
  readonly required?: true;
  readonly content: Content;
}

export const JSON_TYPE = 'application/json';

/** Describes the body of an operation. `undefined` if it takes none. */
export function describeBody(operation: Operation, schemas: Schemas): RequestBody | undefined {
  const { input, options: { optional } } = operation;
  if (input === undefined) return undefined;
  const content = describeContent(operation, 'body', input, 'input', schemas);
  return optional === true ? { content } : { required: true, content };
}

/** Describes a part of an operation, by its decoder. */
export function describeContent(operation: Operation, part: string, decoder: unknown, side: DecoderSide, schemas: Schemas): Content {
  const format = findFormat(decoder);
  if (format !== undefined) {
    const files = findFiles(format);
    if (files !== undefined && files.size > 0) {
      return { [String(format.types?.[0])]: describeFormWithFiles(operation, part, format, files, schemas) };
    }
    const { types = ['*/*'], jsonSchema, isSequence } = format;
    // Bytes have no schema.
    const schema = jsonSchema?.((inner) => schemas.describe(inner, side, describeOwner(operation, part, inner))) as JsonSchema | undefined;
    const media = schema === undefined ? {} : isSequence === true && schemas.hasItemSchemas ? { itemSchema: schema } : { schema };
    // A format encodes as one media type, even if it reads several.
    const listed = side === 'output' && jsonSchema !== undefined ? [chooseContentType(format)] : types;
    return Object.fromEntries(listed.map((type) => [type, media]));
  }
  return { [JSON_TYPE]: { schema: schemas.describe(decoder, side, describeOwner(operation, part, decoder)) } };
}

/** Describes a form by its fields: no schema of a library has the types of files. */
function describeFormWithFiles(
  operation: Operation, part: string, format: Format, files: ReadonlyMap<string, FileField>, schemas: Schemas,
): MediaType {
  const typed = [...files].filter(([, { types }]) => types !== undefined);
  const encoding = Object.fromEntries(typed.map(([name, { types = [] }]) => [name, { contentType: types.join(', ') }]));
  const fileSchemas = Object.fromEntries([...files].map(([name, file]) => [name, describeFile(file)]));
  const schema = format.jsonSchema?.((decoder) => {
    const own = schemas.use(decoder, 'input', describeOwner(operation, part, decoder));
    const { properties = {}, required, additionalProperties, ...others } = own.dereference(own.root);
    if (!isSchema(properties) || !isPlainObject(others)) return { allOf: [schemas.reserve(own, own.root)], properties: fileSchemas };
    const strings = Object.entries(properties).filter(([name, each]) => !files.has(name) && isSchema(each));
    return {
      type: 'object',
      ...(required !== undefined && { required }),
      properties: {
        ...Object.fromEntries(strings.map(([name, each]) => [name, schemas.reserve(own, each as JsonSchema)])),
        ...fileSchemas,
      },
      ...(additionalProperties === false && { additionalProperties }),
    };
  }) as JsonSchema;
  return { schema, ...(typed.length > 0 && { encoding }) };
}

function describeFile({ types = [], isList }: FileField): JsonSchema {
  const [only = '', ...others] = types;
  const isOne = others.length === 0 && /^[^*]+$/.test(only);
  const file = { type: 'string', contentMediaType: isOne ? only : 'application/octet-stream' };
  return isList ? { type: 'array', items: file } : file;
}
