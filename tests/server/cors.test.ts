/** The option `cors` on the wire: preflights, and the headers of every other response. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apiKey, basic, bearer } from '../../src/auth/index.ts';
import { events, ndjson, ranges } from '../../src/formats/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, bytes, type CorsOptions, defineFormat, integerId, reply } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { parameterSchema } from '../../src/interceptors/parameter-schema.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApiHandler } from '../../src/openapi/index.ts';
import { Gate, until } from '../support/gate.ts';
import { hosting } from '../support/hosting.ts';
import { head, message } from '../support/messages.ts';
import { observing } from '../support/observing.ts';
import { rawRequest, type RawResponse } from '../support/raw-client.ts';
import { serving, type Served } from '../support/serving.ts';

const APP = 'https://app.example';
const OTHER = 'https://other.example';
const FROM_APP = `Origin: ${APP}`;
const LISTED: CorsOptions = { origins: [APP, 'https://second.example'] };
const info = { title: 'Pets', name: 'pets', version: '1' };
const any = (json: unknown): unknown => json;
const REQUEST_ID = { type: 'object', properties: { 'x-request-id': { type: 'string' } }, required: ['x-tenant'] };
const EXPOSED = 'Location, ETag, Link, Retry-After, Idempotent-Replayed, RateLimit, RateLimit-Policy, WWW-Authenticate, Allow, Accept-Ranges, Content-Range, Deprecation, X-Rows';

function declare(server: ApiServer): void {
  server.registerEndpoint('/pet', {
    id: integerId, schema: any, version: () => 'v1', context: bearer((token) => token === 'secret' || undefined),
    create: () => 7, list: () => [], get: (id) => (id === 7 ? { id } : null), update: () => true, delete: { deprecated: { since: '2026-01-01' }, run: () => true },
    patch: { input: any, run: () => true }, search: { input: any, run: () => [] },
    custom: {
      fail: { run: () => { throw new Error('disk'); } },
      pay: { use: idempotent(memoryIdempotencyStore(), { caller: () => 'ann' }), input: any, run: () => ({ paid: true }) },
    },
    itemCustom: { feed: { input: any, run: () => null } },
  });
  server.registerEndpoint('/plain', {
    id: integerId, schema: any, create: () => 1, get: () => ({}), update: () => true,
    custom: {
      count: { run: () => 7 },
      reject: { run: () => { throw ApiError.status(409, 'no'); } },
      stream: { run: () => reply(200, Readable.from(['a', 'b'])) },
      own: { run: () => reply(200, 1, { Vary: 'Accept', 'Access-Control-Allow-Origin': 'https://own.example' }) },
      lines: { output: ndjson(any), run: () => [1, 2] },
      moved: { run: () => reply(303, undefined, { Location: '/v1/plain/1' }) },
      tenant: { headers: parameterSchema<{}>(REQUEST_ID, () => ({ value: {} })), run: () => 1 },
      known: { context: apiKey('X-Key', () => 'ann'), run: () => 1 },
      bytes: { input: bytes(), run: () => 1 },
    },
  });
  server.registerEndpoint('/action', { custom: { count: () => 7 } });
  server.registerEndpoint('/told', { get: { output: events(any), run: () => [{ data: 1 }] } });
  server.registerEndpoint('/film', { get: () => reply(200, ranges({ size: 3, read: (from, to) => Buffer.from('abc').subarray(from, to + 1) }), { 'Content-Type': 'video/mp4' }) });
  server.registerEndpoint('/session', { context: basic(() => 'ann'), get: () => 1 });
  server.registerEndpoint('/cookie', { context: ({ raw }) => raw.headers.cookie, get: () => 1 });
  server.registerEndpoint('/format', { get: { output: defineFormat({ types: ['text/csv'], encode: String, headers: { 'X-Rows': '7', 'Cache-Control': 'no-cache' } }), run: () => 'a' } });
  server.mount('/files', (_request, response) => void response.end('file'));
  server.mount('/thrown', (_request, response) => {
    response.setHeader('X-Mine', '1');
    throw new Error('mount');
  });
  server.mount('/next', (_request, _response, next) => next());
  server.mount('/own', (_request, response) => void response.end('own'), { cors: false });
  server.mount('/openapi.json', openApiHandler(server, { info }));
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
}

/** The headers of CORS in a response, by their names without `access-control-`. */
function corsHeaders({ headers }: RawResponse): Record<string, string> {
  const own = [...headers].filter(([name]) => name.startsWith('access-control-')).map(([name, value]) => [name.slice('access-control-'.length), value]);
  return Object.fromEntries(own) as Record<string, string>;
}

