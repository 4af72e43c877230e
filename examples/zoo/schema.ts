/**
 * The example's schemas, so that it needs no library. Each decodes a value, and describes its input as JSON Schema:
 *
 *   const Pet = object('Pet', { name: text, legs: integer(0, 100) });
 *
 * If it rejects a value, the client gets the reason: `legs: expected an integer from 0 to 100`. Unknown properties are dropped. Like the
 * schemas of Zod, Valibot and ArkType, they are Standard Schemas (https://standardschema.dev), so a library could replace this file.
 */
import type { StandardSchemaV1 } from 'restpoint';

export interface Schema<T, Input = T> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardSchemaV1.Result<T>;
    readonly jsonSchema: { readonly input: () => JsonSchema; readonly output: () => JsonSchema };
    // Only types: no schema has this.
    readonly types?: { readonly input: Input; readonly output: T };
  };
}

/** A JSON Schema. One with a name is a reference to its definition, so that the OpenAPI document has it once. */
interface JsonSchema {
  readonly $defs?: object;
  readonly [keyword: string]: unknown;
}

/** The values that a schema makes. */
export type ValueOf<Given> = Given extends Schema<infer T, any> ? T : never;

/** A property of an object. */
interface Property<T> {
  /** For the message about a wrong value. */
  readonly expected: string;
  readonly jsonSchema: JsonSchema;
  readonly accepts: (value: unknown) => value is T;
  /** The value of a property that is left out. Without a default, the property is required. */
  readonly missing?: { readonly value: T };
}

type Properties = Readonly<Record<string, Property<unknown>>>;
type Values<Given> = { readonly [Name in keyof Given]: Given[Name] extends Property<infer T> ? T : never };
type Optional<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T];
type Input<T> = Omit<T, Optional<T>> & Partial<Pick<T, Optional<T>>>;

// Half of a surrogate pair has no UTF-8, and some versions of Node read strings from SQLite only up to a NUL.
const TEXT = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

export const text: Property<string> = {
  expected: 'a string of 1 to 100 characters, without control characters',
  jsonSchema: { type: 'string', pattern: TEXT.source },
  accepts: (value): value is string => typeof value === 'string' && TEXT.test(value),
};

export const anyText: Property<string> = {
  expected: 'a string',
  jsonSchema: { type: 'string' },
  accepts: (value) => typeof value === 'string',
};

export const boolean: Property<boolean> = {
  expected: 'true or false',
  jsonSchema: { type: 'boolean' },
  accepts: (value) => typeof value === 'boolean',
};

export function integer(minimum: number, maximum: number): Property<number> {
  return {
    expected: `an integer from ${minimum} to ${maximum}`,
    jsonSchema: { type: 'integer', minimum, maximum },
    accepts: (value): value is number => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  };
}

/** A property that is `undefined` if it is left out. */
export function optional<T>(property: Property<T>): Property<T | undefined> {
  return { ...property, missing: { value: undefined } };
}

/** An object with these properties. The OpenAPI document has it under its name. */
export function object<Given extends Properties>(name: string, declared: Given): Schema<Values<Given>, Input<Values<Given>>> {
  const $defs = { [name]: jsonSchemaOf(declared) };
  return schema({ $ref: `#/$defs/${name}`, $defs }, (value) => decode(declared, value));
}

/** Values as clients give them, which are sent as strings. */
type Sent<Given> = { readonly [Name in keyof Given]?: Given[Name] | string };

/** A query of integers, each with a default. */
export function query<Given extends Properties>(declared: Given): Schema<Values<Given>, Sent<Values<Given>>> {
  return schema(jsonSchemaOf(declared), (value) => {
    const numbers = Object.entries(Object(value)).map(([name, given]) => [name, numberIn(given) ?? given]);
    return decode(declared, Object.fromEntries(numbers));
  });
}

/** A list of values of a schema. */
export function list<T, Input>(item: Schema<T, Input>): Schema<readonly T[], readonly Input[]> {
  const { validate, jsonSchema } = item['~standard'];
  const { $defs = {}, ...items } = jsonSchema.input();
  return schema({ type: 'array', items, $defs }, (value) => {
    if (!Array.isArray(value)) return { issues: [{ message: 'expected a list' }] };
    const results = value.map((each) => validate(each));
    const issues = results.flatMap((result, at) => (result.issues ?? []).map(({ message, path = [] }) => ({ message, path: [at, ...path] })));
    return issues.length > 0 ? { issues } : { value: results.flatMap((result) => (result.issues ? [] : [result.value])) };
  });
}

/** The same for values with a revision, which it drops, like all unknown properties. */
export function withRevision<T, Input>({ '~standard': { validate, jsonSchema } }: Schema<T, Input>): Schema<T, Input & { readonly revision: number }> {
  return schema(jsonSchema.input(), validate);
}

// The default is a value of the schema's input. It does not affect the output, so both have one JSON Schema.
function schema<T, Input>(jsonSchema: JsonSchema, validate: (value: unknown) => StandardSchemaV1.Result<T>): Schema<T, Input> {
  const same = (): JsonSchema => jsonSchema;
  return { '~standard': { version: 1, vendor: 'zoo', validate, jsonSchema: { input: same, output: same } } };
}

function jsonSchemaOf(declared: Properties): JsonSchema {
  const entries = Object.entries(declared);
  const required = entries.filter(([, { missing }]) => missing === undefined).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, property]) => [name, property.jsonSchema]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function decode<Given extends Properties>(declared: Given, value: unknown): StandardSchemaV1.Result<Values<Given>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { issues: [{ message: 'expected an object' }] };
  const given: Readonly<Record<string, unknown>> = { ...value };
  const issues: StandardSchemaV1.Issue[] = [];
  const entries = Object.entries(declared).map(([name, { expected, accepts, missing }]) => {
    const property = given[name];
    if (property === undefined && missing !== undefined) return [name, missing.value];
    if (!accepts(property)) issues.push({ message: `${name}: expected ${expected}`, path: [name] });
    return [name, property];
  });
  // It has each property, and each is accepted.
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(entries) as Values<Given> };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : undefined;
}
