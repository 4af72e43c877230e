/** How the document is served: its headers, conditions and methods, and when it is made again. */
import { ApiServer, stringId } from '../../src/index.ts';
import { openApi, openApiHandler, type OpenApiOptions } from '../../src/openapi/index.ts';
import { INFO, run } from '../support/make-document.ts';
import { assert, type Declare, facts, serve, suite, type TestServer } from '../support/facts.ts';

const options = { info: INFO };

/** An endpoint, and its document at a route. */
const declareDocument = (route = '/openapi.json', declare: Declare = () => {}, also: Partial<OpenApiOptions> = {}): Declare => (server) => {
  server.registerEndpoint('/pet', { id: stringId, get: run });
  declare(server);
  server.mount(route, openApiHandler(server, { ...options, ...also }));
};
const serveDocument = (use: (served: TestServer) => Promise<void>, ...declared: Parameters<typeof declareDocument>): Promise<void> => serve(declareDocument(...declared), use);

const served = suite('the served document');
served('is the JSON of openApi, with its length and an ETag, to be asked for each time', () => serveDocument(async ({ server, url }) => {
  const response = await fetch(`${url}/openapi.json`);
  const text = await response.text();
  assert.is(response.status, 200);
  assert.is(text, JSON.stringify(openApi(server, options)));
  assert.is(response.headers.get('content-type'), 'application/json');
  assert.is(response.headers.get('content-length'), String(Buffer.byteLength(text)));
  assert.is(response.headers.get('cache-control'), 'no-cache');
  assert.match(response.headers.get('etag') ?? '', /^"[\w-]{43}"$/);
}));
served('of HEAD has the same headers, and no body', () => serveDocument(async ({ url }) => {
  const [got, head] = [await fetch(`${url}/openapi.json`), await fetch(`${url}/openapi.json`, { method: 'HEAD' })];
  await got.text();
  assert.is(head.status, 200);
  for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) assert.is(head.headers.get(name), got.headers.get(name), name);
  assert.is(await head.text(), '');
}));
for (const method of ['GET', 'HEAD']) {
  served(`${method} with its ETag in If-None-Match -> 304 with the ETag; with another -> 200`, () => serveDocument(async ({ url }) => {
    const { headers } = await fetch(`${url}/openapi.json`, { method: 'HEAD' });
    const tag = headers.get('etag') ?? '';
    for (const [tags, status] of [[tag, 304], [`"a", W/${tag}`, 304], ['*', 304], ['"a"', 200], ['', 200]] as const) {
      const response = await fetch(`${url}/openapi.json`, { method, headers: { 'If-None-Match': tags } });
      assert.is(response.status, status, tags);
      assert.is(response.headers.get('etag'), tag);
      assert.is((await response.text()).length > 0, status === 200 && method === 'GET');
    }
  }));
}
served('is as `transform` returns it', () => serveDocument(async ({ url }) => {
  const { tags, paths } = await (await fetch(`${url}/openapi.json`)).json() as { tags: unknown; paths: object };
  assert.equal([tags, Object.keys(paths)], [[{ name: 'bees' }], ['/v1/bee/{id}']]);
}, '/openapi.json', (server) => server.registerEndpoint('/bee', { id: stringId, get: run }), {
  transform: ({ paths, ...others }) => ({ ...others, paths: { '/v1/bee/{id}': paths['/v1/bee/{id}'] ?? {} }, tags: [{ name: 'bees' }] }),
}));
facts(served, declareDocument(), ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => ['', `${method} /openapi.json`, '405 | Allow: GET, HEAD']));
for (const [route, ...paths] of [['/openapi.json', '/openapi.json?v=1'], ['/docs', '/docs/openapi.json', '/docs'], ['/', '/openapi.json']] as const) {
  served(`is at ${paths.join(' and ')}, mounted at ${route}`, () => serveDocument(async ({ server, url }) => {
    for (const path of paths) {
      const response = await fetch(url + path);
      assert.equal([response.status, response.headers.get('content-type'), await response.text()],
        [200, 'application/json', JSON.stringify(openApi(server, options))]);
    }
  }, route));
}
for (const [route, path] of [['/openapi.json', '/openapi.json/x'], ['/docs', '/docs/other.json'], ['/', '/favicon.ico']] as const) {
  facts(served, declareDocument(route), [[`mounted at ${route}`, `GET ${path}`, '404 Nothing is served at this path.']]);
}

