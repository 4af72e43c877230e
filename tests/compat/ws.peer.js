/** The WebSockets of `ws`, on sockets that the server hands over. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkRequests } from './wire.js';
import { zooServer } from './zoo.js';

/** A zoo with an echo at `/chat`. It closes its sockets with 1001 when the server stops, unless it is `rude`. */
function zooWithChat({ isRude = false, ...options } = {}) {
  const server = zooServer(restpoint, undefined, undefined, options);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 });
  server.registerUpgrade('/chat', (request, socket, head) => {
    if (request.url === '/closed') {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => {});
      client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
      if (!isRude) request.once('close', () => client.close(1001));
    });
  });
  return server;
}

async function connected(port, path = '/chat') {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  client.on('error', () => {});
  await once(client, 'open');
  return client;
}

async function echo(client, text) {
  client.send(text);
  const [data] = await once(client, 'message');
  return data.toString();
}

await checking('ws', async (check) => {
  const server = zooWithChat();
  const started = await server.start('127.0.0.1:0');
  const { port } = started.address;
  await check('messages are echoed', async () => {
    const client = await connected(port);
    assert.equal(await echo(client, 'hello'), 'hello');
    assert.equal(await echo(client, 'x'.repeat(1000)), 'x'.repeat(1000));
    client.close(1000);
    assert.equal((await once(client, 'close'))[0], 1000);
  });
  await check('a message that ws finds too long closes its socket with 1009', async () => {
    const client = await connected(port, '/chat/room');
    client.send('x'.repeat(2000));
    assert.equal((await once(client, 'close'))[0], 1009);
  });
  await check('a client that breaks off ends nothing else', async () => {
    const [one, two] = [await connected(port), await connected(port)];
    one.terminate();
    await sleep(20);
    assert.equal(await echo(two, 'still'), 'still');
    two.close();
  });
  await check('a socket may be silent', async () => {
    const client = await connected(port);
    await sleep(1500);
    assert.equal(await echo(client, 'still'), 'still');
    client.close();
  });
  for (const [path, status] of [['/chat/closed', 403], ['/nowhere', 404], ['/health', 200]]) {
    await check(`an upgrade at ${path} gets ${status}`, async () => {
      const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
      const [, response] = await once(client, 'unexpected-response');
      assert.equal(response.statusCode, status);
      response.resume();
      client.on('error', () => {});
      client.terminate();
    });
  }
  await checkRequests(check, port, { how: 'beside WebSockets', inPieces: false });
  await check('stop() closes the sockets with 1001, and then resolves', async () => {
    const clients = [await connected(port), await connected(port)];
    const closed = clients.map((client) => once(client, 'close'));
    await server.stop();
    assert.deepEqual((await Promise.all(closed)).map(([code]) => code), [1001, 1001]);
  });

  await check('a socket that the user does not close is destroyed after stopGraceMs', async () => {
    const rude = new restpoint.ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 100 });
    const sockets = new WebSocketServer({ noServer: true });
    rude.registerUpgrade('/', (request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}));
    const { address } = await rude.start('127.0.0.1:0');
    const client = await connected(address.port);
    const closed = once(client, 'close');
    await rude.stop();
    assert.equal((await closed)[0], 1006);
  });
});
