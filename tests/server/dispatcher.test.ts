/** Responses without an operation: discovery, 405 with `Allow`, 404, and `OPTIONS *`. */
import { ApiServer, defineEndpoint, stringId, wildcardId } from '../../src/index.ts';
import { ServerLog } from '../support/server-log.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, facts, requestFor, send, serve, suite } from '../support/facts.ts';

const schema = (json: unknown): unknown => json;
const NOTHING = '404 Nothing is served at this path.';
const run = (): string => 'ran';
const write = (): void => {};
const ONLY = {
  create: defineEndpoint({ id: stringId, schema, create: run }),
  get: defineEndpoint({ id: stringId, get: run }),
  update: defineEndpoint({ id: stringId, schema, update: write }),
  delete: defineEndpoint({ id: stringId, delete: write }),
  custom: defineEndpoint({ id: stringId, custom: { feed: { run } } }),
  customs: defineEndpoint({ id: stringId, custom: { feed: { run }, wash: { run }, walk: { run } } }),
  all: defineEndpoint({ id: stringId, schema, create: run, get: run, update: write, delete: write, custom: { feed: { run } } }),
  'get and delete': defineEndpoint({ id: stringId, get: run, delete: write }),
} as const;

const pets = (endpoint: object) => (server: ApiServer): void => server.registerEndpoint('/pet', endpoint as never);

const discovery = suite('A6 A7: OPTIONS on the path of an endpoint');
for (const [name, collection, item] of [
  ['create', 'POST', ''],
  ['get', '', 'GET'],
  ['update', '', 'PUT'],
  ['delete', '', 'DELETE'],
  ['custom', 'POST', ''],
  ['customs', 'POST, POST, POST', ''],
  ['all', 'POST, POST', 'GET, PUT, DELETE'],
  ['get and delete', '', 'GET, DELETE'],
] as const) {
  facts(discovery, pets(ONLY[name]), [[name, ['OPTIONS /v1/pet', 'OPTIONS /v1/pet/1'], [`200 | Allow: ${collection}`, `200 | Allow: ${item}`]]]);
}
for (const [name, allow] of [['custom', 'POST'], ['all', 'GET, PUT, DELETE, POST']] as const) {
  facts(discovery, pets(ONLY[name]), [[`${name}, at the path of a Custom operation beside items`, 'OPTIONS /v1/pet/feed', `200 | Allow: ${allow}`]]);
}
discovery('after a later registration at the same path, it has the new methods', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  const allow = async (path: string): Promise<string | null> => (await server.fetch(path, { method: 'OPTIONS' })).headers.get('Allow');
  server.registerEndpoint('/pet', { custom: { feed: run } });
  assert.is(await allow('/v1/pet'), 'POST');
  server.registerEndpoint('/pet', { get: run });
  assert.is(await allow('/v1/pet'), 'GET, POST');
});
facts(discovery, new Zoo().register, [['an id that the codec would reject', 'OPTIONS /v1/pet/no-number', '200 | Allow: GET, PUT, DELETE']]);

const lacking = suite('A8 Q2 E5 C17: a known path with a different method');
for (const [name, request, allow] of [
  ['all', 'GET /v1/pet', 'POST, OPTIONS'],
  ['all', 'PATCH /v1/pet', 'POST, OPTIONS'],
  ['all', 'HEAD /v1/pet', 'POST, OPTIONS'],
  ['all', 'POST /v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['all', 'PATCH /v1/pet/1', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['all', 'PATCH /v1/pet/feed', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['create', 'GET /v1/pet/1', 'OPTIONS'],
  ['get', 'POST /v1/pet', 'OPTIONS'],
  ['get', 'DELETE /v1/pet/1', 'GET, HEAD, OPTIONS'],
  ['update', 'HEAD /v1/pet/1', 'PUT, OPTIONS'],
  ['delete', 'GET /v1/pet/1', 'DELETE, OPTIONS'],
  ['customs', 'PUT /v1/pet/feed', 'POST, OPTIONS'],
] as const) {
  facts(lacking, pets(ONLY[name]), [[name, request, `405${request.startsWith('HEAD') ? ' length 0' : ''} | Allow: ${allow}`]]);
}
facts(lacking, pets(ONLY.all), ['TRACE', 'PROPFIND', 'M-SEARCH'].flatMap((method) => ['/v1/pet/1', '/v1/nowhere'].map((path) => [
  'the server has the method nowhere', [`${method} ${path}`, 'OPTIONS /v1/pet/1'], ['501 This server has no such method.', '200 | Allow: GET, PUT, DELETE'],
] as const)));
lacking('every method in Allow is served, and every other is a 405', () => serve((server) => server.registerEndpoint('/pet', ONLY.all), async ({ port }) => {
  for (const path of ['/v1/pet', '/v1/pet/1', '/v1/pet/feed']) {
    const { headers } = await send(port, requestFor('PATCH', path));
    const allowed = headers.get('allow')?.split(', ') ?? [];
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status } = await send(port, requestFor(method, path));
      assert.is(status !== 405, allowed.includes(method), `${method} ${path} -> ${status}`);
    }
  }
}));

