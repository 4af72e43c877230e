/** The entity tags of items that are sent, and the conditions of the clients that have them, as they stand on the wire. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineFormat, reply, type Interceptor } from '../../../src/index.ts';
import { ranges } from '../../../src/formats/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { Kennel, version } from '../../support/kennel.ts';

const GET = '/v1/pet/rex';
const REX = '{"name":"rex","revision":5}';

const sent = suite('Q13 V3 V21: an item with a version');
for (const [method, conditions, status] of [
  ['GET', [], 200],
  ['HEAD', [], 200],
  ['GET', ['If-None-Match: "4"'], 200],
  ['GET', ['If-None-Match: 5'], 200],
  ['GET', ['If-None-Match: "5"'], 304],
  ['GET', ['If-None-Match: W/"5"'], 304],
  ['GET', ['If-None-Match: "4"', 'If-None-Match: "5"'], 304],
  ['GET', ['If-None-Match: *'], 304],
  ['HEAD', ['If-None-Match: "5"'], 304],
  ['GET', ['If-Match: "5"'], 200],
  ['GET', ['If-Match: "4"'], 412],
  ['GET', ['If-Match: W/"5"'], 200],
  ['GET', ['If-Match: W/"4"'], 412],
  ['HEAD', ['If-Match: "4"'], 412],
  ['GET', ['If-Modified-Since: Fri, 31 Dec 9999 00:00:00 GMT'], 200],
] as const) {
  sent(`${method} with ${conditions.join(' and ') || 'no condition'} -> ${status}`, async () => {
    await serve(new Kennel().declare({ version, context: () => 'me' }), async ({ port }) => {
      const response = await send(port, message(method, GET, '', conditions));
      assert.is(response.status, status);
      assert.is(response.headers.get('etag'), status === 412 ? undefined : '"5"');
      assert.is(response.headers.get('cache-control'), 'private, no-cache');
      assert.is(response.headers.get('content-length'), status === 304 ? undefined : status === 200 ? String(REX.length) : response.headers.get('content-length'));
      assert.is(response.headers.get('content-type'), { 200: 'application/json', 304: undefined, 412: 'application/problem+json' }[status]);
      if (status === 200) assert.is(response.body, method === 'HEAD' ? '' : REX);
    });
  });
}
sent('pipelined, HEAD among them: the responses come in order', async () => {
  await serve(new Kennel().declare({ version }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(['GET', 'HEAD', 'GET', 'HEAD', 'GET'].map((method, at) => message(method, GET, '', [`If-None-Match: "${at + 3}"`])).join(''));
    for (const [method, status] of [['GET', 200], ['HEAD', 200], ['GET', 304], ['HEAD', 200], ['GET', 200]] as const) {
      assert.is((await client.response(method)).status, status);
    }
    client.destroy();
  });
});
sent('that is missing has none', async () => {
  await serve(new Kennel().declare({ version }), async ({ port }) => {
    const response = await send(port, message('GET', '/v1/pet/ghost', '', ['If-None-Match: *']));
    assert.equal([response.status, response.headers.get('etag')], [404, undefined]);
  });
});
sent.run();

const forms = suite('V1: the ETag of an item');
for (const [given, etag] of [
  ['5', '"5"'], ['', '""'], [0, '"0"'], [-0, '"0"'], [1.5, '"1.5"'], [1e21, '"1e+21"'], ['a"b, ä', '"a%22b%2C%20%C3%A4"'], ['\r\nX: y', '"%0D%0AX:%20y"'],
] as const) {
  forms(`of version ${JSON.stringify(given)} -> ${etag}, which If-Match and If-None-Match name`, async () => {
    await serve(new Kennel().declare({ version: () => given }), async ({ port }) => {
      assert.is((await send(port, message('GET', GET))).headers.get('etag'), etag);
      assert.is((await send(port, message('GET', GET, '', [`If-None-Match: ${etag}`]))).status, 304);
      assert.is((await send(port, message('PUT', GET, '{}', [`If-Match: ${etag}`]))).status, 204);
    });
  });
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
  forms(`${why} -> 500, logged, and no change is made`, async () => {
    const kennel = new Kennel();
    await serve(kennel.declare({ version: give }), async ({ port, errors }) => {
      const response = await send(port, message('GET', GET));
      assert.is(readProblem(response).status, 500);
      assert.is(response.headers.get('etag'), undefined);
      assert.is((await send(port, message('PUT', GET, '{}', ['If-Match: "5"']))).status, 500);
      assert.equal(errors.map((error) => error.message), [`GET /v1/pet/:id: Internal error: ${text}`, `PUT /v1/pet/:id: Internal error: ${text}`]);
      assert.equal(kennel.calls, ['get rex', 'get rex']);
    });
  });
}
forms('is made by a method of the endpoint', async () => {
  const properties = { salt: 'x', version(this: { readonly salt: string }): string { return `${this.salt}1`; } };
  class Pets {
    readonly id = new Kennel().properties.id;
    readonly salt = 'x';
    get(): number { return 1; }
    readonly version = properties.version;
  }
  await serve((server) => server.registerEndpoint('/pet', new Pets()), async ({ port }) => {
    assert.is((await send(port, message('GET', GET))).headers.get('etag'), '"x1"');
  });
});
forms.run();

const showPet = (pet: unknown): unknown => ({ shown: pet });
const forAll: Interceptor = { around: (_call, run) => run() };
const encoding: Interceptor = { around: async (call, run) => call.encode(await run()) };
const csv = defineFormat<never, unknown>({ types: ['text/csv'], encode: (pet) => Object.values(pet as object).join() });

const ways = suite('V1: the way on which an item is sent');
for (const [why, properties, etag, body] of [
  ['an output: the version is of what get returned', { get: { output: showPet, run: () => ({ revision: 7 }) } }, '"7"', '{"shown":{"revision":7}}'],
  ['an output later', { get: { output: async (pet: unknown) => showPet(pet), run: async () => ({ revision: 7 }) } }, '"7"', '{"shown":{"revision":7}}'],
  ['a format', { get: { output: csv, run: () => ({ name: 'a', revision: 7 }) } }, '"7"', 'a,7'],
  ['a format, encoded by an interceptor', { get: { output: csv, use: encoding, run: () => ({ name: 'a', revision: 7 }) }, currentVersion: () => 1 }, '"7"', 'a,7'],
  ['stringify', { get: { run: () => ({ revision: 5 }), stringify: () => 'written' } }, '"5"', 'written'],
  ['a reply has its own', { get: () => reply(200, { revision: 7 }, { ETag: '"own"' }) }, '"own"', '{"revision":7}'],
  ['a reply has none', { get: () => reply(200, { revision: 7 }) }, undefined, '{"revision":7}'],
  ['an interceptor', { use: forAll, currentVersion: () => 1 }, '"5"', REX],
  ['an interceptor that encodes', { use: encoding, currentVersion: () => 1 }, '"5"', REX],
  ['an interceptor that gives another item', { use: { around: () => ({ revision: 8 }) }, currentVersion: () => 1 }, '"8"', '{"revision":8}'],
] as const) {
  ways(`${why} -> ${etag}`, async () => {
    await serve(new Kennel().declare({ version, ...properties }), async ({ port }) => {
      const response = await send(port, message('GET', GET));
      assert.equal([response.status, response.headers.get('etag'), response.body], [200, etag, body]);
      const known = await send(port, message('GET', GET, '', [`If-None-Match: ${etag ?? '"5"'}`]));
      assert.is(known.status, etag === undefined ? 200 : 304);
    });
  });
}
ways('a list has none of its own', async () => {
  await serve(new Kennel().declare({ version, list: () => [1] }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).headers.get('etag'), undefined);
  });
});
ways.run();

const Shown = (pet: unknown): unknown => pet;
const decode = (json: unknown): unknown => json;

const patched = suite('V2: the response of a patch');
for (const [why, properties, etag] of [
  ['that sends the item: status', { patch: { input: decode, status: 200, run: () => ({ revision: 6 }) } }, '"6"'],
  ['that sends the item: the schema as output', { schema: Shown, patch: { input: decode, output: Shown, run: () => ({ revision: 6 }) } }, '"6"'],
  ['that sends the item: the output of get', { get: { output: Shown, run: () => ({ revision: 5 }) }, patch: { input: decode, output: Shown, run: () => ({ revision: 6 }) } }, '"6"'],
  ['that sends the item, encoded by an interceptor', { patch: { input: decode, status: 200, use: encoding, run: () => ({ revision: 6 }) } }, '"6"'],
  ['that sends something else', { patch: { input: decode, output: (value: unknown) => value, run: () => ({ done: true }) } }, undefined],
  ['that sends nothing', { patch: { input: decode, run: () => {} } }, undefined],
  ['that sends nothing this time', { schema: Shown, patch: { input: decode, output: { 200: Shown, 204: null }, run: () => undefined } }, undefined],
  ['that gives a reply', { patch: { input: decode, run: () => reply(200, { revision: 6 }) } }, undefined],
] as const) {
  patched(`${why} -> ${etag ?? 'no ETag'}`, async () => {
    await serve(new Kennel().declare({ version, ...properties }), async ({ port }) => {
      const response = await send(port, message('PATCH', GET, '{}', ['If-None-Match: "6"']));
      assert.ok(response.status < 300);
      assert.is(response.headers.get('etag'), etag);
    });
  });
}
patched.run();

const updated = suite('V2: the response of an update');
updated('has no ETag, whatever it sends: the item may have been changed as it was decoded', async () => {
  for (const update of [() => {}, { output: Shown, run: () => ({ revision: 6 }) }, { status: 200, run: () => ({ revision: 6 }) }]) {
    await serve(new Kennel().declare({ version, schema: Shown, update }), async ({ port }) => {
      assert.is((await send(port, message('PUT', GET, '{}'))).headers.get('etag'), undefined);
    });
  }
});
updated.run();

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
replied('is before the range: 412 and 304 whatever the Range', async () => {
  await serve(new Kennel().declare({ get: () => reply(200, ranges({ size: 10, read: () => Buffer.from('2345') }), BOTH) }), async ({ port }) => {
    for (const [conditions, status] of [
      [['If-Match: "a"'], 206], [['If-Match: "b"'], 412], [['If-None-Match: "a"'], 304], [['If-Match: "b"', 'If-Range: "a"'], 412],
    ] as const) {
      assert.is((await send(port, message('GET', GET, '', ['Range: bytes=2-5', ...conditions]))).status, status);
    }
  });
});
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
for (const [why, properties, status] of [
  ['a missing item', { get: () => undefined }, 404],
  ['a failure', { get: () => { throw ApiError.status(403, 'no'); } }, 403],
  ['a redirection', { get: () => reply(303, undefined, { Location: '/' }) }, 303],
  ['a result that JSON has not', { get: () => 1n }, 500],
] as const) {
  replied(`that is ${why} is sent whatever the conditions`, async () => {
    await serve(new Kennel().declare(properties), async ({ port, errors }) => {
      for (const condition of ['If-None-Match: *', 'If-Match: "a"']) assert.is((await send(port, message('GET', GET, '', [condition]))).status, status);
      assert.is(errors.length, status === 500 ? 2 : 0);
    });
  });
}
replied('of other methods is sent whatever the conditions: the change is made', async () => {
  await serve(new Kennel().declare({ custom: { find: () => reply(200, [1], BOTH) } }), async ({ port }) => {
    for (const condition of ['If-Match: "b"', 'If-None-Match: "a"', `If-Unmodified-Since: ${OLD}`]) {
      assert.is((await send(port, message('POST', '/v1/pet/find', '', [condition]))).status, 200);
    }
  });
});
replied.run();
