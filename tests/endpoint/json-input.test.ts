/** Schemas that no JSON is valid for. The parts are as Zod 4, Valibot and ArkType show them: `tests/compat/schemas.peer.js` has their own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergePatch, ndjson } from '../../src/formats/index.ts';
import { ApiServer, integerId } from '../../src/index.ts';
import { ServerLog } from '../support/server-log.ts';

const standard = (vendor: string, more: object = {}): object => ({ '~standard': { version: 1, vendor, validate, ...more } });
const validate = (value: unknown): object => ({ value });

const zod = (def: object, bag: object = {}): object => ({ ...standard('zod'), _zod: { def, bag } });
const date = zod({ type: 'date' });
const string = zod({ type: 'string' });
const object = (shape: object): object => zod({ type: 'object', shape });
const union = (...options: object[]): object => zod({ type: 'union', options });

const valibot = (part: object): object => ({ ...standard('valibot'), ...part });
const ownDate = valibot({ type: 'date' });

/** As `toStandardJsonSchema` of Valibot wraps a schema. */
function wrap(schema: object, more: object = {}): object {
  const input = ({ libraryOptions }: { libraryOptions: { overrideSchema: (part: object) => void } }): object => {
    libraryOptions.overrideSchema({ valibotSchema: ownDate });
    libraryOptions.overrideSchema({ valibotSchema: schema });
    return {};
  };
  return standard('valibot', { jsonSchema: { input }, ...more });
}

const arkType = (json: unknown): object => Object.assign(() => 'the call', standard('arktype'), { in: { json } });

/** A schema that contains itself. */
function makeTree(more: object): object {
  const tree: object = object({ name: string, parent: zod({ type: 'lazy', getter: () => tree }), ...more });
  return tree;
}

const ZOD = 'decode a string, as z.coerce.date() or z.coerce.bigint() does';
const VALIBOT = 'decode a string, as v.pipe(v.string(), v.toDate()) does';
const ARKTYPE = "decode a string, as type('string.date.parse') does";

const rejected = suite('O7: a schema that no JSON is valid for');
for (const [what, schema, at, fix] of [
  ['a date', date, 'the body', ZOD],
  ['a bigint', zod({ type: 'bigint', coerce: false }), 'the body', ZOD],
  ['a property', object({ name: string, born: date }), 'born', ZOD],
  ['a property of a property', object({ owner: object({ born: date }) }), 'owner.born', ZOD],
  ['an item of a tuple', object({ stay: zod({ type: 'tuple', items: [string, date] }) }), 'stay.1', ZOD],
  ['both sides of an intersection', zod({ type: 'intersection', left: object({ a: string }), right: object({ b: date }) }), 'b', ZOD],
  ['a readonly schema', zod({ type: 'readonly', innerType: object({ a: date }) }), 'a', ZOD],
  ['the input of a transform', zod({ type: 'pipe', in: date, out: string }), 'the body', ZOD],
  ['each alternative', object({ at: union(date, zod({ type: 'bigint' })) }), 'at', ZOD],
  ['a part of a schema that contains itself', makeTree({ born: date }), 'born', ZOD],
  ['a class', object({ photo: zod({ type: 'custom' }, { Class: File }) }), 'photo', ZOD],
  ['a map', object({ tags: zod({ type: 'map' }) }), 'tags', ZOD],
  ['nothing', zod({ type: 'undefined' }), 'the body', ZOD],
  ['a date of Valibot', ownDate, 'the body', VALIBOT],
  ['a property of Valibot', valibot({ type: 'strict_object', entries: { at: ownDate } }), 'at', VALIBOT],
  ['each variant', valibot({ type: 'variant', options: [valibot({ type: 'object', entries: { at: ownDate } })] }), 'at', VALIBOT],
  ['all of an intersection', valibot({ type: 'intersect', options: [valibot({ type: 'object', entries: {} }), ownDate] }), 'the body', VALIBOT],
  ['a class of Valibot', valibot({ type: 'instance', class: Set }), 'the body', VALIBOT],
  ['a schema of Valibot with its JSON Schema', wrap(valibot({ type: 'object', entries: { at: ownDate } })), 'at', VALIBOT],
  ['a date of ArkType', arkType({ proto: 'Date', after: '2020-01-01T00:00:00.001Z' }), 'the body', ARKTYPE],
  ['a bigint of ArkType', arkType({ domain: 'bigint' }), 'the body', ARKTYPE],
  ['a property of ArkType', arkType({ domain: 'object', required: [{ key: 'a', value: 'string' }, { key: 'b', value: 'Date' }] }), 'b', ARKTYPE],
  ['each alternative of ArkType', arkType(['bigint', 'Date']), 'the body', ARKTYPE],
  ['an item of ArkType', arkType({ proto: 'Array', sequence: { prefix: ['string', 'Map'] } }), '1', ARKTYPE],
] as const) {
  rejected(`${what} -> TypeError`, () => {
    const message = `: JSON has no value for ${at}: ${fix}`;
    for (const [declared, path] of [
      [{ id: integerId, schema, create: () => 1 }, 'schema'],
      [{ custom: { feed: { input: schema, run: () => 1 } } }, 'custom.feed.input'],
      [{ custom: { feed: { input: ndjson(schema as never), run: () => 1 } } }, 'custom.feed.input'],
      [{ id: integerId, patch: { input: mergePatch(schema as never), run: () => {} } }, 'patch.input'],
    ] as const) {
      assert.throws(() => register(declared), (error: unknown) => error instanceof TypeError && error.message === `endpoint.${path}${message}`);
    }
  });
}
rejected.run();

