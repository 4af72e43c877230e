/** `stop()` while something never ends by itself: `stopGraceMs` ends it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { defineEndpoint, stringId, type ApiServer, type MountHandler } from '../../../src/index.ts';
import { linger } from '../../support/linger.ts';
import { runTogether } from '../../support/run-together.ts';
import { assert, chunkedMessage, delay, head, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../../support/facts.ts';

const GRACE_MS = 300;
// Long, so that a slow machine sends the half before that.
const REQUEST_MS = 3000;
const NEVER = new Promise<never>(() => {});
const GET = message('GET', '/v1/never/1');

/** Operations that never settle, and a mount. `begun` and `aborted` count them. */
class Never {
  readonly #mount: MountHandler;
  begun = 0;
  aborted = 0;

  constructor(mount: MountHandler = () => {}) {
    this.#mount = mount;
  }

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/never', defineEndpoint({
      id: stringId,
      schema: (json: unknown) => json,
      get: (_id, { signal }) => {
        this.begun += 1;
        signal.addEventListener('abort', () => (this.aborted += 1));
        return NEVER;
      },
      update: () => void this.begun++,
    }));
    server.mount('/mount', (request, response) => {
      this.begun += 1;
      response.on('close', () => (this.aborted += 1));
      return this.#mount(request, response, () => {});
    });
  };
}

const endless = suite('stop() after stopGraceMs');
const endlessTogether = runTogether(endless);
for (const [why, sent, mount, hasResponse] of [
  ['an operation that never settles', GET, () => {}, false],
  ['one with others pipelined after it', GET.repeat(3) + message('PUT', '/v1/never/1', '0'), () => {}, false],
  ['a mounted handler that never begins', message('GET', '/mount'), () => NEVER, false],
  ['one that began and never ends', message('GET', '/mount'), (_request, response) => response.write('first'), true],
  ['one that writes without end', message('GET', '/mount'), (_request, response) => {
    const timer = setInterval(() => response.write('more'), 5);
    response.on('close', () => clearInterval(timer));
  }, true],
  ['one that reads a body that never ends', head('POST', '/mount', ['Transfer-Encoding: chunked']), (request) => request.resume(), false],
] as const satisfies readonly (readonly [string, string, MountHandler, boolean])[]) {
  endlessTogether(`ends ${why}: its signal aborts or its response closes, and no other operation starts`, async () => {
    const never = new Never(mount);
    await serve(never.register, async ({ server, port }) => {
      const client = await RawClient.send(port, sent);
      await waitUntil(() => never.begun === 1, 'the beginning');
      const begin = Date.now();
      await server.stop();
      assert.ok(Date.now() - begin >= GRACE_MS - 10);
      assert.is(/^HTTP\/1\.1 200 /.test(await client.closed()), hasResponse);
      await waitUntil(() => never.aborted === 1, 'the signal');
      assert.is(never.begun, 1);
    }, { stopGraceMs: GRACE_MS });
  });
}
endlessTogether('leaves a server that can be started again', async () => {
  const never = new Never();
  await serve(never.register, async ({ server, port }) => {
    const client = await RawClient.send(port, GET);
    await waitUntil(() => never.begun === 1, 'the beginning');
    await server.stop();
    client.destroy();
    const again = await server.start('127.0.0.1:0');
    assert.ok(again.ok);
    assert.is((await send(Number(new URL(again.url).port), message('PUT', '/v1/never/1', '0'))).status, 204);
  }, { stopGraceMs: GRACE_MS });
});

const HALVES = [
  ['with a length', message('PUT', '/v1/never/1', '"half"').slice(0, -3)],
  ['chunked', chunkedMessage('PUT', '/v1/never/1', '"half"').slice(0, -8)],
] as const;

const half = suite('stop() with half of a body received');
const halfTogether = runTogether(half);
for (const [framing, sent] of HALVES) {
  halfTogether(`${framing}: the rest never arrives -> 408 after requestMs, and then stop() resolves`, () => stoppingBehind(sent, async ({ client, stopped, never }) => {
    const response = await client.response();
    assert.is(readProblem(response).status, 408);
    assert.is(response.headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    client.destroy();
    await stopped;
    assert.is(never.begun, 0);
  }, { stopGraceMs: 3_600_000, limits: { requestMs: REQUEST_MS } }));
  halfTogether(`${framing}: the rest never arrives -> closed after stopGraceMs if that is shorter than requestMs`, async () => {
    await stoppingBehind(sent, async ({ client, stopped, never }) => {
      assert.is(await client.closed(), '');
      await stopped;
      assert.is(never.begun, 0);
    }, { stopGraceMs: GRACE_MS });
  });
  halfTogether(`${framing}: the client leaves -> stop() resolves`, () => stoppingBehind(sent, async ({ client, stopped, never }) => {
    client.socket.resetAndDestroy();
    await stopped;
    assert.is(never.begun, 0);
  }, { stopGraceMs: 3_600_000 }));
}

const crowds = suite('stop() with a hundred clients');
for (const [why, sent, status] of [
  ['that were rejected, in lingering close', 'nonsense\r\n\r\n', 400],
  ['that have had their last response, in lingering close', message('PUT', '/v1/never/1', '0', ['Connection: close']), 204],
  ['that are idle after a response', message('PUT', '/v1/never/1', '0'), 204],
] as const) {
  crowds(`${why}: resolves before stopGraceMs`, () => serve(new Never().register, async ({ server, port }) => {
    const clients = await Promise.all(Array.from({ length: 100 }, async () => {
      const client = await RawClient.connect(port);
      // At once: a hundred handshakes can take longer than limits.headersMs.
      client.send(sent);
      return client;
    }));
    try {
      for (const client of clients) assert.is((await client.response()).status, status);
      await server.stop();
      for (const client of clients) assert.is(await client.closed(), '');
    } finally {
      clients.forEach((client) => client.destroy());
    }
  }, { stopGraceMs: 3_600_000 }));
}
crowds('that connect at that moment: all are closed without a response', async () => {
  const never = new Never();
  await serve(never.register, async ({ server, port }) => {
    const sockets = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }));
    const received: string[] = [];
    const closed = sockets.map((socket) => new Promise((resolve) => {
      socket.on('data', (chunk) => received.push(String(chunk)));
      socket.on('error', () => {});
      socket.on('close', resolve);
      socket.write(GET);
    }));
    // By now the system has accepted the connections, and the server has not read from them.
    await Promise.race(sockets.map((socket) => once(socket, 'connect')));
    await server.stop();
    await Promise.all(closed);
    await delay(20);
    assert.equal(received, []);
    assert.is(never.begun, 0);
  }, { stopGraceMs: 3_600_000, ...linger(0) });
});

interface Stopping {
  readonly client: RawClient;
  readonly stopped: Promise<void>;
  readonly never: Never;
}

/** Sends part of a request, stops the server after it has read the head, and measures how long that takes. */
async function stoppingBehind(
  sent: string,
  use: (stopping: Stopping) => Promise<void>,
  options: Parameters<typeof serve>[2],
): Promise<void> {
  const never = new Never();
  await serve(never.register, async ({ server, port, received }) => {
    const client = await RawClient.send(port, sent);
    await waitUntil(() => received() === 1, 'the head');
    await use({ client, stopped: server.stop(), never });
  }, options);
}
