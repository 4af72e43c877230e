/** Parameters in a sub-path: how they reach the operations, and the declarations that are rejected. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, integerId, stringId } from '../../../src/index.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

const declare = (server: ApiServer): void => {
  server.registerEndpoint('/zoo/:zoo/pet', {
    id: integerId,
    params: { zoo: stringId },
    schema: String,
    create: (_pet, { params }) => params.zoo.length,
    list: ({ params }) => params,
    delete: () => {},
    custom: { count: { run: ({ params }) => params } },
    itemCustom: { feed: { run: (id, { params }) => ({ id, ...params }) } },
  });
  server.registerEndpoint('/zoo/:zoo/house/:house/door', { params: { house: integerId, zoo: stringId }, get: ({ params }) => params });
  server.registerEndpoint('/zoo/:zoo/cat', { id: integerId, params: { zoo: stringId }, get: (id, { params }) => ({ id, ...params }) });
  server.registerEndpoint('/single/:id', { params: { id: integerId }, get: ({ params }) => params });
  server.registerEndpoint('/odd/:__proto__' as string, { params: { ['__proto__']: integerId }, get: ({ params }: { readonly params: object }) => Object.entries(params) } as never);
};

const given = suite('P4 O13: the parameters of a sub-path');
for (const [method, path, body, expected] of [
  ['GET', '/zoo/berlin/pet', '', '{"zoo":"berlin"}'],
  ['GET', '/zoo/berlin/cat/5', '', '{"id":5,"zoo":"berlin"}'],
  ['GET', '/zoo/a%2Fb%20c/cat/5', '', '{"id":5,"zoo":"a/b c"}'],
  ['POST', '/zoo/berlin/pet', '"x"', '6'],
  ['POST', '/zoo/berlin/pet/count', '', '{"zoo":"berlin"}'],
  ['POST', '/zoo/berlin/pet/5/feed', '', '{"id":5,"zoo":"berlin"}'],
  ['GET', '/zoo/berlin/house/7/door', '', '{"zoo":"berlin","house":7}'],
  ['GET', '/single/7', '', '{"id":7}'],
  ['GET', '/odd/7', '', '[["__proto__",7]]'],
] as const) {
  given(`${method} ${path} -> ${expected}`, async () => {
    await serve(declare, async ({ port }) => {
      const reply = await send(port, message(method, `/v1${path}`, body));
      assert.is(reply.body, expected);
      if (reply.status === 201) assert.is(reply.headers.get('location'), '/v1/zoo/berlin/pet/6');
    });
  });
}
for (const [path, detail] of [
  ['/zoo/%ff/pet', 'Bad arguments: the zoo is not percent-encoded UTF-8'],
  ['/zoo/berlin/house/x/door', 'Bad arguments: house: expected a decimal integer from -9007199254740991 to 9007199254740991'],
  ['/zoo/%ff/house/x/door', 'Bad arguments: the zoo is not percent-encoded UTF-8'],
] as const) {
  given(`GET ${path} -> 400 ${detail}`, async () => {
    await serve(declare, async ({ port }) => {
      const reply = await send(port, message('GET', `/v1${path}`));
      assert.equal([reply.status, readProblem(reply).detail], [400, detail]);
    });
  });
}
given('are tried after literals, and where a literal leads nowhere', async () => {
  const text = (name: string) => () => name;
  await serve((server) => {
    server.registerEndpoint('/a/b/d', { get: text('literal') });
    server.registerEndpoint('/a/:x/c', { params: { x: stringId }, get: ({ params }) => params.x });
  }, async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/a/b/d'))).body, '"literal"');
    assert.is((await send(port, message('GET', '/v1/a/b/c'))).body, '"b"');
    assert.is((await send(port, message('GET', '/v1/a/z/d'))).status, 404);
  });
});
given.run();

const rejected = suite('P2 O13: parameters of a sub-path that are rejected');
const get = (): number => 1;
for (const [path, params, why] of [
  ['/zoo/:zoo', {}, 'one that the endpoint does not declare'],
  ['/zoo', { zoo: stringId }, 'one that the path does not name'],
  ['/zoo/:zoo', { cage: stringId }, 'a different name'],
  ['/zoo/:zoo/:zoo', { zoo: stringId }, 'a name twice'],
  ['/zoo/{zoo}', { zoo: stringId }, 'one in braces'],
  ['/zoo/:1', { 1: stringId }, 'a name that begins with a digit'],
] as const) {
  rejected(`${why}: ${path} -> TypeError, and nothing is added`, () => {
    const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
    assert.throws(() => server.registerEndpoint(path as string, { params, get } as never), (error: unknown) => error instanceof TypeError);
    assert.equal(server.routes, []);
  });
}
rejected('a pattern that differs from another in names alone -> TypeError that names both', () => {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoint('/zoo/:zoo', { params: { zoo: stringId }, get });
  assert.throws(
    () => server.registerEndpoint('/zoo/:name', { params: { name: stringId }, get }),
    (error: unknown) => error instanceof TypeError && error.message.startsWith('route GET /v1/zoo/:name conflicts with GET /v1/zoo/:zoo: get of "/zoo/:name" and get of "/zoo/:zoo". '),
  );
});
rejected('a parameter in the root -> TypeError', () => {
  assert.throws(() => new ApiServer('/:tenant'), (error: unknown) => error instanceof TypeError);
});
rejected.run();
