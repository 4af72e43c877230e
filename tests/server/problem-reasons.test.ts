/** The words that `formatProblem` gets for the rejections of the server itself. */
import { readFileSync } from 'node:fs';
import { createServer as createHttp2Server, connect } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { basic, bearer, cookie } from '../../src/auth/index.ts';
import { REASONS } from '../../src/errors/problem.ts';
import { form, ranges } from '../../src/formats/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, bytes, defineEndpoint, integerId, problem, type ProblemFormat, reply } from '../../src/index.ts';
import { assert, type Declare, message, RawClient, send, serve, suite } from '../support/facts.ts';

const never = (): Promise<never> => new Promise(() => {});
const Pet = (json: unknown): object => {
  if (typeof Object(json).name !== 'string') throw new Error('name is missing');
  return json as object;
};
const signedIn = cookie('sid', () => 1);
const declare: Declare = (server) => {
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId, schema: Pet, version: () => 1, requireIfMatch: true,
      list: { query: ({ legs }: any) => Number(legs) || Promise.reject(new Error('legs is missing')), run: () => [] },
      get: (id) => (id === 1 ? { name: 'Rex' } : undefined),
      create: { limits: { bodyBytes: 20, requestMs: 50 }, run: () => 1 },
      update: () => true,
      custom: {
        own: () => { throw ApiError.status(409, 'taken'); },
        returned: () => problem(409, 'taken'),
        missing: () => { throw ApiError.notFound().with({ headers: { 'X-A': 'b' } }); },
        wrong: () => { throw ApiError.argument('no'); },
        located: () => { throw ApiError.argument('no', { errors: [{ detail: 'no' }] }); },
        bug: () => { throw new Error('a bug'); },
        slow: { limits: { operationMs: 20 }, run: never },
        stuck: never,
        form: { input: form((fields: any) => fields as object), run: () => 1 },
        take: { input: bytes({ types: ['image/png'] }), run: () => 1 },
      },
    }),
    '/file': defineEndpoint({ get: () => reply(200, ranges({ size: 3, read: () => Buffer.from('abc') })) }),
    '/user': defineEndpoint({
      context: bearer((token) => (token === 'a' ? { token } : undefined), { getScopes: (): 'feed'[] => [] }), get: () => 1,
      custom: { feed: { scopes: ['feed'], run: () => 1 } },
    }),
    '/basic': defineEndpoint({ context: basic(() => 1), get: () => 1 }),
    '/session': defineEndpoint({ custom: { open: () => { throw signedIn.unauthorized('The password is wrong.'); }, none: () => { throw signedIn.unauthorized(); } } }),
    '/page': defineEndpoint({ context: cookie('sid', () => 1), custom: { change: () => 1 } }),
    '/closed': defineEndpoint({ context: () => false, get: () => 1 }),
  });
  server.registerUpgrade('/chat', () => {});
  server.use((request, _response, next) => next(request.url === '/stated' ? Object.assign(new Error('a'), { status: 418 }) : undefined));
};