const made = suite('the served document is made');
/** A codec that counts how often its schema is converted, as each document does once. */
function makeCountingCodec(): { readonly codec: typeof stringId; count(): number } {
  let asked = 0;
  const input = (): object => { asked += 1; return { type: 'string' }; };
  return { codec: { ...stringId, schema: { '~standard': { jsonSchema: { input } } } }, count: () => asked };
}
made('at the start, and not again', async () => {
  const { codec, count } = makeCountingCodec();
  await serveDocument(async ({ url }) => {
    assert.is(count(), 1);
    const tags = new Set<unknown>();
    for (let asked = 0; asked < 3; asked += 1) tags.add((await fetch(`${url}/openapi.json`, { method: 'HEAD' })).headers.get('etag'));
    assert.is(count(), 1);
    assert.is(tags.size, 1);
  }, '/openapi.json', (server) => server.registerEndpoint('/ant', { id: codec, get: run }));
});
made('again after a registration, with another ETag', () => serveDocument(async ({ server, url }) => {
  const before = await fetch(`${url}/openapi.json`);
  const { paths } = await before.json() as { paths: object };
  server.registerEndpoint('/bee', { id: stringId, get: run });
  const after = await fetch(`${url}/openapi.json`);
  assert.equal(Object.keys((await after.json() as { paths: object }).paths), [...Object.keys(paths), '/v1/bee/{id}']);
  assert.is.not(after.headers.get('etag'), before.headers.get('etag'));
}));
made('again after a failure, which is a logged 500', () => serveDocument(async ({ server, url, errors }) => {
  server.registerEndpoint('/pet', { id: stringId, custom: { get: { run } } });
  for (const count of [1, 2]) {
    assert.is((await fetch(`${url}/openapi.json`)).status, 500);
    assert.is(errors.length, count);
  }
  assert.match(errors[0]?.message ?? '', /operationId petGet is used by/);
}));
made('when it is first asked for, without a start', async () => {
  const { codec, count } = makeCountingCodec();
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/ant', { id: codec, get: run });
  server.mount('/openapi.json', openApiHandler(server, options));
  assert.is(count(), 0);
  for (let asked = 0; asked < 2; asked += 1) assert.is((await server.fetch('/openapi.json')).status, 200);
  assert.is(count(), 1);
});
const declareBroken = (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: stringId, get: run });
  server.registerEndpoint('/pet', { id: stringId, custom: { get: { run } } });
};
for (const [where, declare] of [
  ['in the server', (server) => {
    declareBroken(server);
    server.mount('/openapi.json', openApiHandler(server, options));
  }],
  ['in a server that is mounted in it', (server, inner) => {
    declareBroken(inner);
    inner.mount('/openapi.json', openApiHandler(inner, options));
    server.mount('/inner', inner.requestListener);
  }],
  ['in the server, of a different one', (server, inner) => {
    declareBroken(inner);
    server.mount('/openapi.json', openApiHandler(inner, options));
  }],
] as readonly (readonly [string, (server: ApiServer, inner: ApiServer) => void])[]) {
  made(`at the start: a broken one that is mounted ${where} -> start fails, and says why`, async () => {
    const errors: Error[] = [];
    const logger = { info: () => {}, error: (error: Error) => errors.push(error) };
    const [server, inner] = [new ApiServer('/v1', { logger }), new ApiServer('/v1', { logger })];
    declare(server, inner);
    const started = await server.start('127.0.0.1:0');
    if (started.ok) await server.stop();
    assert.equal([started.ok, errors.length], [false, 1]);
    assert.match(started.ok ? '' : started.error, /^operationId petGet is used by GET \/v1\/pet\/:id and by POST \/v1\/pet\/get$/);
    assert.is(errors[0]?.message, `the server is not started: ${started.ok ? '' : started.error}`);
  });
}
made('with checked options: an invalid one throws at once', () => {
  for (const wrong of [{ info: { title: 'Zoo' } }, { info: INFO, transform: 1 }]) {
    assert.throws(() => openApiHandler(new ApiServer(''), wrong as never), (thrown: unknown) => thrown instanceof TypeError);
  }
});
