/** Mounted handlers: which requests they get, which URL they see, and how bodies and responses pass through. */
import { ApiServer, type MountHandler } from '../../src/index.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, facts, RawClient, readStatuses, requestFor, send, sendUntilClosed, serve, suite } from '../support/facts.ts';

/** A handler that responds with its name and the URLs that it sees. */
function makeEcho(name: string): MountHandler {
  return ({ method, url, originalUrl }, response) => response.end(`${name} ${method} ${url} ${originalUrl}`);
}

/** A zoo, and handlers at several depths. */
const declareMounts = (routes: readonly string[]) => (server: ApiServer): void => {
  for (const route of routes) server.mount(route, makeEcho(route));
  new Zoo().register(server);
};

const DEPTHS = ['/files', '/files/deep/down', '/files/deep', '/v1', '/v1/pet', '/v1/pet/1/photo'] as const;

const taken = suite('M1 M2: the requests that a mount serves');
for (const [target, expected] of [
  ['/files', '/files GET / /files'],
  ['/files/', '/files GET / /files/'],
  ['/files/a/b', '/files GET /a/b /files/a/b'],
  ['/files?q=1', '/files GET /?q=1 /files?q=1'],
  ['/files/?q=1', '/files GET /?q=1 /files/?q=1'],
  ['/files/a?q=/x?y', '/files GET /a?q=/x?y /files/a?q=/x?y'],
  ['/files//a', '/files GET //a /files//a'],
  ['/files/../v1/pet/1', '/files GET /../v1/pet/1 /files/../v1/pet/1'],
  ['/files/a%2Fb', '/files GET /a%2Fb /files/a%2Fb'],
  ['/files/deep', '/files/deep GET / /files/deep'],
  ['/files/deeper', '/files GET /deeper /files/deeper'],
  ['/files/deep/a', '/files/deep GET /a /files/deep/a'],
  ['/files/deep/down', '/files/deep/down GET / /files/deep/down'],
  ['/files/deep/down/a', '/files/deep/down GET /a /files/deep/down/a'],
  ['/v1/pet/1/photo', '/v1/pet/1/photo GET / /v1/pet/1/photo'],
  ['/v1/pet/2/photo', '/v1/pet GET /2/photo /v1/pet/2/photo'],
  ['/v1/pet/', '/v1/pet GET / /v1/pet/'],
  ['/v1/other', '/v1 GET /other /v1/other'],
  ['http://a/files/x?q=1', '/files GET /x?q=1 /files/x?q=1'],
  ['http://a/files?q=1', '/files GET /?q=1 /files?q=1'],
] as const) {
  facts(taken, declareMounts(DEPTHS), [['', `GET ${target}`, `200 ${expected}`]]);
}
facts(taken, declareMounts(DEPTHS), [
  ...['/filesX', '/file', '/Files', '/files%2Fa', '/f%69les', '//files', '/v2', '/'].map((path) => ['it belongs to no mount', `GET ${path}`, '404 Nothing is served at this path.'] as const),
  ...['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH'].map((method) => (
    ['the mount gets it', `${method} /files/a`, `200 /files ${method} /a /files/a`] as const
  )),
  ['the mount gets it, and the response has no body', 'HEAD /files/a', '200'],
]);
facts(taken, declareMounts(['/files', '/']), [
  ['a mount at "/" gets all other paths, unchanged', 'GET /', '200 / GET / /'],
  ['a mount at "/" gets all other paths, unchanged', 'GET /?q=1', '200 / GET /?q=1 /?q=1'],
  ['a mount at "/" gets all other paths, unchanged', 'GET /a//b/', '200 / GET /a//b/ /a//b/'],
  ['a mount at "/" gets no path of a mount', 'GET /files', '200 /files GET / /files'],
  ['a mount at "/" gets all other paths, unchanged', 'GET /filesX', '200 / GET /filesX /filesX'],
  ['a mount at "/" gets all other paths, unchanged', 'GET http://a?q=1', '200 / GET /?q=1 /?q=1'],
]);

