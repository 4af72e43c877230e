/**
 * Converts a decoder to JSON Schema: by its Standard JSON Schema (https://standardschema.dev), or else by a function of the user. Whatever
 * needs the schema of a decoder reads the result: the lists of a query and of a form, documents, tools and checks.
 *
 * Libraries throw for a part that JSON does not have. Only that part is lost:
 *
 *   z.object({ name: z.string(), born: z.coerce.date() })   ->   { name: { type: 'string' }, born: { type: 'string', format: 'date-time' } }
 */
import { disown, formatError, isThenable } from '../util/promises.ts';
import type { AnyDecoder } from '../declaration/decoder.ts';
import { booleanSchema, isSchema, type JsonSchema } from './json-schema.ts';
import { findLibrary } from './schema-libraries.ts';

/** The side of a decoder that the client sends, or that the server sends. */
export type DecoderSide = 'input' | 'output';

/**
 * Returns the JSON Schema of one side of a decoder; `undefined` for a decoder that it does not know.
 *
 * @example
 * ```ts
 * const decodeName = (json: unknown): string => String(json);
 * const jsonSchema: SchemaConverter = (decoder) => (decoder === decodeName ? { type: 'string' } : undefined);
 * openApi(server, { info: { title: 'Zoo', version: '1.0.0' }, jsonSchema });
 * ```
 */
export type SchemaConverter = (decoder: AnyDecoder, side: DecoderSide) => object | undefined;

export interface Conversion {
  /** `{}` if no source has one. */
  readonly schema: JsonSchema;
  /** Why there is no schema: the message of the first source that failed, or that there is no source. */
  readonly failure: string | undefined;
  /** The messages about the parts that are `{}`. */
  readonly gaps: readonly string[];
}

/**
 * Converts one side of a decoder. The user's function is called if the decoder has no Standard JSON Schema, and also if its library throws
 * for a part. Only if the function returns nothing, that part is converted as well as the library can.
 */
export function convertDecoder(decoder: unknown, side: DecoderSide, jsonSchema?: SchemaConverter): Conversion {
  const gaps: string[] = [];
  let failure: string | undefined;
  const sources = [
    () => convertByStandard(decoder, side, gaps, false),
    () => jsonSchema?.(decoder as AnyDecoder, side),
    () => convertByStandard(decoder, side, gaps, true),
  ];
  for (const source of sources) {
    try {
      const schema = copySchema(source());
      if (schema !== undefined) return { schema, failure: undefined, gaps };
    } catch (thrown) {
      failure ??= formatError(thrown);
    }
  }
  return { schema: {}, failure: failure ?? 'the decoder has none, and options.jsonSchema returned none', gaps: [] };
}

interface WithJsonSchema {
  readonly '~standard'?: {
    readonly vendor?: unknown;
    readonly jsonSchema?: Readonly<Partial<Record<DecoderSide, (options: object) => object>>>;
  };
}

/** `gaps` gets the messages of a lenient conversion. `undefined` if there is none: the library is not known. */
function convertByStandard(decoder: unknown, side: DecoderSide, gaps: string[], isLenient: boolean): object | undefined {
  const { '~standard': standard } = Object(decoder) as WithJsonSchema;
  // The `schema` of a codec can be a JSON Schema.
  if (standard === undefined) return isSchema(decoder) ? decoder : undefined;
  const library = findLibrary(standard.vendor);
  const convert = (libraryOptions: object | undefined): object | undefined => {
    return standard.jsonSchema?.[side]?.({ target: 'draft-2020-12', ...(libraryOptions !== undefined && { libraryOptions }) });
  };
  const convertLeniently = (): object | undefined => library && convert(library.lenient((message) => gaps.push(message)));
  if (isLenient) return convertLeniently();
  const schema = convert(library?.strict);
  return library?.isSilent === true && JSON.stringify(schema).includes('{}') ? convertLeniently() : schema;
}

/** A copy that is plain JSON. Throws if JSON cannot carry the schema. */
function copySchema(schema: unknown): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (isThenable(schema)) {
    disown(schema);
    throw new TypeError('a JSON Schema must not be a promise');
  }
  const json = JSON.stringify(schema) ?? 'null';
  const copy: unknown = JSON.parse(json);
  // Each level has two characters at least, so most schemas need no walk.
  if (json.length > 2 * MAX_DEPTH && isDeep(copy)) throw new TypeError(`a JSON Schema must not be deeper than ${MAX_DEPTH} levels: for a schema that contains itself, use $ref`);
  if (typeof copy === 'boolean') return booleanSchema(copy);
  if (isSchema(copy)) return copy;
  throw new TypeError(`a JSON Schema must be an object: ${JSON.stringify(copy)}`);
}

// Far below the depth at which a recursion over a schema overflows the stack.
const MAX_DEPTH = 500;

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === MAX_DEPTH) return true;
  for (const key in value) if (isDeep((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return true;
  return false;
}