const allowed = suite('A8: Allow of a 405 and of OPTIONS');
const feed = { custom: { feed: run } };
for (const [what, endpoint, path, options, rejected] of [
  ['a collection', ONLY.all, '/v1/pet', 'POST, POST', 'POST, OPTIONS'],
  ['an item', ONLY.all, '/v1/pet/1', 'GET, PUT, DELETE', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['a collection with only a Custom operation', feed, '/v1/pet', 'POST', 'OPTIONS'],
  ['a Custom operation', feed, '/v1/pet/feed', 'POST', 'POST, OPTIONS'],
  ['a path without an operation', ONLY.get, '/v1/pet', '', 'OPTIONS'],
] as const) {
  facts(allowed, pets(endpoint), [[what, [`OPTIONS ${path}`, `PATCH ${path}`], [`200 | Allow: ${options}`, `405 | Allow: ${rejected}`]]]);
}

const unknown = suite('A9 Q2: an unknown path');
facts(unknown, new Zoo().register, ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => [
  'a problem that repeats nothing of the request, and no Allow', `${method} /v1/secret-name`, NOTHING,
]));
facts(unknown, new Zoo().register, [
  ['the length of the problem, without its body', ['GET /nowhere', 'HEAD /nowhere'], [NOTHING, '404 length 98']],
]);
facts(unknown, () => {}, [['a server without routes', 'GET /', NOTHING]]);

const rootless = suite('P1: a path of an endpoint without the root of the server');
facts(rootless, (server) => {
  server.registerEndpoint('/pet', ONLY.all);
  server.registerEndpoint('/', { get: run });
}, ([
  ['/pet/7', '/pet/:id'],
  ['/pet/7?a=1', '/pet/:id'],
  ['/pet', '/pet', 'POST'],
  ['/pet/feed', '/pet/feed', 'POST'],
  ['/pet/%22%C3%A9', '/pet/:id'],
  [`/pet/${'a'.repeat(4000)}`, '/pet/:id'],
  ['/', '/'],
] as const).map(([path, asked, method = 'GET']) => [
  'the log says once which path it could be, by its pattern', [...Array(3).fill(`${method} ${path}`), 'GET /pet/8'], Array(4).fill(NOTHING),
  `a request for ${asked} gets 404: did you mean ${asked === '/' ? '/v1' : `/v1${asked}`}? Paths begin with the root of the server`,
]), { after: ({ errors }) => assert.equal(errors.map((error) => [error.stack, Object.hasOwn(error, 'cause')]), [[`Error: ${errors[0]?.message}`, false]]) });
for (const [why, root, path] of [
  ['no route has it with the root either', '/v1', '/favicon.ico'],
  ['it has the root', '/v1', '/v1/nowhere'],
  ['it has the root twice', '/v1', '/v1/v1/pet/7'],
  ['the server has no root', '', '/zoo/7'],
  ['there is no such id', '', '/.env'],
] as const) {
  facts(rootless, pets(ONLY.all), [[`${why}, and nothing is logged`, `GET ${path}`, NOTHING]], { root });
}
facts(rootless, (server) => {
  server.registerEndpoint('/pet', ONLY.all);
  server.mount('/pet', (_request, response) => response.end());
}, [['a path that is mounted, and nothing is logged', 'GET /pet/7', '200']]);

