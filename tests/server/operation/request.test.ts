/** The properties of the request that an operation gets. */
import { IncomingMessage } from 'node:http';
import { defineEndpoint, integerId, type ApiRequest, type Route } from '../../../src/index.ts';
import { inspectRequests } from '../../support/inspect-requests.ts';
import { assert, facts, message, send, serve, suite } from '../../support/facts.ts';

const everyOperation = suite('every operation');
for (const [operation, method, target, sent] of [
  ['Create', 'POST', '/v1/thing', '0'],
  ['Get', 'GET', '/v1/thing/1', ''],
  ['Get, asked by HEAD,', 'HEAD', '/v1/thing/1', ''],
  ['Update', 'PUT', '/v1/thing/1', '0'],
  ['Delete', 'DELETE', '/v1/thing/1', ''],
  ['Custom with an input', 'POST', '/v1/thing/feed', '0'],
  ['Custom without an input', 'POST', '/v1/thing/count', ''],
] as const) {
  everyOperation(`${operation} gets the request last: Node's own request, the query and a signal, the same at each read`, async () => {
    const seen: ApiRequest[] = [];
    const look = (request: ApiRequest): void => {
      seen.push(request);
      assert.instance(request.raw, IncomingMessage);
      assert.is(request.raw, request.raw);
      assert.is(request.raw.method, method);
      assert.is(request.raw.url, `${target}?by=me`);
      assert.is(request.raw.headers['x-marker'], 'here');
      assert.is(request.query, request.query);
      assert.is(request.query.get('by'), 'me');
      assert.is(request.signal, request.signal);
      assert.is(request.signal.aborted, false);
    };
    await serve(inspectRequests(look), async ({ port, errors }) => {
      const { status } = await send(port, message(method, `${target}?by=me`, sent, ['X-Marker: here']));
      assert.equal(errors.map((error) => error.cause), []);
      assert.ok(status < 300, String(status));
    });
    assert.is(seen.length, 1);
  });
}

const route = suite('the route of a request');
for (const [method, target, path, sent] of [
  ['POST', '/v1/zoo/1/pet', '/v1/zoo/:zoo/pet', '{}'],
  ['GET', '/v1/zoo/1/pet', '/v1/zoo/:zoo/pet', ''],
  ['GET', '/v1/zoo/1/pet/2?by=me', '/v1/zoo/:zoo/pet/:id', ''],
  ['HEAD', '/v1/zoo/1/pet/2', '/v1/zoo/:zoo/pet/:id', ''],
  ['PUT', '/v1/zoo/1/pet/2', '/v1/zoo/:zoo/pet/:id', '{}'],
  ['POST', '/v1/zoo/1/pet/feed', '/v1/zoo/:zoo/pet/feed', ''],
  ['POST', '/v1/zoo/1/pet/2/feed', '/v1/zoo/:zoo/pet/:id/feed', ''],
] as const) {
  route(`${method} ${target}: it is one of server.routes, for context and operation, and cannot be changed`, async () => {
    const seen: Route[] = [];
    const look = (request: Pick<ApiRequest, 'route'>): void => void seen.push(request.route);
    const context = (request: Pick<ApiRequest, 'route'>): true => (look(request), true);
    await serve((server) => server.registerEndpoint('/zoo/:zoo/pet', defineEndpoint({
      id: integerId,
      params: { zoo: integerId },
      schema: (json: unknown) => json,
      context,
      create: (_pet, request) => (look(request), 1),
      list: (request) => (look(request), 1),
      get: (_id, request) => (look(request), 1),
      update: (_id, _pet, request) => look(request),
      custom: { feed: (request) => (look(request), 1) },
      itemCustom: { feed: (_id, request) => (look(request), 1) },
    })), async ({ port, server }) => {
      assert.ok((await send(port, message(method, target, sent))).status < 300);
      const expected = { method: method === 'HEAD' ? 'GET' : method, path };
      assert.equal(seen, [expected, expected]);
      assert.is(seen[0], seen[1]);
      assert.ok(Object.isFrozen(seen[0]));
      assert.is(server.routes.filter((listed) => listed.method === expected.method && listed.path === path).length, 1);
    });
  });
}

const query = suite('the query');
for (const [target, entries, why] of [
  ['/v1/thing/1', [], 'is empty if there is none'],
  ['/v1/thing/1?', [], 'is empty where nothing follows the mark'],
  ['/v1/thing/1?a=1&b=2', [['a', '1'], ['b', '2']], 'has every key'],
  ['/v1/thing/1?a=1&b=2&a=3', [['a', '1'], ['b', '2'], ['a', '3']], 'keeps repeated keys, in order'],
  ['/v1/thing/1?a', [['a', '']], 'has a key without a value'],
  ['/v1/thing/1?a=b=c?d', [['a', 'b=c?d']], 'begins at the first mark'],
  ['/v1/thing/1??a=1', [['?a', '1']], 'keeps a second mark'],
  ['/v1/thing/1?a=x+y%20z%26', [['a', 'x y z&']], 'is decoded as a form'],
  ['/v1/thing/1?a=%E4%BD%A0', [['a', '你']], 'is decoded as UTF-8'],
  ['/v1/thing/1?a=%zz', [['a', '%zz']], 'keeps an invalid escape'],
  ['/v1/thing/1?__proto__=1&constructor=2', [['__proto__', '1'], ['constructor', '2']], 'takes inherited names as text'],
  ['http://zoo.example/v1/thing/1?a=1&a=2', [['a', '1'], ['a', '2']], 'comes from an absolute target, too'],
  ['http://zoo.example/v1/thing/1', [], 'is empty where an absolute target has no query'],
] as const) {
  facts(query, (server) => server.registerEndpoint('/thing', { id: integerId, get: (_id, request) => [...request.query] }),
    [[why, `GET ${target}`, `200 ${JSON.stringify(entries)}`]]);
}
