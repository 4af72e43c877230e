/** The entity tags of items that are sent, and the conditions of the clients that have them, as they stand on the wire. */
import { ApiError, defineFormat, reply, type Interceptor } from '../../../src/index.ts';
import { ranges } from '../../../src/formats/index.ts';
import { Kennel, version } from '../../support/kennel.ts';
import { assert, facts, message, RawClient, send, serve, suite } from '../../support/facts.ts';

const GET = '/v1/pet/rex';
const REX = '{"name":"rex","revision":5}';

const sent = suite('Q13 V3 V21: an item with a version');
const PRIVATE = 'Cache-Control: private, no-cache';
const ITEM = `200 ${REX} | ETag: "5" | ${PRIVATE}`;
const KNOWN = `304 | ETag: "5" | ${PRIVATE}`;
const UNMET = `412 A condition of the request is not met. | ${PRIVATE}`;
facts(sent, new Kennel().declare({ version, context: () => 'me' }), [
  ['', 'GET /v1/pet/rex', ITEM],
  ['', 'HEAD /v1/pet/rex', '200 length 27 | ETag: "5" | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/rex\nIf-None-Match: "4"', ITEM],
  ['', 'GET /v1/pet/rex\nIf-None-Match: 5', ITEM],
  ['', 'GET /v1/pet/rex\nIf-None-Match: "5"', KNOWN],
  ['', 'GET /v1/pet/rex\nIf-None-Match: W/"5"', KNOWN],
  ['', 'GET /v1/pet/rex\nIf-None-Match: "4"\nIf-None-Match: "5"', KNOWN],
  ['', 'GET /v1/pet/rex\nIf-None-Match: *', KNOWN],
  ['', 'HEAD /v1/pet/rex\nIf-None-Match: "5"', KNOWN],
  ['', 'GET /v1/pet/rex\nIf-Match: "5"', ITEM],
  ['', 'GET /v1/pet/rex\nIf-Match: "4"', UNMET],
  ['', 'GET /v1/pet/rex\nIf-Match: W/"5"', ITEM],
  ['', 'GET /v1/pet/rex\nIf-Match: W/"4"', UNMET],
  ['', 'HEAD /v1/pet/rex\nIf-Match: "4"', '412 length 115 | Cache-Control: private, no-cache'],
  ['', 'GET /v1/pet/rex\nIf-Modified-Since: Fri, 31 Dec 9999 00:00:00 GMT', ITEM],
]);
sent('pipelined, HEAD among them: the responses come in order', () => serve(new Kennel().declare({ version }), async ({ port }) => {
  const client = await RawClient.send(port, ['GET', 'HEAD', 'GET', 'HEAD', 'GET'].map((method, at) => message(method, GET, '', [`If-None-Match: "${at + 3}"`])).join(''));
  for (const [method, status] of [['GET', 200], ['HEAD', 200], ['GET', 304], ['HEAD', 200], ['GET', 200]] as const) {
    assert.is((await client.response(method)).status, status);
  }
}));
facts(sent, new Kennel().declare({ version }), [['that is missing has none', 'GET /v1/pet/ghost\nIf-None-Match: *', '404 Not found.']]);