const endpoints = suite('M3: endpoints and mounts');
facts(endpoints, declareMounts(['/', '/v1', '/v1/pet', '/v1/pet/7', '/v1/pet/feed']), [
  ['the endpoint', 'GET /v1/pet/7', '404 Not found.'],
  ['the endpoint', 'OPTIONS /v1/pet', '200 | Allow: POST, POST, POST'],
  ['the endpoint', 'PATCH /v1/pet/7', '405 | Allow: GET, HEAD, PUT, DELETE, OPTIONS'],
  ['the endpoint', 'GET /v1/pet', '405 | Allow: POST, OPTIONS'],
  ['the endpoint', 'PATCH /v1/pet/feed', '405 | Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['neither', 'TRACE /v1/pet/7', '501 This server has no such method.'],
  ['the server', 'OPTIONS *', '200 | Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'],
]);
endpoints('the same route twice -> TypeError that names it, and routes is unchanged', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.mount('/files', makeEcho('first'));
  server.mount('/', makeEcho('root'));
  for (const route of ['/files', '/']) {
    assert.throws(() => server.mount(route, makeEcho('second')), (error: unknown) => {
      return error instanceof TypeError && error.message.includes(`* ${route}`);
    });
  }
  assert.equal(server.routes, [{ method: '*', path: '/files' }, { method: '*', path: '/' }]);
});
endpoints('each mount is logged with an asterisk as its method', async () => {
  await serve((server) => server.mount('/files', makeEcho('files')), async ({ infos }) => assert.equal(infos, ['route: * /files']));
});

const nested = suite('a mount within a mount');
facts(nested, (server) => {
  const inner = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  inner.mount('/inner', makeEcho('inner'));
  server.mount('/outer', inner.requestListener);
}, [
  ['sees the rest of its route in url, and the whole target in originalUrl', 'GET /outer/inner/a?q=1', '200 inner GET /a?q=1 /outer/inner/a?q=1'],
  ['has no other path', 'GET /outer/other', '404 Nothing is served at this path.'],
]);

const bodies = suite('a mounted handler and bodies');
const echo: MountHandler = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => response.end(Buffer.concat(chunks)));
};
for (const [head, body, why] of [
  ['Content-Length: 5', 'hello', 'with a length'],
  ['Transfer-Encoding: chunked', '5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n', 'in chunks, with an extension and a trailer'],
  ['Content-Length: 5\r\nContent-Type: text/plain', 'hello', 'of a type that no operation reads'],
  ['Content-Length: 5\r\nContent-Encoding: gzip', 'hello', 'of an encoding that no operation reads'],
] as const) {
  bodies(`a body ${why} reaches it whole, and the next request gets its response`, () => serve((server) => server.mount('/', echo), async ({ port }) => {
    const received = await sendUntilClosed(port, `POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body}GET / HTTP/1.0\r\n\r\n`);
    assert.equal(readStatuses(received), [200, 200]);
    assert.match(received, '\r\n\r\nhelloHTTP/1.1 200');
  }));
}
bodies('a body longer than limits.bodyBytes reaches it whole', () => serve((server) => server.mount('/', echo), async ({ port }) => {
  const body = 'x'.repeat(100_000);
  assert.is((await send(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${body}`)).body, body);
}, { limits: { bodyBytes: 10 } }));
for (const [framing, body] of [
  ['Content-Length: 300000', requestFor('POST', '/v1/pet/count').padEnd(300_000, 'x')],
  ['Transfer-Encoding: chunked', `493e0\r\n${requestFor('POST', '/v1/pet/count').padEnd(300_000, 'x')}\r\n0\r\n\r\n`],
] as const) {
  bodies(`an unread body (${framing}) is never read as a request`, async () => {
    const zoo = new Zoo();
    await serve((server) => {
      zoo.register(server);
      server.mount('/', (_request, response) => response.end('unread'));
    }, async ({ port }) => {
      const received = await sendUntilClosed(port, `POST /a HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n${body}GET /b HTTP/1.0\r\n\r\n`);
      assert.equal(readStatuses(received), [200, 200]);
      assert.is(zoo.invoked, 0);
    });
  });
}
bodies('a client that waits for 100 Continue gets it, and then its response', () => serve((server) => server.mount('/', echo), async ({ port }) => {
  const client = await RawClient.send(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
  assert.is((await client.response()).status, 100);
  client.send('hello');
  assert.is((await client.response()).body, 'hello');
}));
facts(bodies, (server) => server.mount('/', () => assert.unreachable()), [
  ['a client with another expectation: the handler is not called', 'GET /\nExpect: a-miracle', '417 The only supported expectation is 100-continue.'],
]);
