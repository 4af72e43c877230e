/** Ids and parameters of several segments. */
import { ApiServer, defineEndpoint, integerId, stringId, wildcardId } from '../../src/index.ts';
import { serveWithClient } from '../support/serve-with-client.ts';
import { makeDocument } from '../support/make-document.ts';
import { assert, check, facts, rejections, serve, suite, type Declare } from '../support/facts.ts';

const files = {
  id: wildcardId,
  schema: (json: unknown): any => String(json),
  create: (path: string) => path,
  list: () => 'all',
  get: (id: string) => ({ id }),
  update: () => {},
  delete: () => {},
};

const register: Declare = (server) => server.registerEndpoint('/file', files);

const ids = suite('O22: an id of several segments');
for (const [path, id] of [
  ['a', 'a'],
  ['a/b/c', 'a/b/c'],
  ['a%2Fb', 'a/b'],
  ['a%2fb/c%2Fd', 'a/b/c/d'],
  ['a%20b/%D1%84', 'a b/ф'],
  ['a:b/*', 'a:b/*'],
  ['.../.a/b.', '.../.a/b.'],
  ['%252e/%252F', '%2e/%2F'],
  ['__proto__/constructor', '__proto__/constructor'],
] as const) {
  facts(ids, register, [['', `GET /v1/file/${path}`, `200 ${JSON.stringify({ id })}`]]);
}
const unread: Declare = (server) => server.registerEndpoint('/file', { ...files, get: (): unknown => assert.unreachable() });
for (const path of ['a//b', 'a/', '/a', '/', '%2Fa', 'a%2F', 'a%2F%2Fb', '.', '..', 'a/../b', 'a/./b', '%2e%2e/a', 'a/%2e', 'a%2F..%2Fb', 'a%5Cb', '%5C']) {
  facts(ids, unread, [['get is not invoked', `GET /v1/file/${path}`, '400 Bad arguments: the id has an empty segment, ".", ".." or a backslash @id']]);
}
facts(ids, unread, [
  ['get is not invoked', 'GET /v1/file/%ff', '400 Bad arguments: the id is not percent-encoded UTF-8 @id'],
  ['get is not invoked', 'GET /v1/file/a/%zz', '400 Bad arguments: the id is not percent-encoded UTF-8 @id'],
  ['get is not invoked', 'GET /v1/file/a/%00', '400 The request target is not valid. | Connection: close'],
]);
facts(ids, register, [
  ['of no segment', 'GET /v1/file/', '404 Nothing is served at this path.', /did you mean \/v1\/file\?/],
  ['', 'GET /v1/file', '200 "all"'],
  ['that create gives', 'POST /v1/file "a/b c"', '201 text a/b c | Location: /v1/file/a/b%20c'],
  ['that create gives', 'POST /v1/file "a"', '201 text a | Location: /v1/file/a'],
]);
const NO_LOCATION = 'no Location is sent: no path can have the id';
for (const id of ['a//b', 'a/../b', 'a\\b', '']) {
  facts(ids, register, [['that create gives', `POST /v1/file ${JSON.stringify(id)}`, `201 text ${id}`, `POST /v1/file: ${NO_LOCATION} ${JSON.stringify(id)}`]]);
}

const keys = { id: { ...wildcardId, emptySegments: true }, schema: (json: unknown): any => json, create: (id: string) => id, list: () => 'all', get: (id: string) => ({ id }) };
const withKeys: Declare = (server) => server.registerEndpoint('/file', keys);

