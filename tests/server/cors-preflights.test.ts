/** Preflights of the option `cors`: the methods of a path, and the headers that its operations read. */
import { apiKey, firstOf } from '../../src/auth/index.ts';
import { ApiServer, reply } from '../../src/index.ts';
import { parameterSchema } from '../../src/interceptors/schemas.ts';
import { captureEvents } from '../support/capture-events.ts';
import { APP_ORIGIN, sendPreflight, readCorsHeaders, declareCorsEndpoints, EXPOSED, FROM_APP, LISTED_ORIGINS, OTHER_ORIGIN, serveWithCors } from '../support/cors-server.ts';
import { assert, head, message, send, serve, suite } from '../support/facts.ts';

const preflights = suite('X1 X2: a preflight of a listed origin');
const CONDITIONS = 'If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since';
const RANGE = 'Range, If-Range';
for (const [path, methods, headers] of [
  ['/v1/pet', 'GET, HEAD, POST, OPTIONS', `Content-Type, ${CONDITIONS}, ${RANGE}`],
  ['/v1/pet/7', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', `${CONDITIONS}, ${RANGE}, Content-Type`],
  ['/v1/pet/pay', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS', `Content-Type, Idempotency-Key, ${CONDITIONS}, ${RANGE}`],
  ['/v1/pet/7/feed', 'POST, OPTIONS', `Content-Type, ${CONDITIONS}`],
  ['/v1/plain', 'POST, OPTIONS', 'Content-Type'],
  ['/v1/plain/bytes', 'GET, HEAD, POST, PUT, OPTIONS', `Content-Type, ${CONDITIONS}, ${RANGE}`],
  ['/v1/action/count', 'POST, OPTIONS', 'Content-Type'],
  ['/v1/events', 'GET, HEAD, OPTIONS', `${CONDITIONS}, ${RANGE}, Last-Event-ID`],
  ['/v1/session', 'GET, HEAD, OPTIONS', `${CONDITIONS}, ${RANGE}`],
  ['/v1/cookie', 'GET, HEAD, OPTIONS', `${CONDITIONS}, ${RANGE}`],
] as const) {
  preflights(`for ${path} -> 204, with the methods of the path and the headers that its operations read`, () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
    const response = await sendPreflight(port, path, 'PUT', APP_ORIGIN, ['Access-Control-Request-Headers: x-evil']);
    assert.equal([response.status, response.body, response.headers.get('vary')], [204, '', 'Origin']);
    const { 'allow-headers': allowed = '', ...others } = readCorsHeaders(response);
    assert.equal(others, { 'allow-origin': APP_ORIGIN, 'allow-methods': methods, 'max-age': '600' });
    assert.equal(allowed.split(', ').sort(), ['Authorization', 'X-Key', ...headers.split(', ')].sort());
  }));
}
for (const [path, name] of [['/v1/plain/tenant', 'X-Request-Id'], ['/v1/plain/tenant', 'X-Tenant'], ['/v1/plain/known', 'X-Key']] as const) {
  preflights(`for ${path} names ${name}, which the operation declares`, () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
    assert.ok(readCorsHeaders(await sendPreflight(port, path, 'POST'))['allow-headers']?.split(', ').includes(name));
  }));
}
preflights('with credentials and maxAgeSeconds has both', () => serveWithCors({ ...LISTED_ORIGINS, credentials: true, maxAgeSeconds: 7, allowHeaders: ['X-Trace', 'content-type'] }, async ({ port }) => {
  assert.equal(readCorsHeaders(await sendPreflight(port, '/v1/plain', 'POST')), {
    'allow-origin': APP_ORIGIN, 'allow-credentials': 'true', 'allow-methods': 'POST, OPTIONS', 'allow-headers': 'content-type, Authorization, X-Key, X-Trace', 'max-age': '7',
  });
}));
preflights('names Authorization for a context in which a function of the user may read it', () => serve((server) => {
  server.registerEndpoint('/pet', { context: firstOf(apiKey('X-Key', () => 'ann'), ({ raw }) => raw.headers.authorization), get: () => 1 });
}, async ({ port }) => {
  assert.equal(readCorsHeaders(await sendPreflight(port, '/v1/pet', 'GET'))['allow-headers'], `${CONDITIONS}, ${RANGE}, X-Key, Authorization`);
}, { cors: LISTED_ORIGINS }));
preflights('for a private network gets no permission for it', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  const response = await sendPreflight(port, '/v1/plain', 'POST', APP_ORIGIN, ['Access-Control-Request-Private-Network: true', 'Access-Control-Request-Local-Network: true']);
  assert.equal(Object.keys(readCorsHeaders(response)).sort(), ['allow-headers', 'allow-methods', 'allow-origin', 'max-age']);
}));
preflights('for a mount -> 204, with all methods and the headers that operations read', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  for (const [path, own] of [['/files', undefined], ['/files/a', undefined], ['/mcp', 'Mcp-Protocol-Version']]) {
    const response = await sendPreflight(port, String(path), 'PUT');
    const { 'allow-methods': methods, 'allow-headers': allowed = '' } = readCorsHeaders(response);
    assert.equal([response.status, methods], [204, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS']);
    for (const name of ['Authorization', 'Content-Type', 'X-Key', ...(own === undefined ? [] : [own])]) assert.ok(allowed.split(', ').includes(name), `${path}: ${name}`);
  }
}));
preflights('for an unknown path -> 404, which the page can read', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  const response = await sendPreflight(port, '/v1/nothing', 'GET');
  assert.is(response.status, 404);
  assert.equal(readCorsHeaders(response), { 'allow-origin': APP_ORIGIN, 'expose-headers': EXPOSED });
}));
preflights('comes before limits.inFlight and middleware', () => serve((server) => {
  declareCorsEndpoints(server);
  server.use((_request, response) => void response.writeHead(429).end());
}, async ({ port }) => {
  assert.is((await sendPreflight(port, '/v1/pet', 'POST')).status, 204);
  const rejected = await send(port, message('GET', '/v1/pet', '', [FROM_APP]));
  assert.equal([rejected.status, readCorsHeaders(rejected)['allow-origin']], [429, APP_ORIGIN]);
}, { cors: LISTED_ORIGINS, limits: { inFlight: 1 } }));
preflights('is for the path that middleware has rewritten, if nothing serves its own', () => serve((server) => {
  declareCorsEndpoints(server);
  server.use((request, _response, next) => {
    request.url = request.url?.replace('/api/', '/v1/');
    next();
  });
}, async ({ port }) => {
  const response = await sendPreflight(port, '/api/plain', 'POST');
  assert.equal([response.status, readCorsHeaders(response)['allow-methods']], [204, 'POST, OPTIONS']);
  assert.is((await sendPreflight(port, '/api/nothing', 'POST')).status, 404);
  assert.equal((await sendPreflight(port, '/api/plain', 'POST', OTHER_ORIGIN)).status, 200);
}, { cors: LISTED_ORIGINS }));
preflights('is not one without Access-Control-Request-Method', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  const response = await send(port, head('OPTIONS', '/v1/plain', [FROM_APP]));
  assert.equal([response.status, response.headers.get('allow'), readCorsHeaders(response)['allow-methods']],
    [200, 'POST, POST, POST, POST, POST, POST, POST, POST, POST, POST', undefined]);
}));
preflights('of a different origin gets discovery, and no header', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  const response = await sendPreflight(port, '/v1/plain/1', 'PUT', OTHER_ORIGIN);
  assert.equal([response.status, response.headers.get('allow'), readCorsHeaders(response), response.headers.get('vary')], [200, 'GET, PUT', {}, 'Origin']);
}));
preflights('is seen by observers', () => captureEvents(async (captured) => {
  await serveWithCors(LISTED_ORIGINS, async ({ port }) => {
    await sendPreflight(port, '/v1/pet/7', 'PUT');
    await sendPreflight(port, '/files/a', 'PUT');
  });
  assert.equal(captured.messages.map(({ route }) => route), [{ method: 'OPTIONS', path: '/v1/pet/:id' }, { method: '*', path: '/files' }]);
}));

