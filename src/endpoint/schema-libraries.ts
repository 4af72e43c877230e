/**
 * The options by which each library converts what JSON does not have, as `libraryOptions` of its Standard JSON Schema: a date, a bigint and
 * a file as clients send them, and `{}` for any other part. By default Zod and Valibot throw for it, and ArkType writes `{}`.
 */
import type { JsonSchema } from './json-schema.ts';

/** Adds a message about a part that has no JSON Schema. */
export type Report = (message: string) => unknown;

interface Library {
  /** The options of a conversion that throws for such a part. */
  readonly strict?: object;
  /** The options of a conversion that reports it. */
  readonly lenient: (report: Report) => object;
  /** Whether a conversion without options writes `{}` for such a part. */
  readonly isSilent?: true;
}

const DATE: JsonSchema = { type: 'string', format: 'date-time' };
// Wider than a number of JavaScript: a client with larger ones sends a string in its place.
const BIGINT: JsonSchema = { type: 'integer', format: 'int64' };
export const FILE: JsonSchema = { type: 'string', format: 'binary' };

/** By the names that the libraries have in common. */
const SENT: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  ['date', DATE], ['bigint', BIGINT], ['file', FILE], ['blob', FILE], [Date, DATE], [Blob, FILE], [File, FILE],
]);

interface ZodPart {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string }; readonly bag?: { readonly Class?: unknown } } };
}

// In the types of TypeScript only: a client must send the property.
const dropReadOnly = ({ zodSchema, jsonSchema }: ZodPart & { readonly jsonSchema: { readOnly?: unknown } }): void => {
  if (zodSchema._zod.def.type === 'readonly') delete jsonSchema.readOnly;
};
/** These only lose a default or a limit. */
const KEPT: ReadonlySet<string> = new Set(['catch', 'default', 'literal', 'number', 'prefault']);

const zod: Library = {
  strict: { override: dropReadOnly },
  lenient: (report) => ({
    unrepresentable: ({ zodSchema: { _zod: { def: { type }, bag } }, path, message }: ZodPart & {
      readonly path: readonly (string | number)[]; readonly message: string;
    }) => {
      const sent = SENT.get(type) ?? SENT.get(bag?.Class);
      if (sent === undefined && !KEPT.has(type)) report(`${message}, at ${['#', ...path].join('/')}`);
      return sent ?? 'any';
    },
    override: dropReadOnly,
  }),
};

const NUMBER: JsonSchema = { type: 'number' };
const STRING: JsonSchema = { type: 'string' };

/** The results of Valibot's transformations, where they have a different type than the value before. `undefined`: not known. */
const TRANSFORMED: ReadonlyMap<string, JsonSchema | undefined> = new Map<string, JsonSchema | undefined>([
  ['to_date', DATE], ['to_bigint', BIGINT], ['to_number', NUMBER], ['to_string', STRING], ['to_boolean', { type: 'boolean' }],
  ['stringify_json', STRING], ['find_item', undefined], ['map_items', undefined], ['parse_json', undefined], ['raw_transform', undefined],
  ['reduce_items', undefined], ['transform', undefined],
]);

const valibot: Library = {
  lenient: (report) => ({
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema: { type, class: of }, jsonSchema, errors }: {
      readonly valibotSchema: { readonly type: string; readonly class?: unknown };
      readonly jsonSchema: { readonly default?: unknown };
      readonly errors?: readonly string[];
    }) => {
      const sent = SENT.get(type) ?? SENT.get(of);
      if (sent === undefined) errors?.forEach((message) => report(message));
      return typeof jsonSchema.default === 'bigint' ? { ...jsonSchema, default: Number(jsonSchema.default) } : sent;
    },
    overrideAction: ({ valibotAction: { type } }: { readonly valibotAction: { readonly type: string } }) => {
      if (!TRANSFORMED.has(type)) return undefined;
      const result = TRANSFORMED.get(type);
      if (result === undefined) report(`The result of the "${type}" action is not known.`);
      return result ?? {};
    },
  }),
};

const arktype: Library = {
  isSilent: true,
  lenient: (report) => {
    const describe = (type: unknown, base: object): object => {
      const sent = SENT.get(type);
      if (sent === undefined) report(`${typeof type === 'function' ? type.name : String(type)} cannot be represented in JSON Schema`);
      return sent ?? base;
    };
    return {
      fallback: {
        date: () => DATE,
        domain: ({ domain, base }: { readonly domain: unknown; readonly base: object }) => describe(domain, base),
        proto: ({ proto, base }: { readonly proto: unknown; readonly base: object }) => describe(proto, base),
      },
    };
  },
};

const LIBRARIES: ReadonlyMap<unknown, Library> = new Map([['zod', zod], ['valibot', valibot], ['arktype', arktype]]);

/** Finds a library by the `vendor` of its Standard Schema. */
export function findLibrary(vendor: unknown): Library | undefined {
  return LIBRARIES.get(vendor);
}