for (const [path, id] of [
  ['a//b', 'a//b'],
  ['a%2F%2Fb', 'a//b'],
  ['dir/', 'dir/'],
  ['dir%2F', 'dir/'],
  ['/a', '/a'],
  ['/', '/'],
  ['///', '///'],
  ['a/b', 'a/b'],
] as const) {
  ids(`with emptySegments, ${path} -> ${id}, which is its Location and a client's call`, async () => {
    await check(withKeys, [`GET /v1/file/${path}`, `POST /v1/file ${JSON.stringify(id)}`], [`200 ${JSON.stringify({ id })}`, `201 text ${id} | Location: /v1/file/${id}`]);
    await serveWithClient(withKeys, async ({ connect, requests }) => {
      const api = connect<{ '/file': typeof keys }>()('/file', {}, { id: keys.id });
      assert.equal(await api.get(id), { id });
      assert.equal(requests, [`GET /v1/file/${id}`]);
    });
  });
}
const WITH_KEYS = 'with emptySegments';
facts(ids, withKeys, [
  [WITH_KEYS, 'GET /v1/file/', '404 Nothing is served at this path.', /did you mean \/v1\/file\?/],
  ...['.', 'a/..', 'a//%2e', 'a//b%5Cc'].map((path) => [WITH_KEYS, `GET /v1/file/${path}`, '400 Bad arguments: the id has ".", ".." or a backslash @id'] as const),
  [WITH_KEYS, 'GET /v1/file/a//%ff', '400 Bad arguments: the id is not percent-encoded UTF-8 @id'],
]);
for (const [root, id, location] of [
  ['/v1', '', undefined],
  ['/v1', 'a//..', undefined],
  ['/v1', 'a\\/', undefined],
  ['', '/evil.example', undefined],
  ['', 'a//b', '/a//b'],
] as const) {
  const json = JSON.stringify(id);
  facts(ids, (server) => server.registerEndpoint('/', keys), [[
    `with emptySegments below "${root}", that create gives`, `POST ${root || '/'} ${json}`, `201 text ${id}${location === undefined ? '' : ` | Location: ${location}`}`,
    ...(location === undefined ? [`POST ${root || '/'}: ${NO_LOCATION} ${json}`] : []),
  ]], { root });
}
ids('that is empty, or has "..": no call of a client', () => serveWithClient(withKeys, async ({ connect, requests }) => {
  const api = connect<{ '/file': typeof keys }>()('/file', {}, { id: keys.id });
  for (const id of ['', 'a//..']) await api.get(id).then(() => assert.unreachable(), (thrown: unknown) => assert.instance(thrown, TypeError));
  assert.equal(requests, []);
}));
ids('is called by a client segment by segment', () => serveWithClient(register, async ({ connect, requests }) => {
  const api = connect<{ '/file': typeof files }>()('/file', {}, { id: wildcardId });
  assert.equal(await api.get('a b/c'), { id: 'a b/c' });
  assert.equal(requests, ['GET /v1/file/a%20b/c']);
}));
const codec = { ...wildcardId, parse: (text: string) => text.split('/'), format: (id: readonly string[]) => id.join('/') };
facts(ids, (server) => server.registerEndpoint('/file', { id: codec, get: (id) => id }),
  [['of a codec that is made of wildcardId', 'GET /v1/file/a/b', '200 ["a","b"]']]);

