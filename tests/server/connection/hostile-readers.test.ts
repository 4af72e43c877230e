/** Clients that request much and read nothing: the server produces no more than its buffers hold, and later requests wait. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringId } from '../../../src/index.ts';
import { connectPaused } from '../../support/connect-paused.ts';
import { assert, delay, head, message, send, serve, suite, waitUntil } from '../../support/facts.ts';

const MIB = 2 ** 20;
// The buffers of both sides of a connection and of Node.
const MAX_BUFFERED = 16 * MIB;
const WHOLE = 20 * MIB;

/** Reads to the end, and returns the number of bytes. */
async function readToEnd(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  socket.resume();
  await once(socket, 'close');
  return bytes;
}

/** Waits until a count has started to grow, and has not grown for so many turns of the event loop. Returns it. */
async function standstill(count: () => number, turns = 50): Promise<number> {
  await waitUntil(() => count() > 0, 'a beginning');
  let before = count();
  for (let turn = 0; turn < turns; turn += 1) {
    await delay(2);
    if (count() !== before) turn = 0;
    before = count();
  }
  return before;
}

/** 20 MiB in pieces. `made` counts the bytes that were read from it, `ended` the streams that have closed. */
class Source {
  made = 0;
  ended = 0;

  readonly stream = (): Readable => Readable.from(this.#pieces(), { objectMode: false });

  * #pieces(): Generator<Buffer> {
    const piece = Buffer.alloc(64 * 1024, 'x');
    try {
      for (; this.made < WHOLE; this.made += piece.length) yield piece;
    } finally {
      this.ended += 1;
    }
  }
}

const streamed = suite('20 MiB that a mounted handler streams to a client that reads nothing');

streamed('are produced as fast as the client reads them, and all of them arrive when it reads on', async () => {
  const source = new Source();
  await serve((server) => {
    server.mount('/stream', (_request, response) => pipeline(source.stream(), response));
  }, async ({ port }) => {
    const client = await connectPaused(port);
    client.write(head('GET', '/stream', ['Connection: close']));
    assert.ok(await standstill(() => source.made) < MAX_BUFFERED, `made ${source.made} bytes`);
    assert.is((await send(port, message('GET', '/nowhere'))).status, 404);
    assert.ok(await readToEnd(client) > WHOLE);
    assert.is(source.ended, 1);
  });
});
for (const [how, leave] of [
  ['resets the connection', (client: Socket) => client.resetAndDestroy()],
  ['leaves', (client: Socket) => client.destroy()],
] as const) {
  streamed(`stop when it ${how}, and the next client is served`, async () => {
    const source = new Source();
    await serve((server) => {
      server.mount('/stream', (_request, response) => pipeline(source.stream(), response).catch(() => {}));
    }, async ({ port }) => {
      const client = await connectPaused(port);
      client.write(head('GET', '/stream'));
      await standstill(() => source.made);
      leave(client);
      await waitUntil(() => source.ended === 1, 'the source to be closed');
      assert.is((await send(port, message('GET', '/nowhere'))).status, 404);
    });
  });
}

const piled = suite('responses that a client requests and does not read');
for (const [count, bytes, why] of [
  [2, MAX_BUFFERED, 'the next operation starts only when a large response has been sent'],
  [2000, 16 * 1024, 'operations with small responses start only as fast as these can be sent'],
] as const) {
  piled(`${why}, and all arrive when the client reads on`, async () => {
    const json = 'x'.repeat(bytes - 2);
    let begun = 0;
    let read = 0;
    // How much of the earlier responses was on its way when an operation started.
    let buffered = 0;
    const start = (): number => {
      buffered = Math.max(buffered, begun * bytes - read);
      return begun++;
    };
    await serve((server) => {
      server.registerEndpoint('/item', { id: stringId, get: { run: start, output: () => json } });
    }, async ({ port }) => {
      const client = await connectPaused(port);
      client.write(message('GET', '/v1/item/1').repeat(count - 1) + message('GET', '/v1/item/1', '', ['Connection: close']));
      // Few turns: the server takes no more requests of a client that reads nothing for half a second.
      await standstill(() => begun, 3);
      const other = send(port, message('OPTIONS', '/v1/item'));
      client.on('data', (chunk) => (read += chunk.length));
      assert.ok(await readToEnd(client) > count * bytes);
      assert.is(begun, count);
      assert.ok(buffered < MAX_BUFFERED, `${buffered} bytes`);
      assert.is((await other).status, 200);
      // Where reading pauses in the middle of a head, that head takes as long as the replies before it.
    }, { limits: { headersMs: 600_000, requestMs: 600_000 } });
  });
}
piled('are not produced after it leaves', async () => {
  const text = 'x'.repeat(MAX_BUFFERED);
  let begun = 0;
  await serve((server) => {
    server.registerEndpoint('/item', { id: stringId, get: () => (begun++, text) });
  }, async ({ port }) => {
    const client = await connectPaused(port);
    client.write(message('GET', '/v1/item/1').repeat(10));
    await standstill(() => begun);
    client.resetAndDestroy();
    await delay(50);
    assert.is((await send(port, message('OPTIONS', '/v1/item'))).status, 200);
    assert.is(begun, 1);
  });
});
