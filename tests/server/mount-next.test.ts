/** The `next` and the `baseUrl` of a mounted handler, as listeners of Connect and Express use them. */
import { ApiError, ApiServer, type MountHandler } from '../../src/index.ts';
import { ask, assert, type Declare, delay, facts, message, RawClient, readStatuses, sendUntilClosed, serve, suite, waitUntil } from '../support/facts.ts';

const UNKNOWN = '404 Nothing is served at this path.';
const disk = new Error('the disk is full');

/** A handler at `/files`, and another. */
const declareHandler = (handler: MountHandler): Declare => (server) => {
  server.mount('/files', handler);
  server.mount('/health', (_request, response) => response.end('well'));
};
/** Both, over the same connection. */
const REQUESTS = ['GET /files/none', 'GET /health'];

const next = suite('M6: next of a mount');
for (const [handler, why] of [
  [(_request, _response, next) => next(), 'at once'],
  [(_request, _response, next) => void setTimeout(next, 5), 'later'],
  [async (_request, _response, next) => next(), 'in an async function'],
  [(_request, _response, next) => (next(), next()), 'twice'],
  [(_request, _response, next) => next(null), 'with null, which is not an error'],
  [(_request, response, next) => {
    response.statusCode = 201;
    response.setHeader('X-Half', 'done');
    response.setHeader('Content-Length', '3');
    next();
  }, 'when headers are set'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  facts(next, declareHandler(handler),
    [[`${why}: a problem without the headers of the handler; the connection is kept, and nothing is logged`, REQUESTS, [UNKNOWN, '200 well']]]);
}
for (const [thrown, response, ...logged] of [
  [disk, '500', '* /files: the disk is full'],
  ['a string', '500', '* /files: a string'],
  [ApiError.notFound(), '404 Not found.'],
  [ApiError.status(409, 'taken'), '409 taken'],
  [Object.assign(new Error('secret'), { statusCode: 403 }), '403'],
  [Object.assign(new Error('secret'), { status: 503 }), '503', '* /files: secret'],
] as const) {
  facts(next, declareHandler((_request, _response, next) => next(thrown)), [
    [`with ${String(thrown)}, as of middleware; the connection is kept`, REQUESTS, [response, '200 well'], ...logged],
  ], { after: ({ errors }) => assert.ok(errors.every(({ cause }) => cause === thrown)) });
}
for (const [handler, why] of [
  [(_request, response, next) => (response.end('mine'), next(), next(disk)), 'next() and next(error)'],
  [(_request, response, next) => (response.end('mine'), void setTimeout(next, 5, disk)), 'next(error), later'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  next(`${why} after a reply of the handler's own: the reply stays, and the error is logged`, () => serve(declareHandler(handler), async ({ port, errors }) => {
    assert.equal(await ask(port, REQUESTS), ['200 mine', '200 well']);
    await waitUntil(() => errors.length > 0, 'the log');
    assert.equal(errors.map(({ cause }) => cause), [disk]);
  }));
}
next('with an error when a part of a reply was sent: the connection is destroyed, logged', () => serve((server) => {
  server.mount('/files', (_request, response, next) => {
    response.writeHead(200, { 'Content-Length': '10' }).write('half');
    setTimeout(next, 5, disk);
  });
}, async ({ port, errors }) => {
  const received = await sendUntilClosed(port, message('GET', '/files'));
  assert.equal(readStatuses(received), [200]);
  assert.match(received, /half$/);
  assert.equal(errors.map(({ cause }) => cause), [disk]);
}));
for (const listen of [
  (server, listener) => server.mount('/files', listener),
  (server, listener) => server.use(listener),
] as const satisfies readonly ((server: ApiServer, listener: MountHandler) => void)[]) {
  const of = String(listen).includes('use') ? 'of middleware' : 'of a mount';
  for (const [goOn, why] of [
    [(next) => void setTimeout(next, 5, disk), 'next(error)'],
    [() => Promise.reject(disk), 'a rejection'],
  ] as const satisfies readonly (readonly [(next: (error?: unknown) => void) => unknown, string])[]) {
    next(`${of}, when a part of a reply was sent: next() is logged and passes nothing on; ${why} after it destroys the connection`, async () => {
      await serve((server) => listen(server, (_request, response, next) => {
        response.writeHead(200, { 'Content-Length': '10' }).write('half');
        next();
        return goOn(next);
      }), async ({ port, errors }) => {
        const received = await sendUntilClosed(port, message('GET', '/files'));
        assert.equal(readStatuses(received), [200]);
        assert.match(received, /half$/);
        assert.match(errors[0]?.message ?? '', 'next was called after a response was begun, and does nothing: do one of the two');
        assert.equal(errors.slice(1).map(({ cause }) => cause), [disk]);
      });
    });
  }
}
next('with an error when the client has left: it is logged', async () => {
  let isBegun = false;
  await serve((server) => {
    server.mount('/files', (_request, response, next) => {
      isBegun = true;
      response.once('close', () => next(disk));
    });
  }, async ({ port, errors }) => {
    const client = await RawClient.send(port, message('GET', '/files'));
    await waitUntil(() => isBegun, 'the handler');
    client.destroy();
    await waitUntil(() => errors.length > 0, 'the log');
    await delay(5);
    assert.equal(errors.map(({ cause }) => cause), [disk]);
  });
});
facts(next, (server) => {
  const inner = new ApiServer('', { logger: { info() {}, error() {} } });
  inner.registerEndpoint('/pet', { get: () => 'Rex' });
  server.mount('/inner', inner.requestListener);
}, [
  ['a path of a server that is mounted in this one', 'GET /inner/pet', '200 "Rex"'],
  ['is that of a server that is mounted in this one: one response, in the format of the outer one', 'GET /inner/other', '404 {"outer":404}'],
], { formatProblem: ({ status }) => ({ body: { outer: status } }) });

const below = suite('M6: baseUrl of a mount');
const echo = (name: string): MountHandler => ({ baseUrl, url, originalUrl }, response) => response.end(`${name}: ${baseUrl} ${url} ${originalUrl}`);
facts(below, (server) => {
  const inner = new ApiServer('', { logger: { info() {}, error() {} } });
  inner.mount('/inner', echo('inner'));
  for (const [route, name] of [['/', 'root'], ['/files', 'files'], ['/files/deep', 'deep']] as const) server.mount(route, echo(name));
  server.mount('/outer', inner.requestListener);
}, [
  ['', 'GET /files', '200 files: /files / /files'],
  ['', 'GET /files/a?q=1', '200 files: /files /a?q=1 /files/a?q=1'],
  ['', 'GET /files//a', '200 files: /files //a /files//a'],
  ['', 'GET /files/deep/a', '200 deep: /files/deep /a /files/deep/a'],
  ['', 'GET http://a/files/a', '200 files: /files /a /files/a'],
  ['', 'GET /other', '200 root:  /other /other'],
  ['', 'GET /outer/inner/a', '200 inner: /outer/inner /a /outer/inner/a'],
]);