const forms = suite('V1: the ETag of an item');
for (const [given, etag] of [
  ['5', '"5"'], ['', '""'], [0, '"0"'], [-0, '"0"'], [1.5, '"1.5"'], [1e21, '"1e+21"'], ['a"b, ä', '"a%22b%2C%20%C3%A4"'], ['\r\nX: y', '"%0D%0AX:%20y"'],
] as const) {
  facts(forms, new Kennel().declare({ version: () => given }), [[
    `of version ${JSON.stringify(given)}`, [`GET ${GET}`, `GET ${GET}\nIf-None-Match: ${etag}`, `PUT ${GET} {}\nIf-Match: ${etag}`], [`200 ${REX} | ETag: ${etag}`, `304 | ETag: ${etag}`, '204'],
  ]]);
}
for (const [why, give, text] of [
  ['throws', () => { throw new Error('no revision'); }, 'no revision'],
  ['gives undefined', () => undefined, 'version must return a string or a number: it returned undefined'],
  ['gives null', () => null, 'version must return a string or a number: it returned object'],
  ['gives NaN', () => NaN, 'version must return a string or a number: it returned NaN'],
  ['gives Infinity', () => Infinity, 'version must return a string or a number: it returned Infinity'],
  ['gives a bigint', () => 5n, 'version must return a string or a number: it returned bigint'],
  ['gives half a character', () => '\ud800', 'version must return a string or a number: it returned a string with half a surrogate pair'],
  ['rejects', async () => { throw new Error('late'); }, 'version must return a string or a number: it returned a promise, which is not awaited'],
] as const) {
  const kennel = new Kennel();
  facts(forms, kennel.declare({ version: give }), [[
    `${why}: no change is made`, [`GET ${GET}`, `PUT ${GET} {}\nIf-Match: "5"`], ['500', '500'], `GET /v1/pet/:id: Internal error: ${text}`, `PUT /v1/pet/:id: Internal error: ${text}`,
  ]], { after: () => assert.equal(kennel.calls, ['get rex', 'get rex']) });
}
const salted = { version(this: { readonly salt: string }): string { return `${this.salt}1`; } };
class Pets {
  readonly id = new Kennel().properties.id;
  readonly salt = 'x';
  get(): number { return 1; }
  readonly version = salted.version;
}
facts(forms, (server) => server.registerEndpoint('/pet', new Pets()), [['is made by a method of the endpoint', `GET ${GET}`, '200 1 | ETag: "x1"']]);

const showPet = (pet: unknown): unknown => ({ shown: pet });
const forAll: Interceptor = { around: (_call, run) => run() };
const encoding: Interceptor = { around: async (call, run) => call.encode(await run()) };
const csv = defineFormat<never, unknown>({ types: ['text/csv'], encode: (pet) => Object.values(pet as object).join() });

const ways = suite('V1: the way on which an item is sent');
for (const [why, properties, etag, body] of [
  ['an output: the version is of what get returned', { get: { output: showPet, run: () => ({ revision: 7 }) } }, '"7"', '{"shown":{"revision":7}}'],
  ['an output later', { get: { output: async (pet: unknown) => showPet(pet), run: async () => ({ revision: 7 }) } }, '"7"', '{"shown":{"revision":7}}'],
  ['a format', { get: { output: csv, run: () => ({ name: 'a', revision: 7 }) } }, '"7"', 'a,7'],
  ['a format, encoded by an interceptor',
    { get: { output: csv, use: encoding, run: () => ({ name: 'a', revision: 7 }) }, currentVersion: () => 1 }, '"7"', 'a,7'],
  ['a reply has its own', { get: () => reply(200, { revision: 7 }, { ETag: '"own"' }) }, '"own"', '{"revision":7}'],
  ['a reply has none', { get: () => reply(200, { revision: 7 }) }, undefined, '{"revision":7}'],
  ['an interceptor', { use: forAll, currentVersion: () => 1 }, '"5"', REX],
  ['an interceptor that encodes', { use: encoding, currentVersion: () => 1 }, '"5"', REX],
  ['an interceptor that gives another item', { use: { around: () => ({ revision: 8 }) }, currentVersion: () => 1 }, '"8"', '{"revision":8}'],
] as const) {
  const tag = etag === undefined ? '' : ` | ETag: ${etag}`;
  const shown = `200 ${'output' in Object(properties.get) && !body.startsWith('{') ? 'text/csv ' : ''}${body}${tag}`;
  facts(ways, new Kennel().declare({ version, ...properties }),
    [[why, [`GET ${GET}`, `GET ${GET}\nIf-None-Match: ${etag ?? '"5"'}`], [shown, etag === undefined ? shown : `304${tag}`]]]);
}
facts(ways, new Kennel().declare({ version, list: () => [1] }), [['a list has none of its own', 'GET /v1/pet', '200 [1]']]);

const Shown = (pet: unknown): unknown => pet;
const decode = (json: unknown): unknown => json;