const failing = { type: 'lazy', getter: () => { throw new Error('not yet'); } };

const accepted = suite('a schema that some JSON is valid for');
for (const [what, schema] of [
  ['a date that is made of a string', zod({ type: 'date', coerce: true })],
  ['a transform before a date', zod({ type: 'pipe', in: zod({ type: 'transform' }), out: date })],
  ['an optional date', object({ at: zod({ type: 'optional', innerType: date }) })],
  ['a date or null', zod({ type: 'nullable', innerType: date })],
  ['a date or a string', union(date, string)],
  ['a union of nothing', union()],
  ['a property that is not there', object({ at: zod({ type: 'undefined' }), by: union(zod({ type: 'void' }), date) })],
  ['a list of dates, which can be empty', zod({ type: 'array', element: date })],
  ['names of types', zod({ type: 'enum', entries: { date: 'date' } })],
  ['a class that an object can be an instance of', zod({ type: 'custom' }, { Class: Object })],
  ['a schema that contains itself', makeTree({})],
  ['a schema that cannot be read yet', zod(failing)],
  ['a date of Valibot with a fallback', valibot({ type: 'date', fallback: undefined })],
  ['a list of names', valibot({ type: 'picklist', options: ['date'] })],
  ['a wrapper that validates in its own way', wrap(ownDate, { validate: (value: unknown) => ({ value }) })],
  ['a wrapper without its schema', standard('valibot')],
  ['a value of ArkType', arkType({ unit: 'undefined' })],
  ['an optional date of ArkType', arkType({ domain: 'object', optional: [{ key: 'a', value: 'Date' }] })],
  ['a date or a string of ArkType', arkType(['string', 'Date'])],
  ['a list of ArkType', arkType({ proto: 'Array', sequence: 'Date' })],
  ['a type that is not shown as expected', Object.assign(() => 'the call', standard('arktype'))],
  ['a date of a library that is not known', { ...date, ...standard('own') }],
  ['a function', (json: unknown) => json],
] as const) {
  accepted(`${what} is registered`, () => {
    register({ id: integerId, schema, create: () => 1, patch: { input: mergePatch(schema as never), run: () => {} } });
  });
}
accepted('a date that is only sent is registered', () => register({ id: integerId, schema: date, get: { output: date, run: () => 1 } }));
accepted.run();

function register(endpoint: object): void {
  new ApiServer('/v1', { logger: new ServerLog().logger }).registerEndpoint('/pet', endpoint as never);
}
