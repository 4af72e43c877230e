/** The sockets of upgrades: after requests that have no response yet, when a handler or a client fails, and when the server stops. */
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServerOptions, type MountRequest, type UpgradeHandler } from '../../src/index.ts';
import { Gate, running, until, within } from '../support/gate.ts';
import { head, message } from '../support/messages.ts';
import { RawClient } from '../support/raw-client.ts';
import { serving, type Served } from '../support/serving.ts';
import { echoed, echoing, upgradeOf } from '../support/upgrading.ts';

interface Slow extends Served {
  readonly gate: Gate;
  /** The signals of the operations that were called. */
  readonly signals: readonly AbortSignal[];
}

/** A server with a handler at `/chat`, and an operation that waits. */
async function servingSlow(handler: UpgradeHandler, use: (slow: Slow) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  const gate = new Gate();
  const signals: AbortSignal[] = [];
  await serving((server) => {
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

const behind = suite('an upgrade after requests without a response yet');
behind('waits until they have their responses, and then has all bytes that have come', async () => {
  let calls = 0;
  await servingSlow(echoing(() => (calls += 1)), async ({ port, gate, signals }) => {
    const client = await RawClient.connect(port);
    client.send(`${message('GET', '/v1/slow/1')}${message('GET', '/v1/slow/2')}${upgradeOf('/chat')}one `);
    await until(() => signals.length === 1, 'the operation');
    client.send('two ');
    await running(20);
    assert.is(calls, 0);
    gate.open();
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.is(await echoed(client, ''), '');
    client.send('three');
    assert.is(await client.bytes(13), 'one two three');
    assert.is(calls, 1);
    client.destroy();
  });
});
behind('waits for a response that the client takes slowly', async () => {
  await servingSlow(echoing(), async ({ port, gate }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/long') + upgradeOf('/chat'));
    gate.open();
    assert.is((await client.response()).body.length, 4_000_000);
    assert.is(await echoed(client, 'hello'), 'hello');
    client.destroy();
  });
});
for (const [why, leave] of [
  ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
  ['leaves', (client: RawClient) => client.destroy()],
  ['ends its side', (client: RawClient) => client.socket.end()],
  ['sends more than 64 KiB', (client: RawClient) => client.send('x'.repeat(100_000))],
] as const) {
  behind(`is forgotten if the client ${why}: the signal of the operation aborts, and no handler is called`, async () => {
    let calls = 0;
    await servingSlow(echoing(() => (calls += 1)), async ({ port, gate, signals }) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/slow/1') + upgradeOf('/chat'));
      await until(() => signals.length === 1, 'the operation');
      leave(client);
      await until(() => signals[0]?.aborted === true, 'the signal');
      gate.open();
      await running(10);
      assert.is(calls, 0);
      client.destroy();
    });
  });
}
behind('does not start if an earlier reply closes the connection', async () => {
  let calls = 0;
  await servingSlow(echoing(() => (calls += 1)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head('GET', '/nowhere', ['Connection: close']) + upgradeOf('/chat'));
    assert.is((await client.response()).status, 404);
    assert.is(await client.closed(), '');
    assert.is(calls, 0);
    client.destroy();
  });
});
behind('does not start after stop(): the last reply says close', async () => {
  let calls = 0;
  await servingSlow(echoing(() => (calls += 1)), async ({ server, port, gate, signals }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/slow/1') + upgradeOf('/chat'));
    await until(() => signals.length === 1, 'the operation');
    await running(10);
    const stopped = server.stop();
    gate.open();
    assert.is((await client.response()).headers.get('connection'), 'close');
    assert.is(await client.closed(), '');
    await stopped;
    assert.is(calls, 0);
    client.destroy();
  });
});
behind.run();

const failing = suite('an upgrade that fails');
for (const [why, handler] of [
  ['throws', () => { throw new Error('no chat today'); }],
  ['rejects', async () => Promise.reject(new Error('no chat today'))],
] as const) {
  failing(`its handler ${why}: the socket is destroyed, and that is logged`, async () => {
    await servingSlow(handler, async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(upgradeOf('/chat'));
      assert.is(await client.closed(), '');
      assert.equal(errors.map((error) => error.message), ['UPGRADE /chat: no chat today']);
      client.destroy();
    });
  });
}
failing('the client resets the connection: no error ends the process, and close is emitted once', async () => {
  let closed = 0;
  await servingSlow((request, socket, early) => {
    request.on('close', () => (closed += 1));
    echoing()(request, socket, early);
  }, async ({ port, server }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    client.socket.resetAndDestroy();
    await until(() => closed > 0, 'close');
    await server.stop();
    assert.is(closed, 1);
  });
});
failing('the user destroys the socket with an error: nothing else happens', async () => {
  await servingSlow((_request, socket) => void socket.destroy(new Error('bad frame')), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is(await client.closed(), '');
    assert.equal(errors, []);
    client.destroy();
  });
});
failing('the handler responds with something else', async () => {
  await servingSlow((_request, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is((await client.response()).status, 403);
    assert.is(await client.closed(), '');
    client.destroy();
  });
});
failing.run();

