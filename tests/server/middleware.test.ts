/** Middleware: which requests pass it, in which order, and how each goes on. */
import { ApiServer, type ApiServerOptions, type Middleware } from '../../src/index.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, delay, facts, Gate, isTypeError, message, RawClient, readProblem, readStatuses, requestFor, send, sendUntilClosed, serve, type ServeOptions, suite, type TestServer, waitUntil } from '../support/facts.ts';

interface ZooServed extends TestServer {
  readonly zoo: Zoo;
}

/** The zoo at `/v1/pet` and a mount at `/files`, behind middleware. */
const declareBehind = (listeners: readonly Middleware[], zoo: Zoo) => (server: ApiServer): void => {
  for (const listener of listeners) server.use(listener);
  zoo.register(server);
  server.mount('/files', ({ url, originalUrl }, response) => response.end(`${url} of ${originalUrl}`));
};

async function serveBehind(listeners: readonly Middleware[], use: (served: ZooServed) => Promise<void>, options?: ServeOptions): Promise<void> {
  const zoo = new Zoo();
  await serve(declareBehind(listeners, zoo), (served) => use(Object.assign(served, { zoo })), options);
}

const passing = suite('W1: the requests that pass middleware');
for (const [method, target, status] of [
  ['POST', '/v1/pet/count', 200],
  ['GET', '/v1/pet/1', 404],
  ['GET', '/v1/pet/none', 400],
  ['HEAD', '/v1/pet/1', 404],
  ['OPTIONS', '/v1/pet', 200],
  ['TRACE', '/v1/pet', 501],
  ['GET', '/nowhere', 404],
  ['GET', '/files/a', 200],
  ['OPTIONS', '*', 200],
] as const) {
  passing(`${method} ${target} -> ${status}, behind each listener in its order`, async () => {
    const seen: string[] = [];
    const record = (name: string): Middleware => (request, _response, next) => {
      seen.push(`${name} ${request.method} ${request.url}`);
      next();
    };
    await serveBehind([record('first'), record('second'), record('third')], async ({ port }) => {
      assert.is((await send(port, requestFor(method, target))).status, status);
      assert.equal(seen, ['first', 'second', 'third'].map((name) => `${name} ${method} ${target}`));
    });
  });
}
for (const [bytes, status, why] of [
  ['GET /files HTTP/1.1\r\n\r\n', 400, 'without Host'],
  [requestFor('GET', '/files#a'), 400, 'with a bad target'],
  [requestFor('GET', '/files').replace('zoo.example', 'other.example'), 421, 'for a different host'],
  [message('POST', '/files', '', ['Transfer-Encoding: gzip']), 501, 'with framing that is not understood'],
  [message('POST', '/files', '', ['Expect: a-miracle']), 417, 'with another expectation'],
] as const) {
  passing(`a request ${why} -> ${status}, and no listener is called`, () => serveBehind([() => assert.unreachable()], async ({ port, errors }) => {
    assert.is((await send(port, bytes)).status, status);
    assert.is(errors.length, status === 421 ? 1 : 0);
  }, { allowedHosts: ['zoo.example', 'a'] }));
}
passing('a request over limits.inFlight -> 503, and no listener is called; one that waits in a listener counts', async () => {
  let calls = 0;
  const gate = new Gate();
  const waitForGate: Middleware = (_request, _response, next) => (calls += 1, gate.passed.then(() => next()));
  await serveBehind([waitForGate], async ({ port }) => {
    const first = send(port, requestFor('GET', '/files'));
    await waitUntil(() => calls === 1, 'the first request');
    assert.is((await send(port, requestFor('GET', '/files'))).status, 503);
    gate.open();
    assert.is((await first).status, 200);
    assert.is((await send(port, requestFor('GET', '/files'))).status, 200);
    assert.is(calls, 2);
  }, { limits: { inFlight: 1 } });
});
passing('middleware that is added while the server runs: later requests pass it, and those on their way do not', async () => {
  const gate = new Gate();
  const waitForGate: Middleware = (_request, _response, next) => gate.passed.then(() => next());
  await serveBehind([waitForGate], async ({ server, port, received }) => {
    const first = send(port, requestFor('GET', '/files'));
    await waitUntil(() => received() === 1, 'the first request');
    server.use((_request, response) => response.end('added'));
    gate.open();
    assert.is((await first).body, '/ of /files');
    assert.is((await send(port, requestFor('GET', '/files'))).body, 'added');
  });
});
passing('a server that is called through requestListener has its middleware too', async () => {
  const inner = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  inner.use((_request, response, next) => (response.setHeader('X-Inner', 'yes'), next()));
  inner.mount('/', (_request, response) => response.end('inner'));
  await serve((server) => server.mount('/', inner.requestListener), async ({ port }) => {
    const { headers, body } = await send(port, requestFor('GET', '/'));
    assert.equal([headers.get('x-inner'), body], ['yes', 'inner']);
  });
});
passing('no route is added or logged', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => assert.unreachable(), error: () => {} } });
  server.use((_request, _response, next) => next());
  assert.equal(server.routes, []);
});

