/** Clients that do not read their responses: the sockets that the watch finds, and those that it destroys. */
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { stringId, type ApiServer } from '../../../src/index.ts';
import { Connections } from '../../../src/server/exchange/node/connections.ts';
import { StallWatch, type Mark } from '../../../src/server/exchange/node/stall-watch.ts';
import { countTakenBytes } from '../../../src/server/exchange/node/internals/sockets.ts';
import { checkServerOptions } from '../../../src/server/settings/server-options.ts';
import { runTogether } from '../../support/run-together.ts';
import { connectPaused } from '../../support/connect-paused.ts';
import { limitUnsent } from '../../support/linger.ts';
import { assert, delay, head, message, send, serve, suite, waitUntil } from '../../support/facts.ts';

const MIB = 2 ** 20;
// More than the system buffers for a client that does not read.
const LARGE = 'x'.repeat(32 * MIB);

/** A socket with the properties that the watch reads. */
class FakeSocket {
  writableLength = 0;
  bytesRead = 0;
  paused = false;
  readableEnded = false;
  bytesWritten = 0;
  destroyed = false;
  readonly _handle: { bytesWritten: number; writeQueueSize: number } | undefined = { bytesWritten: 10, writeQueueSize: 10 };

  isPaused(): boolean {
    return this.paused;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function fake(state: Partial<FakeSocket>): FakeSocket {
  return Object.assign(new FakeSocket(), state);
}

class FakeConnection {
  readonly socket: Socket;
  current = 1;
  isIdle = true;
  mark: Mark | undefined;
  stalls = 0;

  constructor(socket: FakeSocket) {
    this.socket = socket as unknown as Socket;
  }

  stalled(): void {
    this.stalls += 1;
  }
}

function watchOf(sendMs: number, unsentBytes = Infinity, errors: Error[] = []): StallWatch {
  return new StallWatch({ limits: { sendMs }, unsentBytes, logger: { info: () => {}, error: (error) => void errors.push(error) } });
}

const connections = new WeakMap<FakeSocket, FakeConnection>();

/** Checks at each interval from one time to another. */
function checkEachSecond(watch: StallWatch, socket: FakeSocket, from: number, to: number): void {
  const connection = connections.get(socket) ?? new FakeConnection(socket);
  connections.set(socket, connection);
  const check = (now: number): void => watch.check(new Set([connection]), now);
  for (let now = from; now < to; now += watch.intervalMs) check(now);
  check(to);
}

const limiting = suite('the limit of unsent bytes over all connections');
const LOGGED = /^\d+ bytes of responses are unsent, more than \d+: slow readers are cut off$/;

/** Clients with these unsent bytes, in a watch with a limit of 100. */
class Clients {
  readonly errors: Error[] = [];
  readonly watch = watchOf(100_000, 100, this.errors);
  readonly sockets: FakeSocket[];
  readonly #connections: ReadonlyMap<FakeSocket, FakeConnection>;
  #now = 0;

  constructor(...unsent: number[]) {
    this.sockets = unsent.map((writableLength) => fake({ writableLength, _handle: { bytesWritten: 1000, writeQueueSize: 1000 } }));
    this.#connections = new Map(this.sockets.map((socket) => [socket, new FakeConnection(socket)]));
  }

  get all(): Set<FakeConnection> {
    return new Set(this.#connections.values());
  }

  get destroyed(): number[] {
    return this.sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
  }

  /** Sets the unsent bytes of each, and checks at the next interval. Those in `taking` have taken one byte. */
  check(unsent: readonly number[], taking: readonly number[] = []): void {
    for (const [index, writableLength] of unsent.entries()) this.sockets[index]!.writableLength = writableLength;
    for (const index of taking) this.sockets[index]!._handle!.writeQueueSize -= 1;
    this.#now += this.watch.intervalMs;
    this.watch.check(this.all, this.#now);
  }
}

for (const [what, unsent, destroyed] of [
  ['at the limit: no one', [50, 50], []],
  ['over it, all equally slow: the one with the most', [20, 60, 30], [1]],
  ['far over it: as many as it takes', [60, 70, 80, 10], [1, 2]],
  ['one that is over it alone', [101], [0]],
  ['those who have nothing unsent go on', [0, 101, 0], [1]],
] as const) {
  limiting(`${what}: found by the check, and when a reply is written`, () => {
    for (const find of [(clients: Clients) => clients.check([]), (clients: Clients) => clients.watch.limitUnsent(clients.all)]) {
      const clients = new Clients(...unsent);
      find(clients);
      assert.equal(clients.destroyed, destroyed);
      assert.is(clients.errors.length, Number(destroyed.length > 0));
      for (const { message } of clients.errors) assert.match(message, LOGGED);
    }
  });
}
limiting('the slowest readers are destroyed first, and others go on', () => {
  const clients = new Clients(10, 10, 10, 10);
  clients.check([10, 10, 10, 10], [0, 1, 2, 3]);
  clients.check([10, 10, 10, 10], [0, 1, 3]);
  clients.check([10, 10, 10, 10], [0, 3]);
  clients.check([60, 15, 5, 38], [0, 3]);
  assert.equal(clients.destroyed, [1, 2]);
  clients.check([60, 0, 0, 38]);
  assert.equal(clients.destroyed, [1, 2]);
});
limiting('is logged once, until it is kept with room to spare', () => {
  const clients = new Clients(10, 10, 10, 10, 10, 10);
  const logged = (): number => clients.errors.length;
  clients.check([60, 50]);
  assert.equal([clients.destroyed, logged()], [[0], 1]);
  // Between the checks, and at them: the room that one makes is filled by the next.
  clients.check([0, 51]);
  clients.check([0, 51, 52]);
  clients.check([0, 51, 0]);
  clients.check([0, 51, 0, 60]);
  assert.is(logged(), 1);
  clients.check([0, 0, 0, 0, 50, 0]);
  clients.check([0, 0, 0, 0, 50, 60]);
  assert.is(logged(), 2);
});

const watching = suite('the watch over unsent bytes');
for (const [what, before, change, isDestroyed] of [
  ['nothing unsent', {}, {}, false],
  ['something unsent, and no byte taken', { writableLength: 10 }, {}, true],
  ['a write that the system takes in pieces', { writableLength: 10 }, { _handle: { bytesWritten: 10, writeQueueSize: 9 } }, false],
  ['a write that is taken, and another after it', { writableLength: 10 }, { _handle: { bytesWritten: 20, writeQueueSize: 10 } }, false],
  ['more that is written, and no byte taken', { writableLength: 10 }, { writableLength: 30, bytesWritten: 30 }, true],
  ['more text that is written, counted by its characters, and no byte taken',
    { writableLength: 10, bytesWritten: 10 }, { writableLength: 15, bytesWritten: 20 }, true],
  ['an engine without a handle, and no byte taken', { writableLength: 10, bytesWritten: 10, _handle: undefined }, {}, true],
  ['an engine without a handle, and a write that is taken', { writableLength: 10, bytesWritten: 10, _handle: undefined }, { bytesWritten: 15 }, false],
] as const) {
  watching(`${what} -> ${isDestroyed ? 'destroyed after sendMs' : 'not destroyed'}`, () => {
    const watch = watchOf(100);
    const socket = fake(before);
    checkEachSecond(watch, socket, 0, 99);
    assert.is(socket.destroyed, false);
    Object.assign(socket, change);
    checkEachSecond(watch, socket, 100, 100);
    assert.is(socket.destroyed, isDestroyed);
  });
}
watching('the time starts again after all unsent bytes have been sent', () => {
  const watch = watchOf(100);
  const socket = fake({ writableLength: 10, bytesWritten: 10 });
  checkEachSecond(watch, socket, 0, 25);
  socket.writableLength = 0;
  checkEachSecond(watch, socket, 50, 75);
  Object.assign(socket, { writableLength: 10, _handle: { bytesWritten: 20, writeQueueSize: 10 } });
  checkEachSecond(watch, socket, 100, 199);
  assert.is(socket.destroyed, false);
  checkEachSecond(watch, socket, 200, 200);
  assert.is(socket.destroyed, true);
});
watching('time in which the process is blocked does not count', () => {
  const watch = watchOf(100);
  const socket = fake({ writableLength: 10, bytesWritten: 10 });
  checkEachSecond(watch, socket, 0, 25);
  checkEachSecond(watch, socket, 5000, 5024);
  assert.is(socket.destroyed, false);
  checkEachSecond(watch, socket, 5025, 5100);
  assert.is(socket.destroyed, true);
});
for (const [what, before, change, current, stalls] of [
  ['nothing read, nothing taken', {}, {}, 1, 1],
  ['nothing read, nothing taken, something unsent', { writableLength: 10 }, {}, 1, 1],
  ['something read', {}, { bytesRead: 1 }, 1, 0],
  ['another request being served', {}, {}, 2, 0],
  ['something taken, and something unsent', { writableLength: 10 }, { _handle: { bytesWritten: 10, writeQueueSize: 9 } }, 1, 0],
  ['something taken, and nothing unsent', {}, { _handle: { bytesWritten: 20, writeQueueSize: 10 } }, 1, 1],
  ['reading is not paused', { paused: false }, {}, 1, 0],
] as const) {
  watching(`a paused socket, ${what}, for 500 ms -> ${stalls === 1 ? 'a stall' : 'no stall'}`, () => {
    const watch = watchOf(30_000);
    const socket = fake({ paused: true, ...before });
    const connection = new FakeConnection(socket);
    connections.set(socket, connection);
    checkEachSecond(watch, socket, 0, 499);
    assert.is(connection.stalls, 0);
    Object.assign(socket, change);
    connection.current = current;
    checkEachSecond(watch, socket, 500, 500);
    assert.is(connection.stalls, stalls);
  });
}
watching('a paused socket, and a process that was blocked for a second: a stall only if nothing moves afterwards', () => {
  const watch = watchOf(30_000);
  const socket = fake({ paused: true });
  const connection = new FakeConnection(socket);
  connections.set(socket, connection);
  checkEachSecond(watch, socket, 0, 0);
  for (const [now, bytesRead, stalls] of [[250, 1, 0], [1250, 1, 0], [1500, 2, 0], [2500, 2, 0], [2750, 2, 1]] as const) {
    socket.bytesRead = bytesRead;
    checkEachSecond(watch, socket, now, now);
    assert.is(connection.stalls, stalls, `at ${now} ms`);
  }
});
for (const [what, state, isIdle, isLeft] of [
  ['idle', {}, true, false],
  ['a request in progress', {}, false, true],
  ['something unsent', { writableLength: 10 }, true, true],
  ['paused', { paused: true }, true, true],
] as const) {
  watching(`a connection, ${what}: checked ${isLeft ? 'again' : 'no more'}`, () => {
    const connection = new FakeConnection(fake(state));
    connection.isIdle = isIdle;
    const all = new Set([connection]);
    watchOf(100).check(all, 0);
    assert.is(all.has(connection), isLeft);
  });
}
for (const [sendMs, intervalMs] of [[1, 1], [100, 25], [30_000, 250]] as const) {
  watching(`a limit of ${sendMs} ms is checked every ${intervalMs} ms`, () => assert.is(watchOf(sendMs).intervalMs, intervalMs));
}

/** Large responses of every kind. `closed` counts those that have closed. */
class Large {
  closed = 0;
  /** That of a request to `/whole`. */
  socket: Socket | undefined;

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', {
      id: stringId,
      get: (id: string, { raw }) => {
        raw.socket.on('close', () => (this.closed += 1));
        return id === 'large' ? LARGE : id;
      },
    });
    server.mount('/whole', (request, response) => {
      this.socket = request.socket;
      response.on('close', () => (this.closed += 1));
      response.end(LARGE);
    });
    server.mount('/stream', (_request, response) => {
      response.on('close', () => (this.closed += 1));
      Readable.from(Array.from({ length: 512 }, () => Buffer.alloc(64 * 1024)), { objectMode: false }).pipe(response);
    });
    server.mount('/piling', (_request, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(MIB)), 20);
      response.on('close', () => {
        clearInterval(timer);
        this.closed += 1;
      });
    });
    server.mount('/text', (_request, response) => {
      const timer = setInterval(() => response.write('ä'.repeat(MIB / 4)), 20);
      response.on('close', () => {
        clearInterval(timer);
        this.closed += 1;
      });
    });
    server.mount('/silent', (_request, response) => {
      response.write('first');
      setTimeout(() => response.end('last'), 600);
    });
  };
}

