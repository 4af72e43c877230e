/** The response to a Create: the id as the body, and in `Location`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, integerId, stringId, type ApiServer } from '../../../src/index.ts';
import { message, readProblem, decodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;
const lost = new Error('the key is lost');

function declareCreate(id: string, format: (id: string) => string = stringId.format): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', defineEndpoint({
    id: { parse: stringId.parse, format },
    schema: String,
    create: () => id,
    get: (asked) => asked,
  }));
}

const located = suite('A1: the id of a created item');
for (const [id, segment] of [
  ['ant', 'ant'],
  ['a/b', 'a%2Fb'],
  ['a b', 'a%20b'],
  ['100%', '100%25'],
  ['a?b#c', 'a%3Fb%23c'],
  ['你', '%E4%BD%A0'],
  ['🐜', '%F0%9F%90%9C'],
  [':id', '%3Aid'],
  ['a\\"<b>', 'a%5C%22%3Cb%3E'],
] as const) {
  located(`${id} is the body unchanged, is ${segment} in Location, and a Get of Location returns it`, async () => {
    await serve(declareCreate(id), async ({ port }) => {
      const { status, headers, body } = await send(port, message('POST', '/v1/pet', '0'));
      assert.is(status, 201);
      assert.is(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.is(decodeUtf8(body), id);
      assert.is(headers.get('location'), `/v1/pet/${segment}`);
      const found = await send(port, message('GET', `/v1/pet/${segment}`));
      assert.is(decodeUtf8(found.body), JSON.stringify(id));
    });
  });
}
for (const [root, subpath, location] of [['', '/pet', '/pet/7'], ['/a/b', '/c/d', '/a/b/c/d/7'], ['/v1', '/', '/v1/7'], ['', '/', '/7']] as const) {
  located(`under the root "${root}" and the sub-path "${subpath}" is at ${location}`, async () => {
    const register = (server: ApiServer): void => {
      server.registerEndpoint(subpath, defineEndpoint({ id: integerId, schema: String, create: () => 7 }));
    };
    await serve(register, async ({ port }) => {
      const collection = root + (subpath === '/' ? '' : subpath);
      const { headers } = await send(port, message('POST', collection === '' ? '/' : collection, '0'));
      assert.is(headers.get('location'), location);
    }, { root });
  });
}
for (const [id, why] of [
  ['', 'no text'],
  ['.', 'a dot'],
  ['..', 'two dots'],
  ['\0', 'a NUL'],
  ['a\rb', 'a CR'],
  ['ant\n', 'an LF'],
  [`${'x'.repeat(1000)}\0`, 'a NUL after many characters'],
] as const) {
  located(`${why} is the body unchanged, and has no Location, logged`, async () => {
    await serve(declareCreate(id), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('POST', '/v1/pet', '0') + message('GET', '/v1/pet/1'));
        const { status, headers, body } = await client.response();
        assert.equal([status, headers.get('content-type'), headers.get('content-length')], [201, 'text/plain; charset=utf-8', String(id.length)]);
        assert.is(body, id);
        assert.not.ok(headers.has('location'));
        assert.is((await client.response()).status, 200);
      } finally {
        client.destroy();
      }
      const text = `no Location is sent: no path can have the id ${JSON.stringify(id.slice(0, 100))}`;
      assert.equal(errors.map((error) => [error.message, error.cause]), [[`POST /v1/pet: ${text}`, id]]);
    });
  });
}
for (const [id, segment] of [['...', '...'], ['.a', '.a'], ['%2e', '%252e'], ['\t', '%09'], ['\u001f\u007f', '%1F%7F']] as const) {
  located(`${JSON.stringify(id)} can be requested, so it has a Location: ${segment}`, async () => {
    await serve(declareCreate(id), async ({ port, errors }) => {
      const { headers } = await send(port, message('POST', '/v1/pet', '0'));
      assert.is(headers.get('location'), `/v1/pet/${segment}`);
      assert.is(new URL(`/v1/pet/${segment}`, 'http://a').pathname, `/v1/pet/${segment}`);
      assert.is((await send(port, message('GET', `/v1/pet/${segment}`))).status, 200);
      assert.equal(errors, []);
    });
  });
}
located('a lone surrogate: no text of a path can carry it, so the item is created without Location, logged', async () => {
  await serve(declareCreate('a\ud800'), async ({ port, errors }) => {
    const { status, headers, body } = await send(port, message('POST', '/v1/pet', '0'));
    assert.equal([status, headers.has('location'), body], [201, false, 'a\xef\xbf\xbd']);
    assert.equal(errors.map((error) => error.message), ['POST /v1/pet: no Location is sent: no path can have the id "a\\ud800"']);
  });
});
located.run();

// The types reject these.
const formatLater = (async (id) => id) as (id: unknown) => unknown as (id: string) => string;
const rejectLater = (async () => { throw lost; }) as (id: unknown) => unknown as (id: string) => string;

const unsendable = suite('an id that cannot be sent');
for (const [register, text, why] of [
  [declareCreate('ant', (id) => Object(id.length)), 'Internal error: format of a codec must return a string: it returned object', 'formatted as no string'],
  [declareCreate('ant', formatLater), 'Internal error: format of a codec must return a string: it returned a promise, which is not awaited', 'formatted as a promise'],
  [declareCreate('ant', rejectLater), 'Internal error: format of a codec must return a string: it returned a promise, which is not awaited', 'formatted as a promise that rejects'],
  [declareCreate('ant', () => { throw new Error('no such id'); }), 'Internal error: no such id', 'its codec throws'],
  [declareCreate('ant', () => { throw ApiError.notFound(); }), 'Internal error: Not found.', 'its codec throws a NotFound error'],
] as const) {
  unsendable(`${why} -> 500, logged, and the connection stays open`, async () => {
    const unhandled = await captureUnhandled(() => serve(register, async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('POST', '/v1/pet', '0'));
        assert.equal(readProblem(await client.response()), FAILED);
        client.send(message('GET', '/v1/pet/1'));
        assert.is((await client.response()).status, 200);
      } finally {
        client.destroy();
      }
      assert.equal(errors.map((error) => error.message), [`POST /v1/pet: ${text}`]);
    }));
    assert.equal(unhandled, []);
  });
}
unsendable.run();