const next = suite('W2 C18: next');
for (const [listener, why] of [
  [(_request, _response, next) => next(), 'at once'],
  [(_request, _response, next) => void setTimeout(next, 5), 'later'],
  [async (_request, _response, next) => next(), 'in an async function'],
  [async (_request, _response, next) => (await delay(5), next()), 'later in an async function'],
  [(_request, _response, next) => (next(), next()), 'twice'],
  [(_request, _response, next) => (next(), void setTimeout(next, 5)), 'twice, the second time later'],
  [(_request, _response, next) => (next(null), undefined), 'with null, which is not an error'],
  [(_request, _response, next) => (next(false), undefined), 'with false, which is not an error'],
] as const satisfies readonly (readonly [Middleware, string])[]) {
  next(`${why}: the request goes on once`, async () => {
    let calls = 0;
    const count: Middleware = (_request, _response, next) => (calls += 1, next());
    await serveBehind([listener, count], async ({ port, zoo, errors }) => {
      const client = await RawClient.send(port, message('POST', '/v1/pet/count') + message('POST', '/v1/pet/count'));
      for (const _ of [1, 2]) assert.is((await client.response()).body, '0');
      await delay(10);
      assert.equal([calls, zoo.invoked, errors.length], [2, 2, 0]);
    });
  });
}
for (const [listener, why] of [
  [(_request, response, next) => (response.end('mine'), next()), 'at once'],
  [(_request, response, next) => (response.end('mine'), void setTimeout(next, 5)), 'later'],
  [(_request, response, next) => (response.end('mine'), next(), next()), 'twice'],
] as const satisfies readonly (readonly [Middleware, string])[]) {
  next(`${why}, after a reply by the listener: nothing more starts`, () => serveBehind([listener, () => assert.unreachable()], async ({ port, zoo, errors }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet/count') + message('GET', '/nowhere'));
    for (const _ of [1, 2]) assert.equal(await client.response().then(({ status, body }) => [status, body]), [200, 'mine']);
    await delay(10);
    assert.equal([zoo.invoked, errors.length], [0, 0]);
  }));
}
for (const [listener, why] of [
  [function silent() {}, 'by a function'],
  [async function silent() {}, 'by an async function'],
  [async function silent({ url }, _response, next) {
    await delay(5);
    // Long after the response.
    setTimeout(next, 900, url);
  }, 'in time: it is called later, with an error'],
] as const satisfies readonly (readonly [Middleware, string])[]) {
  next(`is not called ${why}, and nobody replies -> 503 after operationMs, logged with the name of the listener; the connection is kept`, async () => {
    const passLater: Middleware = (_request, _response, next) => void setTimeout(next, 5);
    const only: Middleware = (request, response, next) => (request.url === '/v1/pet/9' ? listener(request, response, next) : next());
    Object.defineProperty(only, 'name', { value: listener.name });
    await serveBehind([passLater, only, passLater], async ({ port, zoo, errors }) => {
      const client = await RawClient.send(port, message('GET', '/v1/pet/9') + message('POST', '/v1/pet/count'));
      assert.equal(readProblem(await client.response()), {
        type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'The request took too long.',
      });
      assert.is((await client.response()).body, '0');
      assert.is(errors[0]?.message, 'middleware silent: neither responded nor called next within 500 ms');
      if (why.startsWith('in time')) await waitUntil(() => errors.length === 2, 'the late error');
      assert.equal([zoo.invoked, errors.length], [1, why.startsWith('in time') ? 2 : 1]);
      client.destroy();
      // Long, because the two listeners that pass must end before it.
    }, { limits: { operationMs: 500 } });
  });
}
for (const [limits, listener, why] of [
  [{ operationMs: 0 }, () => {}, 'with an operationMs of 0, which is not a limit'],
  [{ operationMs: 20 }, (_request, response) => void response.writeHead(200).flushHeaders(), 'when it has begun its reply'],
] as const satisfies readonly (readonly [ApiServerOptions['limits'], Middleware, string])[]) {
  next(`is not called ${why}: the client waits`, () => serveBehind([listener], async ({ port, zoo }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet/count'));
    await delay(100);
    assert.equal([client.unread.includes(' 503 '), client.isClosed, zoo.invoked], [false, false, 0]);
  }, { limits }));
}
for (const [why, late] of [
  ['at once', (next: (error?: unknown) => void) => (next(), next(new Error('too late')))],
  ['after the reply', (next: (error?: unknown) => void) => (next(), void setTimeout(next, 20, new Error('too late')))],
] as const) {
  next(`with an error ${why}, when the request has gone on: it goes on once, and the error is logged`, async () => {
    const changeLater: Middleware = (_request, _response, next) => late(next);
    await serveBehind([changeLater], async ({ port, zoo, errors }) => {
      assert.is((await send(port, message('POST', '/v1/pet/count'))).body, '0');
      await waitUntil(() => errors.length > 0, 'the log');
      assert.equal([zoo.invoked, errors.map((error) => error.message)], [1, ['middleware changeLater: too late']]);
    });
  });
}

