/** Socket.IO beside the endpoints: its engine serves a mount, by polling, and an upgrade, by WebSocket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Server as Engine } from 'engine.io';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkRequests } from './wire.js';
import { zooServer } from './zoo.js';

/** A zoo beside Socket.IO, which echoes. */
function zooWithSockets(onWait) {
  const server = zooServer(restpoint, onWait);
  const engine = new Engine();
  const sockets = new Server();
  sockets.bind(engine);
  sockets.on('connection', (socket) => socket.on('echo', (text, done) => done(text)));
  server.mount('/socket.io', (request, response) => engine.handleRequest(request, response));
  server.registerUpgrade('/socket.io', (request, socket, head) => engine.handleUpgrade(request, socket, head));
  return { server, close: () => sockets.close() };
}

async function connected(url, transports) {
  const client = io(url, { transports, reconnection: false });
  await once(client, 'connect');
  return client;
}

await checking('Socket.IO', async (check) => {
  const { server, close } = zooWithSockets();
  const { url, address } = await server.start('127.0.0.1:0');
  for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
    await check(`messages are echoed by ${transports.join(', then ')}`, async () => {
      const client = await connected(url, transports);
      assert.equal(await client.emitWithAck('echo', 'hello'), 'hello');
      const { engine } = client.io;
      if (engine.transport.name !== transports.at(-1)) await once(engine, 'upgrade');
      assert.equal(await client.emitWithAck('echo', 'x'.repeat(100_000)), 'x'.repeat(100_000));
      client.disconnect();
    });
  }
  await check('a long body to its own path is read by it', async () => {
    const client = await connected(url, ['polling']);
    assert.equal((await client.emitWithAck('echo', 'y'.repeat(500_000))).length, 500_000);
    client.disconnect();
  });
  await checkRequests(check, address.port, { how: 'beside Socket.IO', inPieces: true });
  for (const transport of ['polling', 'websocket']) {
    await check(`close() of Socket.IO, by ${transport}, and then stop() end its clients, and resolve`, async () => {
      const other = zooWithSockets();
      const started = await other.server.start('127.0.0.1:0');
      const client = await connected(started.url, [transport]);
      const disconnected = once(client, 'disconnect');
      await other.close();
      await other.server.stop();
      await disconnected;
    });
    await check(`stop() with clients by ${transport} that only stopping ends`, async () => {
      const other = zooWithSockets();
      const started = await other.server.start('127.0.0.1:0');
      other.server.stopping.addEventListener('abort', () => void other.close());
      const client = await connected(started.url, [transport]);
      const disconnected = once(client, 'disconnect');
      await other.server.stop();
      await disconnected;
    });
  }
  await check('an operation in flight gets its response while all stop', async () => {
    let begin;
    const begun = new Promise((resolve) => (begin = resolve));
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    const other = zooWithSockets(() => (begin(), opened.then(() => 'waited')));
    const started = await other.server.start('127.0.0.1:0');
    const client = await connected(started.url, ['websocket']);
    const headers = { 'Content-Type': 'application/json' };
    const waiting = fetch(`${started.url}/v1/pet/wait`, { method: 'POST', headers });
    await begun;
    other.server.stopping.addEventListener('abort', () => void other.close());
    const stopped = other.server.stop();
    open();
    assert.equal(await (await waiting).json(), 'waited');
    await stopped;
    assert.equal(client.connected, false);
  });
  await close();
  await server.stop();
});
