/**
 * Converts a decoder to JSON Schema: by its Standard JSON Schema (https://standardschema.dev), or else by a function of the user. Whatever
 * needs the schema of a decoder reads the result: the lists of a query and of a form, documents, tools and checks.
 *
 * Libraries throw for a part that JSON does not have. Only that part is lost:
 *
 *   z.object({ name: z.string(), born: z.coerce.date() })   ->   { name: { type: 'string' }, born: { type: 'string', format: 'date-time' } }
 */
import { disown, formatError, isThenable } from '../util/promises.ts';
import type { AnyDecoder, DecoderSide, SchemaConverter } from '../declaration/decoder.ts';
import { booleanSchema, DEFINITIONS, isSchema, type JsonSchema, mapKeyword } from './json-schema.ts';
import { findLibrary } from './schema-libraries.ts';

export interface Conversion {
  /** `{}` if no source has one. */
  readonly schema: JsonSchema;
  /** Why there is no schema: the message of the first source that failed. `undefined` for a function, which is known to have none. */
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
  const flagged = new Set<string>();
  let failure: string | undefined;
  const sources = [
    () => convertByStandard(decoder, side, { gaps, flagged, isLenient: false }),
    () => jsonSchema?.(decoder as AnyDecoder, side),
    () => convertByStandard(decoder, side, { gaps, flagged, isLenient: true }),
  ];
  for (const source of sources) {
    try {
      const schema = copySchema(source(), flagged);
      if (schema !== undefined) return { schema, failure: undefined, gaps };
    } catch (thrown) {
      failure ??= formatError(thrown);
    }
  }
  if (Object(decoder)['~standard'] !== undefined) failure ??= "the decoder has none, and the server's jsonSchema returned none";
  return { schema: {}, failure, gaps: [] };
}

interface WithJsonSchema {
  readonly '~standard'?: {
    readonly vendor?: unknown;
    readonly jsonSchema?: Readonly<Partial<Record<DecoderSide, (options: object) => object>>>;
  };
}

interface ConversionOptions {
  /** Gets the messages of a lenient conversion. */
  readonly gaps: string[];
  /** Gets the regular expressions with flags that JSON Schema does not have. */
  readonly flagged: Set<string>;
  readonly isLenient: boolean;
}

/** `undefined` if there is no schema, or no lenient one: the library is not known. */
function convertByStandard(decoder: unknown, side: DecoderSide, { gaps, flagged, isLenient }: ConversionOptions): object | undefined {
  const { '~standard': standard } = Object(decoder) as WithJsonSchema;
  // The `schema` of a codec can be a JSON Schema.
  if (standard === undefined) return isSchema(decoder) ? decoder : undefined;
  const library = findLibrary(standard.vendor);
  const convert = (libraryOptions: object | undefined): object | undefined => {
    return standard.jsonSchema?.[side]?.({ target: 'draft-2020-12', ...(libraryOptions !== undefined && { libraryOptions }) });
  };
  const convertLeniently = (): object | undefined => library && convert(library.lenient((message) => gaps.push(message), flagged));
  if (isLenient) return convertLeniently();
  library?.addFlagged?.(decoder, flagged);
  const schema = convert(library?.strict?.(flagged));
  return library?.isSilent === true && JSON.stringify(schema).includes('{}') ? convertLeniently() : schema;
}

/**
 * Leaves out what readers of JSON Schema take differently: a regular expression whose flags are missing, or that is not valid with the flag
 * `u`, by which they compile it; and `items: false` of a tuple, by which readers of draft 7 allow no items. `maxItems` says the same. An
 * integer beyond 32 bits gets the format `int64`, which generated code needs.
 */
function clarify(schema: JsonSchema, flagged: ReadonlySet<string>): JsonSchema {
  const { pattern, prefixItems, items, maxItems = Infinity, type, minimum, maximum } = schema;
  const isClosed = items === false && Array.isArray(prefixItems);
  const isWide = type === 'integer' && [minimum, maximum].some((limit = 0) => limit !== (Number(limit) | 0));
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'pattern' && typeof pattern === 'string' && !isClear(pattern, flagged)) return [];
    if (keyword === 'items' && isClosed) return [];
    return [[keyword, mapKeyword(DEFINITIONS.has(keyword) ? 'properties' : keyword, value, (part) => clarify(part, flagged))]];
  });
  return {
    ...(isWide && { format: 'int64' }), ...Object.fromEntries(entries),
    ...(isClosed && { maxItems: Math.min(Number(maxItems), prefixItems.length) }),
  };
}

function isClear(pattern: string, flagged: ReadonlySet<string>): boolean {
  try {
    return !flagged.has(pattern) && new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

/** A copy that is plain JSON, without what is unclear. Throws if JSON cannot carry the schema. */
function copySchema(schema: unknown, flagged: ReadonlySet<string>): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (isThenable(schema)) {
    disown(schema);
    throw new TypeError('a JSON Schema must not be a promise');
  }
  const json = JSON.stringify(schema) ?? 'null';
  const copy: unknown = JSON.parse(json);
  // Each level has two characters at least, so most schemas need no walk.
  if (json.length > 2 * MAX_DEPTH && isDeep(copy)) {
    throw new TypeError(`a JSON Schema must not be deeper than ${MAX_DEPTH} levels: for a schema that contains itself, use $ref`);
  }
  if (typeof copy === 'boolean') return booleanSchema(copy);
  if (isSchema(copy)) return UNCLEAR.test(json) ? clarify(copy, flagged) : copy;
  throw new TypeError(`a JSON Schema must be an object: ${JSON.stringify(copy)}`);
}

// The keywords without which nothing is changed. A limit of ten digits can be beyond 32 bits.
const UNCLEAR = /"(?:(?:pattern|prefixItems)":|m(?:in|ax)imum":-?\d{10})/;
// Far below the depth at which a recursion over a schema overflows the stack.
const MAX_DEPTH = 500;

function isDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === MAX_DEPTH) return true;
  for (const key in value) if (isDeep((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return true;
  return false;
}