const target = suite('W4: a listener that rewrites the target');
for (const [method, url, response] of [
  ['GET', '/files/b?q=1', '200 /b?q=1 of /files/b?q=1'],
  ['GET', 'http://other.example/files', '200 / of /files'],
  ['POST', '/v1/pet/count', '200 0'],
  ['GET', '/v1/pet', '405 | Allow: POST, OPTIONS'],
  ['OPTIONS', '*', '200 | Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['GET', '/other', '404 Nothing is served at this path.'],
  ...['*', '', 'files', '/files#a', '/files\\a', '/files%00', 'http:///files'].map((url) => ['GET', url, '400 The request target is not valid. | Connection: close'] as const),
] as const) {
  const rewrite: Middleware = (request, _response, next) => (request.url = url, next());
  facts(target, declareBehind([rewrite], new Zoo()), [[JSON.stringify(url), `${method} /v1/pet/1`, response]]);
}
facts(target, (server) => {
  server.use((request, _response, next) => {
    Object.assign(request, { method: 'POST', url: '/v1/echo/query?q=new' });
    next();
  });
  server.registerEndpoint('/echo', { id: { parse: String, format: String }, custom: { query: { run: ({ query }) => query.get('q') } } });
}, [['the operation sees the new query, and the method may be another as well', 'GET /a?q=old', '200 "new"']]);

const rejected = suite('listeners that use rejects');
for (const [listener, expected] of [
  ['/x', 'use takes one listener for all paths, not a path: "/x". For the requests below a path, use mount'],
  [undefined, 'middleware must be a function: undefined'],
  [{ handle: () => {} }, 'middleware must be a function: object'],
  [function onError(_error: unknown, _request: unknown, _response: unknown, _next: unknown) {},
    'middleware takes (request, response, next): "onError" has 4 parameters. For errors, use mapError'],
] as const) {
  rejected(`${expected} -> TypeError, and nothing is added`, () => serve((server) => {
    assert.throws(() => server.use(listener as Middleware), isTypeError(expected));
  }, async ({ port }) => assert.equal(readStatuses(await sendUntilClosed(port, 'GET / HTTP/1.0\r\n\r\n')), [404])));
}
