/** Asks a decoder for its JSON Schema, as Standard JSON Schema (https://standardschema.dev) has it, or else the host. */
import type { AnyDecoder } from '../../endpoint/decoder.ts';
import { textOf } from '../../errors/thrown.ts';
import { disown, isThenable } from '../../errors/thrown.ts';
import { booleanSchema, isSchema, type JsonSchema } from './json-schema.ts';

/** What a decoder takes from the client, or what goes to the client. */
export type Side = 'input' | 'output';

/** Gives the JSON Schema of one side of a decoder; `undefined` for a decoder that it does not know. */
export type SchemaSource = (decoder: AnyDecoder, side: Side) => object | undefined;

export interface Conversion {
  /** `{}` if there is none. */
  readonly schema: JsonSchema;
  /** Why there is none, if a decoder that should have one failed. */
  readonly failure: string | undefined;
}

/**
 * Converts one side of a decoder. The host's function is asked if the decoder has no Standard JSON Schema, and also if that fails: the
 * libraries throw for dates, bigints and transforms unless options of their own say what stands for them.
 */
export function convert(decoder: unknown, side: Side, jsonSchema: SchemaSource | undefined): Conversion {
  let failure: string | undefined;
  for (const source of [standardSource, jsonSchema]) {
    try {
      const schema = copyOf(source?.(decoder as AnyDecoder, side));
      if (schema !== undefined) return { schema, failure: undefined };
    } catch (thrown) {
      failure ??= textOf(thrown);
    }
  }
  return { schema: {}, failure };
}

interface WithJsonSchema {
  readonly '~standard'?: { readonly jsonSchema?: Readonly<Partial<Record<Side, (options: { readonly target: string }) => object>>> };
}

function standardSource(decoder: unknown, side: Side): object | undefined {
  const { '~standard': standard } = decoder as WithJsonSchema;
  // A codec has a JSON Schema as it is.
  if (standard === undefined) return isSchema(decoder) ? decoder : undefined;
  return standard.jsonSchema?.[side]?.({ target: 'draft-2020-12' });
}

/** A copy that is plain JSON. Throws if JSON cannot carry the schema. */
function copyOf(schema: unknown): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  if (isThenable(schema)) {
    disown(schema);
    throw new TypeError('a JSON Schema must not be a promise');
  }
  const json = JSON.stringify(schema) ?? 'null';
  const copy: unknown = JSON.parse(json);
  // Each level takes two characters at least, so most schemas are not walked.
  if (json.length > 2 * MAX_DEPTH && isDeep(copy)) throw new TypeError(`a JSON Schema must not be deeper than ${MAX_DEPTH} levels`);
  if (typeof copy === 'boolean') return booleanSchema(copy);
  if (isSchema(copy)) return copy;
  throw new TypeError(`a JSON Schema must be an object: ${JSON.stringify(copy)}`);
}

// Far below what the stack can hold where the schema is named and written.
const MAX_DEPTH = 500;

/** Level by level, since a recursion would be what this prevents. */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
