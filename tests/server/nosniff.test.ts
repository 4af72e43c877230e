/** C21: Every response of the server forbids browsers to guess its type: `X-Content-Type-Options: nosniff`. */
import { Readable } from 'node:stream';
import { bearer } from '../../src/auth/index.ts';
import { events, ndjson, ranges } from '../../src/formats/index.ts';
import { ApiError, type ApiServer, integerId, reply } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApiHandler } from '../../src/openapi/index.ts';
import { assert, facts, head, message, send, serve, type ServeOptions, suite } from '../support/facts.ts';

const info = { title: 'Pets', name: 'pets', version: '1' };
const acceptAny = (json: unknown): unknown => json;

function declare(server: ApiServer): void {
  server.use((request, response, next) => {
    if (request.url === '/stopped') response.end('by middleware');
    else if (request.url === '/failed') next(new Error('middleware'));
    else next();
  });
  server.registerEndpoint('/pet', {
    id: integerId, schema: acceptAny, version: () => 'v1', context: () => 'ann',
    create: () => 7, list: () => [], get: (id) => (id === 7 ? { id } : null), update: () => true, delete: () => true,
    custom: {
      fail: { run: () => { throw new Error('disk'); } },
      reject: { run: () => { throw ApiError.status(409, 'no'); } },
      own: { run: () => reply(200, 'x', { 'Content-Type': 'text/plain', 'x-content-type-options': 'nosniff' }) },
      stream: { run: () => reply(200, Readable.from(['a', 'b'])) },
      lines: { output: ndjson(acceptAny), run: () => [1, 2] },
      events: { output: events(acceptAny), run: () => [{ data: 1 }] },
      redirect: { run: () => reply(303, undefined, { Location: '/v1/pet/7' }) },
    },
  });
  server.registerEndpoint('/photo', { get: () => reply(200, ranges({ size: 10, read: (start, end) => Readable.from(['0123456789'.slice(start, end + 1)]) }), { 'Content-Type': 'image/png' }) });
  server.registerEndpoint('/mine', { context: bearer(() => undefined), get: () => 1 });
  server.mount('/openapi.json', openApiHandler(server, { info }));
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));
  server.mount('/thrown', () => { throw new Error('mount'); });
  server.mount('/next', (_request, _response, next) => next());
  server.registerUpgrade('/socket', () => {});
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const UPGRADE = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const responses = suite('nosniff is a header of');
for (const [what, bytes, status, logged] of [
  ['an item', message('GET', '/v1/pet/7'), 200, 0],
  ['the head of an item', message('HEAD', '/v1/pet/7'), 200, 0],
  ['a list', message('GET', '/v1/pet'), 200, 0],
  ['a new id', message('POST', '/v1/pet', '{}'), 201, 0],
  ['a response without a body', message('PUT', '/v1/pet/7', '{}'), 204, 0],
  ['a response of a delete', message('DELETE', '/v1/pet/7'), 204, 0],
  ['an item that has not changed', message('GET', '/v1/pet/7', '', ['If-None-Match: "v1"']), 304, 0],
  ['a redirection', message('POST', '/v1/pet/redirect'), 303, 0],
  ['a stream', message('POST', '/v1/pet/stream'), 200, 0],
  ['NDJSON', message('POST', '/v1/pet/lines'), 200, 0],
  ['events', message('POST', '/v1/pet/events'), 200, 0],
  ['a whole photo', message('GET', '/v1/photo'), 200, 0],
  ['a part of a photo', message('GET', '/v1/photo', '', ['Range: bytes=0-1']), 206, 0],
  ['a part after the end', message('GET', '/v1/photo', '', ['Range: bytes=99-']), 416, 0],
  ['discovery', message('OPTIONS', '/v1/pet'), 200, 0],
  ['a malformed id', message('GET', '/v1/pet/x'), 400, 0],
  ['malformed JSON', message('POST', '/v1/pet', '{'), 400, 0],
  ['a 401', message('GET', '/v1/mine'), 401, 0],
  ['a missing item', message('GET', '/v1/pet/8'), 404, 0],
  ['an unknown path', message('GET', '/nowhere'), 404, 0],
  ['a method that the path lacks', message('PATCH', '/v1/pet'), 405, 0],
  ['an error of an operation', message('POST', '/v1/pet/reject'), 409, 1],
  ['a condition that is not met', message('PUT', '/v1/pet/7', '{}', ['If-Match: "v0"']), 412, 0],
  ['a body that is too long', head('POST', '/v1/pet', ['Content-Length: 9999999']), 413, 0],
  ['a type that is not accepted', message('POST', '/v1/pet', '{}', ['Content-Type: text/plain']), 415, 0],
  ['an expectation that cannot be met', message('GET', '/v1/pet', '', ['Expect: a miracle']), 417, 0],
  ['a 500', message('POST', '/v1/pet/fail'), 500, 1],
  ['a target that is not valid', message('GET', '/v1/pet#1'), 400, 0],
  ['a request without a host', 'GET /v1/pet HTTP/1.1\r\n\r\n', 400, 0],
  ['a request that Node cannot parse', 'GET\r\n\r\n', 400, 0],
  ['a method that Node does not know', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 501, 0],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 501, 0],
  ['a head that is too long', head('GET', '/v1/pet', [`X-Long: ${'x'.repeat(20_000)}`]), 431, 0],
  ['too many header lines', head('GET', '/v1/pet', Array.from({ length: 2001 }, () => 'a:')), 431, 0],
  ['a failure of middleware', message('GET', '/failed'), 500, 1],
  ['a failure of a mount', message('GET', '/thrown'), 500, 1],
  ['a mount that passes the request on', message('GET', '/next'), 404, 0],
  ['a different version of WebSocket', head('GET', '/socket', UPGRADE.map((line) => line.replace('13', '8'))), 426, 0],
  ['the document', message('GET', '/openapi.json'), 200, 0],
  ['a method that the document lacks', message('PUT', '/openapi.json'), 405, 0],
  ['a path below the document', message('GET', '/openapi.json/x'), 404, 0],
  ['a message of MCP', message('POST', '/mcp', PING, ['Content-Type: application/json']), 200, 0],
  ['a message of MCP that is rejected', message('GET', '/mcp'), 405, 0],
] as const) {
  for (const [how, options] of [['', {}], [', in the form of formatProblem', { formatProblem: () => ({ body: { oh: 'no' } }) }]] as readonly (readonly [string, ServeOptions])[]) {
    if (status < 400 && how !== '') continue;
    responses(`${what}, once: ${status}${how}`, () => serve(declare, async ({ port, errors }) => {
      const response = await send(port, bytes);
      assert.equal([response.status, response.headers.get('x-content-type-options'), errors.length], [status, 'nosniff', logged]);
    }, options));
  }
}
responses('a reply that has it, once, and none of middleware, which has the headers that middleware sets', () => serve(declare, async ({ port }) => {
  for (const [target, expected] of [['/v1/pet/own', 'nosniff'], ['/stopped', undefined]] as const) {
    assert.is((await send(port, message('POST', target))).headers.get('x-content-type-options'), expected);
  }
}));
facts(responses, (server) => {
  server.use((_request, response, next) => {
    response.setHeader('x-content-type-options', 'none');
    next();
  });
  declare(server);
}, [['a response behind middleware that sets it, once, with its value', ['GET /v1/pet/7', 'GET /v1/pet/8'], ['200 {"id":7} | x-content-type-options: none | ETag: "v1" | Cache-Control: private, no-cache', '404 Not found. | x-content-type-options: none | Cache-Control: private, no-cache']]]);
responses('a response of server.fetch', () => serve(declare, async ({ server }) => {
  for (const path of ['/v1/pet/7', '/v1/pet/8', '/nowhere']) assert.is((await server.fetch(path)).headers.get('x-content-type-options'), 'nosniff');
}));
