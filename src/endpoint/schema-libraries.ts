/**
 * The options by which each library converts what JSON does not have, as `libraryOptions` of its Standard JSON Schema: a date, a bigint and
 * a file as clients send them, and `{}` for any other part. By default Zod and Valibot throw for it, and ArkType writes `{}`.
 */
import type { JsonSchema } from './json-schema.ts';

/** Adds a message about a part that has no JSON Schema. */
export type Report = (message: string) => unknown;

interface Library {
  /** The options of a conversion that throws for such a part. `flagged` gets the regular expressions with flags. */
  readonly strict?: (flagged: Set<string>) => object;
  /** The options of a conversion that reports it. */
  readonly lenient: (report: Report, flagged: Set<string>) => object;
  /** Adds the regular expressions with flags, where no option of a conversion shows them. */
  readonly addFlagged?: (decoder: unknown, flagged: Set<string>) => void;
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

/** JSON Schema has no flags of regular expressions. Without these a pattern means the same. */
function addFlagged({ source, flags }: Pick<RegExp, 'source' | 'flags'>, flagged: Set<string>): void {
  if (/[^dgu]/.test(flags)) flagged.add(source);
}

interface ZodPart {
  readonly zodSchema: {
    readonly _zod: { readonly def: ZodDefinition; readonly bag?: { readonly Class?: unknown; readonly patterns?: Iterable<RegExp> } };
  };
}

interface ZodDefinition {
  readonly type: string;
  readonly pattern?: RegExp;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp } } }[];
}

type OverriddenZodPart = ZodPart & { readonly jsonSchema: { readOnly?: unknown } };

const makeZodOverride = (flagged: Set<string>) => ({ zodSchema: { _zod: { def, bag } }, jsonSchema }: OverriddenZodPart): void => {
  // The bag has the patterns of older versions, and of checks of the user.
  const patterns = [def.pattern, ...(def.checks ?? []).map((each) => each._zod.def.pattern), ...(bag?.patterns ?? [])];
  for (const pattern of patterns) if (pattern !== undefined) addFlagged(pattern, flagged);
  // In the types of TypeScript only: a client must send the property.
  if (def.type === 'readonly') delete jsonSchema.readOnly;
};
/** These only lose a default or a limit. */
const KEPT: ReadonlySet<string> = new Set(['catch', 'default', 'literal', 'number', 'prefault']);

const zod: Library = {
  strict: (flagged) => ({ override: makeZodOverride(flagged) }),
  lenient: (report, flagged) => ({
    unrepresentable: ({ zodSchema: { _zod: { def: { type }, bag } }, path, message }: ZodPart & {
      readonly path: readonly (string | number)[]; readonly message: string;
    }) => {
      const sent = SENT.get(type) ?? SENT.get(bag?.Class);
      if (sent === undefined && !KEPT.has(type)) report(`${message}, at ${['#', ...path].join('/')}`);
      return sent ?? 'any';
    },
    override: makeZodOverride(flagged),
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
  lenient: (report, flagged) => ({
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
    overrideAction: ({ valibotAction: { type, requirement } }: {
      readonly valibotAction: { readonly type: string; readonly requirement?: unknown };
    }) => {
      const { source, flags } = Object(requirement) as Partial<RegExp>;
      if (source !== undefined && flags !== undefined) addFlagged({ source, flags }, flagged);
      if (!TRANSFORMED.has(type)) return undefined;
      const result = TRANSFORMED.get(type);
      if (result === undefined) report(`The result of the "${type}" action is not known.`);
      return result ?? {};
    },
  }),
};

interface ArkType {
  readonly internal?: { readonly references?: readonly { readonly kind?: unknown; readonly rule?: unknown; readonly flags?: string }[] };
}

const arktype: Library = {
  isSilent: true,
  addFlagged: (decoder, flagged) => {
    for (const { kind, rule, flags = '' } of (decoder as ArkType).internal?.references ?? []) {
      if (kind === 'pattern') addFlagged({ source: String(rule), flags }, flagged);
    }
  },
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