const patched = suite('V2: the response of a patch');
for (const [why, properties, response] of [
  ['that sends the item: the schema as output',
    { schema: Shown, patch: { input: decode, output: Shown, run: () => ({ revision: 6 }) } }, '200 {"revision":6} | ETag: "6"'],
  ['that sends the item: the output of get', { get: { output: Shown, run: () => ({ revision: 5 }) }, patch: { input: decode, output: Shown, run: () => ({ revision: 6 }) } }, '200 {"revision":6} | ETag: "6"'],
  ['that sends the item, encoded by an interceptor',
    { schema: Shown, patch: { input: decode, output: Shown, use: encoding, run: () => ({ revision: 6 }) } }, '200 {"revision":6} | ETag: "6"'],
  ['that sends something else', { patch: { input: decode, output: (value: unknown) => value, run: () => ({ done: true }) } }, '200 {"done":true}'],
  ['that sends nothing', { patch: { input: decode, run: () => {} } }, '204'],
  ['that sends nothing this time', { schema: Shown, patch: { input: decode, output: { 200: Shown, 204: null }, run: () => undefined } }, '204'],
  ['that gives a reply', { patch: { input: decode, run: () => reply(200, { revision: 6 }) } }, '200 {"revision":6}'],
] as const) {
  facts(patched, new Kennel().declare({ version, ...properties }), [[why, `PATCH ${GET} {}\nIf-None-Match: "6"`, response]]);
}

const updated = suite('V2: the response of an update');
for (const [update, response] of [[() => {}, '204'], [{ output: Shown, run: () => ({ revision: 6 }) }, '200 {"revision":6}']] as const) {
  facts(updated, new Kennel().declare({ version, schema: Shown, update }),
    [['has no ETag: the item may have been changed as it was decoded', `PUT ${GET} {}`, response]]);
}

const OLD = 'Sun, 06 Nov 1994 08:49:37 GMT';
const NEW = 'Mon, 07 Nov 1994 08:49:37 GMT';
const DATED = { 'Last-Modified': NEW, 'Content-Type': 'application/json' };
const BOTH = { ...DATED, ETag: '"a"' };

