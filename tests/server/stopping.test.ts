/** `server.stopping`: the signal at which endless streams end. */
import { EventEmitter, on, once } from 'node:events';
import { ApiServer, defineEndpoint, reply, stringId } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { assert, delay, message, RawClient, send, serve, suite, waitUntil, withTimeout } from '../support/facts.ts';

const CLIENTS = 100;
const EVENTS = 20;

const sent = suite('L6: server-sent events');
sent(`${EVENTS} events to ${CLIENTS} clients: each reaches each, and stop() ends all of them at once by server.stopping`, async () => {
  const emitter = new EventEmitter().setMaxListeners(0);
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  let ended = 0;
  await serve((server) => {
    const feed = async function* (left: AbortSignal, stopping: AbortSignal): AsyncGenerator<string> {
      const signal = AbortSignal.any([left, stopping]);
      try {
        for await (const [id] of on(emitter, 'event', { signal })) yield `id: ${id}\ndata: {}\n\n`;
      } catch (thrown) {
        if (!stopping.aborted) throw thrown;
        yield 'event: bye\n\n';
      } finally {
        ended += 1;
      }
    };
    server.registerEndpoint('/feed', defineEndpoint({
      id: stringId,
      get: (_id, { signal }) => {
        // Each listens, as it would without `AbortSignal.any`.
        server.stopping.addEventListener('abort', () => {});
        return reply(200, feed(signal, server.stopping), { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      },
    }));
  }, async ({ port, server }) => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => RawClient.connect(port)));
    for (const client of clients) client.send(message('GET', '/v1/feed/1'));
    await waitUntil(() => emitter.listenerCount('event') === CLIENTS, 'all clients to listen');
    for (let id = 1; id <= EVENTS; id += 1) {
      emitter.emit('event', id);
      await waitUntil(() => clients.every((client) => client.unread.includes(`id: ${id}\n`)), `event ${id} to reach all`);
    }
    clients.pop()?.destroy();
    await waitUntil(() => ended === 1, 'the stream of the client that left to end');
    await withTimeout(server.stop());
    for (const client of clients) {
      const { headers, body } = await client.response();
      assert.is(headers.get('content-type'), 'text/event-stream');
      assert.equal([...body.matchAll(/id: (\d+)\n/g)].map(([, id]) => Number(id)), Array.from({ length: EVENTS }, (_, index) => index + 1));
      assert.match(body, /event: bye\n\n$/);
      client.destroy();
    }
    assert.is(ended, CLIENTS);
  }, { stopGraceMs: 3_600_000 });
  process.off('warning', warn);
  assert.equal(warnings, []);
});

const signal = suite('L6: server.stopping');
const logger = { info: () => {}, error: () => {} };
signal('aborts when stop begins, not before; also for who reads it only then; and is another after the next start', async () => {
  const server = new ApiServer('', { logger });
  const first = server.stopping;
  await server.stop();
  assert.not.ok(first.aborted);
  assert.ok((await server.start('127.0.0.1:0')).ok);
  assert.is(server.stopping, first);
  const stopped = server.stop();
  assert.ok(first.aborted);
  await stopped;
  assert.ok(server.stopping.aborted);
  assert.ok((await server.start('127.0.0.1:0')).ok);
  const second = server.stopping;
  assert.not.ok(second.aborted);
  const aborted = once(second, 'abort');
  await server.stop();
  await aborted;
});
signal('of a server whose signal was not read before', async () => {
  const server = new ApiServer('', { logger });
  await server.start('127.0.0.1:0');
  await server.stop();
  assert.ok(server.stopping.aborted);
});

const FEED = message('GET', '/feed');

/** A server with a stream that ends when it stops. */
function makeEndless(root = ''): ApiServer {
  const server = new ApiServer(root, { logger, stopGraceMs: 3_600_000 });
  const feed = async function* (signal: AbortSignal): AsyncGenerator<string> {
    yield 'begin';
    await (signal.aborted ? undefined : once(signal, 'abort'));
    yield 'end';
  };
  server.registerEndpoint('/feed', { get: () => reply(200, feed(server.stopping)) });
  return server;
}

