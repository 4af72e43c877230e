/** `stop()` against what does not come to an end by itself: the grace ends it, and nothing outlives that. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer, type MountHandler } from '../../../src/index.ts';
import { after, until } from '../../support/gate.ts';
import { chunkedMessage, head, message, problemIn } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { together } from '../../support/together.ts';

const GRACE_MS = 300;
const NEVER = new Promise<never>(() => {});
const GET = message('GET', '/v1/never/1');

/** Operations that never settle, and a mount; `begun` and `aborted` say how many. */
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
      update: () => this.begun++,
    }));
    server.registerHandler('/mount', (request, response) => {
      this.begun += 1;
      response.on('close', () => (this.aborted += 1));
      return this.#mount(request, response);
    });
  };
}

const endless = suite('stop() when the grace is over');
const endlessTogether = together(endless);
for (const [why, sent, mount, isAnswered] of [
  ['an operation that never settles', GET, () => {}, false],
  ['one with others pipelined behind it', GET.repeat(3) + message('PUT', '/v1/never/1', '0'), () => {}, false],
  ['a mounted handler that never begins', message('GET', '/mount'), () => NEVER, false],
  ['one that began and never ends', message('GET', '/mount'), (_request, response) => response.write('first'), true],
  ['one that writes without end', message('GET', '/mount'), (_request, response) => {
    const timer = setInterval(() => response.write('more'), 5);
    response.on('close', () => clearInterval(timer));
  }, true],
  ['one that reads a body that never ends', head('POST', '/mount', ['Transfer-Encoding: chunked']), (request) => request.resume(), false],
] as const satisfies readonly (readonly [string, string, MountHandler, boolean])[]) {
  endlessTogether(`ends ${why}, tells it, and begins nothing more`, async () => {
    const never = new Never(mount);
    await serving(never.register, async ({ server, port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(sent);
        await until(() => never.begun === 1, 'the beginning');
        const begin = Date.now();
        await server.stop();
        assert.ok(Date.now() - begin >= GRACE_MS - 10);
        assert.is(/^HTTP\/1\.1 200 /.test(await client.closed()), isAnswered);
        await until(() => never.aborted === 1, 'the signal');
        assert.is(never.begun, 1);
        assert.equal(errors, []);
      } finally {
        client.destroy();
      }
    }, { stopGraceMs: GRACE_MS });
  });
}
endlessTogether('and the server can be started again, and serves', async () => {
  const never = new Never();
  await serving(never.register, async ({ server, port }) => {
    const client = await RawClient.connect(port);
    client.send(GET);
    await until(() => never.begun === 1, 'the beginning');
    await server.stop();
    client.destroy();
    assert.ok((await server.start({ port })).ok);
    assert.is((await rawRequest(port, message('PUT', '/v1/never/1', '0'))).status, 204);
  }, { stopGraceMs: GRACE_MS });
});
endless.run();

const HALVES = [
  ['with a length', message('PUT', '/v1/never/1', '"half"').slice(0, -3)],
  ['chunked', chunkedMessage('PUT', '/v1/never/1', '"half"').slice(0, -8)],
] as const;

const half = suite('stop() while half of a body has come');
const halfTogether = together(half);
for (const [framing, sent] of HALVES) {
  halfTogether(`${framing}: the rest does not come -> 408 after requestMs, and stop() waits no longer`, async () => {
    await stoppingBehind(sent, async ({ client, stopped, never }) => {
      const answer = await client.response();
      assert.is(problemIn(answer).status, 408);
      assert.is(answer.headers.get('connection'), 'close');
      assert.is(await client.closed(), '');
      client.destroy();
      await stopped;
      assert.is(never.begun, 0);
    }, { stopGraceMs: 60_000, limits: { requestMs: 300 } });
  });
  halfTogether(`${framing}: the rest does not come -> closed when the grace is over before requestMs is`, async () => {
    await stoppingBehind(sent, async ({ client, stopped, never }) => {
      assert.is(await client.closed(), '');
      await stopped;
      assert.is(never.begun, 0);
    }, { stopGraceMs: GRACE_MS });
  });
  halfTogether(`${framing}: its client leaves -> stop() waits no longer`, async () => {
    await stoppingBehind(sent, async ({ client, stopped, never }) => {
      client.socket.resetAndDestroy();
      await stopped;
      assert.is(never.begun, 0);
    }, { stopGraceMs: 60_000 });
  });
}
half.run();

const crowds = suite('stop() with a hundred clients');
for (const [why, sent, status] of [
  ['that were refused, and linger', 'nonsense\r\n\r\n', 400],
  ['that had their last answer, and linger', message('PUT', '/v1/never/1', '0', ['Connection: close']), 204],
  ['that are kept after an answer', message('PUT', '/v1/never/1', '0'), 204],
] as const) {
  crowds(`${why}: does not wait for the grace`, async () => {
    await serving(new Never().register, async ({ server, port }) => {
      const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(port)));
      try {
        for (const client of clients) client.send(sent);
        for (const client of clients) assert.is((await client.response()).status, status);
        await server.stop();
        for (const client of clients) assert.is(await client.closed(), '');
      } finally {
        clients.forEach((client) => client.destroy());
      }
    }, { stopGraceMs: 60_000 });
  });
}
crowds('that connect in the very moment: none is answered, none is left', async () => {
  const never = new Never();
  await serving(never.register, async ({ server, port }) => {
    const sockets = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1' }));
    const received: string[] = [];
    const closed = sockets.map((socket) => new Promise((resolve) => {
      socket.on('data', (chunk) => received.push(String(chunk)));
      socket.on('error', () => {});
      socket.on('close', resolve);
      socket.write(GET);
    }));
    // The system has taken them by now, and the server has not read from any.
    await Promise.race(sockets.map((socket) => once(socket, 'connect')));
    await server.stop();
    await Promise.all(closed);
    await after(20);
    assert.equal(received, []);
    assert.is(never.begun, 0);
  }, { stopGraceMs: 60_000 });
});
crowds.run();

interface Stopping {
  readonly client: RawClient;
  readonly stopped: Promise<void>;
  readonly never: Never;
}

/** Sends what is no whole request, stops the server when its head was read, and looks on. */
async function stoppingBehind(
  sent: string,
  use: (stopping: Stopping) => Promise<void>,
  options: Parameters<typeof serving>[2],
): Promise<void> {
  const never = new Never();
  await serving(never.register, async ({ server, port, errors, received }) => {
    const client = await RawClient.connect(port);
    try {
      client.send(sent);
      await until(() => received() === 1, 'the head');
      await use({ client, stopped: server.stop(), never });
      assert.equal(errors, []);
    } finally {
      client.destroy();
    }
  }, options);
}
