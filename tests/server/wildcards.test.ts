/** Ids and parameters of several segments. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { integerId, stringId, type ApiServer, wildcardId } from '../../src/index.ts';
import { serveWithClient } from '../support/serve-with-client.ts';
import { makeDocument } from '../support/make-document.ts';
import { message, readProblem, encodeUtf8 } from '../support/messages.ts';
import { send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';

const files = {
  id: wildcardId,
  schema: (json: unknown): any => String(json),
  create: (path: string) => path,
  list: () => 'all',
  get: (id: string) => ({ id }),
  update: () => {},
  delete: () => {},
};

const register = (server: ApiServer): void => server.registerEndpoint('/file', files);

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
  ids(`${path} -> ${id}`, () => serve(register, async ({ port }) => {
    assert.is((await send(port, message('GET', `/v1/file/${path}`))).body, encodeUtf8(JSON.stringify({ id })));
  }));
}
for (const path of ['a//b', 'a/', '/a', '/', '%2Fa', 'a%2F', 'a%2F%2Fb', '.', '..', 'a/../b', 'a/./b', '%2e%2e/a', 'a/%2e', 'a%2F..%2Fb', 'a%5Cb', '%5C', '%ff', 'a/%zz', 'a/%00']) {
  ids(`${path} -> 400, and get is not invoked`, async () => {
    await serve((server) => server.registerEndpoint('/file', { ...files, get: (): unknown => assert.unreachable() }), async ({ port }) => {
      const { status, detail = '' } = readProblem(await send(port, message('GET', `/v1/file/${path}`)));
      assert.is(status, 400);
      if (path === 'a//b') assert.match(detail, 'the id has an empty segment, ".", ".." or a backslash');
    });
  });
}
ids('of no segment: not found', () => serve(register, async ({ port, errors }) => {
  assert.is((await send(port, message('GET', '/v1/file/'))).status, 404);
  assert.match(errors[0]?.message ?? '', 'did you mean /v1/file?');
  assert.is((await send(port, message('GET', '/v1/file'))).body, '"all"');
}));
for (const [id, location] of [
  ['a/b c', '/v1/file/a/b%20c'],
  ['a', '/v1/file/a'],
  ['a//b', undefined],
  ['a/../b', undefined],
  ['a\\b', undefined],
  ['', undefined],
] as const) {
  ids(`that create gives, ${JSON.stringify(id)} -> ${location === undefined ? 'no Location, logged' : `Location: ${location}`}`, async () => {
    await serve(register, async ({ port, errors }) => {
      const { status, headers } = await send(port, message('POST', '/v1/file', JSON.stringify(id)));
      assert.equal([status, headers.get('location'), errors.length], [201, location, location === undefined ? 1 : 0]);
    });
  });
}

const keys = { id: { ...wildcardId, emptySegments: true }, schema: (json: unknown): any => json, create: (id: string) => id, list: () => 'all', get: (id: string) => ({ id }) };
const withKeys = (server: ApiServer): void => server.registerEndpoint('/file', keys);

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
    await serve(withKeys, async ({ port }) => {
      assert.is((await send(port, message('GET', `/v1/file/${path}`))).body, JSON.stringify({ id }));
      assert.is((await send(port, message('POST', '/v1/file', JSON.stringify(id)))).headers.get('location'), `/v1/file/${id}`);
    });
    await serveWithClient(withKeys, async ({ connect, requests }) => {
      const api = connect<{ '/file': typeof keys }>()('/file', {}, { id: keys.id });
      assert.equal(await api.get(id), { id });
      assert.equal(requests, [`GET /v1/file/${id}`]);
    });
  });
}
for (const [path, status] of [['', 404], ['.', 400], ['a/..', 400], ['a//%2e', 400], ['a//b%5Cc', 400], ['a//%ff', 400]] as const) {
  ids(`with emptySegments, "${path}" -> ${status}`, async () => {
    await serve(withKeys, async ({ port, errors }) => {
      const response = await send(port, message('GET', `/v1/file/${path}`));
      assert.equal([response.status, errors.length], [status, path === '' ? 1 : 0]);
      if (path === 'a//b%5Cc') assert.match(readProblem(response).detail ?? '', 'the id has ".", ".." or a backslash');
    });
  });
}
for (const [root, id, location] of [
  ['/v1', '', undefined],
  ['/v1', 'a//..', undefined],
  ['/v1', 'a\\/', undefined],
  ['', '/evil.example', undefined],
  ['', 'a//b', '/a//b'],
] as const) {
  ids(`with emptySegments below "${root}", that create gives: ${JSON.stringify(id)} -> ${location === undefined ? 'no Location, logged' : `Location: ${location}`}`, async () => {
    await serve((server) => server.registerEndpoint('/', keys), async ({ port, errors }) => {
      const { status, headers } = await send(port, message('POST', root === '' ? '/' : root, JSON.stringify(id)));
      assert.equal([status, headers.get('location'), errors.length], [201, location, location === undefined ? 1 : 0]);
    }, { root });
  });
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
ids('of a codec that is made of wildcardId', async () => {
  const codec = { ...wildcardId, parse: (text: string) => text.split('/'), format: (id: readonly string[]) => id.join('/') };
  await serve((server) => server.registerEndpoint('/file', { id: codec, get: (id) => id }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/file/a/b'))).body, '["a","b"]');
  });
});
ids.run();

const routes = suite('O22: the routes of an id of several segments');
routes('are listed with a star, discovered, and 405 for other methods', () => serve(register, async ({ port, server }) => {
  assert.ok(server.routes.some(({ method, path }) => method === 'GET' && path === '/v1/file/*id'));
  const options = await send(port, message('OPTIONS', '/v1/file/a/b'));
  assert.equal([options.status, options.headers.get('allow')], [200, 'GET, PUT, DELETE']);
  const patch = await send(port, message('PATCH', '/v1/file/a/b', '1'));
  assert.equal([patch.status, patch.headers.get('allow')], [405, 'GET, HEAD, PUT, DELETE, OPTIONS']);
}));
routes('a literal, then a parameter, win over it', () => serve((server) => {
  server.registerEndpoint('/file', { id: wildcardId, get: (id) => `file ${id}` });
  server.registerEndpoint('/file/new', { get: () => 'new' });
  server.registerEndpoint('/file/:folder/size', { params: { folder: stringId }, get: ({ params }) => `size of ${params.folder}` });
}, async ({ port }) => {
  for (const [path, expected] of [['new', 'new'], ['new/a', 'file new/a'], ['a/size', 'size of a'], ['a/sizes', 'file a/sizes'], ['a/size/b', 'file a/size/b'], ['newer', 'file newer']] as const) {
    assert.is((await send(port, message('GET', `/v1/file/${path}`))).body, JSON.stringify(expected), path);
  }
}));
routes('Custom operations stand beside it: POST finds them, and GET an item of that name', async () => {
  const endpoint = { ...files, get: (id: string) => `file ${id}`, custom: { find: { run: () => 'found' }, 'purge-all': { run: () => 'purged' } } };
  await serve((server) => {
    server.registerEndpoint('/file', endpoint);
    server.registerEndpoint('/zoo/:zoo/file', { ...endpoint, params: { zoo: integerId } });
  }, async ({ port, server }) => {
    assert.ok(server.routes.some(({ method, path }) => method === 'POST' && path === '/v1/file/find'));
    for (const [method, path, status, body] of [
      ['POST', '/v1/file/find', 200, '"found"'],
      ['POST', '/v1/file/purge-all', 200, '"purged"'],
      ['POST', '/v1/zoo/7/file/find', 200, '"found"'],
      ['POST', '/v1/file/find/a', 405, ''],
      ['POST', '/v1/file/%66ind', 405, ''],
      ['GET', '/v1/file/find', 200, '"file find"'],
      ['GET', '/v1/file/find/a', 200, '"file find/a"'],
      ['GET', '/v1/file/findings', 200, '"file findings"'],
      ['PUT', '/v1/file/find', 204, ''],
      ['DELETE', '/v1/zoo/7/file/find', 204, ''],
    ] as const) {
      const response = await send(port, message(method, path, method === 'PUT' ? '1' : ''));
      assert.equal([response.status, response.body], [status, body], `${method} ${path}`);
    }
    const options = await send(port, message('OPTIONS', '/v1/file/find'));
    assert.equal([options.status, options.headers.get('allow')], [200, 'GET, PUT, DELETE, POST']);
    const collection = await send(port, message('OPTIONS', '/v1/file'));
    assert.is(collection.headers.get('allow'), 'GET, POST, POST, POST');
  });
});
routes('Custom operations beside it are called by a client, and are in the document', async () => {
  const endpoint = { id: wildcardId, get: (id: string) => ({ id }), custom: { find: (): string => 'found' } };
  const declare = (server: ApiServer): void => server.registerEndpoint('/file', endpoint);
  await serveWithClient(declare, async ({ connect, requests }) => {
    const api = connect<{ '/file': typeof endpoint }>()('/file', {}, { id: wildcardId });
    assert.equal([await api.custom.find(), await api.get('find')], ['found', { id: 'find' }]);
    assert.equal(requests, ['POST /v1/file/find application/json', 'GET /v1/file/find']);
  });
  assert.equal(Object.keys(makeDocument(declare).paths), ['/v1/file/{id}', '/v1/file/find']);
});
for (const [path, endpoint, text] of [
  ['/file', { ...files, itemCustom: { find: { run: () => 1 } } }, 'endpoint.itemCustom is not allowed: the id takes all segments'],
  ['/file', { ...files, id: { ...wildcardId, emptySegments: 1 } }, 'endpoint.id.emptySegments must be a boolean: 1'],
  ['/file/*path/x', { params: { path: stringId }, get: () => 1 }, 'sub-path has a wildcard that is not its last segment: "/file/*path/x"'],
  ['/file/*path', { params: { path: stringId }, id: integerId, get: () => 1 }, 'pattern has a wildcard that is not its last segment: "/v1/file/*path/:id"'],
  ['/file/:path', { params: { path: wildcardId }, get: () => 1 }, 'endpoint.params.path reads all segments: the sub-path must end with "/*path"'],
  ['/file/a*b', { get: () => 1 }, 'sub-path must only have ":" and "*" at the beginning of a segment: "/file/a*b"'],
] as const) {
  routes(`TypeError: ${text}`, () => serve(() => {}, async ({ server }) => {
    assert.throws(() => server.registerEndpoint(path as never, endpoint as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
    assert.equal(server.routes, []);
  }));
}
routes('two of them conflict', () => serve(register, async ({ server }) => {
  const registerAgain = (): void => server.registerEndpoint('/file/*path', { params: { path: wildcardId }, get: () => 1 });
  assert.throws(registerAgain, /route GET \/v1\/file\/\*path conflicts with GET \/v1\/file\/\*id/);
}));
routes.run();

const parameters = suite('O22: a parameter of several segments');
for (const [codec, path, expected] of [
  [wildcardId, '/v1/zoo/7/file/a/b%2Fc', '{"zoo":7,"path":"a/b/c"}'],
  [stringId, '/v1/zoo/7/file/a', '{"zoo":7,"path":"a"}'],
] as const) {
  parameters(`${path} -> ${expected}`, () => serve((server) => {
    server.registerEndpoint('/zoo/:zoo/file/*path', { params: { zoo: integerId, path: codec }, get: ({ params }) => params });
  }, async ({ port }) => {
    assert.is((await send(port, message('GET', path))).body, expected);
    assert.is((await send(port, message('GET', `${path}/../x`))).status, 400);
  }));
}
parameters.run();

const documents = suite('the document of an id of several segments');
documents('has one parameter', () => {
  const { paths } = makeDocument((server) => server.registerEndpoint('/file', { id: wildcardId, get: () => 1 }));
  assert.equal(Object.keys(paths), ['/v1/file/{id}']);
  assert.equal(paths['/v1/file/{id}']?.['get']?.parameters, [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1, pattern: '^[^\\x00\\r\\n]+$' } }]);
});
documents.run();