/** Opens a stream at this path, stops, and asserts that the stream ends with its last chunk. */
async function assertEnds(port: number, path: string, stop: () => Promise<unknown>): Promise<void> {
  const client = await RawClient.send(port, FEED.replace('/feed', path));
  await waitUntil(() => client.unread.includes('begin'), 'the stream to begin');
  await delay(20);
  assert.not.match(client.unread, 'end');
  const stopped = stop();
  assert.is((await client.response()).body, 'beginend');
  client.destroy();
  await withTimeout(stopped);
}

const mounted = suite('server.stopping of a server that is not started');
mounted('that has only a requestListener: aborts when stop() begins', async () => {
  const server = makeEndless();
  await serveListener((request, response) => server.requestListener(request, response), async (port) => {
    await assertEnds(port, '/feed', () => server.stop());
    assert.ok(server.stopping.aborted);
  });
});
mounted('that has only a requestListener, and could not start meanwhile: aborts when stop() begins', async () => {
  const server = makeEndless();
  await serveListener((request, response) => server.requestListener(request, response), async (port) => {
    await assertEnds(port, '/feed', async () => {
      assert.is((await server.start(`127.0.0.1:${port}`)).ok, false);
      await server.stop();
    });
  });
});
for (const [how, mount] of [
  ['as a handler', (outer: ApiServer, inner: ApiServer) => outer.mount('/inner', inner.requestListener)],
  ['in a function', (outer: ApiServer, inner: ApiServer) => outer.mount('/inner', (...values) => inner.requestListener(...values))],
  ['as middleware', (outer: ApiServer, inner: ApiServer) => outer.use(inner.requestListener)],
  ['two deep', (outer: ApiServer, inner: ApiServer) => {
    const middle = new ApiServer('', { logger });
    middle.mount('/', inner.requestListener);
    outer.mount('/inner', middle.requestListener);
  }],
] as const) {
  mounted(`that is mounted in another ${how}: stops with it, and again after each start`, async () => {
    const outer = new ApiServer('', { logger, stopGraceMs: 3_600_000 });
    const inner = makeEndless();
    mount(outer, inner);
    for (const _ of [1, 2]) {
      const started = await outer.start('127.0.0.1:0');
      assert.ok(started.ok);
      const { port } = new URL(started.url);
      await assertEnds(Number(port), how === 'as middleware' ? '/feed' : '/inner/feed', () => outer.stop());
      assert.ok(inner.stopping.aborted);
    }
  });
}
mounted('that is mounted in another, which was stopped before its first start: serves again when that starts', async () => {
  const outer = new ApiServer('', { logger });
  const inner = new ApiServer('', { logger });
  inner.registerEndpoint('/item', { get: () => 1 });
  outer.mount('/inner', inner.requestListener);
  await outer.stop();
  assert.is(await inner.fetch('/item').catch((error: Error) => error.name), 'TypeError');
  assert.ok((await outer.start('127.0.0.1:0')).ok);
  try {
    assert.is(await (await inner.fetch('/item')).json(), 1);
  } finally {
    await outer.stop();
  }
});
for (const [which, stop] of [
  ['the started one', (one: ApiServer) => one.stop()],
  ['the other one, and then of it', (one: ApiServer, two: ApiServer) => two.stop().then(() => one.stop())],
  ['both at once', (one: ApiServer, two: ApiServer) => Promise.all([one.stop(), two.stop()])],
] as const) {
  mounted(`that is mounted in another, which is mounted in it: stop() of ${which} ends both, also after another start`, async () => {
    const [one, two] = [makeEndless('/one'), makeEndless('/two')];
    one.mount('/to', two.requestListener);
    two.mount('/to', one.requestListener);
    for (const _ of [1, 2]) {
      const started = await one.start('127.0.0.1:0');
      assert.ok(started.ok);
      const port = Number(new URL(started.url).port);
      // To the other, and back again.
      assert.is((await send(port, FEED.replace('/feed', '/to/to/nowhere'))).status, 404);
      await assertEnds(port, '/to/two/feed', () => stop(one, two));
      assert.equal([one.stopping.aborted, two.stopping.aborted], [true, true]);
    }
  });
}
mounted('that is mounted in itself: stops', async () => {
  const server = makeEndless();
  server.mount('/inner', server.requestListener);
  const started = await server.start('127.0.0.1:0');
  assert.ok(started.ok);
  await assertEnds(Number(new URL(started.url).port), '/inner/feed', () => server.stop());
});
