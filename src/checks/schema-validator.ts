/**
 * Compares values with the JSON Schemas of a document:
 *
 *   { "legs": "four" } with legs of type integer   ->   #/legs is not integer
 *
 * Knows the keywords that restrict values. Formats are ignored, as they are by default in JSON Schema 2020-12.
 */
import { findSchema, isSchema, type JsonSchema, parsePointer } from '../endpoint/json-schema.ts';

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isSchema,
};

/** The bounds of numbers, strings, lists and objects. */
const BOUNDS: Readonly<Record<string, (value: unknown, bound: number) => boolean>> = {
  minimum: (value, bound) => typeof value !== 'number' || value >= bound,
  maximum: (value, bound) => typeof value !== 'number' || value <= bound,
  exclusiveMinimum: (value, bound) => typeof value !== 'number' || value > bound,
  exclusiveMaximum: (value, bound) => typeof value !== 'number' || value < bound,
  minLength: (value, bound) => typeof value !== 'string' || [...value].length >= bound,
  maxLength: (value, bound) => typeof value !== 'string' || [...value].length <= bound,
  multipleOf: (value, bound) => typeof value !== 'number' || Math.abs(value / bound - Math.round(value / bound)) < 1e-9,
  minItems: (value, bound) => !Array.isArray(value) || value.length >= bound,
  maxItems: (value, bound) => !Array.isArray(value) || value.length <= bound,
  minProperties: (value, bound) => !isSchema(value) || Object.keys(value).length >= bound,
  maxProperties: (value, bound) => !isSchema(value) || Object.keys(value).length <= bound,
};

/** The properties that schemas name, by the places of their objects. An object that is not there may have any. */
type NamedProperties = Map<string, Set<string>>;

const BOUND_NAMES = Object.keys(BOUNDS);

export class SchemaValidator {
  readonly #document: JsonSchema;

  /** `document` has the targets of the references. */
  constructor(document: object) {
    this.#document = document as JsonSchema;
  }

  /** Finds the first issue of a value. `undefined` if it has none. `named` gets what the schema says of a value that has none. */
  findIssue(value: unknown, schema: unknown, at = '#', named?: NamedProperties): string | undefined {
    if (schema === false) return `${at} must not be there`;
    if (!isSchema(schema)) return undefined;
    const referred = this.#resolve(schema);
    return (referred === undefined ? undefined : this.findIssue(value, referred, at, named))
      ?? validateItself(value, schema, at)
      ?? this.#validateCombined(value, schema, at, named)
      ?? this.#validateItems(value, schema, at, named)
      ?? this.#validateProperties(value, schema, at, named);
  }

  /** Finds a property that the schema does not name, in the value or below it: it may be a secret. */
  findUnnamed(value: unknown, schema: unknown): string | undefined {
    const named: NamedProperties = new Map();
    this.findIssue(value, schema, '#', named);
    const find = (whole: unknown, at: string): string | undefined => {
      const names = named.get(at);
      if (names === undefined || typeof whole !== 'object' || whole === null) return undefined;
      return findFirst(Object.entries(whole), ([name, part]) => {
        return names.has(name) ? find(part, `${at}/${name}`) : `${at}/${name} is not named by the schema`;
      });
    };
    return find(value, '#');
  }