const words = new Set<string>();
const formatProblem: ProblemFormat = (_problem, _request, reason) => ({ body: { reason: reason ?? null } });
const reasons = suite('E8: the reason of a rejection');
const LINE = (target: string, ...lines: string[]): string => message('GET', target, '', lines);
const POST = (target: string, body: string, ...lines: string[]): string => message('POST', target, body, ['Content-Type: application/json', ...lines]);
const BEARER = 'Authorization: Bearer';
for (const [bytesSent, status, reason, options = {}] of [
  [LINE('/v1/none'), 404, 'path'],
  [LINE('/v1/pet/7'), 404, 'item'],
  [POST('/v1/pet/missing', ''), 404, 'item'],
  [LINE('/v1/pet/x'), 400, 'value'],
  [LINE('/v1/pet'), 400, 'value'],
  [POST('/v1/pet', '{}'), 422, 'value', { validationStatus: 422 }],
  [POST('/v1/pet/wrong', ''), 400, 'value'],
  [POST('/v1/pet/located', ''), 400, 'value'],
  [LINE('/v1/pet?%ff'), 400, 'query'],
  [LINE('/v1/pet?__proto__=1'), 400, 'query'],
  [POST('/v1/pet', '{"a":'), 400, 'body-json'],
  [POST('/v1/pet', '9007199254740993'), 400, 'body-json'],
  [message('POST', '/v1/pet/form', '--b\r\n', ['Content-Type: multipart/form-data; boundary=b']), 400, 'body-form'],
  [POST('/v1/pet', '{"name":"a long name"}'), 413, 'body-length'],
  [message('POST', '/v1/pet', '{}', ['Content-Type: text/html']), 415, 'body-type'],
  [message('POST', '/v1/pet/take', 'a', ['Content-Type: image/gif']), 415, 'body-type'],
  [POST('/v1/pet', '{}', 'Content-Encoding: gzip'), 415, 'body-encoding'],
  [message('POST', '/v1/pet/own', '', ['Sec-Fetch-Site: cross-site']), 415, 'cross-origin-post'],
  [message('PUT', '/v1/pet/1', '{"name":"a"}', ['Content-Type: application/json']), 428, 'version-missing'],
  [message('PUT', '/v1/pet/1', '{"name":"a"}', ['Content-Type: application/json', 'If-Match: "2"']), 412, 'version'],
  [message('PUT', '/v1/pet/1', '{"name":"a"}', ['Content-Type: application/json', 'Content-Range: bytes 0-1/2']), 400, 'partial-put'],
  [LINE('/v1/user'), 401, 'credentials-missing'],
  [LINE('/v1/user', `${BEARER} b`), 401, 'credentials-wrong'],
  [POST('/v1/session/open', ''), 401, 'credentials-wrong'],
  [POST('/v1/session/none', ''), 401, 'credentials-missing'],
  [LINE('/v1/basic', 'Authorization: Basic a'), 401, 'credentials-wrong'],
  [LINE('/v1/user', BEARER), 400, 'credentials-malformed'],
  [POST('/v1/user/feed', '', `${BEARER} a`), 403, 'scope'],
  [POST('/v1/page/change', '', 'Cookie: sid=a; sid=b'), 400, 'credentials-repeated'],
  [POST('/v1/page/change', '', 'Cookie: sid=a', 'Sec-Fetch-Site: cross-site'), 403, 'cross-origin'],
  [LINE('/v1/closed'), 403, 'caller'],
  [LINE('/v1/file', 'Range: bytes=9-'), 416, 'range'],
  [LINE('/v1/pet/1', 'Expect: 200-ok'), 417, 'expectation'],
  [LINE('/v1/pet/1'), 421, 'host-unknown', { allowedHosts: ['b'] }],
  [LINE('/a#b'), 400, 'target'],
  ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'host'],
  ['GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501, 'transfer-coding'],
  ['GET / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\nContent-Type: a/c\r\n\r\n', 400, 'malformed-http'],
  ['CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 501, 'method'],
  [`GET / HTTP/1.1\r\nHost: a\r\n${'A:\r\n'.repeat(2001)}\r\n`, 431, 'headers-length'],
  [LINE('/chat', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 8', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='), 426, 'websocket-version'],
  ['POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n1', 408, 'request-time'],
  [POST('/v1/pet/slow', ''), 503, 'operation-time'],
  [POST('/v1/pet/bug', ''), 500, 'internal'],
  [POST('/v1/pet/own', ''), 409, null],
  [POST('/v1/pet/returned', ''), 409, null],
  [LINE('/stated'), 418, null],
] as readonly (readonly [string, number, string | null, ApiServerOptions?])[]) {
  reasons(`${bytesSent.slice(0, 60).split('\r\n').join(' ')}: ${status} ${reason}`, () => serve(declare, async ({ port, errors }) => {
    const response = await send(port, bytesSent);
    assert.equal([response.status, response.body], [status, JSON.stringify({ reason })]);
    if (reason !== null) words.add(reason);
    assert.ok(errors.length < 3);
  }, { formatProblem, ...options }));
}
reasons('busy', () => serve(declare, async ({ port }) => {
  const client = await RawClient.send(port, POST('/v1/pet/stuck', ''));
  let body = '';
  // The first one may not have arrived.
  while (!body.includes('busy')) ({ body } = await send(port, LINE('/v1/none')));
  assert.is(body, '{"reason":"busy"}');
  words.add('busy');
  client.destroy();
}, { formatProblem, limits: { inFlight: 1 } }));
reasons('http-version', async () => {
  const api = new ApiServer('/v1', { formatProblem });
  const server = createHttp2Server(api.requestListener as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({});
  let body = '';
  stream.on('data', (chunk) => (body += String(chunk)));
  await once(stream, 'end');
  assert.is(body, '{"reason":"http-version"}');
  words.add('http-version');
  client.destroy();
  server.close();
});
reasons('every word is reached, and is in errors.md with its status', () => {
  assert.equal([...words].sort(), Object.keys(REASONS).sort());
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| (\d+)/gm);
  assert.equal([...rows].map(([, word = '', status]) => [word, Number(status)]), Object.entries(REASONS));
});
