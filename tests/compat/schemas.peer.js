/**
 * Schemas of three libraries. The parts that JSON does not have: documents, tools and forms have them as clients send them, and all others. The
 * errors of a status, by their types. The schemas that no JSON is valid for.
 */
import assert from 'node:assert/strict';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { ApiError, ApiServer, stringId } from '../../dist/index.js';
import { form } from '../../dist/formats/index.js';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';

const DATE = { type: 'string', format: 'date-time' };
const BIGINT = { type: 'integer', format: 'int64' };
const FILE = { type: 'string', format: 'binary' };
const LIST = { type: 'array', items: { type: 'string' } };

const length = (text) => text.length;
const SCHEMAS = {
  zod: z.object({
    name: z.string(), born: z.coerce.date(), chip: z.coerce.bigint(), photo: z.instanceof(File), length: z.string().transform(length), tags: z.array(z.string()).readonly(),
  }),
  valibot: toStandardJsonSchema(v.object({
    name: v.string(), born: v.date(), chip: v.bigint(), photo: v.file(), length: v.pipe(v.string(), v.transform(length)), tags: v.array(v.string()),
  })),
  arktype: type({ name: 'string', born: 'Date', chip: 'bigint', photo: 'File', length: type('string').pipe(length), tags: 'string[]' }),
};

/** A decoder that accepts everything, with the JSON Schema of a library. */
function acceptAnything(schema, values = []) {
  return { '~standard': { ...schema['~standard'], validate: (value) => (values.push(value), { value }) } };
}

/** The properties of the body and of the result, and the logged messages. */
function describe(schema) {
  const problems = [];
  const server = new ApiServer('', { logger: { info() {}, error: ({ message }) => problems.push(message) } });
  server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: acceptAnything(schema), output: schema, run: () => undefined } } });
  const { paths } = openApi(server, { info: { title: 'Pets', version: '1' } });
  const { requestBody, responses } = paths['/pet/feed'].post;
  const [input, output] = [requestBody, responses[200]].map(({ content }) => content['application/json'].schema.properties);
  return { input, output, problems };
}