function linesOf({ head: text }: RawResponse, name: string): string[] {
  return text.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
}

function ask(port: number, path: string, method: string, origin = APP, headers: readonly string[] = []): Promise<RawResponse> {
  return rawRequest(port, head('OPTIONS', path, [`Origin: ${origin}`, `Access-Control-Request-Method: ${method}`, ...headers]));
}

const using = (cors: CorsOptions, use: (served: Served) => Promise<void>, options: ApiServerOptions = {}): Promise<void> => serving(declare, use, { cors, ...options });

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

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const TOKEN = 'Authorization: Bearer secret';
const responses = suite('the headers of CORS are on');
for (const [what, bytesOf, status, logged] of [
  ['an item', (from) => message('GET', '/v1/pet/7', '', [TOKEN, ...from]), 200, 0],
  ['the head of an item', (from) => message('HEAD', '/v1/pet/7', '', [TOKEN, ...from]), 200, 0],
  ['a new id', (from) => message('POST', '/v1/pet', '{}', [TOKEN, ...from]), 201, 0],
  ['a response without a body', (from) => message('PUT', '/v1/pet/7', '{}', [TOKEN, ...from]), 204, 0],
  ['an item that has not changed', (from) => message('GET', '/v1/pet/7', '', [TOKEN, 'If-None-Match: "v1"', ...from]), 304, 0],
  ['a redirection', (from) => message('POST', '/v1/plain/moved', '', [TOKEN, ...from]), 303, 0],
  ['a stream', (from) => message('POST', '/v1/plain/stream', '', [TOKEN, ...from]), 200, 0],
  ['NDJSON', (from) => message('POST', '/v1/plain/lines', '', [TOKEN, ...from]), 200, 0],
  ['events', (from) => message('GET', '/v1/told', '', from), 200, 0],
  ['a part of a film', (from) => message('GET', '/v1/film', '', ['Range: bytes=0-1', ...from]), 206, 0],
  ['a part after the end', (from) => message('GET', '/v1/film', '', ['Range: bytes=9-', ...from]), 416, 0],
  ['discovery', (from) => message('OPTIONS', '/v1/pet', '', from), 200, 0],
  ['a malformed id', (from) => message('GET', '/v1/pet/x', '', from), 400, 0],
  ['malformed JSON', (from) => message('POST', '/v1/pet', '{', [TOKEN, ...from]), 400, 0],
  ['a caller who is not known', (from) => message('GET', '/v1/pet/7', '', from), 401, 0],
  ['a missing item', (from) => message('GET', '/v1/pet/8', '', [TOKEN, ...from]), 404, 0],
  ['an unknown path', (from) => message('GET', '/nowhere', '', from), 404, 0],
  ['a method that the path lacks', (from) => message('PATCH', '/v1/pet', '', from), 405, 0],
  ['an error of an operation', (from) => message('POST', '/v1/plain/reject', '', [TOKEN, ...from]), 409, 1],
  ['a condition that is not met', (from) => message('PUT', '/v1/pet/7', '{}', [TOKEN, 'If-Match: "v0"', ...from]), 412, 0],
  ['a body that is too long', (from) => head('POST', '/v1/pet', [TOKEN, 'Content-Length: 9999999', ...from]), 413, 0],
  ['a type that is not accepted', (from) => message('POST', '/v1/plain', '{}', ['Content-Type: image/png', ...from]), 415, 0],
  ['an expectation that cannot be met', (from) => message('GET', '/v1/pet', '', ['Expect: a miracle', ...from]), 417, 0],
  ['a failure', (from) => message('POST', '/v1/pet/fail', '', [TOKEN, ...from]), 500, 1],
  ['a method that is not served', (from) => head('LINK', '/v1/pet', from), 501, 0],
  ['a different host', (from) => `GET /v1/pet HTTP/1.1\r\nHost: other\r\n${from.map((line) => `${line}\r\n`).join('')}\r\n`, 421, 0],
  ['a target that is not valid', (from) => message('GET', '/v1/pet#1', '', from), 400, 0],
  ['a mount', (from) => message('GET', '/files', '', from), 200, 0],
  ['a mount that fails', (from) => message('GET', '/thrown', '', from), 500, 1],
  ['a mount that passes the request on', (from) => message('GET', '/next', '', from), 404, 0],
  ['the document', (from) => message('GET', '/openapi.json', '', from), 200, 0],
  ['a message of MCP', (from) => message('POST', '/mcp', PING, ['Content-Type: application/json', ...from]), 200, 0],
] as readonly (readonly [string, (from: readonly string[]) => string, number, number])[]) {
  responses(`${what}: ${status}, to a listed origin`, () => using({ ...LISTED, credentials: true }, async ({ port, errors }) => {
    const response = await rawRequest(port, bytesOf([FROM_APP]));
    assert.equal([response.status, errors.length, linesOf(response, 'vary')], [status, logged, ['Origin']]);
    assert.equal(corsHeaders(response), { 'allow-origin': APP, 'allow-credentials': 'true', 'expose-headers': EXPOSED });
  }, { allowedHosts: ['a'] }));
  if (what === 'a message of MCP') continue;
  responses(`${what}: no header but Vary, to a different origin and without one`, () => using(LISTED, async ({ port, errors }) => {
    for (const from of [[`Origin: ${OTHER}`], []]) {
      const response = await rawRequest(port, bytesOf(from));
      assert.equal([response.headers.get('vary'), corsHeaders(response)], ['Origin', {}]);
    }
    assert.ok(errors.length <= 2);
  }, { allowedHosts: ['a'] }));
  responses(`${what}: to any page, without Vary and credentials`, () => using({ origins: '*' }, async ({ port, errors }) => {
    for (const from of [[`Origin: ${OTHER}`], ['Origin: null'], []]) {
      const response = await rawRequest(port, bytesOf(from));
      assert.equal([response.headers.get('vary'), corsHeaders(response)], [undefined, { 'allow-origin': '*', 'expose-headers': EXPOSED }]);
    }
    assert.ok(errors.length <= 3);
  }, { allowedHosts: ['a'] }));
}
responses('a response without the option: none', () => serving(declare, async ({ port }) => {
  const response = await rawRequest(port, message('GET', '/v1/told', '', [FROM_APP]));
  assert.equal([response.status, corsHeaders(response), response.headers.get('vary')], [200, {}, undefined]);
}));
responses('a reply with headers of its own, which win, and add up for Vary', () => using(LISTED, async ({ port }) => {
  const response = await rawRequest(port, message('POST', '/v1/plain/own', '', [FROM_APP]));
  assert.equal([corsHeaders(response)['allow-origin'], linesOf(response, 'vary')], ['https://own.example', ['Origin', 'Accept']]);
}));
responses('a 503 of limits.inFlight', async () => {
  const gate = new Gate();
  let begun = 0;
  await serving((server) => {
    server.registerEndpoint('/slow', { get: () => {
      begun += 1;
      return gate.passed.then(() => 1);
    } });
  }, async ({ port }) => {
    const slow = rawRequest(port, message('GET', '/v1/slow'));
    await until(() => begun === 1, 'the first request');
    const response = await rawRequest(port, message('GET', '/v1/slow', '', [FROM_APP]));
    assert.equal([response.status, corsHeaders(response)['allow-origin']], [503, APP]);
    assert.is((await ask(port, '/v1/slow', 'GET')).status, 204);
    gate.open();
    assert.is((await slow).status, 200);
  }, { cors: LISTED, limits: { inFlight: 1 } });
});
responses('a response of server.fetch', () => using(LISTED, async ({ server }) => {
  assert.is((await server.fetch('/v1/told', { headers: { Origin: APP } })).headers.get('access-control-allow-origin'), APP);
}));
responses('what headers operations declare, at any time: exposeHeaders and those of later registrations', () => using({ ...LISTED, exposeHeaders: ['X-Total', 'etag', 'Last-Modified'] }, async ({ port, server }) => {
  const expose = async (): Promise<string | undefined> => corsHeaders(await rawRequest(port, message('GET', '/files', '', [FROM_APP])))['expose-headers'];
  assert.is(await expose(), EXPOSED.replace(', Deprecation', ', X-Total, Deprecation'));
  server.registerEndpoint('/late', { get: { deprecated: { since: '2026-01-01', sunset: '2027-01-01' }, run: () => 1 } });
  assert.match(await expose() ?? '', /X-Rows, Sunset$/);
}));
responses('what an app has set: its Vary is kept', async () => {
  const inner = new ApiServer('/v1', { cors: LISTED, logger: { info: () => {}, error: () => {} } });
  inner.registerEndpoint('/told', { get: () => 1 });
  for (const [before, expected] of [
    ['Accept-Encoding', ['Accept-Encoding', 'Origin']], [['A', 'B'], ['A', 'B', 'Origin']], ['Accept, origin', ['Accept, origin']], ['*', ['*']], ['X-Origin', ['X-Origin', 'Origin']],
  ] as const) {
    await hosting((request, response) => {
      response.setHeader('Vary', before as string);
      inner.requestListener(request, response);
    }, async (port) => {
      const response = await rawRequest(port, message('GET', '/v1/told', '', [FROM_APP]));
      assert.equal([corsHeaders(response)['allow-origin'], linesOf(response, 'vary')], [APP, [...expected]]);
    });
  }
});
for (const [what, set, expected] of [
  ['setHeader', (response) => response.setHeader('Vary', 'Accept-Encoding'), ['Accept-Encoding', 'Origin']],
  ['setHeader with a list', (response) => response.setHeader('VARY', ['A', 'B']), ['A', 'B', 'Origin']],
  ['setHeader with a list that has it', (response) => response.setHeader('vary', ['A', 'origin']), ['A', 'origin']],
  ['setHeader with all', (response) => response.setHeader('Vary', '*'), ['*']],
  ['setHeaders', (response) => response.setHeaders(new Map([['Vary', 'A']])), ['A', 'Origin']],
  ['appendHeader', (response) => response.appendHeader('Vary', 'A'), ['A', 'Origin']],
  ['removeHeader', (response) => response.removeHeader('vary'), ['Origin']],
  ['writeHead with an object', (response) => response.writeHead(200, { vary: 'A' }), ['A', 'Origin']],
  ['writeHead with a list', (response) => response.writeHead(200, 'OK', ['Vary', 'A', 'X-B', 'c']), ['A', 'Origin']],
] as const satisfies readonly (readonly [string, (response: ServerResponse) => unknown, readonly string[]])[]) {
  for (const by of ['a mount', 'middleware'] as const) {
    responses(`${what}: what ${by} sets keeps Vary: Origin, and loses it only with '*' or an own CORS`, async () => {
      const declareSetting = (server: ApiServer): void => {
        const listener = (_request: unknown, response: ServerResponse): void => void (set(response), response.end('x'));
        server.mount('/free', listener, { cors: false });
        if (by === 'a mount') server.mount('/vary', listener);
        else server.use((request, response, next) => (request.url === '/vary' ? listener(request, response) : next()));
      };
      const vary = async ({ port }: Served, path: string): Promise<string[]> => linesOf(await rawRequest(port, message('GET', path, '', [FROM_APP])), 'vary').sort();
      await serving(declareSetting, async (served) => assert.equal(await vary(served, '/vary'), [...expected]), { cors: LISTED });
      const own = expected.filter((line) => line !== 'Origin');
      await serving(declareSetting, async (served) => assert.equal(await vary(served, '/vary'), own), { cors: { origins: '*' } });
      await serving(declareSetting, async (served) => assert.equal(await vary(served, '/free'), own), { cors: LISTED });
    });
  }
}
responses('a header that is not valid is rejected as before, and the response keeps Vary', () => serving((server) => {
  server.mount('/vary', (_request, response) => void response.setHeader('Vary', undefined as never));
}, async ({ port, errors }) => {
  const response = await rawRequest(port, message('GET', '/vary', '', [FROM_APP]));
  assert.equal([response.status, linesOf(response, 'vary'), errors.length], [500, ['Origin'], 1]);
}, { cors: LISTED }));
responses.run();

