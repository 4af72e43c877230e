/** The concurrency limit `limits.inFlight`: the requests that it counts, and that it changes nothing else. */
import { ApiServer, defineEndpoint, reply, stringId } from '../../src/index.ts';
import { assertGarbageCollected } from '../support/garbage-collection.ts';
import { assert, chunkedMessage, delay, Gate, head, message, RawClient, send, sendUntilClosed, serve, suite, waitUntil } from '../support/facts.ts';

const GET = message('GET', '/v1/item/1');
const CREATE = chunkedMessage('POST', '/v1/item', '"1"');

/** Get responds at once. With the id `slow` it waits for a gate, and `left` counts the clients that leave. */
class Items {
  readonly gate = new Gate();
  begun = 0;
  left = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: String,
      create: (item) => item,
      get: (id, { signal }) => {
        this.begun += 1;
        if (id !== 'slow') return id;
        signal.addEventListener('abort', () => (this.left += 1));
        return this.gate.passed.then(() => id);
      },
    }));
    server.mount('/mount', (_request, response) => void setTimeout(() => response.end('mounted'), 5));
  };
}

const same = suite('C6: the bytes on the wire with limits.inFlight and without');
for (const [what, sent] of [
  ['a broken chunk after valid requests', `${GET}${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}broken`],
  ['a broken chunk after requests with late responses', `${message('GET', '/mount')}${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}broken`],
  ['a broken chunk after its first bytes', `${GET}${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}3\r\n"ab\r\nbroken`],
  ['garbage after valid requests', `${GET}${CREATE}nonsense\r\n\r\n`],
  ['three pipelined, the last of which closes', `${GET}${CREATE}${message('GET', '/v1/item/3', '', ['Connection: close'])}`],
  ['mounts and operations in turn', `${message('GET', '/mount')}${GET}${message('GET', '/mount')}${message('GET', '/v1/item/3', '', ['Connection: close'])}`],
  ['an upgrade after other requests', `${GET}${GET}${head('GET', '/v1/item/2', ['Connection: upgrade', 'Upgrade: h2c'])}`],
] as const) {
  for (const inFlight of [1, 2, 100]) {
    same(`${what}: the same bytes with a limit of ${inFlight}`, async () => {
      const said: string[] = [];
      for (const limits of [{}, { inFlight }]) {
        await serve(new Items().register, async ({ port }) => {
          said.push((await sendUntilClosed(port, sent)).replace(/Date: .*/g, 'Date'));
        }, { limits });
      }
      assert.ok(said[0]?.startsWith('HTTP/1.1 '));
      assert.is(said[1], said[0]);
    });
  }
}

const idle = suite('an idle connection under limits.inFlight');
for (const [what, sent, times] of [['Get', GET, 1], ['Create', CREATE, 1], ['three Gets', GET.repeat(3), 3], ['a mount', message('GET', '/mount'), 1],
  ['a Get and a mount', GET + message('GET', '/mount'), 2]] as const) {
  idle(`${what}: does not count as a request`, () => serve(new Items().register, ({ port }) => assertGarbageCollected(port, sent, times), { limits: { inFlight: 1 } }));
}

const room = suite('the requests of a client that leaves');
for (const [what, sent, begun] of [
  ['with an operation in flight', message('GET', '/v1/item/slow'), 1],
  ['with one in flight and others pipelined', message('GET', '/v1/item/slow') + GET.repeat(3), 1],
  ['with one in flight, after unread responses', GET.repeat(3) + message('GET', '/v1/item/slow'), 4],
] as const) {
  room(`${what}: are no longer counted`, async () => {
    const items = new Items();
    await serve(items.register, async ({ port }) => {
      const client = await RawClient.connect(port);
      client.socket.pause();
      client.send(sent);
      await waitUntil(() => items.begun === begun, 'the start');
      assert.is((await send(port, GET)).status, 503);
      client.socket.resetAndDestroy();
      await waitUntil(() => items.left === 1, 'the signal');
      assert.is((await send(port, GET)).status, 200);
    }, { limits: { inFlight: 1 } });
  });
}

