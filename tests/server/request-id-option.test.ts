/** The option `requestId`: who may choose an id, and where each request has it. */
import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ApiServer, type ApiServerOptions, defineEndpoint, type MountRequest, problem, reply, type RequestIdOptions, stringId } from '../../src/index.ts';
import { rateLimit } from '../../src/interceptors/index.ts';
import { captureEvents } from '../support/capture-events.ts';
import { assert, facts, message, RawClient, readProblem, rejections, send, serve, suite } from '../support/facts.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const HEADER = 'x-request-id';
const SILENT = { info: () => {}, error: () => {} };
const full = (): never => { throw new Error('disk is full'); };

function declare(server: ApiServer): void {
  server.registerEndpoint('/item', {
    id: stringId,
    list: ({ id }) => [id],
    get: (id, request) => {
      if (id === 'none') return undefined;
      if (id === 'full') full();
      return { id: request.id, raw: (request.raw as MountRequest).id };
    },
    custom: {
      feed: { run: ({ id }) => reply(200, String(id), { 'Content-Type': 'text/plain' }) },
      own: { run: () => reply(200, {}, { 'X-Request-Id': 'of-another-service' }) },
      stream: { run: () => reply(200, pieces(), { 'Content-Type': 'text/plain' }) },
      refuse: { errors: { 409: null }, run: () => problem(409, 'It is late.') },
      echo: { input: (json: unknown) => json, run: (json: unknown) => json },
    },
  });
  server.mount('/files', (request, response) => {
    if (request.url === '/full') full();
    response.end(request.id);
  });
  server.use(function reject(request, _response, next) {
    next(request.url === '/rejected' ? new Error('disk is full') : undefined);
  });
}

async function* pieces(): AsyncGenerator<string> {
  yield 'one';
  yield 'two';
}

type Ids = RequestIdOptions & { readonly trusted?: number | readonly string[] };
const served = (ids: true | Ids, use: Parameters<typeof serve>[1], others: ApiServerOptions = {}): Promise<void> => {
  const { trusted, ...requestId } = Object(ids) as Ids;
  return serve(declare, use, { requestId, ...(trusted !== undefined && { proxy: { trusted } }), ...others });
};

/** The id of the response to a GET with these headers, in which all places must agree. */
async function idFor(port: number, lines: readonly string[]): Promise<string> {
  const { status, headers, body } = await send(port, message('GET', '/v1/item/a', '', lines));
  assert.is(status, 200);
  const { id, raw } = JSON.parse(body) as { id: string; raw: string };
  assert.is(raw, id);
  assert.is(headers.get(HEADER), id);
  return id;
}

