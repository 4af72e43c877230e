/** Clients that ask for much and read nothing: what they have not read is not made, and what they ask for waits. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId } from '../../../src/index.ts';
import { after, until } from '../../support/gate.ts';
import { head, message } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { unreading } from '../../support/unreading.ts';

const MIB = 2 ** 20;
const WHOLE = 50 * MIB;
// What the system takes for a client that does not read, on both sides, and Node's own buffers.
const MAX_BUFFERED = 16 * MIB;

/** Reads on until the end, and gives the number of bytes that came. */
async function readToEnd(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  socket.resume();
  await once(socket, 'close');
  return bytes;
}

/** Waits until a count has begun, and has stood still for a while. */
async function standstill(count: () => number): Promise<number> {
  await until(() => count() > 0, 'a beginning');
  for (let before = 0; before !== count();) {
    before = count();
    await after(200);
  }
  return count();
}

/** Fifty MiB, piece by piece; `made` says how much was asked for, `ended` how often it came to an end. */
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

const streamed = suite('50 MiB that a mounted handler streams to a client that reads nothing');

streamed('are made as far as they are read, and all of them come when the client reads on', async () => {
  const source = new Source();
  await serving((server) => {
    server.registerHandler('/stream', (_request, response) => pipeline(source.stream(), response));
  }, async ({ port, errors }) => {
    const client = await unreading(port);
    client.write(head('GET', '/stream', ['Connection: close']));
    assert.ok(await standstill(() => source.made) < MAX_BUFFERED, `made ${source.made} bytes`);
    assert.is((await rawRequest(port, message('GET', '/nowhere'))).status, 404);
    assert.ok(await readToEnd(client) > WHOLE);
    assert.is(source.ended, 1);
    assert.equal(errors, []);
  });
});

for (const [how, leave] of [
  ['resets the connection', (client: Socket) => client.resetAndDestroy()],
  ['leaves', (client: Socket) => client.destroy()],
] as const) {
  streamed(`come to an end when it ${how}, and the next one is served`, async () => {
    const source = new Source();
    await serving((server) => {
      server.registerHandler('/stream', (_request, response) => pipeline(source.stream(), response).catch(() => {}));
    }, async ({ port, errors }) => {
      const client = await unreading(port);
      client.write(head('GET', '/stream'));
      await standstill(() => source.made);
      leave(client);
      await until(() => source.ended === 1, 'the source to be closed');
      assert.is((await rawRequest(port, message('GET', '/nowhere'))).status, 404);
      assert.equal(errors, []);
    });
  });
}
streamed.run();

const piled = suite('answers that a client asks for and does not read');
for (const [count, bytes, most, why] of [
  [4, MAX_BUFFERED, 1, 'the next operation is not begun before a large answer is out'],
  [20_000, 16 * 1024, MAX_BUFFERED / 16 / 1024, 'small ones are begun no further than they can be sent'],
] as const) {
  piled(`${why}, and all come when the client reads on`, async () => {
    const text = 'x'.repeat(bytes - 2);
    let begun = 0;
    await serving((server) => {
      server.registerEndpoint('/item', { id: stringId, get: () => (begun++, text) });
    }, async ({ port }) => {
      const client = await unreading(port);
      client.write(message('GET', '/v1/item/1').repeat(count - 1) + message('GET', '/v1/item/1', '', ['Connection: close']));
      assert.ok(await standstill(() => begun) <= most, `begun: ${begun}`);
      assert.is((await rawRequest(port, message('OPTIONS', '/v1/item'))).status, 200);
      assert.ok(await readToEnd(client) > count * bytes);
      assert.is(begun, count);
    });
  });
}
piled('are not made when it leaves', async () => {
  const text = 'x'.repeat(MAX_BUFFERED);
  let begun = 0;
  await serving((server) => {
    server.registerEndpoint('/item', { id: stringId, get: () => (begun++, text) });
  }, async ({ port, errors }) => {
    const client = await unreading(port);
    client.write(message('GET', '/v1/item/1').repeat(10));
    await standstill(() => begun);
    client.resetAndDestroy();
    await after(50);
    assert.is((await rawRequest(port, message('OPTIONS', '/v1/item'))).status, 200);
    assert.is(begun, 1);
    assert.equal(errors, []);
  });
});
piled.run();
