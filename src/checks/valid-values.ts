/**
 * Makes values that a schema accepts, at its bounds:
 *
 *   { type: 'integer', minimum: 1 }   ->   1, 1.5 is left out, 100, 1000000000
 */
import { isSchema, type JsonSchema } from '../endpoint/json-schema.ts';
import type { SchemaValidator } from './schema-validator.ts';

const MAX_VALUES = 8;
const MAX_LENGTH = 100_000;
const NUMBERS = [1, 0, -1, 1.5, 100, 1_000_000_000];
/** Strings of the usual formats and patterns. */
const STRINGS = [
  'a', '', 'A', '1', 'A1', 'a b', 'é', 'a'.repeat(5_000), '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z', '2026-01-31', '12:00:00',
  'a@b.example', 'https://example.com/', '5f0f1a2b-3c4d-4e5f-8a6b-7c8d9e0f1a2b', '018f0f1a-2b3c-7d4e-8f5a-6b7c8d9e0f1a', '192.0.2.1',
  'P1D', 'aGk=',
];
const ANYTHING = ['a', 1, true, null, {}, []];

/** Lists some values that a schema accepts, and all that it names. Empty if none could be made. */
export function listValid(schema: unknown, validator: SchemaValidator, around: readonly JsonSchema[] = []): unknown[] {
  if (!isSchema(schema)) return schema === false ? [] : ANYTHING;
  return validator.listReadings(schema).flatMap((layers) => {
    // A schema that is in itself has no other values than outside.
    if (layers.some((layer) => around.includes(layer))) return [];
    const candidates = listCandidates(layers, (parts) => listValid(join(parts), validator, [...around, ...layers]));
    const valid = [...new Set(candidates)].filter((value) => validator.findIssue(value, schema) === undefined);
    const named = layers.flatMap(({ enum: allowed }) => allowed);
    return valid.slice(0, Math.max(MAX_VALUES, named.length));
  });
}

/** Lists the values of a part that all of these schemas accept. */
type ListPart = (schemas: unknown[]) => unknown[];

/** Lists values that schemas may accept together: those that they name, their bounds, and usual ones of their types. */
function listCandidates(layers: readonly JsonSchema[], listPart: ListPart): unknown[] {
  const read = (keyword: string): unknown[] => layers.flatMap((layer) => (Object.hasOwn(layer, keyword) ? [layer[keyword]] : []));
  const bounds = [...['minimum', 'maximum', 'multipleOf'].flatMap(read), ...[1, 0.5].flatMap((step) => [
    ...read('exclusiveMinimum').map((bound) => Number(bound) + step), ...read('exclusiveMaximum').map((bound) => Number(bound) - step),
  ])];
  const lengths = ['minLength', 'maxLength'].flatMap(read).map((length) => 'a'.repeat(Math.min(Number(length), MAX_LENGTH)));
  const listByType: Readonly<Record<string, () => unknown[]>> = {
    number: () => [...bounds, ...NUMBERS],
    string: () => [...lengths, ...STRINGS],
    boolean: () => [true, false],
    null: () => [null],
    array: () => listLists(read, listPart),
    object: () => listObjects(read, listPart),
  };
  const named = [...read('const'), ...['enum', 'examples'].flatMap(read).flat(), ...read('default')];
  const types = read('type').flat().map((type) => (type === 'integer' ? 'number' : String(type)));
  return [...named, ...(types.length > 0 ? types : Object.keys(listByType)).flatMap((type) => listByType[type]?.() ?? [])];
}

function listLists(read: (keyword: string) => unknown[], listPart: ListPart): unknown[][] {
  const [prefix = []] = read('prefixItems') as unknown[][];
  const first = prefix.map((part) => listPart([part])[0]);
  const items = listPart(read('items'));
  const bounds = ['minItems', 'maxItems'].flatMap(read).map(Number).filter((length) => length < 1_000);
  return [0, 1, ...bounds].map((length) => {
    return [...first, ...Array.from({ length: Math.max(length - first.length, 0) }, (_, at) => items[at % items.length])];
  });
}

/** An object with all properties, and one with those that it needs. */
function listObjects(read: (keyword: string) => unknown[], listPart: ListPart): object[] {
  const properties = read('properties').filter(isSchema);
  const required = new Set(read('required').flat());
  const all = [...new Set(properties.flatMap(Object.keys))].flatMap((name) => {
    const [value] = listPart(properties.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : [])));
    return value === undefined ? [] : [[name, value] as const];
  });
  return [Object.fromEntries(all), Object.fromEntries(all.filter(([name]) => required.has(name)))];
}

/** One schema for values that all of these accept. */
function join(schemas: unknown[]): unknown {
  return schemas.length > 1 ? { allOf: schemas } : schemas[0];
}
