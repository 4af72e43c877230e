/** What is published of requests to a server that is mounted in another one: one message, with the path of the mount in front. */
import { ApiServer, stringId } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { captureEvents } from '../support/capture-events.ts';
import { assert, message, send, serve, suite } from '../support/facts.ts';

const QUIET = { logger: { info: () => {}, error: () => {} } };

/** A server with pets, which fails to find the pet `none`. */
function pets(): ApiServer {
  const server = new ApiServer('/v1', QUIET);
  server.registerEndpoint('/pet', { id: stringId, get: (id) => (id === 'none' ? undefined : id) });
  server.mount('/files', (_request, response) => response.end('file'));
  return server;
}

const ALL = ['start', 'end', 'asyncStart', 'asyncEnd'];

const nested = suite('a server that is mounted in another one');
for (const [method, target, status, route, operation, error] of [
  ['GET', '/inner/v1/pet/a', 200, 'GET /inner/v1/pet/:id', 'get', undefined],
  ['GET', '/inner/v1/pet/none', 404, 'GET /inner/v1/pet/:id', 'get', 'Not found.'],
  ['OPTIONS', '/inner/v1/pet/a', 200, 'OPTIONS /inner/v1/pet/:id', undefined, undefined],
  ['GET', '/inner/files/a', 200, '* /inner/files', undefined, undefined],
  ['PUT', '/inner/v1/pet/a', 405, '* /inner', undefined, undefined],
  ['GET', '/inner/nowhere', 404, '* /inner', undefined, 'Nothing is served at this path.'],
  ['GET', '/two/deep/v1/pet/a', 200, 'GET /two/deep/v1/pet/:id', 'get', undefined],
] as const) {
  for (const how of ['its requestListener', 'a function that calls it']) {
    nested(`${method} ${target} -> ${status}, by ${how}: one message, ${route}`, () => serve((server) => {
      const middle = new ApiServer('', QUIET);
      middle.mount('/deep', pets().requestListener);
      const inner = pets();
      server.mount('/inner', how === 'its requestListener' ? inner.requestListener : (...values) => inner.requestListener(...values));
      server.mount('/two', middle.requestListener);
    }, async ({ port }) => {
      await captureEvents(async (captured) => {
        assert.is((await send(port, message(method, target))).status, status);
        const [published, ...others] = await captured.waitForEnds(1);
        assert.equal(others, []);
        assert.equal([published?.route, published?.operation], [{ method: route.split(' ')[0], path: route.split(' ')[1] }, operation]);
        assert.equal(published?.error?.message, error);
        assert.equal(captured.eventNames(published).filter((name) => name !== 'error'), ALL);
      });
    }));
  }
}
nested('whose middleware fails: the message has the error that was thrown', async () => {
  const thrown = new Error('no keeper today');
  const inner = pets();
  inner.use((_request, _response, next) => next(thrown));
  await serve((server) => server.mount('/inner', inner.requestListener), async ({ port }) => {
    await captureEvents(async (captured) => {
      assert.is((await send(port, message('GET', '/inner/v1/pet/a'))).status, 500);
      const [published] = await captured.waitForEnds(1);
      assert.is(published?.error, thrown);
    });
  });
});
nested('as middleware: one message of its own routes, and one of the outer for all others', () => serve((server) => {
  server.use(pets().requestListener);
  server.registerEndpoint('/outer', { get: () => 'outer' });
}, async ({ port }) => {
  await captureEvents(async (captured) => {
    for (const target of ['/v1/pet/a', '/v1/outer']) assert.is((await send(port, message('GET', target))).status, 200);
    assert.equal((await captured.waitForEnds(2)).map(({ route }) => route.path), ['/v1/pet/:id', '/v1/outer']);
  });
}));
nested('in an app of the user that is not an ApiServer: one message, with the route as it is', async () => {
  const { requestListener } = pets();
  await serveListener((request, response) => {
    Object.assign(request, { originalUrl: request.url, baseUrl: '/api', url: request.url?.slice(4) });
    requestListener(request, response);
  }, async (port) => {
    await captureEvents(async (captured) => {
      assert.is((await send(port, message('GET', '/api/v1/pet/a'))).status, 200);
      assert.equal((await captured.waitForEnds(1)).map(({ route }) => route.path), ['/v1/pet/:id']);
    });
  });
});