  /** The properties that a schema names, with their schemas. */
  listProperties(schema: unknown): Readonly<Record<string, unknown>> {
    return Object.assign({}, ...this.#listLayers(schema).map(({ properties }) => properties)) as Readonly<Record<string, unknown>>;
  }

  /** The names of the properties that a schema requires. */
  listRequired(schema: unknown): string[] {
    return this.#listLayers(schema).flatMap(({ required = [] }) => [required].flat().map(String));
  }

  /** The schema of the items of a list. */
  findItemSchema(schema: unknown): unknown {
    return this.#listLayers(schema).map(({ items }) => items).find((items) => items !== undefined);
  }

  /** Lists the ways to read a schema: one for each alternative, with all schemas that apply to the same value then. */
  listReadings(schema: unknown, around: readonly unknown[] = []): JsonSchema[][] {
    if (!isSchema(schema) || around.includes(schema)) return [[]];
    const { allOf = [], anyOf, oneOf } = schema;
    const list = (each: unknown): JsonSchema[][] => this.listReadings(each, [...around, schema]);
    const unions = [anyOf, oneOf].filter(Array.isArray).map((union) => union.flatMap(list));
    const parts = [list(this.#resolve(schema)), ...[allOf].flat().map(list), ...unions];
    return parts.reduce((readings, part) => readings.flatMap((layers) => part.map((more) => [...layers, ...more])), [[schema]]);
  }

  /** Lists a schema, and the schemas that it refers to or combines, all for the same value. */
  #listLayers(schema: unknown): JsonSchema[] {
    return [...new Set(this.listReadings(schema).flat())];
  }

  #validateCombined(value: unknown, schema: JsonSchema, at: string, named?: NamedProperties): string | undefined {
    const { allOf, anyOf, oneOf, not } = schema;
    const all = Array.isArray(allOf) ? findFirst(allOf, (each) => this.findIssue(value, each, at, named)) : undefined;
    if (all !== undefined) return all;
    for (const [name, list] of [['anyOf', anyOf], ['oneOf', oneOf]] as const) {
      if (!Array.isArray(list)) continue;
      const issues = list.map((each) => {
        const own: NamedProperties = new Map();
        const issue = this.findIssue(value, each, at, own);
        if (issue === undefined) for (const [below, names] of own) addNames(named, below, names);
        return issue;
      });
      const fitting = issues.filter((issue) => issue === undefined).length;
      if (fitting === 0) return issues.length === 1 ? issues[0] : `${at} matches none of ${name}: ${issues.join('; ')}`;
      if (name === 'oneOf' && fitting > 1) return `${at} matches ${fitting} of oneOf, not one`;
    }
    return not !== undefined && this.findIssue(value, not, at) === undefined ? `${at} matches "not"` : undefined;
  }

  #validateItems(value: unknown, { items, prefixItems, uniqueItems }: JsonSchema, at: string, named?: NamedProperties): string | undefined {
    if (!Array.isArray(value)) return undefined;
    const isTwice = (item: unknown, index: number): boolean => value.findIndex((each) => isEqual(each, item)) < index;
    if (uniqueItems === true && value.some(isTwice)) return `${at} has an item twice`;
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    if (items !== undefined || first.length > 0) addNames(named, at, Object.keys(value));
    return findFirst(value.entries(), ([index, item]) => {
      return this.findIssue(item, index < first.length ? first[index] : items, `${at}/${index}`, named);
    });
  }

  #validateProperties(value: unknown, schema: JsonSchema, at: string, named?: NamedProperties): string | undefined {
    if (!isSchema(value)) return undefined;
    const { required, properties, patternProperties, additionalProperties: others } = schema;
    const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
    if (missing !== undefined) return `${at}/${missing} is missing`;
    if (properties !== undefined || patternProperties !== undefined) addNames(named, at, []);
    return findFirst(Object.entries(value), ([name, property]) => {
      const ofName = isSchema(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
      const own = [...ofName, ...listMatching(patternProperties, name)];
      if (own.length > 0 || (others !== undefined && others !== false)) addNames(named, at, [name]);
      return findFirst(own.length > 0 ? own : [others], (each) => this.findIssue(property, each, `${at}/${name}`, named));
    });
  }

  #resolve({ $ref: reference }: JsonSchema): JsonSchema | undefined {
    const keys = typeof reference === 'string' ? parsePointer(reference) : undefined;
    return keys === undefined ? undefined : findSchema(this.#document, keys);
  }
}

/** Finds issues that need no other schema. */
function validateItself(value: unknown, schema: JsonSchema, at: string): string | undefined {
  const { type, enum: allowed, const: only, pattern } = schema;
  const types = type === undefined ? [] : [type].flat().map(String);
  if (types.length > 0 && !types.some((each) => TYPES[each]?.(value) ?? true)) return `${at} is not ${types.join(' or ')}`;
  if (Array.isArray(allowed) && !allowed.some((each) => isEqual(each, value))) return `${at} is not one of ${JSON.stringify(allowed)}`;
  if ('const' in schema && !isEqual(only, value)) return `${at} is not ${JSON.stringify(only)}`;
  if (typeof pattern === 'string' && !matches(pattern, value)) return `${at} does not match ${pattern}`;
  const bound = BOUND_NAMES.find((name) => typeof schema[name] === 'number' && BOUNDS[name]?.(value, schema[name]) === false);
  return bound === undefined ? undefined : `${at} is out of ${bound} ${String(schema[bound])}`;
}

function addNames(named: NamedProperties | undefined, at: string, names: Iterable<string>): void {
  named?.set(at, new Set([...named.get(at) ?? [], ...names]));
}

function listMatching(patterns: unknown, name: string): unknown[] {
  return isSchema(patterns) ? Object.entries(patterns).flatMap(([pattern, schema]) => (matches(pattern, name) ? [schema] : [])) : [];
}

function matches(pattern: string, value: unknown): boolean {
  try {
    return typeof value !== 'string' || new RegExp(pattern, 'u').test(value);
  } catch {
    // Patterns are regular expressions of ECMA-262, but a library may write a different dialect.
    return true;
  }
}

function isEqual(one: unknown, other: unknown): boolean {
  if (!isSchema(one) || !isSchema(other)) return JSON.stringify(one) === JSON.stringify(other);
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

function findFirst<T>(values: Iterable<T>, find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const issue = find(value);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

