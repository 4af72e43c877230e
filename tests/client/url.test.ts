/** Ids, parameters and queries in the URL of a request, and their values on the server. */
import { runInNewContext } from 'node:vm';
import { stringId } from '../../src/client/index.ts';
import type { QueryParameters } from '../../src/client/index.ts';
import { defineEndpoint, type ApiServer } from '../../src/index.ts';
import { serveWithClient, captureError } from '../support/serve-with-client.ts';
import { assert, suite } from '../support/facts.ts';

const echo = defineEndpoint({
  id: stringId,
  params: { at: stringId },
  list: ({ query }) => [...query],
  get: (id, { params }) => [params.at, id],
  update: { input: (json: unknown) => json, run: () => {} },
  itemCustom: { feed: { run: () => 1 } },
});
const declare = (server: ApiServer): void => server.registerEndpoint('/:at/echo', echo);
interface Api {
  readonly '/:at/echo': typeof echo;
}

const strings = suite('a string in a path');
for (const [text, escaped] of [
  ['a', 'a'],
  ['a/b', 'a%2Fb'],
  ['a b+c', 'a%20b%2Bc'],
  ['?#', '%3F%23'],
  ['%2e', '%252e'],
  ['...', '...'],
  ['.a', '.a'],
  ['\\', '%5C'],
  ['\u{1f41c}\u00e9', '%F0%9F%90%9C%C3%A9'],
  ['__proto__', '__proto__'],
  [':id', '%3Aid'],
] as const) {
  strings(`${JSON.stringify(text)} is sent as ${escaped}, and read as it was`, () => serveWithClient(declare, async ({ connect, requests }) => {
    assert.equal(await connect<Api>()('/:at/echo', { at: text }).get(text), [text, text]);
    assert.equal(requests, [`GET /v1/${escaped}/echo/${escaped}`]);
  }));
}
for (const text of ['', '.', '..', '\ud83d', 'a\udc1c']) {
  strings(`${JSON.stringify(text)} as an id -> TypeError, and nothing is sent`, () => serveWithClient(declare, async ({ connect, requests }) => {
    const api = connect<Api>()('/:at/echo', { at: 'x' });
    for (const call of [() => api.get(text), () => api.update(text, 1), () => api.itemCustom.feed(text)]) {
      const error = await captureError(call());
      assert.instance(error, TypeError);
      assert.is(error.message, `the path must not have a segment "${text}"`);
    }
    assert.equal(requests, []);
  }));
  strings(`${JSON.stringify(text)} as a parameter -> TypeError`, () => serveWithClient(declare, async ({ connect }) => {
    assert.throws(() => connect<Api>()('/:at/echo', { at: text }), (error: unknown) => error instanceof TypeError);
  }));
}

const queries = suite('a query');
for (const value of [{ name: 'Ann' }, [{ name: 'Ann' }]]) {
  queries(`an object, ${JSON.stringify(value)} -> TypeError, and nothing is sent`, () => serveWithClient(declare, async ({ connect, requests }) => {
    const message = 'owner must not be an object: send a string';
    const error = await captureError(connect<Api>()('/:at/echo', { at: 'x' }).list({ query: { owner: value as never } }));
    assert.ok(error instanceof TypeError && error.message === message, String(error));
    assert.equal(requests, []);
  }));
}
for (const [what, query, pairs, written] of [
  ['strings', { a: 'x', b: '' }, [['a', 'x'], ['b', '']], '?a=x&b='],
  ['a number, a boolean and a bigint', { a: 1.5, b: false, c: 2n ** 64n },
    [['a', '1.5'], ['b', 'false'], ['c', '18446744073709551616']], '?a=1.5&b=false&c=18446744073709551616'],
  ['a date', { a: new Date(0) }, [['a', '1970-01-01T00:00:00.000Z']], '?a=1970-01-01T00%3A00%3A00.000Z'],
  ['a date of another window', { a: runInNewContext('new Date(0)') }, [['a', '1970-01-01T00:00:00.000Z']], '?a=1970-01-01T00%3A00%3A00.000Z'],
  ['a list', { a: ['x', 2], b: [] }, [['a', 'x'], ['a', '2']], '?a=x&a=2'],
  ['what is left out', { a: undefined, b: null, c: [undefined, null] }, [], ''],
  ['nothing', {}, [], ''],
  ['characters that mean something', { 'a&b': 'c=d+e f%20\u00e9' }, [['a&b', 'c=d+e f%20\u00e9']], '?a%26b=c%3Dd%2Be+f%2520%C3%A9'],
  ['URLSearchParams', new URLSearchParams('a=1&a=2'), [['a', '1'], ['a', '2']], '?a=1&a=2'],
  ['URLSearchParams without properties', new URLSearchParams(), [], ''],
] as readonly (readonly [string, QueryParameters, unknown, string])[]) {
  queries(`${what} -> ${written || 'no query'}`, () => serveWithClient(declare, async ({ connect, requests }) => {
    assert.equal(await connect<Api>()('/:at/echo', { at: 'x' }).list({ query }), pairs);
    assert.equal(requests, [`GET /v1/x/echo${written}`]);
  }));
}