const unread = suite('C12: a response that the client does not read');
const unreadTogether = runTogether(unread);
for (const [target, what] of [
  ['/v1/item/large', 'of an operation'],
  ['/whole', "of a mount's, in one piece"],
  ['/stream', "of a mount's, streamed with back-pressure"],
  ['/piling', "of a mount's, written without end"],
  ['/text', "of a mount's, text beyond ASCII, written without end"],
] as const) {
  unread(`${what}: its connection ends after limits.sendMs, and the next client is served`, async () => {
    const large = new Large();
    await serve(large.register, async ({ port }) => {
      const client = await connectPaused(port);
      // An idle connection is not watched: the next request begins that again.
      client.write(message('GET', '/v1/item/1'));
      await delay(200);
      client.write(head('GET', target));
      await waitUntil(() => large.closed >= 1, 'the connection to end');
      assert.is((await send(port, message('GET', '/v1/item/1'))).body, '"1"');
    }, { limits: { sendMs: 200 } });
  });
}
for (const target of ['/v1/item/large', '/whole', '/stream', '/piling']) {
  unreadTogether(`of ${target}, and then ends its side: the connection ends long before limits.sendMs`, async () => {
    const large = new Large();
    await serve(large.register, async ({ port }) => {
      const client = await connectPaused(port);
      client.end(head('GET', target));
      await waitUntil(() => large.closed === 1, 'the connection to end');
    });
  });
}
unread('four times: nothing stays in memory', async () => {
  const large = new Large();
  await serve(large.register, async ({ port, server }) => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => connectPaused(port)));
    for (const client of clients) client.write(head('GET', '/whole'));
    await waitUntil(() => large.closed === clients.length, 'all of them to end');
    await server.stop();
    clients.forEach((client) => client.destroy());
  }, { limits: { sendMs: 300 }, ...limitUnsent(Infinity), stopGraceMs: 3_600_000 });
});

