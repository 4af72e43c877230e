/** Parameters in a sub-path: how they reach the operations, and the declarations that are rejected. */
import { ApiServer, integerId, stringId } from '../../../src/index.ts';
import { assert, facts, rejections, suite, type Declare } from '../../support/facts.ts';

const declare: Declare = (server) => {
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
  server.registerEndpoint('/a/b/d', { get: () => 'literal' });
  server.registerEndpoint('/a/:x/c', { params: { x: stringId }, get: ({ params }) => params.x });
};

const given = suite('P4 O13: the parameters of a sub-path');
facts(given, declare, [
  ['', 'GET /v1/zoo/berlin/pet', '200 {"zoo":"berlin"}'],
  ['', 'GET /v1/zoo/berlin/cat/5', '200 {"id":5,"zoo":"berlin"}'],
  ['', 'GET /v1/zoo/a%2Fb%20c/cat/5', '200 {"id":5,"zoo":"a/b c"}'],
  ['', 'POST /v1/zoo/berlin/pet "x"', '201 text 6 | Location: /v1/zoo/berlin/pet/6'],
  ['', 'POST /v1/zoo/berlin/pet/count', '200 {"zoo":"berlin"}'],
  ['', 'POST /v1/zoo/berlin/pet/5/feed', '200 {"id":5,"zoo":"berlin"}'],
  ['', 'GET /v1/zoo/berlin/house/7/door', '200 {"zoo":"berlin","house":7}'],
  ['', 'GET /v1/single/7', '200 {"id":7}'],
  ['', 'GET /v1/odd/7', '200 [["__proto__",7]]'],
  ['', 'GET /v1/zoo/%ff/pet', '400 Bad arguments: the zoo is not percent-encoded UTF-8 @zoo'],
  ['', 'GET /v1/zoo/berlin/house/x/door', '400 Bad arguments: house: expected a decimal integer from -9007199254740991 to 9007199254740991 @house'],
  ['', 'GET /v1/zoo/%ff/house/x/door', '400 Bad arguments: the zoo is not percent-encoded UTF-8 @zoo'],
  ['are tried after literals', 'GET /v1/a/b/d', '200 "literal"'],
  ['are tried where a literal leads nowhere', 'GET /v1/a/b/c', '200 "b"'],
  ['are not tried where nothing fits', 'GET /v1/a/z/d', '404 Nothing is served at this path.'],
]);

const rejected = suite('P2 O13: parameters of a sub-path that are rejected');
const get = (): number => 1;
const at = (path: string, params: object, server = new ApiServer('/v1')): ApiServer => {
  server.registerEndpoint(path, { params, get } as never);
  return server;
};
rejections(rejected, [
  ['one that the endpoint does not declare', () => at('/zoo/:zoo', {}), /^/],
  ['one that the path does not name', () => at('/zoo', { zoo: stringId }), /^/],
  ['a different name', () => at('/zoo/:zoo', { cage: stringId }), /^/],
  ['a name twice', () => at('/zoo/:zoo/:zoo', { zoo: stringId }), /^/],
  ['one in braces', () => at('/zoo/{zoo}', { zoo: stringId }), /^/],
  ['a name that begins with a digit', () => at('/zoo/:1', { 1: stringId }), /^/],
  ['a pattern that differs from another in names alone', () => at('/zoo/:name', { name: stringId }, at('/zoo/:zoo', { zoo: stringId })),
    /^route GET \/v1\/zoo\/:name conflicts with GET \/v1\/zoo\/:zoo: get of "\/zoo\/:name" and get of "\/zoo\/:zoo"\. /],
  ['a parameter in the root', () => new ApiServer('/:tenant'), /^/],
]);
rejected('add nothing', () => {
  const server = new ApiServer('/v1');
  for (const path of ['/zoo/:zoo', '/zoo/:cage/:cage', '/zoo/{zoo}']) assert.throws(() => at(path, {}, server));
  assert.equal(server.routes, []);
});