/** Streams of a piece each 20 ms, once the gate is open. `closed` counts those that were closed. */
class Streams {
  readonly gate = new Gate();
  begun = 0;
  closed = 0;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => id }));
    server.registerEndpoint('/stream', defineEndpoint({ get: () => reply(200, this.#items()) }));
  };

  async * #items(): AsyncGenerator<string> {
    this.begun += 1;
    try {
      await this.gate.passed;
      for (;;) {
        yield '1';
        await delay(20);
      }
    } finally {
      this.closed += 1;
    }
  }
}

const STREAM = message('GET', '/v1/stream');

const streams = suite('C6: a response that is a stream, under the limits');
streams('counts for limits.inFlight until its head is sent, and then no more', async () => {
  const items = new Streams();
  await serve(items.register, async ({ port }) => {
    const clients = [await RawClient.connect(port), await RawClient.connect(port)];
    clients[0]?.send(STREAM);
    await waitUntil(() => items.begun === 1, 'the first stream');
    assert.is((await send(port, GET)).status, 503);
    items.gate.open();
    await waitUntil(() => clients[0]?.unread.includes('200 OK') === true, 'its head');
    clients[1]?.send(STREAM);
    await waitUntil(() => clients[1]?.unread.includes('200 OK') === true, 'the second head');
    for (let round = 0; round < 5; round += 1) assert.is((await send(port, GET)).status, 200);
    for (const client of clients) client.destroy();
    await waitUntil(() => items.closed === 2, 'both to be closed');
    const slow = await RawClient.send(port, GET.repeat(3));
    for (let round = 0; round < 3; round += 1) assert.is((await slow.response()).status, 200);
    slow.destroy();
  }, { limits: { inFlight: 1 } });
});

const exempt = suite('C6: a mount with inFlight: false');
exempt('is served when as many requests are in work as the limit allows, and does not count; an endpoint below its route does', async () => {
  const items = new Items();
  const gate = new Gate();
  let waiting = 0;
  const declare = (server: ApiServer): void => {
    items.register(server);
    server.mount('/health', (_request, response) => void response.end('ok'), { inFlight: false });
    server.mount('/v1', (_request, response) => {
      waiting += 1;
      void gate.passed.then(() => response.end('late'));
    }, { inFlight: false });
    server.mount('/counted', (_request, response) => void response.end('ok'), { inFlight: true });
  };
  await serve(declare, async ({ port }) => {
    const [open, slow] = [await RawClient.connect(port), await RawClient.connect(port)];
    open.send(message('GET', '/v1/open'));
    await waitUntil(() => waiting === 1, 'the mount');
    assert.is((await send(port, GET)).status, 200);
    slow.send(message('GET', '/v1/item/slow'));
    await waitUntil(() => items.begun === 2, 'the operation');
    for (const target of ['/health', '/health/live', '/health?deep']) assert.is((await send(port, message('GET', target))).status, 200);
    for (const target of ['/v1/item/1', '/counted', '/mount', '/nowhere']) assert.is((await send(port, message('GET', target))).status, 503);
    gate.open();
    items.gate.open();
    assert.equal([(await open.response()).body, (await slow.response()).body], ['late', '"slow"']);
    assert.is((await send(port, message('GET', '/counted'))).status, 200);
    for (const client of [open, slow]) client.destroy();
  }, { limits: { inFlight: 1 } });
});
for (const [options, text] of [
  [{ inFlight: 0 }, 'options.inFlight must be a boolean: 0'],
  [{ inflight: false }, 'inflight'],
  [null, 'options'],
] as const) {
  exempt(`with the options ${JSON.stringify(options)}: TypeError`, () => {
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    assert.throws(() => server.mount('/a', () => {}, options as never), (error: Error) => error instanceof TypeError && error.message.includes(text));
    // It was not added.
    server.mount('/a', () => {});
  });
}
