/** I2: The timers of a request end with it: one that is left keeps all of the request in memory until it fires. */
import { createHook } from 'node:async_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, reply, type ApiServer } from '../../../src/index.ts';
import { Gate, waitUntil } from '../../support/wait.ts';
import { chunkedMessage, head, message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

// Times that no other timer has.
const LIMITS = { operationMs: 58_123, requestMs: 59_321 };

/** The timers for these limits that are neither cleared nor over. A paused deadline has a part of its time left. */
class LimitTimers {
  readonly #alive = new Set<number>();
  #made = 0;
  readonly #hook = createHook({
    init: (id, type, _trigger, resource) => {
      const { _idleTimeout: ms = 0 } = resource as { readonly _idleTimeout?: number };
      if (type !== 'Timeout' || ms < LIMITS.operationMs - 2000 || ms > LIMITS.requestMs) return;
      this.#made += 1;
      this.#alive.add(id);
    },
    destroy: (id) => void this.#alive.delete(id),
  }).enable();

  /** Runs a test, and waits until all are cleared. Fails if none was made. `counted` waits until so many of those that were made are left. */
  static async ofAll(run: (cleared: () => Promise<void>, counted: (left: number, made: number) => Promise<void>) => Promise<void>): Promise<void> {
    const timers = new LimitTimers();
    const waitForCount = (left: number, made: number): Promise<void> => {
      return waitUntil(() => timers.#alive.size === left && timers.#made >= made, `${left} of ${made} timers`);
    };
    const waitUntilCleared = (): Promise<void> => waitForCount(0, 0);
    try {
      await run(waitUntilCleared, waitForCount);
      assert.ok(timers.#made > 0, 'no timer was made');
      await waitUntilCleared();
    } finally {
      timers.#hook.disable();
    }
  }
}

async function* echoOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    await new Promise(setImmediate);
    yield chunk;
  }
}

const begun = new Gate();
const late = new Gate();
const never = new Promise<never>(() => {});

function endpoint(server: ApiServer): void {
  const input = bytes();
  server.registerEndpoint('/a', {
    custom: {
      echo: { input, run: async (body) => reply(200, echoOf(body)) },
      read: { input, run: async (body) => { for await (const _chunk of body) begun.open(); return 'read'; } },
      late: { input, run: async (body) => { await late.passed; for await (const _chunk of body); return 'read'; } },
      ignore: { input, run: async () => 'done' },
      json: { input: (json: unknown) => json, limits: { requestMs: LIMITS.requestMs }, run: async (json) => json },
      none: { limits: { requestMs: LIMITS.requestMs }, run: async () => 'done' },
      slow: { input: (json: unknown) => json, run: () => Promise.race([never, new Promise((resolve) => setTimeout(resolve, 20, 'done'))]) },
    },
  });
}

/** Sends the head of a request whose operation ignores the body, and then the body. */
async function sendLate(client: RawClient, path: string): Promise<void> {
  client.send(head('POST', `/v1/a/${path}`, ['Content-Length: 2']));
  assert.is((await client.response()).body, '"done"');
  client.send('ab');
}

const timers = suite('no timer of a request is left');
for (const [fact, sent] of [
  ['after a stream that is made of the body', chunkedMessage('POST', '/v1/a/echo', 'ab')],
  ['after a body that the operation does not read', chunkedMessage('POST', '/v1/a/ignore', 'ab')],
  ['after an operation that takes a while', message('POST', '/v1/a/slow', '{}')],
] as const) {
  timers(fact, () => LimitTimers.ofAll(() => serve(endpoint, async ({ port }) => {
    assert.is((await send(port, sent)).status, 200);
  }, { limits: LIMITS })));
}
for (const path of ['ignore', 'none']) {
  timers(`after the late body of ${path}, while the connection stays open`, () => LimitTimers.ofAll((cleared) => serve(endpoint, async ({ port }) => {
    const client = await RawClient.connect(port);
    await sendLate(client, path);
    await sendLate(client, path);
    await cleared();
    client.destroy();
  }, { limits: LIMITS })));
}
for (const [path, how, leave] of [
  ['read', 'resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['read', 'ends it', (client: RawClient) => client.socket.end()],
  ['echo', 'resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['json', 'resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['json', 'ends it', (client: RawClient) => client.socket.end()],
] as const) {
  timers(`after a client that ${how} within the body of ${path}`, () => LimitTimers.ofAll(() => serve(endpoint, async (served) => {
    const client = await RawClient.connect(served.port);
    client.send(`${head('POST', `/v1/a/${path}`, ['Content-Type: application/json', 'Content-Length: 100'])}{"a"`);
    if (path === 'read') await begun.passed;
    else await new Promise((resolve) => setTimeout(resolve, 50));
    leave(client);
    await waitUntil(() => client.socket.destroyed || client.socket.readableEnded, 'the connection is closed');
    client.destroy();
    // That a Custom operation fails is logged.
    void served.errors;
  }, { limits: LIMITS })));
}
timers('for a body that the operation reads late: the limit for the time in which it is not read ends then', () => {
  return LimitTimers.ofAll((cleared, counted) => serve(endpoint, async ({ port }) => {
    const client = await RawClient.send(port, head('POST', '/v1/a/late', ['Content-Length: 6000000']) + 'x'.repeat(5_000_000));
    // The deadline of the operation, and the limit of a body of which enough is buffered.
    await counted(2, 2);
    late.open();
    // The deadline, which asks whether the operation still waits for the client, and the limit of a body that is read.
    await counted(2, 3);
    client.send('x'.repeat(1_000_000));
    assert.is((await client.response()).body, '"read"');
    await cleared();
    client.destroy();
  }, { limits: { ...LIMITS, bodyBytes: 10_000_000 } }));
});
timers.run();