const replied = suite('R9 Q13 V19: a response to GET and HEAD');
for (const [headers, conditions, status] of [
  [BOTH, [], 200],
  [BOTH, ['If-Match: "a"'], 200],
  [BOTH, ['If-Match: "b"'], 412],
  [BOTH, ['If-Match: *'], 200],
  [BOTH, [`If-Unmodified-Since: ${OLD}`], 412],
  [BOTH, [`If-Unmodified-Since: ${NEW}`], 200],
  [BOTH, ['If-Match: "a"', `If-Unmodified-Since: ${OLD}`], 200],
  [BOTH, ['If-None-Match: *'], 304],
  [BOTH, [`If-Modified-Since: ${OLD}`], 200],
  [BOTH, [`If-Modified-Since: ${NEW}`], 304],
  [BOTH, ['If-None-Match: "b"', `If-Modified-Since: ${NEW}`], 200],
  [BOTH, ['If-None-Match: "a"', `If-Modified-Since: ${OLD}`], 304],
  [BOTH, ['If-Match: "b"', 'If-None-Match: "a"'], 412],
  [DATED, ['If-Match: "a"'], 412],
  [DATED, [`If-Modified-Since: ${NEW}`], 304],
  [DATED, ['If-Modified-Since: 2030-01-01'], 200],
  [DATED, [`if-modified-since: ${OLD}`, `If-Modified-Since: ${NEW}`], 200],
  [DATED, ['If-None-Match: *'], 304],
  [DATED, ['If-None-Match: "a"'], 200],
  [{ ETag: 'W/"a"' }, ['If-None-Match: "a"'], 304],
  [{ ETag: 'W/"a"' }, ['If-Match: W/"a"'], 412],
  [{ ETag: '"a"' }, [`If-Unmodified-Since: ${OLD}`], 200],
  [{}, ['If-Match: "a"'], 412],
  [{}, ['If-Match: *'], 200],
  [{}, ['If-Match: a'], 412],
  [{}, ['If-None-Match: *'], 304],
  [{}, ['If-None-Match: "a"'], 200],
  [{}, ['If-None-Match: a'], 200],
  [{}, ['If-Match: *', 'If-None-Match: *'], 304],
  [{}, [`If-Unmodified-Since: ${OLD}`, `If-Modified-Since: ${NEW}`], 200],
] as const) {
  replied(`of ${JSON.stringify(headers)} with ${conditions.join(' and ') || 'no condition'} -> ${status}`, async () => {
    for (const make of [() => reply(200, [1], headers), () => reply(200, Buffer.from('[1]'), headers), () => reply(200, ranges({ size: 3, read: () => Buffer.from('[1]') }), headers)]) {
      await serve(new Kennel().declare({ get: make }), async ({ port }) => {
        for (const method of ['GET', 'HEAD']) {
          const response = await send(port, message(method, GET, '', conditions));
          assert.is(response.status, status);
          assert.is(response.body, method === 'HEAD' || status === 304 ? '' : status === 200 ? '[1]' : response.body);
          if (status === 412) assert.equal([response.headers.get('etag'), response.headers.get('last-modified')], [undefined, undefined]);
        }
      });
    }
  });
}
replied('of a List, and of a stream, which is closed unread', async () => {
  let closed = 0;
  const stream = () => ({ [Symbol.asyncIterator]: () => ({ next: () => { throw new Error('read'); }, return: () => { closed += 1; } }) });
  await serve(new Kennel().declare({ list: () => reply(200, stream(), BOTH) }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet', '', ['If-Match: "b"']))).status, 412);
    assert.is((await send(port, message('GET', '/v1/pet', '', ['If-None-Match: "a"']))).status, 304);
    assert.is(closed, 2);
  });
});
facts(replied, new Kennel().declare({ get: () => reply(200, ranges({ size: 10, read: () => Buffer.from('2345') }), BOTH) }), [
  ['is before the range', `GET ${GET}\nRange: bytes=2-5\nIf-Match: "a"`,
    '206 2345 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 2-5/10 | Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT | ETag: "a"'],
  ['is before the range', `GET ${GET}\nRange: bytes=2-5\nIf-Match: "b"`, '412 A condition of the request is not met.'],
  ['is before the range', `GET ${GET}\nRange: bytes=2-5\nIf-None-Match: "a"`,
    '304 | Accept-Ranges: bytes | Cache-Control: no-transform | Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT | ETag: "a"'],
  ['is before the range', `GET ${GET}\nRange: bytes=2-5\nIf-Match: "b"\nIf-Range: "a"`, '412 A condition of the request is not met.'],
]);
for (const [what, properties, path] of [
  ['an item', { get: () => ({ name: 'rex' }) }, GET],
  ['an item that is encoded by an interceptor', { get: { use: encoding, run: () => ({ name: 'rex' }) } }, GET],
  ['an item that a format encodes', { get: { output: defineFormat<unknown, unknown>({ types: ['text/plain'], encode: () => 'rex' }), run: () => 1 } }, GET],
  ['a list', { list: () => [] }, '/v1/pet'],
] as const) {
  replied(`that is ${what} without a version: any condition meets that it is there, and no tag is its own`, async () => {
    await serve(new Kennel().declare(properties), async ({ port }) => {
      for (const [condition, status] of [
        ['If-None-Match: *', 304], ['If-Match: *', 200], ['If-Match: "a"', 412], ['If-None-Match: "a"', 200], [`If-Unmodified-Since: ${OLD}`, 200],
      ] as const) {
        for (const method of ['GET', 'HEAD']) assert.is((await send(port, message(method, path, '', [condition]))).status, status, condition);
      }
    });
  });
}
for (const [why, properties, response, logged] of [
  ['a missing item', { get: () => undefined }, '404 Not found.'],
  ['a failure', { get: () => { throw ApiError.status(403, 'no'); } }, '403 no'],
  ['a redirection', { get: () => reply(303, undefined, { Location: '/' }) }, '303 | Location: /'],
  ['a result that JSON has not', { get: () => 1n }, '500',
    'GET /v1/pet/:id: Internal error: the result cannot be written as JSON: it is a bigint: return a string or a number'],
] as const) {
  facts(replied, new Kennel().declare(properties), ['If-None-Match: *', 'If-Match: "a"'].map((condition) => (
    [`that is ${why} is sent whatever the conditions`, `GET ${GET}\n${condition}`, response, ...(logged === undefined ? [] : [logged])] as const
  )));
}
facts(replied, new Kennel().declare({ custom: { find: () => reply(200, [1], BOTH) } }), ['If-Match: "b"', 'If-None-Match: "a"', `If-Unmodified-Since: ${OLD}`].map((condition) => (
  ['of other methods is sent whatever the conditions: the change is made', `POST /v1/pet/find\n${condition}`, `200 [1] | Last-Modified: ${NEW} | ETag: "a"`]
)));
