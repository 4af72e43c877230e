/** Preflights of the option `cors`: the methods of a path, and the headers that its operations read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, reply } from '../../src/index.ts';
import { parameterSchema } from '../../src/interceptors/parameter-schema.ts';
import { head, message } from '../support/messages.ts';
import { observing } from '../support/observing.ts';
import { rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { APP, ask, corsHeaders, declare, EXPOSED, FROM_APP, LISTED, OTHER, using } from '../support/cors-server.ts';

const preflights = suite('a preflight of a listed origin');
const READ = 'If-None-Match';
const RANGE = 'Range, If-Range';
for (const [path, methods, headers] of [
  ['/v1/pet', 'GET, HEAD, QUERY, POST, OPTIONS', `Content-Type, ${READ}, ${RANGE}`],
  ['/v1/pet/7', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', `${READ}, ${RANGE}, Content-Type, If-Match`],
  ['/v1/pet/pay', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS', `Content-Type, Idempotency-Key, ${READ}, ${RANGE}, If-Match`],
  ['/v1/pet/7/feed', 'POST, OPTIONS', 'Content-Type, If-Match, If-None-Match'],
  ['/v1/plain', 'POST, OPTIONS', 'Content-Type'],
  ['/v1/plain/bytes', 'GET, HEAD, POST, PUT, OPTIONS', `Content-Type, ${READ}, ${RANGE}, If-Match`],
  ['/v1/action/count', 'POST, OPTIONS', 'Content-Type'],
  ['/v1/told', 'GET, HEAD, OPTIONS', `${READ}, ${RANGE}, Last-Event-ID`],
  ['/v1/session', 'GET, HEAD, OPTIONS', `${READ}, ${RANGE}`],
  ['/v1/cookie', 'GET, HEAD, OPTIONS', `${READ}, ${RANGE}`],
] as const) {
  preflights(`for ${path} -> 204, with the methods of the path and the headers that its operations read`, () => using(LISTED, async ({ port }) => {
    const response = await ask(port, path, 'PUT', APP, ['Access-Control-Request-Headers: x-evil']);
    assert.equal([response.status, response.body, response.headers.get('vary')], [204, '', 'Origin']);
    const { 'allow-headers': allowed = '', ...others } = corsHeaders(response);
    assert.equal(others, { 'allow-origin': APP, 'allow-methods': methods, 'max-age': '600' });
    assert.equal(allowed.split(', ').sort(), ['Authorization', 'X-Key', ...headers.split(', ')].sort());
  }));
}
for (const [path, name] of [['/v1/plain/tenant', 'X-Request-Id'], ['/v1/plain/tenant', 'X-Tenant'], ['/v1/plain/known', 'X-Key']] as const) {
  preflights(`for ${path} names ${name}, which the operation declares`, () => using(LISTED, async ({ port }) => {
    assert.ok(corsHeaders(await ask(port, path, 'POST'))['allow-headers']?.split(', ').includes(name));
  }));
}
preflights('with credentials and maxAgeSeconds has both', () => using({ ...LISTED, credentials: true, maxAgeSeconds: 7, allowHeaders: ['X-Trace', 'content-type'] }, async ({ port }) => {
  assert.equal(corsHeaders(await ask(port, '/v1/plain', 'POST')), {
    'allow-origin': APP, 'allow-credentials': 'true', 'allow-methods': 'POST, OPTIONS', 'allow-headers': 'content-type, Authorization, X-Key, X-Trace', 'max-age': '7',
  });
}));
preflights('for a private network gets no permission for it', () => using(LISTED, async ({ port }) => {
  const response = await ask(port, '/v1/plain', 'POST', APP, ['Access-Control-Request-Private-Network: true', 'Access-Control-Request-Local-Network: true']);
  assert.equal(Object.keys(corsHeaders(response)).sort(), ['allow-headers', 'allow-methods', 'allow-origin', 'max-age']);
}));
preflights('for a mount -> 204, with all methods and the headers that operations read', () => using(LISTED, async ({ port }) => {
  for (const [path, own] of [['/files', undefined], ['/files/a', undefined], ['/mcp', 'Mcp-Protocol-Version']]) {
    const response = await ask(port, String(path), 'PUT');
    const { 'allow-methods': methods, 'allow-headers': allowed = '' } = corsHeaders(response);
    assert.equal([response.status, methods], [204, 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS']);
    for (const name of ['Authorization', 'Content-Type', 'X-Key', ...(own === undefined ? [] : [own])]) assert.ok(allowed.split(', ').includes(name), `${path}: ${name}`);
  }
}));
preflights('for an unknown path -> 404, which the page can read', () => using(LISTED, async ({ port }) => {
  const response = await ask(port, '/v1/nothing', 'GET');
  assert.is(response.status, 404);
  assert.equal(corsHeaders(response), { 'allow-origin': APP, 'expose-headers': EXPOSED });
}));
preflights('comes before limits.inFlight and middleware', () => serving((server) => {
  declare(server);
  server.use((_request, response) => void response.writeHead(429).end());
}, async ({ port }) => {
  assert.is((await ask(port, '/v1/pet', 'POST')).status, 204);
  const rejected = await rawRequest(port, message('GET', '/v1/pet', '', [FROM_APP]));
  assert.equal([rejected.status, corsHeaders(rejected)['allow-origin']], [429, APP]);
}, { cors: LISTED, limits: { inFlight: 1 } }));
preflights('is for the path that middleware has rewritten, if nothing serves its own', () => serving((server) => {
  declare(server);
  server.use((request, _response, next) => {
    request.url = request.url?.replace('/api/', '/v1/');
    next();
  });
}, async ({ port }) => {
  const response = await ask(port, '/api/plain', 'POST');
  assert.equal([response.status, corsHeaders(response)['allow-methods']], [204, 'POST, OPTIONS']);
  assert.is((await ask(port, '/api/nothing', 'POST')).status, 404);
  assert.equal((await ask(port, '/api/plain', 'POST', OTHER)).status, 200);
}, { cors: LISTED }));
preflights('is not one without Access-Control-Request-Method', () => using(LISTED, async ({ port }) => {
  const response = await rawRequest(port, head('OPTIONS', '/v1/plain', [FROM_APP]));
  assert.equal([response.status, response.headers.get('allow'), corsHeaders(response)['allow-methods']], [200, 'POST, POST, POST, POST, POST, POST, POST, POST, POST, POST', undefined]);
}));
preflights('of a different origin gets discovery, and no header', () => using(LISTED, async ({ port }) => {
  const response = await ask(port, '/v1/plain/1', 'PUT', OTHER);
  assert.equal([response.status, response.headers.get('allow'), corsHeaders(response), response.headers.get('vary')], [200, 'GET, PUT', {}, 'Origin']);
}));
preflights('is seen by observers', () => observing(async (observed) => {
  await using(LISTED, async ({ port }) => {
    await ask(port, '/v1/pet/7', 'PUT');
    await ask(port, '/files/a', 'PUT');
  });
  assert.equal(observed.messages.map(({ route }) => route), [{ method: 'OPTIONS', path: '/v1/pet/:id' }, { method: '*', path: '/files' }]);
}));
preflights.run();

const hints = suite('an operation whose headers are not known');
hints('is named in the log at registration, unless allowHeaders has names', () => {
  for (const [allowHeaders, count] of [[[], 2], [['X-Trace'], 0]] as const) {
    const infos: string[] = [];
    const server = new ApiServer('', { cors: { ...LISTED, allowHeaders }, logger: { info: (line) => infos.push(line), error: () => {} } });
    const thrower = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }), jsonSchema: { input: () => { throw new Error('a date'); } } } } as const;
    server.registerEndpoint('/pet', { get: { headers: (given: unknown) => given, run: () => 1 }, custom: { feed: { headers: thrower as never, run: () => 1 } } });
    assert.equal(infos.filter((line) => line.startsWith('registerEndpoint: ')), [
      'registerEndpoint: "/pet": endpoint.get.headers has no JSON Schema, so pages may not send its headers. Name them in cors.allowHeaders',
      'registerEndpoint: "/pet": endpoint.custom.feed.headers has no JSON Schema, so pages may not send its headers. Name them in cors.allowHeaders',
    ].slice(0, count));
  }
});
hints('and its names are those of all parts of its JSON Schema that can be names of headers', () => {
  const cyclic: Record<string, unknown> = { properties: { 'x-five': {} } };
  cyclic['anyOf'] = [cyclic];
  const parts = { allOf: [{ properties: { 'x-one': {}, 'not a name': {} } }, { required: ['x-two'] }], oneOf: [{ anyOf: [{ properties: { 'X-THREE': {} } }, true] }] };
  return serving((server) => {
    server.registerEndpoint('/a', { custom: { run: { headers: parameterSchema<{}>(parts, () => ({ value: {} })), run: () => 1 } } });
    server.registerEndpoint('/b', { custom: { run: { headers: parameterSchema<{}>(cyclic, () => ({ value: {} })), output: { 204: null }, run: () => reply(204) } } });
  }, async ({ port, infos }) => {
    assert.is(corsHeaders(await ask(port, '/v1/a/run', 'POST'))['allow-headers'], 'Content-Type, X-One, X-Two, X-THREE');
    assert.is(corsHeaders(await ask(port, '/v1/b/run', 'POST'))['allow-headers'], 'Content-Type, X-Five');
    assert.equal(infos.filter((line) => line.startsWith('registerEndpoint: ')), []);
  }, { cors: LISTED });
});
hints.run();
