/**
 * Makes values that a schema accepts, at its bounds:
 *
 *   { type: 'integer', minimum: 1 }   ->   1, 1.5 is left out, 100, 1000000000
 */
import { isSchema, type JsonSchema } from '../endpoint/json-schema.ts';
import { type SchemaValidator, StandIn } from './schema-validator.ts';

/** The values of each part, even of a very large whole. */
const LEAST = 8;
const MAX_LENGTH = 100_000;
const NUMBERS = [1, 0, -1, 1.5, 100, 1_000_000_000];
/** Strings of the usual formats and patterns. */
const STRINGS = [
  'a', '', 'A', '1', 'A1', 'a b', 'é', 'a'.repeat(5_000), '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z', '2026-01-31', '12:00:00', 'a@b.example',
  'https://example.com/', '5f0f1a2b-3c4d-4e5f-8a6b-7c8d9e0f1a2b', '018f0f1a-2b3c-7d4e-8f5a-6b7c8d9e0f1a', '192.0.2.1', 'P1D', 'aGk=',
];
const ANYTHING = ['a', 1, true, null, {}, []];
const UNNAMED = 'a property that no schema names';

/** Lists values that a schema accepts: at most about as many as `max`. Empty if none could be made. */
export function listValid(schema: unknown, validator: SchemaValidator, max: number = 2_000, around: readonly JsonSchema[] = []): unknown[] {
  if (!isSchema(schema)) return schema === false ? [] : ANYTHING;
  return validator.listReadings(schema).flatMap((layers) => {
    // A schema that is in itself has no other values than outside.
    if (layers.some((layer) => around.includes(layer))) return [];
    const candidates = listCandidates(layers, (part, shares) => listValid(part, validator, max / shares, [...around, ...layers]));
    const valid = [...new Set(candidates)].filter((value) => validator.findIssue(value, schema) === undefined);
    const known = valid.filter((value) => !(value instanceof StandIn));
    const named = layers.flatMap(({ enum: allowed }) => allowed);
    return (known.length > 0 ? known : valid).slice(0, Math.max(max, LEAST, named.length));
  });
}

/** Lists the values of a part, which may have one of several shares of all values. */
type ListPart = (schema: unknown, shares: number) => unknown[];

/** Lists values that schemas may accept together: those that they name, their bounds, and usual ones of their types. */
function listCandidates(layers: readonly JsonSchema[], listPart: ListPart): unknown[] {
  const read = (keyword: string): unknown[] => layers.flatMap((layer) => (Object.hasOwn(layer, keyword) ? [layer[keyword]] : []));
  const bounds = [...['minimum', 'maximum', 'multipleOf'].flatMap(read), ...[1, 0.5].flatMap((step) => [
    ...read('exclusiveMinimum').map((bound) => Number(bound) + step), ...read('exclusiveMaximum').map((bound) => Number(bound) - step),
  ])];
  const lengths = ['minLength', 'maxLength'].flatMap(read).map((length) => 'a'.repeat(Math.min(Number(length), MAX_LENGTH)));
  const listByType: Readonly<Record<string, () => unknown[]>> = {
    number: () => [...bounds, ...NUMBERS],
    string: () => [...lengths, ...STRINGS, ...read('pattern').map((pattern) => new StandIn(String(pattern)))],
    boolean: () => [true, false],
    null: () => [null],
    array: () => listLists(read, listPart),
    object: () => listObjects(layers, read, listPart),
  };
  const named = [...read('const'), ...['enum', 'examples'].flatMap(read).flat(), ...read('default')];
  const types = read('type').flat().map((type) => (type === 'integer' ? 'number' : String(type)));
  return [...named, ...(types.length > 0 ? types : Object.keys(listByType)).flatMap((type) => listByType[type]?.() ?? [])];
}

function listLists(read: (keyword: string) => unknown[], listPart: ListPart): unknown[][] {
  const [prefix = []] = read('prefixItems') as unknown[][];
  const firsts = prefix.map((part) => listPart(part, prefix.length + 1));
  const items = listPart(join(read('items')), 2);
  const whole = firsts.map(([first]) => first);
  const fill = (list: unknown[], length: number): unknown[] => {
    return [...list, ...Array.from({ length: Math.max(length - list.length, 0) }, (_, at) => items[at % items.length])];
  };
  const bounds = ['minItems', 'maxItems'].flatMap(read).map(Number).filter((length) => length < 1_000);
  const least = Math.max(0, ...read('minItems').map(Number));
  return [
    ...[0, 1, 50, ...bounds].map((length) => fill(whole, length)),
    ...firsts.flatMap((values, at) => values.map((value) => fill(whole.with(at, value), least))),
    ...items.map((item) => fill([...whole, item], least)),
  ];
}

function listObjects(layers: readonly JsonSchema[], read: (keyword: string) => unknown[], listPart: ListPart): object[] {
  const properties = layers.map((layer) => layer['properties']).filter(isSchema);
  const names = [...new Set(properties.flatMap(Object.keys))];
  const listShare = (parts: unknown[]): unknown[] => listPart(join(parts), names.length + 1);
  const values = names.map((name) => [name, listShare(properties.flatMap((each) => (Object.hasOwn(each, name) ? [each[name]] : [])))] as const);
  const whole = Object.fromEntries(values.flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first]])));
  const required = new Set(read('required').flat());
  const select = (isChosen: (name: string) => boolean): object => Object.fromEntries(Object.entries(whole).filter(([name]) => isChosen(name)));
  const others: [string, unknown[]] = [UNNAMED, listShare(read('additionalProperties'))];
  return [
    whole, select((name) => required.has(name)), ...Object.keys(whole).map((left) => select((name) => name !== left)),
    ...[...values, others].flatMap(([name, each]) => each.map((value) => ({ ...whole, [name]: value }))),
  ];
}

/** One schema for values that all of these accept. */
function join(schemas: unknown[]): unknown {
  return schemas.length > 1 ? { allOf: schemas } : schemas[0];
}
