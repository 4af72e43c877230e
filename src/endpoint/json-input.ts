/**
 * Rejects a schema of a JSON body that no JSON is valid for, where its library shows its parts:
 *
 *   z.object({ born: z.date() })                              ->   JSON has no value for born: …
 *   z.coerce.date(), z.date().optional(), z.array(z.date())   ->   each accepts some JSON
 *
 * A false alarm would stop a program that works, so only the parts that every valid value has are searched.
 */
import { isStandardSchema } from './decoder.ts';

/** What a library shows of a part: its type or class in lower case, and its own parts, without a name if one is the whole value. */
interface ShownPart {
  readonly type: unknown;
  readonly parts: readonly (readonly [name: string, part: unknown])[];
  /** Whether a value has one of the parts, and not all. */
  readonly isUnion?: boolean;
}

const UNSENDABLE: ReadonlySet<unknown> = new Set([
  'bigint', 'blob', 'date', 'file', 'formdata', 'function', 'map', 'nan', 'regexp', 'set', 'symbol', 'uint8array', 'undefined', 'url',
  'void',
]);

/** By the `vendor` of their Standard Schema: how they show a part, and what decodes a string. */
const LIBRARIES: ReadonlyMap<string, readonly [show: (part: any) => ShownPart, remedy: string]> = new Map([
  ['zod', [showPart, 'z.coerce.date() or z.coerce.bigint() does']],
  ['valibot', [(part) => showPart(part.type === undefined ? unwrapValibot(part) : part), 'v.pipe(v.string(), v.toDate()) does']],
  ['arktype', [showArkType, "type('string.date.parse') does"]],
]);

/** Returns the decoder. Throws `TypeError` for a schema that no JSON is valid for. `name` is the schema in the message. */
export function checkJsonInput(decoder: unknown, name: string): unknown {
  const [show, remedy] = (isStandardSchema(decoder) ? LIBRARIES.get(decoder['~standard'].vendor) : undefined) ?? [];
  let path: string | undefined;
  try {
    path = show && findUnsendable(decoder, '', show, []);
  } catch {
    // A version of the library that shows its parts in a different way.
  }
  if (path !== undefined) throw new TypeError(`${name}: JSON has no value for ${path || 'the body'}: decode a string, as ${remedy}`);
  return decoder;
}

/** Returns the path of a part that JSON does not have. `parents` contain this part: a schema can contain itself. */
function findUnsendable(part: unknown, path: string, show: (part: unknown) => ShownPart, parents: readonly unknown[]): string | undefined {
  if (parents.includes(part)) return undefined;
  const { type, parts, isUnion } = show(part);
  // A property without a value can be left out.
  if (UNSENDABLE.has(type)) return path !== '' && (type === 'undefined' || type === 'void') ? undefined : path;
  const found = parts.map(([name, each]) => findUnsendable(each, [path, name].filter(Boolean).join('.'), show, [...parents, part]));
  return isUnion === true && found.includes(undefined) ? undefined : found.find((each) => each !== undefined);
}

/** Zod 4 shows a part in its `_zod.def`, and Valibot in the schema itself. */
function showPart(schema: any): ShownPart {
  const part = schema._zod?.def ?? schema;
  const { type, coerce, shape, entries = shape, items = [], options, left, right, getter, innerType, in: first } = part;
  if (coerce === true || Object.hasOwn(part, 'fallback')) return { type: undefined, parts: [] };
  const wholes: Readonly<Record<string, readonly unknown[]>> = {
    union: options, variant: options, intersect: options, intersection: [left, right],
    lazy: [getter?.()], pipe: [first], readonly: [innerType],
  };
  const parts = wholes[type]?.map((each) => ['', each] as const) ?? Object.entries(entries ?? items);
  const className: string | undefined = (schema._zod?.bag.Class ?? part.class)?.name;
  return { type: className?.toLowerCase() ?? type, parts, isUnion: type === 'union' || type === 'variant' };
}

/** Finds the schema that `toStandardJsonSchema` of Valibot wraps: its conversion ends with it. */
function unwrapValibot(schema: any): unknown {
  let last = schema;
  const overrideSchema = ({ valibotSchema }: { readonly valibotSchema: unknown }): void => void (last = valibotSchema);
  schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: { errorMode: 'ignore', overrideSchema } });
  // The user may have changed how it validates.
  return last['~standard'].validate === schema['~standard'].validate ? last : {};
}

/** ArkType shows the JSON of its input: a name, a list of alternatives, or an object. */
function showArkType(part: any): ShownPart {
  if (typeof part === 'function') return showArkType(part.in.json);
  if (typeof part === 'string') return { type: part.toLowerCase(), parts: [] };
  if (Array.isArray(part)) return { type: undefined, parts: part.map((each) => ['', each]), isUnion: true };
  const { domain, proto = domain, required = [], sequence } = part;
  const properties = required.map(({ key, value }: { readonly key: string; readonly value: unknown }) => [key, value]);
  return { type: proto?.toLowerCase?.(), parts: [...properties, ...Object.entries(sequence?.prefix ?? [])] };
}