const routes = suite('O22: the routes of an id of several segments');
facts(routes, register, [
  ['', 'OPTIONS /v1/file/a/b', '200 | Allow: GET, PUT, DELETE'],
  ['', 'PATCH /v1/file/a/b 1', '405 | Allow: GET, HEAD, PUT, DELETE, OPTIONS'],
], { after: ({ server }) => assert.ok(server.routes.some(({ method, path }) => method === 'GET' && path === '/v1/file/*id')) });
facts(routes, (server) => {
  server.registerEndpoint('/file', { id: wildcardId, get: (id) => `file ${id}` });
  server.registerEndpoint('/file/new', { get: () => 'new' });
  server.registerEndpoint('/file/:folder/size', { params: { folder: stringId }, get: ({ params }) => `size of ${params.folder}` });
}, [['new', 'new'], ['new/a', 'file new/a'], ['a/size', 'size of a'], ['a/sizes', 'file a/sizes'], ['a/size/b', 'file a/size/b'], ['newer', 'file newer']].map(([path, sent]) => (
  ['a literal, then a parameter, win over it', `GET /v1/file/${path}`, `200 "${sent}"`]
)));
const ITEM = '405 | Allow: GET, HEAD, PUT, DELETE, OPTIONS';
const besides = { ...files, get: (id: string) => `file ${id}`, custom: { find: { run: () => 'found' }, 'purge-all': { run: () => 'purged' } } };
facts(routes, (server) => {
  server.registerEndpoint('/file', besides);
  server.registerEndpoint('/zoo/:zoo/file', { ...besides, params: { zoo: integerId } });
}, [
  ['POST finds a Custom operation', 'POST /v1/file/find', '200 "found"'],
  ['', 'POST /v1/file/purge-all', '200 "purged"'],
  ['', 'POST /v1/zoo/7/file/find', '200 "found"'],
  ['', 'POST /v1/file/find/a', ITEM],
  ['', 'POST /v1/file/%66ind', ITEM],
  ['GET finds an item of that name', 'GET /v1/file/find', '200 "file find"'],
  ['', 'GET /v1/file/find/a', '200 "file find/a"'],
  ['', 'GET /v1/file/findings', '200 "file findings"'],
  ['', 'PUT /v1/file/find 1', '204'],
  ['', 'DELETE /v1/zoo/7/file/find', '204'],
  ['', 'OPTIONS /v1/file/find', '200 | Allow: GET, PUT, DELETE, POST'],
  ['', 'OPTIONS /v1/file', '200 | Allow: GET, POST, POST, POST'],
], { after: ({ server }) => assert.ok(server.routes.some(({ method, path }) => method === 'POST' && path === '/v1/file/find')) });
routes('Custom operations beside it are called by a client, and are in the document', async () => {
  const endpoint = { id: wildcardId, get: (id: string) => ({ id }), custom: { find: (): string => 'found' } };
  const declare: Declare = (server) => server.registerEndpoint('/file', endpoint);
  await serveWithClient(declare, async ({ connect, requests }) => {
    const api = connect<{ '/file': typeof endpoint }>()('/file', {}, { id: wildcardId });
    assert.equal([await api.custom.find(), await api.get('find')], ['found', { id: 'find' }]);
    assert.equal(requests, ['POST /v1/file/find application/json', 'GET /v1/file/find']);
  });
  assert.equal(Object.keys(makeDocument(declare).paths), ['/v1/file/{id}', '/v1/file/find']);
});
const registering = (path: string, endpoint: object) => (): void => {
  const server = new ApiServer('/v1');
  try {
    server.registerEndpoint(path, endpoint as never);
  } finally {
    assert.equal(server.routes, []);
  }
};
const get = (): number => 1;
rejections(routes, [
  ['', registering('/file', { ...files, itemCustom: { find: { run: get } } }), 'endpoint.itemCustom is not allowed: the id takes all segments'],
  ['', registering('/file', { ...files, id: { ...wildcardId, emptySegments: 1 } }), 'endpoint.id.emptySegments must be a boolean: 1'],
  ['', registering('/file/*path/*x', { params: { path: stringId, x: stringId }, get }),
    'sub-path has two wildcards: where the first ends would not be clear: "/file/*path/*x"'],
  ['', registering('/file/*path/x', { params: { path: wildcardId }, id: wildcardId, get }),
    'pattern has two wildcards: where the first ends would not be clear: "/v1/file/*path/x/*id"'],
  ['', registering('/file/*path', { params: { path: stringId }, id: integerId, get }),
    'nothing can be below "/v1/file/*path", which takes all segments: "/:id"'],
  ['', registering('/file/:path', { params: { path: wildcardId }, get }), 'endpoint.params.path reads several segments: the sub-path must have "/*path"'],
  ['', registering('/file/a*b', { get }), 'sub-path must only have ":" and "*" at the beginning of a segment: "/file/a*b"'],
]);
routes('two of them conflict', () => serve(register, async ({ server }) => {
  const registerAgain = (): void => server.registerEndpoint('/file/*path', { params: { path: wildcardId }, get: () => 1 });
  assert.throws(registerAgain, /route GET \/v1\/file\/\*path conflicts with GET \/v1\/file\/\*id/);
}));

const parameters = suite('O22: a parameter of several segments');
for (const [codec, path, expected] of [
  [wildcardId, '/v1/zoo/7/file/a/b%2Fc', '200 {"zoo":7,"path":"a/b/c"}'],
  [stringId, '/v1/zoo/7/file/a', '200 {"zoo":7,"path":"a"}'],
] as const) {
  facts(parameters, (server) => server.registerEndpoint('/zoo/:zoo/file/*path', { params: { zoo: integerId, path: codec }, get: ({ params }) => params }), [
    ['', [`GET ${path}`, `GET ${path}/../x`], [expected, '400 Bad arguments: the path has an empty segment, ".", ".." or a backslash @path']],
  ]);
}

const documents = suite('the document of an id of several segments');
documents('has one parameter', () => {
  const { paths } = makeDocument((server) => server.registerEndpoint('/file', { id: wildcardId, get: () => 1 }));
  assert.equal(Object.keys(paths), ['/v1/file/{id}']);
  assert.equal(paths['/v1/file/{id}']?.['get']?.parameters?.map(({ name, in: place }) => [name, place]), [['id', 'path']]);
});

