/** The sockets of upgrades: after requests that have no response yet, when a handler or a client fails, and when the server stops. */
import type { Socket } from 'node:net';
import { stringId, type ApiServerOptions, type MountRequest, type UpgradeHandler } from '../../src/index.ts';
import { readEcho, makeEchoHandler, SWITCHED, makeUpgrade } from '../support/upgrades.ts';
import { assert, Gate, head, message, RawClient, runFor, serve, suite, type TestServer, waitUntil, withTimeout } from '../support/facts.ts';

interface Slow extends TestServer {
  readonly gate: Gate;
  /** The signals of the operations that were called. */
  readonly signals: readonly AbortSignal[];
}

/** A server with a handler at `/chat`, and an operation that waits. */
async function serveSlow(handler: UpgradeHandler, use: (slow: Slow) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  const gate = new Gate();
  const signals: AbortSignal[] = [];
  await serve((server) => {
    server.registerUpgrade('/chat', handler);
    server.registerEndpoint('/slow', {
      id: stringId,
      get: async (name, { signal }) => {
        signals.push(signal);
        await gate.passed;
        return name;
      },
    });
    server.mount('/long', (_request, response) => {
      response.write('x'.repeat(4_000_000));
      void gate.passed.then(() => response.end());
    });
  }, (served) => use(Object.assign(served, { gate, signals })), options);
}

