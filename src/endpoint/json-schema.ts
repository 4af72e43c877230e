/**
 * JSON Schema as plain JSON: where its subschemas are, and where a reference leads.
 *
 * Only these positions hold schemas. Whatever looks like a schema in `const`, `enum`, `default` or `examples` is the user's data.
 */

/** A JSON Schema that is an object. It is parsed JSON, so it has no cycles. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const SINGLE: ReadonlySet<string> = new Set([
  'additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not', 'propertyNames', 'then',
  'unevaluatedItems', 'unevaluatedProperties',
]);
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set(['dependentSchemas', 'patternProperties', 'properties']);
/** The maps of definitions. They are not visited: their schemas are reached by `$ref`. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/**
 * The keyword for the largest number that counts: a greater one is accepted, so it is not a `maximum`. OpenAPI allows further keywords that
 * begin with `x-`.
 */
export const MAX_KEYWORD = 'x-maximum';

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a schema is only a reference. In a large document most do. */
export function isReference(schema: JsonSchema): boolean {
  for (const keyword in schema) if (keyword !== '$ref') return false;
  return '$ref' in schema;
}

/** A boolean schema as an object. */
export function booleanSchema(accepts: boolean): JsonSchema {
  return accepts ? {} : { not: {} };
}

/** Copies the value of a keyword, with each of its subschemas changed. Boolean schemas stay. */
export function mapKeyword(keyword: string, value: unknown, change: (subschema: JsonSchema) => JsonSchema): unknown {
  const changed = (each: unknown): unknown => (isSchema(each) ? change(each) : each);
  if (Array.isArray(value)) return LISTS.has(keyword) ? value.map(changed) : value;
  if (!isSchema(value)) return value;
  if (SINGLE.has(keyword)) return change(value);
  if (!MAPS.has(keyword)) return value;
  // A property can be called `__proto__`. An assignment changes it, but does not create it.
  const copy: Record<string, unknown> = Object.hasOwn(value, '__proto__') ? { ...value } : {};
  for (const key of Object.keys(value)) copy[key] = changed(value[key]);
  return copy;
}

/**
 * Visits the direct subschemas, each with its keyword, and in a list or a map with its index or name. They are sorted: libraries
 * do not promise an order of properties.
 */
export function forEachSubschema(schema: JsonSchema, visit: (subschema: JsonSchema, keyword: string, key?: string) => void): void {
  for (const keyword of Object.keys(schema).sort()) {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    if (!isList && SINGLE.has(keyword)) visit(value as JsonSchema, keyword);
    if (!(isList ? LISTS : MAPS).has(keyword)) continue;
    for (const key of isList ? Object.keys(value) : Object.keys(value).sort()) {
      const part = (value as JsonSchema)[key];
      if (isSchema(part)) visit(part, keyword, key);
    }
  }
}

/** Finds the schema that the keys of a pointer lead to. `undefined` if there is none. */
export function findSchema(root: JsonSchema, keys: readonly string[]): JsonSchema | undefined {
  let found: unknown = root;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return typeof found === 'boolean' ? booleanSchema(found) : isSchema(found) ? found : undefined;
}

/** Parses a reference that is an RFC 6901 pointer in its fragment form into its keys. `undefined` for any other. */
export function parsePointer(reference: string): string[] | undefined {
  const [first = '', ...keys] = reference.split('/');
  return first === '#' ? keys.map((key) => decodeKey(key).replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
}

/** Makes a function that finds the schema that a reference leads to: by a pointer, by an `$anchor` or by an `$id`. */
export function makeResolver(root: JsonSchema): (reference: string) => JsonSchema | undefined {
  let named: ReadonlyMap<string, JsonSchema> | undefined;
  return (reference) => {
    const keys = parsePointer(reference);
    if (keys !== undefined) return findSchema(root, keys);
    named ??= listNamed(root);
    return named.get(reference);
  };
}

function listNamed(root: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const named = new Map<string, JsonSchema>();
  const schemas = [root];
  // The loop also visits what it adds.
  for (const schema of schemas) {
    const { $anchor: anchor, $id: id } = schema;
    if (typeof anchor === 'string') named.set(`#${anchor}`, schema);
    if (typeof id === 'string') named.set(id, schema);
    forEachSubschema(schema, (part) => schemas.push(part));
    for (const keyword of DEFINITIONS) schemas.push(...Object.values(Object(schema[keyword]) as JsonSchema).filter(isSchema));
  }
  return named;
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