function serveDecoder(input) {
  const server = new ApiServer('', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/pet', { custom: { feed: { input, run: () => true } } });
  return server;
}

const TYPES = {
  zod: [z.object({ type: z.literal('/taken'), seat: z.string() }), z.strictObject({ type: z.literal('/closed') })],
  valibot: [v.object({ type: v.literal('/taken'), seat: v.string() }), v.strictObject({ type: v.literal('/closed') })].map(toStandardJsonSchema),
  arktype: [type({ type: "'/taken'", seat: 'string', '+': 'delete' }), type({ type: "'/closed'", '+': 'reject' })],
};

const Tree = z.object({ name: z.string(), get parent() { return Tree.optional(); }, get children() { return z.array(Tree); }, born: z.date() });
const Sum = z.union([z.object({ get left() { return Sum; }, at: z.date() }), z.number()]);
const toDate = { decode: (text) => new Date(text), encode: (date) => date.toISOString() };

/** Schemas that no JSON is valid for, by the path of the part. */
const UNSENDABLE = [
  ['the body', z.date()], ['the body', z.bigint().min(1n)], ['the body', z.date().refine(() => true).brand('Day')], ['the body', z.union([z.date(), z.bigint()])],
  ['owner.born', z.object({ owner: z.strictObject({ born: z.date() }) })], ['1', z.tuple([z.string(), z.date()])], ['b', z.object({ a: z.string() }).and(z.object({ b: z.date() }))],
  ['a', z.object({ a: z.date().transform(String) }).readonly()], ['born', Tree], ['a', mini.object({ a: mini.date() })], ['the body', z.lazy(() => z.date())],
  ['at', z.discriminatedUnion('is', [z.object({ is: z.literal(1), at: z.date() }), z.object({ is: z.literal(2), at: z.bigint() })])],
  ['a', z.object({ a: z.map(z.string(), z.string()) })], ['a', z.object({ a: z.set(z.string()) })], ['a', z.object({ a: z.symbol() })], ['a', z.object({ a: z.nan() })],
  ['a', z.object({ a: z.file() })], ['a', z.object({ a: z.instanceof(File) })], ['a', z.object({ a: z.function() })], ['the body', z.undefined()],
  ['the body', v.date()], ['a', v.pipe(v.object({ a: v.pipe(v.bigint(), v.minValue(1n)) }), v.transform((value) => value))], ['the body', v.union([v.date(), v.bigint()])],
  ['at', v.variant('is', [v.object({ is: v.literal(1), at: v.date() })])], ['0', v.tuple([v.date()])], ['b', v.intersect([v.object({ a: v.string() }), v.strictObject({ b: v.date() })])],
  ['the body', v.instance(File)], ['a', v.looseObject({ a: v.map(v.string(), v.string()) })], ['the body', v.lazy(() => v.set(v.string()))], ['a', v.object({ a: v.file() })],
  ['a', toStandardJsonSchema(v.object({ a: v.date() }))],
  ['the body', type('Date')], ['o.at', type({ o: { at: 'bigint' } })], ['the body', type('Date|bigint')], ['a.0', type({ a: ['Date', 'string'] })], ['f', type({ f: 'File' })],
  ['m', type({ m: 'Map' })], ['a', type({ a: 'Date' }).and({ b: 'string' })], ['a', type({ a: "Date > d'2020-01-01'" })], ['the body', type.instanceOf(Set)], ['a', type({ a: ['Date', '=>', String] })],
];

/** Schemas with a JSON value that is valid. */
const SENDABLE = [
  [{ a: 0, b: '1' }, z.object({ a: z.coerce.date(), b: z.coerce.bigint() })], ['2020-01-01', z.preprocess((text) => new Date(text), z.date())],
  ['2020-01-01', z.string().transform((text) => new Date(text)).pipe(z.date())], ['2020-01-01T00:00:00Z', z.codec(z.iso.datetime(), z.date(), toDate)],
  [{ b: null }, z.object({ a: z.date().optional(), b: z.date().nullable(), c: z.date().nullish(), d: z.date().default(new Date()), e: z.date().prefault(new Date()) })],
  [0, z.date().catch(new Date())], [{}, z.object({ a: z.date() }).partial()], ['a', z.union([z.date(), z.string()])], [[], z.array(z.date())], [{}, z.record(z.string(), z.date())],
  [7, Sum], [{}, z.instanceof(Object)], [{}, z.object({ a: z.never().optional() })],
  ['date', z.enum(['date', 'map'])], [{ date: '' }, z.object({ date: z.string() })], [{ a: [1] }, z.json()], ['a', z.string().transform((text) => new Set([text]))],
  ['2020-01-01', v.pipe(v.string(), v.toDate())], [{ b: null, c: 1 }, v.object({ a: v.optional(v.date()), b: v.nullable(v.date()), c: v.fallback(v.date(), new Date()) })],
  ['2020-01-01', v.pipe(v.unknown(), v.transform((text) => new Date(text)), v.date())], ['a', v.union([v.date(), v.string()])], ['date', v.picklist(['date'])], [[], v.array(v.date())],
  [{}, v.record(v.string(), v.date())], [{}, toStandardJsonSchema(v.object({ a: v.exactOptional(v.date()) }))],
  ['2020-01-01', type('string.date.parse')], [{ b: 'a', c: [], d: 'Date', e: {} }, type({ 'a?': 'Date', b: 'Date|string', c: 'Date[]', d: "'Date'", e: 'Record<string, Date>' })],
  [1, type('1|2')], [{}, type('object')], [{ a: 0 }, type({ a: type('unknown').pipe((value) => new Date(value)).to('Date') })], [null, type('Date|null')],
];

/** Schemas of a query, headers or a form, each with the field that no string can have. */
const STRINGS = [
  ...[z.number(), z.int().min(100).optional(), z.boolean(), z.bigint(), z.array(z.number()), z.literal([7, 8]), z.number().default(20), z.boolean().nullable()].map((a) => [z.object({ b: z.string(), a }), 'a']),
  ...[v.number(), v.boolean(), v.optional(v.number()), v.array(v.number())].map((a) => [toStandardJsonSchema(v.object({ b: v.string(), a })), 'a']),
  ...['number', 'boolean', 'number[]', '7|8', 'number.integer >= 100'].map((a) => [type({ b: 'string', a }), 'a']),
  [z.object({
    a: z.coerce.number().min(100), b: z.coerce.boolean(), c: z.stringbool(), d: z.array(z.coerce.number()), e: z.coerce.bigint(), f: z.union([z.number(), z.string()]), g: z.coerce.number().max(-7).optional(),
  })],
  [toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.transform(Number), v.number()), b: v.union([v.number(), v.string()]) }))],
  [type({ a: 'string.numeric.parse', b: 'number|string' })],
];

