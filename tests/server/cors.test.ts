/** The headers of the option `cors` in every response that is not a preflight, and the origins that get them. */
import type { ServerResponse } from 'node:http';
import { ApiServer, type CorsOptions } from '../../src/index.ts';
import { rateLimit } from '../../src/interceptors/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { APP_ORIGIN, sendPreflight, readCorsHeaders, declareCorsEndpoints, EXPOSED, FROM_APP, findHeaders, LISTED_ORIGINS, OTHER_ORIGIN, serveWithCors } from '../support/cors-server.ts';
import { assert, Gate, head, message, send, serve, suite, type TestServer, waitUntil } from '../support/facts.ts';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const TOKEN = 'Authorization: Bearer secret';
const responses = suite('X3 X4: the headers of CORS are on');
for (const [what, bytesOf, status, logged] of [
  ['an item', (from) => message('GET', '/v1/pet/7', '', [TOKEN, ...from]), 200, 0],
  ['the head of an item', (from) => message('HEAD', '/v1/pet/7', '', [TOKEN, ...from]), 200, 0],
  ['a new id', (from) => message('POST', '/v1/pet', '{}', [TOKEN, ...from]), 201, 0],
  ['a response without a body', (from) => message('PUT', '/v1/pet/7', '{}', [TOKEN, ...from]), 204, 0],
  ['an item that has not changed', (from) => message('GET', '/v1/pet/7', '', [TOKEN, 'If-None-Match: "v1"', ...from]), 304, 0],
  ['a redirection', (from) => message('POST', '/v1/plain/moved', '', [TOKEN, ...from]), 303, 0],
  ['a stream', (from) => message('POST', '/v1/plain/stream', '', [TOKEN, ...from]), 200, 0],
  ['NDJSON', (from) => message('POST', '/v1/plain/lines', '', [TOKEN, ...from]), 200, 0],
  ['events', (from) => message('GET', '/v1/events', '', from), 200, 0],
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
  ['a different host', (from) => `GET /v1/pet HTTP/1.1\r\nHost: other\r\n${from.map((line) => `${line}\r\n`).join('')}\r\n`, 421, 1],
  ['a target that is not valid', (from) => message('GET', '/v1/pet#1', '', from), 400, 0],
  ['a mount', (from) => message('GET', '/files', '', from), 200, 0],
  ['a mount that fails', (from) => message('GET', '/thrown', '', from), 500, 1],
  ['a mount that passes the request on', (from) => message('GET', '/next', '', from), 404, 0],
  ['the document', (from) => message('GET', '/openapi.json', '', from), 200, 0],
  ['a message of MCP', (from) => message('POST', '/mcp', PING, ['Content-Type: application/json', ...from]), 200, 0],
] as readonly (readonly [string, (from: readonly string[]) => string, number, number])[]) {
  responses(`${what}: ${status}, to a listed origin`, () => serveWithCors({ ...LISTED_ORIGINS, credentials: true }, async ({ port, errors }) => {
    const response = await send(port, bytesOf([FROM_APP]));
    assert.equal([response.status, errors.length, findHeaders(response, 'vary')], [status, logged, ['Origin']]);
    assert.equal(readCorsHeaders(response), { 'allow-origin': APP_ORIGIN, 'allow-credentials': 'true', 'expose-headers': EXPOSED });
  }, { allowedHosts: ['a'] }));
  if (what === 'a message of MCP') continue;
  responses(`${what}: no header but Vary, to a different origin and without one`, () => serveWithCors(LISTED_ORIGINS, async ({ port, errors }) => {
    for (const from of [[`Origin: ${OTHER_ORIGIN}`], []]) {
      const response = await send(port, bytesOf(from));
      assert.equal([response.headers.get('vary'), readCorsHeaders(response)], ['Origin', {}]);
    }
    assert.ok(errors.length <= 2);
  }, { allowedHosts: ['a'] }));
  responses(`${what}: to any page, without Vary and credentials`, () => serveWithCors({ origins: '*' }, async ({ port, errors }) => {
    for (const from of [[`Origin: ${OTHER_ORIGIN}`], ['Origin: null'], []]) {
      const response = await send(port, bytesOf(from));
      assert.equal([response.headers.get('vary'), readCorsHeaders(response)], [undefined, { 'allow-origin': '*', 'expose-headers': EXPOSED }]);
    }
    assert.ok(errors.length <= 3);
  }, { allowedHosts: ['a'] }));
}
responses('a response without the option: none', () => serve(declareCorsEndpoints, async ({ port }) => {
  const response = await send(port, message('GET', '/v1/events', '', [FROM_APP]));
  assert.equal([response.status, readCorsHeaders(response), response.headers.get('vary')], [200, {}, undefined]);
}));
responses('a reply with headers of its own, which win, and add up for Vary', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  const response = await send(port, message('POST', '/v1/plain/own', '', [FROM_APP]));
  assert.equal([readCorsHeaders(response)['allow-origin'], findHeaders(response, 'vary')], ['https://own.example', ['Origin', 'Accept']]);
}));
responses('a 503 of limits.inFlight', async () => {
  const gate = new Gate();
  let begun = 0;
  await serve((server) => {
    server.registerEndpoint('/slow', { get: () => {
      begun += 1;
      return gate.passed.then(() => 1);
    } });
  }, async ({ port }) => {
    const slow = send(port, message('GET', '/v1/slow'));
    await waitUntil(() => begun === 1, 'the first request');
    const response = await send(port, message('GET', '/v1/slow', '', [FROM_APP]));
    assert.equal([response.status, readCorsHeaders(response)['allow-origin']], [503, APP_ORIGIN]);
    assert.is((await sendPreflight(port, '/v1/slow', 'GET')).status, 204);
    gate.open();
    assert.is((await slow).status, 200);
  }, { cors: LISTED_ORIGINS, limits: { inFlight: 1 } });
});
responses('a response of server.fetch', () => serveWithCors(LISTED_ORIGINS, async ({ server }) => {
  assert.is((await server.fetch('/v1/events', { headers: { Origin: APP_ORIGIN } })).headers.get('access-control-allow-origin'), APP_ORIGIN);
}));
responses('what headers operations declare, at any time: exposeHeaders and those of later registrations', () => serveWithCors({ ...LISTED_ORIGINS, exposeHeaders: ['X-Total', 'etag', 'Last-Modified'] }, async ({ port, server }) => {
  const expose = async (): Promise<string | undefined> => readCorsHeaders(await send(port, message('GET', '/files', '', [FROM_APP])))['expose-headers'];
  assert.is(await expose(), EXPOSED.replace(', Idempotent-Replayed', ', X-Total, Idempotent-Replayed'));
  server.registerEndpoint('/limited', { use: [rateLimit({ limit: 1, windowSeconds: 1 })], get: () => 1 });
  assert.match(await expose() ?? '', /X-Rows, RateLimit-Policy, RateLimit$/);
}));
responses('what an app has set: its Vary is kept', async () => {
  const inner = new ApiServer('/v1', { cors: LISTED_ORIGINS, logger: { info: () => {}, error: () => {} } });
  inner.registerEndpoint('/events', { get: () => 1 });
  for (const [before, expected] of [
    ['Accept-Encoding', ['Accept-Encoding', 'Origin']], [['A', 'B'], ['A', 'B', 'Origin']],
    ['Accept, origin', ['Accept, origin']], ['*', ['*']], ['X-Origin', ['X-Origin', 'Origin']],
  ] as const) {
    await serveListener((request, response) => {
      response.setHeader('Vary', before as string);
      inner.requestListener(request, response);
    }, async (port) => {
      const response = await send(port, message('GET', '/v1/events', '', [FROM_APP]));
      assert.equal([readCorsHeaders(response)['allow-origin'], findHeaders(response, 'vary')], [APP_ORIGIN, [...expected]]);
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
      const vary = async ({ port }: TestServer, path: string): Promise<string[]> => findHeaders(await send(port, message('GET', path, '', [FROM_APP])), 'vary').sort();
      await serve(declareSetting, async (served) => assert.equal(await vary(served, '/vary'), [...expected]), { cors: LISTED_ORIGINS });
      const own = expected.filter((line) => line !== 'Origin');
      await serve(declareSetting, async (served) => assert.equal(await vary(served, '/vary'), own), { cors: { origins: '*' } });
      await serve(declareSetting, async (served) => assert.equal(await vary(served, '/free'), own), { cors: LISTED_ORIGINS });
    });
  }
}
responses('a header that is not valid is rejected as before, and the response keeps Vary', () => serve((server) => {
  server.mount('/vary', (_request, response) => void response.setHeader('Vary', undefined as never));
}, async ({ port, errors }) => {
  const response = await send(port, message('GET', '/vary', '', [FROM_APP]));
  assert.equal([response.status, findHeaders(response, 'vary'), errors.length], [500, ['Origin'], 1]);
}, { cors: LISTED_ORIGINS }));

const origins = suite('X5: the origin of a request');
for (const [listed, origin, isListed] of [
  [[APP_ORIGIN], APP_ORIGIN, true],
  [[APP_ORIGIN], 'https://APP.example', false],
  [[APP_ORIGIN], `${APP_ORIGIN}/`, false],
  [[APP_ORIGIN], `${APP_ORIGIN}:443`, false],
  [[APP_ORIGIN], `${APP_ORIGIN}.`, false],
  [[APP_ORIGIN], 'https://ann@app.example', false],
  [[APP_ORIGIN], `${APP_ORIGIN}, ${APP_ORIGIN}`, false],
  [['https://xn--bcher-kva.example'], 'https://b\u00fccher.example', false],
  [(): boolean => true, 'https://ann@app.example', false],
  [[APP_ORIGIN], `${APP_ORIGIN}.evil.example`, false],
  [[APP_ORIGIN], 'http://app.example', false],
  [[APP_ORIGIN], 'null', false],
  [[APP_ORIGIN], '', false],
  [[APP_ORIGIN, 'null'], 'null', true],
  [['null'], 'NULL', false],
  [(origin: string): boolean => origin.endsWith('.app.example'), 'https://ann.app.example', true],
  [(origin: string): boolean => origin.endsWith('.app.example'), 'https://ann.app.example.evil.example', false],
  [(): boolean => true, 'null', false],
  [(): boolean => true, 'https://app.example, https://evil.example', false],
  [(): boolean => true, 'javascript:alert(1)', false],
  [(): boolean => true, 'https://a\u00e4.example', false],
  [(): boolean => true, `https://${'a'.repeat(5000)}.example`, false],
] as const) {
  origins(`${origin.slice(0, 60)} is ${isListed ? 'listed' : 'not listed'} by ${String(listed)}`, () => serveWithCors({ origins: listed }, async ({ port }) => {
    const response = await send(port, Buffer.from(message('GET', '/v1/events', '', [`Origin: ${origin}`]), 'latin1'));
    assert.equal(readCorsHeaders(response)['allow-origin'], isListed ? origin : undefined);
    assert.equal(findHeaders(response, 'vary'), ['Origin']);
  }));
}
origins('that comes twice is not listed', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  assert.equal(readCorsHeaders(await send(port, message('GET', '/v1/events', '', [FROM_APP, FROM_APP]))), {});
}));
for (const [why, origin, logged] of [
  ['throws', () => { throw new Error('no list'); }, 'cors.origins: no list'],
  ['returns a promise', () => Promise.reject(new Error('late')),
    'cors.origins: cors.origins must return true or false: it returned a promise, which is not awaited'],
  ['returns the origin', (from: string) => from, 'cors.origins: cors.origins must return true or false: it returned string'],
] as const) {
  origins(`is not listed by a function that ${why}, and that is logged`, () => serveWithCors({ origins: origin as never }, async ({ port, errors }) => {
    const response = await send(port, message('GET', '/v1/events', '', [FROM_APP]));
    assert.equal([response.status, readCorsHeaders(response), errors.map((error) => error.message)], [200, {}, [logged]]);
  }));
}