const similar = suite('P1: a path that is similar to the path of an endpoint');
facts(similar, (server) => {
  server.registerEndpoint('/pet', { id: stringId, get: run, custom: { sum: run }, itemCustom: { feed: run } });
  server.registerEndpoint('/boxes', { id: stringId, get: run });
  server.registerEndpoint('/categories', { get: run });
  server.registerEndpoint('/petShop', { custom: { openAll: run } });
  server.registerEndpoint('/file/*path', { params: { path: wildcardId }, get: run });
  server.registerEndpoint('/zoo/:zoo/pet', { params: { zoo: stringId }, id: stringId, get: run });
}, ([
  ['/v1/pet/', '/v1/pet/', '/v1/pet'],
  ['/v1/pet/7/', '/v1/pet/:id/', '/v1/pet/:id'],
  ['/v1/pet/secret/feed/?a=1', '/v1/pet/:id/feed/', '/v1/pet/:id/feed'],
  ['/v1/pets', '/v1/pets', '/v1/pet'],
  ['/v1/pets/secret', '/v1/pets/:id', '/v1/pet/:id'],
  ['/v1/Pet/secret', '/v1/Pet/:id', '/v1/pet/:id'],
  ['/V1/PETS/', '/V1/PETS/', '/v1/pet'],
  ['/v1/pet/secret/Feed', '/v1/pet/:id/Feed', '/v1/pet/:id/feed'],
  ['/v1/box/secret', '/v1/box/:id', '/v1/boxes/:id'],
  ['/v1/category', '/v1/category', '/v1/categories'],
  ['/v1/petshop/openall', '/v1/petshop/openall', '/v1/petShop/openAll'],
  ['/v1/File/secret/a', '/v1/File/*path', '/v1/file/*path'],
  ['/v1/zoos/secret/pets/7', '/v1/zoos/:zoo/pets/:id', '/v1/zoo/:zoo/pet/:id'],
  ['/pets/secret', '/pets/:id', '/v1/pet/:id', 'Paths begin with the root of the server'],
  ['/v1/categories/7', '/v1/categories/:id', '/v1/categories', 'Operations of one item need the option id of the endpoint'],
] as const).map(([path, asked, meant, reason = 'Paths must match exactly']) => [
  'the log says once which one it could be, without what the client has sent for its parameters', [`GET ${path}`, `GET ${path}`], [NOTHING, NOTHING],
  `a request for ${asked} gets 404: did you mean ${meant}? ${reason}`,
]));
facts(similar, (server) => {
  server.registerEndpoint('/pets', { get: run });
  server.registerEndpoint('/pet', { get: run });
}, [['endpoints with similar paths: the first', ['GET /v1/Pet', 'GET /v1/Pets', 'GET /v1/pet/'], [NOTHING, NOTHING, NOTHING], 'a request for /v1/Pet gets 404: did you mean /v1/pets? Paths must match exactly']]);
facts(similar, pets(ONLY.get), [['a path without an operation: nothing is logged', 'GET /v1/pet/', NOTHING]]);
similar('only the first hundred unknown paths are looked at', async () => {
  for (const [unknown, hints] of [[0, 30], [95, 5], [100, 0]] as const) {
    const log = new ServerLog();
    const server = new ApiServer('', { logger: log.logger });
    for (let at = 0; at < 30; at += 1) server.registerEndpoint(`/pet${at}`, { get: run });
    for (let at = 0; at < unknown; at += 1) await server.fetch(`/unknown/${at}`);
    for (let at = 0; at < 30; at += 1) await server.fetch(`/pet${at}/`);
    assert.is(log.errors.length, hints, `${unknown} unknown`);
    await server.stop();
  }
});
similar('the paths of a large server are known up to the thousandth', async () => {
  const log = new ServerLog();
  const server = new ApiServer('', { logger: log.logger });
  for (let at = 0; at < 1001; at += 1) server.registerEndpoint(`/pet${at}`, { get: run });
  for (const at of [999, 1000]) await server.fetch(`/Pet${at}`);
  assert.equal(log.errors.map(({ message }) => message), ['a request for /Pet999 gets 404: did you mean /pet999? Paths must match exactly']);
});

const asterisk = suite('P6: OPTIONS *');
for (const [why, declare, allow] of [
  ['an empty server', () => {}, 'OPTIONS'],
  ['a server with everything', new Zoo().register, 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['a server that only deletes', pets(ONLY.delete), 'DELETE, OPTIONS'],
  ['a server with a handler at "/"', (server: ApiServer) => server.mount('/', () => assert.unreachable()), 'OPTIONS'],
] as const) {
  facts(asterisk, declare, [[why, ['OPTIONS *', 'OPTIONS http://zoo.example', 'OPTIONS HTTPS://zoo.example:8443'], Array(3).fill(`200 | Allow: ${allow}`)]]);
}
facts(asterisk, (server) => server.mount('/', (request, response) => response.end(`mounted ${request.method} ${request.url}`)), [
  ['a path, and not the server', 'OPTIONS http://zoo.example/', '200 mounted OPTIONS /'],
  ['a path, and not the server', 'OPTIONS http://zoo.example?a=b', '200 mounted OPTIONS /?a=b'],
  ['a path, and not the server', 'GET http://zoo.example', '200 mounted GET /'],
]);
facts(asterisk, () => {}, [['a host that is not allowed', 'OPTIONS http://other.example', '421 This server does not serve that host. | Connection: close', /allowedHosts/]], { allowedHosts: ['zoo.example'] });