await checking('schemas', async (check) => {
  await check('a schema that no JSON is valid for is rejected at registration, by the path of its part', () => {
    for (const [path, schema] of UNSENDABLE) {
      const { vendor } = schema['~standard'];
      assert.throws(() => serveDecoder(schema), (error) => error instanceof TypeError && error.message.startsWith(`endpoint.custom.feed.input: JSON has no value for ${path}: `), `${vendor} ${path}`);
    }
  });
  await check('a schema with a valid JSON value is registered, and decodes it', async () => {
    for (const [json, schema] of SENDABLE) {
      const body = JSON.stringify(json);
      const response = await serveDecoder(schema).fetch('/pet/feed', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
      assert.equal(response.status, 200, `${schema['~standard'].vendor} ${body}`);
    }
  });
  await check('a number or a boolean of a query, of headers and of a form is rejected at registration, unless a string is converted to it', () => {
    for (const [schema, name] of STRINGS) {
      for (const makeOptions of [() => ({ method: 'GET', query: schema }), () => ({ method: 'GET', headers: schema }), () => ({ input: form(schema) })]) {
        const register = () => new ApiServer('', { logger: { info() {}, error() {} } }).registerEndpoint('/pet', { custom: { feed: { ...makeOptions(), run: () => 1 } } });
        const text = `${schema['~standard'].vendor} ${name}: ${makeOptions}`;
        if (name === undefined) register();
        else assert.throws(() => register(), (error) => error instanceof TypeError && error.message.includes(`${name} must not be a `), text);
      }
    }
  });
  for (const [library, schema] of Object.entries(SCHEMAS)) {
    await check(`${library}: beside a part that JSON does not have, all other parts stay, and dates, bigints and files are as clients send them`, () => {
      const { input, output } = describe(schema);
      const same = { name: { type: 'string' }, born: DATE, chip: BIGINT, photo: FILE, tags: LIST };
      assert.deepEqual(input, { ...same, length: { type: 'string' } });
      assert.deepEqual(output, { ...same, length: {} });
    });
    await check(`${library}: one ticked box of a form is a list, beside a file`, async () => {
      const server = new ApiServer('', { logger: { info() {}, error() {} } });
      const fields = [];
      const input = form(acceptAnything(schema, fields), { files: { photo: {} } });
      server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input, run: () => true } } });
      const body = new FormData();
      body.append('tags', 'a');
      assert.equal((await server.fetch('/pet/feed', { method: 'POST', body })).status, 200);
      assert.deepEqual(fields.at(-1), { tags: ['a'] });
    });
  }
  for (const [library, errors] of Object.entries(TYPES)) {
    await check(`${library}: each error of a status is sent as its schema returns it, and one that no schema accepts has only its status`, async () => {
      const server = new ApiServer('', { logger: { info() {}, error() {} } });
      let thrown;
      server.registerEndpoint('/seat', { get: { errors: { 409: errors }, run: () => { throw thrown; } } });
      for (const [options, own] of [
        [{ type: '/taken', title: 'Taken', extensions: { seat: 'A1', owner: 'Ann' } }, { seat: 'A1' }],
        [{ type: '/closed', title: 'Closed' }, {}],
        [{ type: '/closed', title: 'Closed', extensions: { owner: 'Ann' } }, {}],
        [{ type: '/late', title: 'Late', extensions: { seat: 'A1' } }, {}],
      ]) {
        thrown = ApiError.status(409, 'no', options);
        const { type: name, title } = options;
        assert.deepEqual(await (await server.fetch('/seat')).json(), { type: name, title, status: 409, detail: 'no', ...own });
      }
      const { paths } = openApi(server, { info: { title: 'Seats', version: '1' } });
      const { oneOf } = paths['/seat'].get.responses[409].content['application/problem+json'].schema;
      assert.deepEqual(oneOf.map(({ allOf: [problem, own] }) => [problem.$ref, own.properties.type.const]), [
        ['#/components/schemas/Problem', '/taken'], ['#/components/schemas/Problem', '/closed'],
      ]);
    });
  }
});