const chosen = suite('D1: the id of a request');
for (const [options, who] of [
  [true, 'nobody is trusted'],
  [{}, 'nobody is trusted'],
  [{ trusted: 0 }, 'no proxy is trusted'],
  [{ trusted: [] }, 'no address is trusted'],
  [{ trusted: ['10.0.0.0/8', '::1'] }, 'other addresses are trusted'],
] as const) {
  chosen(`${JSON.stringify(options)}: ${who}, so the id of a client is replaced`, () => served(options, async ({ port }) => {
    assert.match(await idFor(port, ['X-Request-Id: 7f3c']), UUID);
  }));
}
for (const options of [{ trusted: 1 }, { trusted: 2 }, { trusted: ['127.0.0.1'] }, { trusted: ['127.0.0.0/8', '::1'] }]) {
  chosen(`${JSON.stringify(options)}: the id of a trusted proxy is taken`, () => served(options, async ({ port }) => {
    for (const id of ['7f3c', 'a', 'a'.repeat(128), 'Root=1-67891233-abcdef', 'aGVsbG8+d29ybGQ/aA=='.replace('?', '/'), 'a|b~c@d:e.f_g']) {
      assert.is(await idFor(port, [`x-request-id: ${id}`]), id);
    }
  }));
}
for (const [what, lines] of [
  ['none', []],
  ['an empty one', ['X-Request-Id:']],
  ['one of blanks', ['X-Request-Id:   ']],
  ['two lines', ['X-Request-Id: a', 'X-Request-Id: b']],
  ['the same line twice', ['X-Request-Id: a', 'x-request-id: a']],
  ['a list', ['X-Request-Id: a,b']],
  ['one of 129 characters', [`X-Request-Id: ${'a'.repeat(129)}`]],
  ['one of 15 KB', [`X-Request-Id: ${'a'.repeat(15_000)}`]],
  ['one with a blank', ['X-Request-Id: a b']],
  ['one with a tab', ['X-Request-Id: a\tb']],
  ['one with a quote', ['X-Request-Id: "a"']],
  ['one with a tag', ['X-Request-Id: <script>']],
  ['one with a semicolon', ['X-Request-Id: a;b']],
  ['one with a brace', ['X-Request-Id: {a}']],
  ['one outside ASCII', ['X-Request-Id: \u00e4']],
  ['one in UTF-8', ['X-Request-Id: \u00c3\u00a4']],
  ['one like the end of the text in the log', ['X-Request-Id: a):']],
  ['one in a different header', ['X-Request-Identity: a', 'Request-Id: a', 'X-Correlation-Id: a']],
] as const) {
  chosen(`of a trusted proxy that sends ${what} is new`, () => served({ trusted: 1 }, async ({ port }) => {
    const first = await idFor(port, lines);
    const second = await idFor(port, lines);
    assert.match(first, UUID);
    assert.is.not(first, second);
  }));
}
for (const [what, line] of [['a bare CR', 'X-Request-Id: a\rb'], ['a NUL', 'X-Request-Id: a\0b'], ['an escape', 'X-Request-Id: \u001b[31m'], ['a folded line', 'X-Request-Id: a\r\n b']] as const) {
  chosen(`a request whose header has ${what} is a 400 with a new id, in one line`, () => served({ trusted: 1 }, async ({ port }) => {
    const { status, headers } = await send(port, message('GET', '/v1/item/a', '', [line]));
    assert.is(status, 400);
    assert.match(String(headers.get(HEADER)), UUID);
  }));
}
chosen('a header of 17 KB is a 431 with a new id', () => served({ trusted: 1 }, async ({ port }) => {
  const { status, headers } = await send(port, message('GET', '/v1/item/a', '', [`X-Request-Id: ${'a'.repeat(17_000)}`]));
  assert.is(status, 431);
  assert.match(String(headers.get(HEADER)), UUID);
}));
facts(chosen, declare, [
  ['is in the header that the option names, and X-Request-Id is not read',
    'GET /v1/item/a\nX-Request-Id: a\nx-trace: b', '200 {"id":"b","raw":"b"} | X-Trace: b'],
], { requestId: { header: 'X-Trace' }, proxy: { trusted: 1 } });
chosen('is made by `generate`', () => {
  let count = 0;
  return served({ generate: () => `id-${count += 1}` }, async ({ port }) => {
    assert.equal([await idFor(port, []), await idFor(port, ['X-Request-Id: a'])], ['id-1', 'id-2']);
  });
});
for (const [what, generate, text] of [
  ['throws', full, 'disk is full'],
  ['returns nothing', () => undefined, 'it must return 1 to 128 harmless characters of ASCII: undefined'],
  ['returns a line end', () => 'a\r\nSet-Cookie: b', 'it must return 1 to 128 harmless characters of ASCII: "a\\r\\nSet-Cookie: b"'],
  ['returns 129 characters', () => 'a'.repeat(129), `it must return 1 to 128 harmless characters of ASCII: "${'a'.repeat(129)}"`],
  ['returns a promise that rejects', () => Promise.reject(new Error('late')), 'it must return 1 to 128 harmless characters of ASCII: object'],
] as const) {
  chosen(`is a UUID if \`generate\` ${what}, which is logged`, () => served({ generate: generate as () => string }, async ({ port, errors }) => {
    assert.match(await idFor(port, []), UUID);
    assert.equal(errors.map((error) => error.message), [`requestId.generate: ${text}`]);
  }));
}
facts(chosen, declare, [['without the option there is none', 'GET /v1/item/a\nX-Request-Id: a', '200 {}']]);
chosen('reaches onRequest, the context, the key of a rate limit, and interceptors', async () => {
  const seen: unknown[] = [];
  await serve((server) => server.registerEndpoints({
    '/item': defineEndpoint({
      context: ({ id }) => (seen.push(id), {}),
      use: [
        { onRequest: ({ id }) => void seen.push(id), around: (call, run) => (seen.push(call.request.id), run()) },
        rateLimit({ limit: 9, windowSeconds: 1, key: ({ id }) => (seen.push(id), 'all') }),
      ],
      get: ({ id }) => [id],
    }),
  }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/item', '', ['X-Request-Id: a']))).body, '["a"]');
    assert.equal(seen, ['a', 'a', 'a', 'a']);
  }, { requestId: true, proxy: { trusted: 1 } });
});
for (const [given, text] of [
  [false, 'requestId must be true, or { header, generate }: false'],
  ['X-Id', 'requestId must be true, or { header, generate }: "X-Id"'],
  [{ names: 1 }, 'unknown option requestId.names: it can be one of header, generate'],
  [{ header: 'a b' }, 'requestId.header must be the name of a header that the server does not set, such as X-Request-Id: "a b"'],
  [{ header: 'Content-Length' }, 'requestId.header must be the name of a header that the server does not set, such as X-Request-Id: "Content-Length"'],
  [{ header: 'Set-Cookie' }, 'requestId.header must be the name of a header that the server does not set, such as X-Request-Id: "Set-Cookie"'],
  [{ generate: 'uuid' }, 'requestId.generate must be a function: string'],
] as const) {
  rejections(chosen, [[`requestId: ${JSON.stringify(given)}`, () => new ApiServer('/v1', { requestId: given as never }), text]]);
}