const origins = suite('the origin of a request');
for (const [listed, origin, isListed] of [
  [[APP], APP, true],
  [[APP], 'https://APP.example', false],
  [[APP], `${APP}/`, false],
  [[APP], `${APP}:443`, false],
  [[APP], `${APP}.`, false],
  [[APP], 'https://ann@app.example', false],
  [[APP], `${APP}, ${APP}`, false],
  [['https://xn--bcher-kva.example'], 'https://b\u00fccher.example', false],
  [(): boolean => true, 'https://ann@app.example', false],
  [[APP], `${APP}.evil.example`, false],
  [[APP], 'http://app.example', false],
  [[APP], 'null', false],
  [[APP], '', false],
  [[APP, 'null'], 'null', true],
  [['null'], 'NULL', false],
  [(origin: string): boolean => origin.endsWith('.app.example'), 'https://ann.app.example', true],
  [(origin: string): boolean => origin.endsWith('.app.example'), 'https://ann.app.example.evil.example', false],
  [(): boolean => true, 'null', false],
  [(): boolean => true, 'https://app.example, https://evil.example', false],
  [(): boolean => true, 'javascript:alert(1)', false],
  [(): boolean => true, 'https://a\u00e4.example', false],
  [(): boolean => true, `https://${'a'.repeat(5000)}.example`, false],
] as const) {
  origins(`${origin.slice(0, 60)} is ${isListed ? 'listed' : 'not listed'} by ${String(listed)}`, () => using({ origins: listed }, async ({ port }) => {
    const response = await rawRequest(port, Buffer.from(message('GET', '/v1/told', '', [`Origin: ${origin}`]), 'latin1'));
    assert.equal(corsHeaders(response)['allow-origin'], isListed ? origin : undefined);
    assert.equal(linesOf(response, 'vary'), ['Origin']);
  }));
}
origins('that comes twice is not listed', () => using(LISTED, async ({ port }) => {
  assert.equal(corsHeaders(await rawRequest(port, message('GET', '/v1/told', '', [FROM_APP, FROM_APP]))), {});
}));
for (const [why, origin, logged] of [
  ['throws', () => { throw new Error('no list'); }, 'cors.origins: no list'],
  ['returns a promise', () => Promise.reject(new Error('late')), 'cors.origins: cors.origins must return true or false: it returned a promise, which is not awaited'],
  ['returns the origin', (from: string) => from, 'cors.origins: cors.origins must return true or false: it returned string'],
] as const) {
  origins(`is not listed by a function that ${why}, and that is logged`, () => using({ origins: origin as never }, async ({ port, errors }) => {
    const response = await rawRequest(port, message('GET', '/v1/told', '', [FROM_APP]));
    assert.equal([response.status, corsHeaders(response), errors.map((error) => error.message)], [200, {}, [logged]]);
  }));
}
origins.run();

