/** The bodies of requests and responses: their media types, and the schema of each. */
import type { DecoderSide } from '../declaration/decoder.ts';
import { chooseContentType, type FileField, findFormat, type Format } from '../declaration/format.ts';
import { isJsonType } from '../http/media-type.ts';
import { isSchema, type JsonSchema } from '../endpoint/json-schema.ts';
import type { Operation } from '../endpoint/operation.ts';
import { FILE } from '../endpoint/schema-libraries.ts';
import { findViews } from '../declaration/views.ts';
import { describeOwner } from './names.ts';
import { hasPlainProperties } from './parameters.ts';
import type { DecoderSchema } from './schemas/decoder-schema.ts';
import type { Schemas } from './schemas/schemas.ts';

/** A Media Type Object. For a sequence, `schema` is an item's: OpenAPI 3.1 has no other. */
export interface MediaType {
  readonly schema?: JsonSchema;
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
  const { input, format = input, options: { optional } } = operation;
  if (input === undefined) return undefined;
  const content = describeContent(operation, 'body', format, 'input', schemas);
  return optional === true ? { content } : { required: true, content };
}

/** Finds the media type of the JSON in a content. */
export function findJsonType(content: Content = {}): string {
  return Object.keys(content).find(isJsonType) ?? JSON_TYPE;
}

/** Describes a part of an operation, by its decoder. */
export function describeContent(operation: Operation, part: string, decoder: unknown, side: DecoderSide, schemas: Schemas): Content {
  const format = findFormat(decoder);
  const views = findViews(decoder)?.views;
  if (format !== undefined && views === undefined) {
    const { kind, files, alternatives } = format[' internal'];
    if (alternatives !== undefined) {
      return Object.assign({}, ...alternatives.map((each) => describeContent(operation, part, each, side, schemas))) as Content;
    }
    if (files !== undefined && files.size > 0) {
      return { [String(format.types?.[0])]: describeFormWithFiles(operation, part, format, files, schemas) };
    }
    const { types = ['*/*'], jsonSchema } = format;
    const schemaOf = (inner: unknown): JsonSchema => {
      const owner = describeOwner(operation, part, inner);
      return kind === 'patch' ? describePatch(schemas.use(inner, side, owner), schemas) : schemas.describe(inner, side, owner);
    };
    const schema = jsonSchema?.(schemaOf) as JsonSchema | undefined;
    const toMedia = (type: string): MediaType => {
      // Bytes have no schema, and text is a string.
      const typed = schema ?? (type.startsWith('text/') ? { type: 'string' } : undefined);
      return typed === undefined ? {} : { schema: typed };
    };
    // A format encodes as one media type, even if it reads several.
    const listed = side === 'output' && jsonSchema !== undefined ? [chooseContentType(format)] : types;
    return Object.fromEntries(listed.map((type) => [type, toMedia(type)]));
  }
  const describe = (each: unknown): JsonSchema => schemas.describe(each, side, describeOwner(operation, part, each));
  const media = { schema: views === undefined ? describe(decoder) : { anyOf: views.map(describe) } };
  const types = side === 'output' ? [operation.chooseJsonType()] : operation.bodyTypes;
  return Object.fromEntries(types.map((type) => [type, media]));
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
    if (!isSchema(properties) || !hasPlainProperties(others)) return schemas.show(own, { allOf: [own.root], properties: fileSchemas });
    const strings = Object.entries(properties).filter(([name, each]) => !files.has(name) && isSchema(each));
    return {
      type: 'object',
      ...(required !== undefined && { required }),
      properties: { ...Object.fromEntries(strings.map(([name, each]) => [name, schemas.show(own, each as JsonSchema)])), ...fileSchemas },
      ...(additionalProperties === false && { additionalProperties }),
    };
  }) as JsonSchema;
  return { schema, ...(typed.length > 0 && { encoding }) };
}

function describeFile({ types = [], isList }: FileField): JsonSchema {
  const [only = '', ...others] = types;
  const isOne = others.length === 0 && /^[^*]+$/.test(only);
  const file = { ...FILE, contentMediaType: isOne ? only : 'application/octet-stream' };
  return isList ? { type: 'array', items: file } : file;
}

const NULL: JsonSchema = { type: 'null' };

/**
 * The schema of a JSON Merge Patch (RFC 7396), by the schema of the item:
 *
 *   { properties: { name: { type: 'string' }, tag: { type: 'string' } }, required: ['name'] }
 *     ->   { type: 'object', properties: { name: { type: 'string' }, tag: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }
 *
 * Describes a change of an item: no property is required, and those that are optional in the item can be `null`.
 */
export function describePatch(decoder: DecoderSchema, schemas: Schemas): JsonSchema {
  const open = new Set<JsonSchema>();
  const describe = (schema: JsonSchema): JsonSchema => {
    const found = decoder.dereference(schema);
    if (!isSchema(found['properties']) || !hasPlainProperties(found)) {
      return mayBeObject(decoder, found) ? {} : schemas.show(decoder, schema);
    }
    // It refers to itself.
    if (open.has(found)) return { type: 'object' };
    open.add(found);
    const required: readonly unknown[] = Array.isArray(found['required']) ? found['required'] : [];
    const properties = Object.entries(found['properties']).map(([name, part]) => {
      const change = isSchema(part) ? describe(part) : {};
      const isAny = Object.keys(change).length === 0;
      return [name, required.includes(name) || isAny ? change : { anyOf: [change, NULL] }] as const;
    });
    open.delete(found);
    return { type: 'object', properties: Object.fromEntries(properties) };
  };
  return describe(decoder.root);
}

/** Whether a value can be an object, of which a patch can have a part. Nothing is known of a schema without a type. */
function mayBeObject(decoder: DecoderSchema, { type, anyOf, oneOf }: JsonSchema): boolean {
  if (type !== undefined) return [type].flat().includes('object');
  const alternatives = [anyOf ?? oneOf ?? []].flat().filter(isSchema);
  return alternatives.length === 0 || alternatives.some((each) => mayBeObject(decoder, decoder.dereference(each)));
}

/** Encodes a form as `multipart/form-data`. */
export async function encodeForm(form: FormData): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  // Not a `Response`: of these two, only a `Request` of a test environment with a DOM takes the environment's forms.
  const request = new Request('http://localhost', { method: 'POST', body: form });
  return { type: request.headers.get('content-type') ?? '', bytes: Buffer.from(await request.arrayBuffer()) };
}