const mounts = suite('X6: a mount that opts out of CORS');
mounts('gets its preflights and has no header', () => serveWithCors(LISTED_ORIGINS, async ({ port }) => {
  for (const [method, headers] of [['GET', []], ['OPTIONS', ['Access-Control-Request-Method: PUT']]] as const) {
    const response = await send(port, message(method, '/own/a', '', [FROM_APP, ...headers]));
    assert.equal([response.status, response.body, readCorsHeaders(response), response.headers.get('vary')], [200, 'own', {}, undefined]);
  }
}));
mounts('gets them after middleware has rewritten the path, too', () => serve((server) => {
  declareCorsEndpoints(server);
  server.use((request, _response, next) => {
    request.url = '/own/a';
    next();
  });
}, async ({ port }) => assert.is((await sendPreflight(port, '/nothing', 'PUT')).body, 'own'), { cors: LISTED_ORIGINS }));

const simple = suite('X7: a POST without a preflight');
for (const [why, cors, origin, status] of [
  ['of a listed origin', LISTED_ORIGINS, APP_ORIGIN, 200],
  ['of an origin that a function lists', { origins: (from) => from === APP_ORIGIN }, APP_ORIGIN, 200],
  ['of a different origin', LISTED_ORIGINS, OTHER_ORIGIN, 415],
  ['of any origin, where all may call the server', { origins: '*' }, APP_ORIGIN, 415],
  ['of a page without an origin', LISTED_ORIGINS, 'null', 415],
] as readonly (readonly [string, CorsOptions, string, number])[]) {
  simple(`${why} -> ${status}`, () => serveWithCors(cors, async ({ port }) => {
    const from = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site'];
    assert.is((await send(port, message('POST', '/v1/plain/count', '', from))).status, status);
    assert.is((await send(port, message('POST', '/v1/plain', '{}', from))).status, status === 200 ? 201 : status);
  }));
}
for (const [why, cors, origin, status] of [
  ['of a listed origin', LISTED_ORIGINS, APP_ORIGIN, 200],
  ['of a different origin', LISTED_ORIGINS, OTHER_ORIGIN, 403],
  ['of any origin, where all may call the server', { origins: '*' }, APP_ORIGIN, 403],
] as readonly (readonly [string, CorsOptions, string, number])[]) {
  simple(`to /mcp ${why} -> ${status}`, () => serveWithCors(cors, async ({ port }) => {
    const response = await send(port, message('POST', '/mcp', PING, ['Content-Type: application/json', `Origin: ${origin}`]));
    assert.equal([response.status, readCorsHeaders(response)['allow-origin']],
      [status, origin === OTHER_ORIGIN ? undefined : cors.origins === '*' ? '*' : APP_ORIGIN]);
  }));
}