const mounts = suite('a mount that opts out of CORS');
mounts('gets its preflights and has no header', () => using(LISTED, async ({ port }) => {
  for (const [method, headers] of [['GET', []], ['OPTIONS', ['Access-Control-Request-Method: PUT']]] as const) {
    const response = await rawRequest(port, message(method, '/own/a', '', [FROM_APP, ...headers]));
    assert.equal([response.status, response.body, corsHeaders(response), response.headers.get('vary')], [200, 'own', {}, undefined]);
  }
}));
mounts('gets them after middleware has rewritten the path, too', () => serving((server) => {
  declare(server);
  server.use((request, _response, next) => {
    request.url = '/own/a';
    next();
  });
}, async ({ port }) => {
  assert.is((await ask(port, '/nothing', 'PUT')).body, 'own');
}, { cors: LISTED }));
mounts.run();

const simple = suite('a POST without a preflight');
for (const [why, cors, origin, status] of [
  ['of a listed origin', LISTED, APP, 200],
  ['of an origin that a function lists', { origins: (from) => from === APP }, APP, 200],
  ['of a different origin', LISTED, OTHER, 415],
  ['of any origin, where all may call the server', { origins: '*' }, APP, 415],
  ['of a page without an origin', LISTED, 'null', 415],
] as readonly (readonly [string, CorsOptions, string, number])[]) {
  simple(`${why} -> ${status}`, () => using(cors, async ({ port }) => {
    const from = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site'];
    assert.is((await rawRequest(port, message('POST', '/v1/plain/count', '', from))).status, status);
    assert.is((await rawRequest(port, message('POST', '/v1/plain', '{}', from))).status, status === 200 ? 201 : status);
  }));
}
for (const [why, cors, origin, status] of [
  ['of a listed origin', LISTED, APP, 200],
  ['of a different origin', LISTED, OTHER, 403],
  ['of any origin, where all may call the server', { origins: '*' }, APP, 403],
] as readonly (readonly [string, CorsOptions, string, number])[]) {
  simple(`to /mcp ${why} -> ${status}`, () => using(cors, async ({ port }) => {
    const response = await rawRequest(port, message('POST', '/mcp', PING, ['Content-Type: application/json', `Origin: ${origin}`]));
    assert.equal([response.status, corsHeaders(response)['allow-origin']], [status, origin === OTHER ? undefined : cors.origins === '*' ? '*' : APP]);
  }));
}
simple.run();

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
