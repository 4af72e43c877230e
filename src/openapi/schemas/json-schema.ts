/**
 * JSON Schema as plain JSON: where its subschemas are, and what a pointer leads to.
 *
 * Only these positions hold schemas. What looks like a schema in `const`, `enum`, `default` or `examples` is data of the host's.
 */

/** A JSON Schema that is an object. As an object of a parsed JSON text, it has no cycles. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A subschema, and where it is: a keyword, and for a list or a map the index or the name. */
export interface Subschema {
  readonly keyword: string;
  readonly key: string;
  readonly schema: JsonSchema;
}

const SINGLE: ReadonlySet<string> = new Set([
  'additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'propertyNames', 'then',
  'unevaluatedItems', 'unevaluatedProperties',
]);
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set(['dependentSchemas', 'patternProperties', 'properties']);
/** The maps of definitions. They are not visited: their schemas count where a `$ref` names them. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Copies the value of a keyword, with each of its subschemas changed. Boolean schemas stay. */
export function mapKeyword(keyword: string, value: unknown, change: (subschema: JsonSchema, key: string) => unknown): unknown {
  const changed = (each: unknown, key: string): unknown => (isSchema(each) ? change(each, key) : each);
  if (Array.isArray(value)) return LISTS.has(keyword) ? value.map((each, index) => changed(each, String(index))) : value;
  if (!isSchema(value)) return value;
  if (SINGLE.has(keyword)) return change(value, '');
  // A property can be called `__proto__`, which an assignment would not create.
  return MAPS.has(keyword) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, key)])) : value;
}

/** The direct subschemas, in an order that does not depend on that of the members: libraries do not promise one. */
export function subschemasOf(schema: JsonSchema): Subschema[] {
  const found: Subschema[] = [];
  for (const keyword of Object.keys(schema).sort()) {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    if (!isList && SINGLE.has(keyword)) {
      found.push({ keyword, key: '', schema: value as JsonSchema });
    } else if (isList ? LISTS.has(keyword) : MAPS.has(keyword)) {
      const parts = value as JsonSchema;
      const keys = isList ? Object.keys(parts) : Object.keys(parts).sort();
      for (const key of keys) {
        const part = parts[key];
        if (isSchema(part)) found.push({ keyword, key, schema: part });
      }
    }
  }
  return found;
}

/** What the fragment `#…` of a reference leads to. `undefined` if that is no schema. */
export function resolvePointer(root: JsonSchema, reference: string): JsonSchema | undefined {
  let found: unknown = root;
  for (const key of keysOf(reference)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return typeof found === 'boolean' ? booleanSchema(found) : isSchema(found) ? found : undefined;
}

/** The keys of an RFC 6901 pointer in its fragment form; one that leads nowhere for any other text. */
export function keysOf(reference: string): string[] {
  const [first = '', ...keys] = reference.split('/');
  if (first !== '#') return [reference];
  return keys.map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

const ANYTHING: JsonSchema = {};
const NOTHING: JsonSchema = { not: {} };

/** A boolean schema as an object. */
export function booleanSchema(accepts: boolean): JsonSchema {
  return accepts ? ANYTHING : NOTHING;
}

/** The same text for schemas that mean the same: members, and the names in `required`, have no order. */
export function canonicalText(schema: unknown): string {
  return JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'required' && Array.isArray(value)) return value.toSorted();
    return isSchema(value) ? Object.fromEntries(sortedEntries(value)) : value;
  });
}

export function sortedEntries<T>(members: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