const named = { ...wildcardId, parse: (name: string) => name.trim() };
const declareRegistry: Declare = (server) => server.registerEndpoints({
  '/repo/': defineEndpoint({ get: () => 'all' }),
  '/repo/*name/tag': defineEndpoint({
    params: { name: wildcardId }, id: stringId, schema: (json: unknown): any => String(json),
    get: (tag, { params: { name }, route }) => ({ name, tag, path: route.path }), create: (tag: string) => tag,
  }),
  '/repo/*name/upload/': defineEndpoint({
    params: { name: named }, id: integerId, list: ({ params: { name } }) => ({ name }), get: (id, { params: { name } }) => ({ name, id }),
  }),
  '/repo/*name/tag/:tag/sign': defineEndpoint({ params: { name: wildcardId, tag: stringId }, get: ({ params }) => params }),
});
const middle = suite('O22: several segments in the middle of a path');
facts(middle, declareRegistry, [
  ['one', 'GET /v1/repo/a/tag/7', '200 {"name":"a","tag":"7","path":"/v1/repo/*name/tag/:id"}'],
  ['several', 'GET /v1/repo/a/b%20c/tag/7', '200 {"name":"a/b c","tag":"7","path":"/v1/repo/*name/tag/:id"}'],
  ['an escaped slash is the same', 'GET /v1/repo/a%2Fb/tag/7', '200 {"name":"a/b","tag":"7","path":"/v1/repo/*name/tag/:id"}'],
  ['as many as possible', 'GET /v1/repo/a/tag/tag/tag/7', '200 {"name":"a/tag/tag","tag":"7","path":"/v1/repo/*name/tag/:id"}'],
  ['a longer path after it wins', 'GET /v1/repo/a/tag/tag/7/sign', '200 {"name":"a/tag","tag":"7"}'],
  ['the Location of a new item', 'POST /v1/repo/a/b/tag "x y"', '201 text x y | Location: /v1/repo/a/b/tag/x%20y'],
  ['none', 'GET /v1/repo/tag/7', '404 Nothing is served at this path.'],
  ['an empty one', 'GET /v1/repo/a//tag/7', '400 Bad arguments: the name has an empty segment, ".", ".." or a backslash @name'],
  ['a dot', 'GET /v1/repo/a/%2e%2e/tag/7', '400 Bad arguments: the name has an empty segment, ".", ".." or a backslash @name'],
  ['a different method', 'PUT /v1/repo/a/b/tag/7', '405 | Allow: GET, HEAD, OPTIONS'],
]);
const slash = suite('P2: a path that ends with a slash');
facts(slash, declareRegistry, [
  ['', 'GET /v1/repo/', '200 "all"'],
  ['after a wildcard', 'GET /v1/repo/a/b/upload/', '200 {"name":"a/b"}'],
  ['an item is below it', 'GET /v1/repo/a/b/upload/7', '200 {"name":"a/b","id":7}'],
  ['but not without the slash', 'GET /v1/repo/a/b/upload', '404 Nothing is served at this path.', /did you mean \/v1\/repo\/\*name\/upload\/\?/],
  ['in capitals', 'GET /v1/repo/a/b/Upload/', '404 Nothing is served at this path.', /for \/v1\/repo\/\*name\/Upload\/ gets 404: did/],
  ['', 'GET /v1/repo', '404 Nothing is served at this path.', /did you mean \/v1\/repo\/\?/],
]);
slash('is logged once', () => serve(declareRegistry, async ({ infos }) => {
  const line = 'registerEndpoint: the sub-path "/repo/" ends with a slash, so /v1/repo is a different path. If that is not meant, register "/repo"';
  assert.is(infos.filter((each) => each === line).length, 1);
}));
middle('a client and a document have it', async () => {
  const { paths } = makeDocument(declareRegistry);
  const expected = ['/v1/repo/', ...['tag', 'tag/{id}', 'upload/', 'upload/{id}', 'tag/{tag}/sign'].map((after) => `/v1/repo/{name}/${after}`)];
  assert.equal(Object.keys(paths), expected);
  type Upload = { params: { name: typeof wildcardId }; id: typeof integerId; list: { 200: { name: string } }; get: { 200: { id: number } } };
  await serveWithClient(declareRegistry, async ({ connect, requests }) => {
    const uploads = connect<{ '/repo/*name/upload/': Upload }>()('/repo/*name/upload/', { name: 'a/b c' }, { params: { name: wildcardId } });
    assert.equal(await uploads.get(7), { name: 'a/b c', id: 7 } as never);
    assert.equal(await uploads.list(), { name: 'a/b c' });
    assert.equal(requests, ['GET /v1/repo/a/b%20c/upload/7', 'GET /v1/repo/a/b%20c/upload/']);
  });
});