const behind = suite('H7: an upgrade after requests without a response yet');
behind('waits until they have their responses, and then has all bytes that have come', async () => {
  let calls = 0;
  await serveSlow(makeEchoHandler(() => (calls += 1)), async ({ port, gate, signals }) => {
    const client = await RawClient.send(port, `${message('GET', '/v1/slow/1')}${message('GET', '/v1/slow/2')}${makeUpgrade('/chat')}one `);
    await waitUntil(() => signals.length === 1, 'the operation');
    client.send('two ');
    await runFor(20);
    assert.is(calls, 0);
    gate.open();
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.is(await readEcho(client, ''), '');
    client.send('three');
    assert.is(await client.bytes(13), 'one two three');
    assert.is(calls, 1);
  });
});
behind('waits for a response that the client takes slowly', () => serveSlow(makeEchoHandler(), async ({ port, gate }) => {
  const client = await RawClient.send(port, message('GET', '/long') + makeUpgrade('/chat'));
  gate.open();
  assert.is((await client.response()).body.length, 4_000_000);
  assert.is(await readEcho(client, 'hello'), 'hello');
}));
for (const [why, leave] of [
  ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['leaves', (client: RawClient) => client.destroy()],
  ['ends its side', (client: RawClient) => client.socket.end()],
] as const) {
  behind(`is forgotten if the client ${why}: the signal of the operation aborts, and no handler is called`, async () => {
    let calls = 0;
    await serveSlow(makeEchoHandler(() => (calls += 1)), async ({ port, gate, signals }) => {
      const client = await RawClient.send(port, message('GET', '/v1/slow/1') + makeUpgrade('/chat'));
      await waitUntil(() => signals.length === 1, 'the operation');
      leave(client);
      await waitUntil(() => signals[0]?.aborted === true, 'the signal');
      gate.open();
      await runFor(10);
      assert.is(calls, 0);
    });
  });
}
behind('does not start if an earlier reply closes the connection', async () => {
  let calls = 0;
  await serveSlow(makeEchoHandler(() => (calls += 1)), async ({ port }) => {
    const client = await RawClient.send(port, head('GET', '/nowhere', ['Connection: close']) + makeUpgrade('/chat'));
    assert.is((await client.response()).status, 404);
    assert.is(await client.closed(), '');
    assert.is(calls, 0);
  });
});
behind('does not start after stop(): the last reply says close', async () => {
  let calls = 0;
  await serveSlow(makeEchoHandler(() => (calls += 1)), async ({ server, port, gate, signals }) => {
    const client = await RawClient.send(port, message('GET', '/v1/slow/1') + makeUpgrade('/chat'));
    await waitUntil(() => signals.length === 1, 'the operation');
    await runFor(10);
    const stopped = server.stop();
    gate.open();
    assert.is((await client.response()).headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    await stopped;
    assert.is(calls, 0);
  });
});

const failing = suite('H8: an upgrade that fails');
for (const [why, handler] of [
  ['throws', () => { throw new Error('no chat today'); }],
  ['rejects', async () => Promise.reject(new Error('no chat today'))],
] as const) {
  failing(`its handler ${why}: the socket is destroyed, and that is logged`, () => serveSlow(handler, async ({ port, errors }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await client.closed(), '');
    assert.equal(errors.map((error) => error.message), ['UPGRADE /chat: no chat today']);
  }));
}
failing('the client resets the connection: no error ends the process, and close is emitted once', async () => {
  let closed = 0;
  await serveSlow((request, socket, early) => {
    request.on('close', () => (closed += 1));
    makeEchoHandler()(request, socket, early);
  }, async ({ port, server }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await readEcho(client, 'hello'), 'hello');
    client.socket.resetAndDestroy();
    await waitUntil(() => closed > 0, 'close');
    await server.stop();
    assert.is(closed, 1);
  });
});
failing('the user destroys the socket with an error: nothing else happens', async () => {
  await serveSlow((_request, socket) => void socket.destroy(new Error('bad frame')), async ({ port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await client.closed(), '');
  });
});
failing('the handler responds with something else', async () => {
  await serveSlow((_request, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), async ({ port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is((await client.response()).status, 403);
    assert.is(await client.closed(), '');
  });
});

const living = suite('H8: a socket that a handler has');
living('has no limits of HTTP: it may be silent, and the server may end its side first', async () => {
  let own: Socket | undefined;
  await serveSlow(makeEchoHandler((socket) => (own = socket)), async ({ port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await readEcho(client, 'hello'), 'hello');
    await runFor(1200);
    client.send('still');
    assert.is(await client.bytes(5), 'still');
    own?.unpipe(own).end();
    assert.is(await client.closed(), '');
    let received = '';
    own?.on('data', (chunk: Buffer) => (received += chunk.toString())).resume();
    await runFor(700);
    client.send('more');
    await waitUntil(() => received === 'more', 'what the client still sends');
  }, { limits: { headersMs: 300, requestMs: 300, keepAliveMs: 300, sendMs: 300 } });
});
for (const [why, use] of [
  ['has read its request', (request: MountRequest) => void request.resume()],
  ['has waited for the end of its request', async (request: MountRequest) => { for await (const _ of request); }],
  ['has destroyed its request', (request: MountRequest) => void request.destroy()],
] as const) {
  living(`close is emitted once, when the socket closes, if the handler ${why}`, async () => {
    let closed = 0;
    let own: Socket | undefined;
    let wasOpen: boolean | undefined;
    await serveSlow(async (request, socket, early) => {
      request.on('close', () => {
        closed += 1;
        wasOpen ??= !socket.destroyed;
      });
      own = socket;
      await use(request);
      if (!socket.destroyed) makeEchoHandler()(request, socket, early);
    }, async ({ port }) => {
      const client = await RawClient.send(port, makeUpgrade('/chat'));
      if (!why.includes('destroyed')) assert.is(await readEcho(client, 'hello'), 'hello');
      client.destroy();
      await waitUntil(() => own?.closed === true, 'the end of the socket');
      await runFor(10);
      assert.equal([closed, wasOpen], [1, false]);
    });
  });
}

const stopping = suite('H9: stop() with a socket that a handler has');
stopping('emits close on the request, and resolves when the user has closed the socket', async () => {
  await serveSlow((request, socket, early) => {
    makeEchoHandler()(request, socket, early);
    request.once('close', () => socket.end('goodbye'));
  }, async ({ server, port }) => {
    const client = await RawClient.send(port, makeUpgrade('/chat'));
    assert.is(await readEcho(client, 'hello'), 'hello');
    const stopped = server.stop();
    assert.is(await client.closed(), 'goodbye');
    client.socket.end();
    await withTimeout(stopped);
  }, { stopGraceMs: 3_600_000 });
});
stopping('destroys it after stopGraceMs', () => serveSlow(makeEchoHandler(), async ({ server, port }) => {
  const client = await RawClient.send(port, makeUpgrade('/chat'));
  assert.is(await readEcho(client, 'hello'), 'hello');
  const stopped = server.stop();
  assert.is(await sendAndReadEchoAgain(client, 'more'), 'more');
  await withTimeout(stopped);
  assert.is(await client.closed(), '');
}, { stopGraceMs: 200 }));
stopping('a listener for close that throws is logged, and the others are called', async () => {
  let calls = 0;
  await serveSlow((request, socket, early) => {
    makeEchoHandler()(request, socket, early);
    request.once('close', () => {
      calls += 1;
      throw new Error('no goodbye');
    });
  }, async ({ server, port, errors }) => {
    const clients = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    for (const client of clients) client.send(makeUpgrade('/chat'));
    for (const client of clients) assert.is(await readEcho(client, 'hello'), 'hello');
    await withTimeout(server.stop());
    assert.is(calls, 2);
    assert.equal(errors.map((error) => error.message), ['UPGRADE /chat: no goodbye', 'UPGRADE /chat: no goodbye']);
    for (const client of clients) client.destroy();
  }, { stopGraceMs: 100 });
});

async function sendAndReadEchoAgain(client: RawClient, text: string): Promise<string> {
  client.send(text);
  return client.bytes(text.length);
}

const early = suite('H7: bytes after an upgrade that waits');
for (const [bytes, isServed] of [[65_536, true], [65_537, false]] as const) {
  early(`${bytes} of them: the handler ${isServed ? 'gets all' : 'is not called, the connection closes, and the signal of the operation aborts'}`, async () => {
    let calls = 0;
    await serveSlow(makeEchoHandler(() => (calls += 1)), async ({ port, gate, signals }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('GET', '/v1/slow/1') + makeUpgrade('/chat'));
        await waitUntil(() => signals.length === 1, 'the operation');
        client.send('x'.repeat(bytes));
        if (isServed) await runFor(50);
        // Without the limit it would stay open, and so would the server.
        else await waitUntil(() => client.isClosed && signals[0]?.aborted === true, 'the connection to close', 10_000);
        gate.open();
        if (isServed) assert.is((await client.response()).body, '"1"');
        assert.is(isServed ? await client.bytes(SWITCHED.length + bytes) : client.unread, isServed ? SWITCHED + 'x'.repeat(bytes) : '');
        assert.is(calls, Number(isServed));
      } finally {
        gate.open();
        client.destroy();
      }
    });
  });
}