const SLOW_MS = 1000;

const read = suite('C12: a response that the client reads');
read('slowly: is received whole, although that takes several times limits.sendMs', async () => {
  const large = new Large();
  await serve(large.register, async ({ port }) => {
    const client = await connectPaused(port);
    client.write(head('GET', '/whole', ['Connection: close']));
    await waitUntil(() => large.socket !== undefined, 'the request');
    const socket = large.socket as Socket;
    let bytes = 0;
    let pauses = 0;
    let taken = countTakenBytes(socket);
    // Whenever the system has taken something for it, which the watch must see, the client reads nothing for a while.
    client.on('data', async (chunk) => {
      bytes += chunk.length;
      client.pause();
      if (countTakenBytes(socket) > taken) {
        pauses += 1;
        await delay(SLOW_MS / 5);
      }
      taken = countTakenBytes(socket);
      setImmediate(() => client.resume());
    });
    client.resume();
    await once(client, 'close');
    assert.ok(bytes > LARGE.length);
    assert.ok(pauses > 2 * 5, `${pauses} pauses`);
  }, { limits: { sendMs: SLOW_MS } });
});
read('in two parts: is received whole, although nothing is unsent between them for longer than limits.sendMs', () => serve(new Large().register, async ({ port }) => {
  assert.is((await send(port, message('GET', '/silent'))).body, 'firstlast');
}, { limits: { sendMs: 100 } }));

const timers = suite('the timer that watches');
timers('exists only while a connection is not idle', async () => {
  const open = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === 'Timeout' && open.add(id)),
    destroy: (id) => void open.delete(id),
  });
  const owner = { stopping: new AbortController().signal, inner: new Set<never>(), markUsed: () => {}, stopSelf: async () => {}, renew: () => {} };
  const settings = checkServerOptions({ logger: { info: () => {}, error: () => {} } });
  const connections = new Connections({ settings, dispatch: () => {}, isInOrder: true, owner });
  const sockets = [new net.Socket(), new net.Socket()] as const;
  hook.enable();
  try {
    for (const socket of sockets) connections.get(socket);
    assert.is(open.size, 1);
    while (open.size > 0) await new Promise(setImmediate);
    connections.get(sockets[0]);
    assert.is(open.size, 1);
    sockets[0].destroy();
    while (open.size > 0) await new Promise(setImmediate);
  } finally {
    hook.disable();
    sockets[1].destroy();
  }
});