const sent = suite('D2 D4: every response has the id');
for (const [what, request, response, ...logged] of [
  ['an operation', 'GET /v1/item/a', '200 {"id":"7f3c","raw":"7f3c"} | Vary: Origin | X-Request-Id: 7f3c'],
  ['HEAD', 'HEAD /v1/item/a', '200 length 26 | Vary: Origin | X-Request-Id: 7f3c'],
  ['a reply', 'POST /v1/item/feed', '200 text/plain 7f3c | Vary: Origin | X-Request-Id: 7f3c'],
  ['a stream', 'POST /v1/item/stream', '200 text/plain onetwo | Vary: Origin | X-Request-Id: 7f3c | Transfer-Encoding: chunked'],
  ['an unknown item', 'GET /v1/item/none', '404 Not found. | Vary: Origin | X-Request-Id: 7f3c'],
  ['an unknown path', 'GET /nowhere', '404 Nothing is served at this path. | Vary: Origin | X-Request-Id: 7f3c'],
  ['a known path and a different method', 'DELETE /v1/item', '405 | Vary: Origin | X-Request-Id: 7f3c | Allow: GET, HEAD, OPTIONS'],
  ['OPTIONS', 'OPTIONS /v1/item', '200 | Vary: Origin | X-Request-Id: 7f3c | Allow: GET, POST, POST, POST, POST, POST'],
  ['OPTIONS *', 'OPTIONS *', '200 | Vary: Origin | X-Request-Id: 7f3c | Allow: GET, HEAD, POST, OPTIONS'],
  ['a preflight', 'OPTIONS /v1/item\nOrigin: https://app.example\nAccess-Control-Request-Method: GET', '204 | Access-Control-Allow-Origin: https://app.example | Vary: Origin | X-Request-Id: 7f3c | Access-Control-Allow-Methods: GET, HEAD, OPTIONS | Access-Control-Allow-Headers: If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, Range, If-Range | Access-Control-Max-Age: 600'],
  ['an error of an operation', 'GET /v1/item/full', '500 | Vary: Origin | X-Request-Id: 7f3c', 'GET /v1/item/:id (request 7f3c): Internal error: disk is full'],
  ['an error that an operation returns', 'POST /v1/item/refuse', '409 It is late. | Vary: Origin | X-Request-Id: 7f3c'],
  ['a mount', 'GET /files/a', '200 7f3c | Vary: Origin | X-Request-Id: 7f3c'],
  ['an error of a mount', 'GET /files/full', '500 | vary: Origin | x-request-id: 7f3c', '* /files (request 7f3c): disk is full'],
  ['an error of middleware', 'GET /rejected', '500 | Vary: Origin | X-Request-Id: 7f3c', 'middleware reject (request 7f3c): disk is full'],
  ['an invalid target', 'GET /v1/item/%zz', '400 Bad arguments: the id is not percent-encoded UTF-8 @id | Vary: Origin | X-Request-Id: 7f3c'],
  ['an unknown expectation', 'GET /v1/item\nExpect: a miracle', '417 The only supported expectation is 100-continue. | Vary: Origin | X-Request-Id: 7f3c'],
  ['an unknown method', 'PURGE /v1/item', '501 This server has no such method. | Vary: Origin | X-Request-Id: 7f3c'],
  ['a host that is not allowed', 'GET http://other.example/v1/item',
    '421 This server does not serve that host. | Vary: Origin | X-Request-Id: 7f3c | Connection: close', /^requests for the host "other.example" get 421/],
] as const) {
  facts(sent, declare, [[`of ${what}`, `${request}\nX-Request-Id: 7f3c`, response, ...logged]], {
    requestId: true, proxy: { trusted: 1 }, cors: { origins: ['https://app.example'] }, allowedHosts: ['localhost', '127.0.0.1', 'a'],
  });
}
facts(sent, declare, [['of an operation that sends its own header: the one of the operation', 'POST /v1/item/own', '200 {} | X-Request-Id: of-another-service']], { requestId: true });
for (const [what, status, bytes] of [
  ['input that is not HTTP', 400, 'nonsense\r\n\r\n'],
  ['CONNECT', 501, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a head that never ends', 408, 'GET / HTTP/1.1\r\nHost: a\r\n'],
  ['a body that never ends', 408, 'POST /v1/item/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n1'],
  ['a chunk that is not one', 400, 'POST /v1/item/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
] as const) {
  sent(`to ${what}: ${status}`, () => served(true, async ({ port }) => {
    const response = await send(port, bytes);
    assert.is(response.status, status);
    assert.match(String(response.headers.get(HEADER)), UUID);
  }, { limits: { requestMs: 300, headersMs: 300 } }));
}
sent('of CONNECT through a trusted proxy', () => served({ trusted: 1 }, async ({ port }) => {
  assert.is((await send(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\nX-Request-Id: 7f3c\r\n\r\n')).headers.get(HEADER), '7f3c');
}));
sent('of CONNECT, where formatProblem sets the header: once', () => served(true, async ({ port }) => {
  const { head } = await send(port, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(head.match(/^x-request-id: .*$/gim), ['X-Request-Id: own']);
}, { formatProblem: ({ title }) => ({ headers: { 'X-Request-Id': 'own' }, body: title }) }));
sent('of pipelined requests: each its own', () => served({ trusted: 1 }, async ({ port }) => {
  const client = await RawClient.send(port, ['a', 'b', 'c'].map((id) => message('GET', '/v1/item/a', '', [`X-Request-Id: ${id}`])).join(''));
  for (const id of ['a', 'b', 'c']) assert.is((await client.response()).headers.get(HEADER), id);
  client.destroy();
}));
sent('of fetch: a number of proxies trusts its caller, and addresses do not', async () => {
  for (const [trusted, pattern] of [[1, /^7f3c$/], [['127.0.0.1'], UUID]] as const) {
    const server = new ApiServer('/v1', { requestId: true, proxy: { trusted }, logger: SILENT });
    server.registerEndpoint('/item', { get: (request) => [request.id, (request.raw as MountRequest).id] });
    server.mount('/files', (request, response) => void response.end(request.id));
    const response = await server.fetch('/v1/item', { headers: { 'X-Request-Id': '7f3c' } });
    const id = String(response.headers.get(HEADER));
    assert.match(id, pattern);
    assert.equal(await response.json(), [id, id]);
    const mounted = await server.fetch('/files', { headers: { 'X-Request-Id': '7f3c' } });
    assert.match(String(mounted.headers.get(HEADER)), pattern);
    assert.is(await mounted.text(), mounted.headers.get(HEADER));
    const unknown = await server.fetch('/nowhere', { headers: { 'X-Request-Id': '7f3c' } });
    assert.match(String(unknown.headers.get(HEADER)), pattern);
    await server.stop();
  }
});
sent('of a request within a request: the id of the outer one', () => {
  let inner: unknown;
  return serve((server) => {
    server.registerEndpoint('/item', { get: ({ id }) => [id] });
    server.mount('/nest', async (request, response) => {
      const nested = { method: 'GET', target: '/v1/item', headers: ['Host', 'a', 'X-Request-Id', 'of-the-call'], body: undefined };
      const answer = await server[' internal'].nested(nested, { request, response }, 1000);
      inner = [answer?.getHeader(HEADER), String(answer?.body)];
      response.end();
    });
  }, async ({ port }) => {
    const id = (await send(port, message('GET', '/nest'))).headers.get(HEADER);
    assert.equal(inner, [id, JSON.stringify([id])]);
  }, { requestId: true });
});
sent('of a server that is mounted in a different one: the id of the outer one, which observers get once', () => {
  const api = new ApiServer('/v1', { requestId: true, logger: SILENT });
  api.registerEndpoint('/item', { get: ({ id }) => [id] });
  return captureEvents((captured) => serve((server) => server.mount('/in', api.requestListener), async ({ port }) => {
    const { headers, body } = await send(port, message('GET', '/in/v1/item', '', ['X-Request-Id: 7f3c']));
    assert.equal([headers.get(HEADER), body], ['7f3c', '["7f3c"]']);
    assert.equal((await captured.waitForEnds(1)).map(({ id, route }) => [id, route.path]), [['7f3c', '/in/v1/item']]);
  }, { requestId: true, proxy: { trusted: 1 } }));
});
sent('of a server that is mounted in one without ids: its own, which observers get too', () => {
  const api = new ApiServer('/v1', { requestId: true, logger: SILENT });
  api.registerEndpoint('/item', { get: ({ id }) => [id] });
  return captureEvents((captured) => serve((server) => server.mount('/in', api.requestListener), async ({ port }) => {
    const { headers, body } = await send(port, message('GET', '/in/v1/item'));
    assert.equal([[headers.get(HEADER)], (await captured.waitForEnds(1)).map(({ id }) => id)], [JSON.parse(body), JSON.parse(body)]);
  }));
});
for (const [given, pattern] of [['of-the-app', /^of-the-app$/], ['a\r\nb', UUID], [7, /^7$/], [{}, UUID]] as const) {
  sent(`of an app that has set request.id to ${JSON.stringify(given)}`, async () => {
    const api = new ApiServer('/v1', { requestId: true, logger: SILENT });
    api.registerEndpoint('/item', { get: ({ id }) => [id] });
    const server = createServer((request, response) => api.requestListener(Object.assign(request, { id: given }), response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { headers, body } = await send((server.address() as AddressInfo).port, message('GET', '/v1/item', '', ['Connection: close']));
    assert.match(String(headers.get(HEADER)), pattern);
    assert.is(body, JSON.stringify([headers.get(HEADER)]));
    server.close();
  });
}
sent('of 505 over HTTP/2', async () => {
  const api = new ApiServer('/v1', { requestId: true, proxy: { trusted: 1 } });
  const server = createHttp2Server(api.requestListener as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ [HEADER]: '7f3c' });
  const [headers] = await once(stream, 'response') as [Record<string, unknown>];
  assert.equal([headers[':status'], headers[HEADER]], [505, '7f3c']);
  client.destroy();
  server.close();
});
sent('and pages may read it', () => served(true, async ({ port }) => {
  const { headers } = await send(port, message('GET', '/v1/item', '', ['Origin: https://app.example']));
  assert.ok(headers.get('access-control-expose-headers')?.split(', ').includes('X-Request-Id'));
}, { cors: { origins: ['https://app.example'] } }));
sent('and without the option pages are not told of it', () => serve(declare, async ({ port }) => {
  const { headers } = await send(port, message('GET', '/v1/item', '', ['Origin: https://app.example']));
  assert.not.match(String(headers.get('access-control-expose-headers')), /x-request-id/i);
}, { cors: { origins: ['https://app.example'] } }));

const instances = suite('the instance of a problem');
instances('is not there by default', () => served(true, async ({ port }) => {
  assert.is(readProblem(await send(port, message('GET', '/nowhere'))).instance, undefined);
}));
for (const [method, target] of [['GET', '/v1/item/none'], ['GET', '/nowhere'], ['GET', '/v1/item/full'], ['POST', '/v1/item/refuse'], ['GET', '/files/full'], ['GET', '/rejected']] as const) {
  instances(`can be made of the id by formatProblem: ${method} ${target}`, () => served(true, async ({ port, errors }) => {
    const { headers, body } = await send(port, message(method, target));
    assert.equal(JSON.parse(body), { instance: `urn:uuid:${headers.get(HEADER)}` });
    for (const error of errors) assert.match(error.message, `(request ${headers.get(HEADER)})`);
  }, { formatProblem: (_problem, { id }) => ({ body: { instance: `urn:uuid:${id}` } }) }));
}