const hints = suite('X8: an operation whose headers are not known');
hints('is named in the log at registration, unless allowHeaders has names', () => {
  for (const [allowHeaders, count] of [[[], 2], [['X-Trace'], 0]] as const) {
    const infos: string[] = [];
    const server = new ApiServer('', { cors: { ...LISTED_ORIGINS, allowHeaders }, logger: { info: (line) => infos.push(line), error: () => {} } });
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
  return serve((server) => {
    server.registerEndpoint('/a', { custom: { run: { headers: parameterSchema<{}>(parts, () => ({ value: {} })), run: () => 1 } } });
    server.registerEndpoint('/b', { custom: { run: { headers: parameterSchema<{}>(cyclic, () => ({ value: {} })), output: { 204: null }, run: () => reply(204) } } });
  }, async ({ port, infos }) => {
    assert.is(readCorsHeaders(await sendPreflight(port, '/v1/a/run', 'POST'))['allow-headers'], 'Content-Type, X-One, X-Two, X-THREE');
    assert.is(readCorsHeaders(await sendPreflight(port, '/v1/b/run', 'POST'))['allow-headers'], 'Content-Type, X-Five');
    assert.equal(infos.filter((line) => line.startsWith('registerEndpoint: ')), []);
  }, { cors: LISTED_ORIGINS });
});