const living = suite('a socket that a handler has');
living('has no limits of HTTP: it may be silent, and the server may end its side first', async () => {
  let own: Socket | undefined;
  await servingSlow(echoing((socket) => (own = socket)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    await running(1200);
    client.send('still');
    assert.is(await client.bytes(5), 'still');
    own?.unpipe(own).end();
    assert.is(await client.closed(), '');
    let received = '';
    own?.on('data', (chunk: Buffer) => (received += chunk.toString())).resume();
    await running(700);
    client.send('more');
    await until(() => received === 'more', 'what the client still sends');
    client.destroy();
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
    await servingSlow(async (request, socket, early) => {
      request.on('close', () => {
        closed += 1;
        wasOpen ??= !socket.destroyed;
      });
      own = socket;
      await use(request);
      if (!socket.destroyed) echoing()(request, socket, early);
    }, async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(upgradeOf('/chat'));
      if (!why.includes('destroyed')) assert.is(await echoed(client, 'hello'), 'hello');
      client.destroy();
      await until(() => own?.closed === true, 'the end of the socket');
      await running(10);
      assert.equal([closed, wasOpen], [1, false]);
    });
  });
}
living.run();

const stopping = suite('stop() with a socket that a handler has');
stopping('emits close on the request, and resolves when the user has closed the socket', async () => {
  await servingSlow((request, socket, early) => {
    echoing()(request, socket, early);
    request.once('close', () => socket.end('goodbye'));
  }, async ({ server, port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    const stopped = server.stop();
    assert.is(await client.closed(), 'goodbye');
    client.socket.end();
    await within(5000, stopped);
    client.destroy();
  }, { stopGraceMs: 60_000 });
});
stopping('destroys it after stopGraceMs', async () => {
  await servingSlow(echoing(), async ({ server, port }) => {
    const client = await RawClient.connect(port);
    client.send(upgradeOf('/chat'));
    assert.is(await echoed(client, 'hello'), 'hello');
    const stopped = server.stop();
    assert.is(await echoedAgain(client, 'more'), 'more');
    await within(5000, stopped);
    assert.is(await client.closed(), '');
    client.destroy();
  }, { stopGraceMs: 200 });
});
stopping('a listener for close that throws is logged, and the others are called', async () => {
  let told = 0;
  await servingSlow((request, socket, early) => {
    echoing()(request, socket, early);
    request.once('close', () => {
      told += 1;
      throw new Error('no goodbye');
    });
  }, async ({ server, port, errors }) => {
    const clients = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    for (const client of clients) client.send(upgradeOf('/chat'));
    for (const client of clients) assert.is(await echoed(client, 'hello'), 'hello');
    await within(5000, server.stop());
    assert.is(told, 2);
    assert.equal(errors.map((error) => error.message), ['UPGRADE /chat: no goodbye', 'UPGRADE /chat: no goodbye']);
    for (const client of clients) client.destroy();
  }, { stopGraceMs: 100 });
});
stopping.run();

async function echoedAgain(client: RawClient, text: string): Promise<string> {
  client.send(text);
  return client.bytes(text.length);
}
