/** The behaviour of Node's sockets that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { PairedSocket } from '../../support/paired-socket.ts';
import { countTakenBytes, closeAsNodeDoes, discardInput, isReset, onCloseByNode, parseByEvents, stopReading, getTransport } from '../../../src/server/exchange/node/internals/sockets.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { getCertificate } from '../../support/transport.ts';
import { assert, message, RawClient, suite, waitUntil } from '../../support/facts.ts';

const GET = message('GET', '/');
// More than the system buffers for a client that does not read.
const LARGE = 16 * 1024 * 1024;

type Ends = readonly [socket: Socket, client: Socket];

async function overNetwork(server: Server): Promise<Ends> {
  const accepted = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [socket] = await accepted as [Socket];
  return [socket, client];
}

async function connectPair(server: Server): Promise<Ends> {
  const [client, socket] = PairedSocket.pair();
  client.on('error', () => {});
  server.emit('connection', socket);
  return [socket, client];
}

const sockets = suite('a socket');
sockets('whose input is discarded: later requests are not parsed, and the end of the client is seen', async () => {
  let requested = 0;
  let socket: Socket | undefined;
  await connectToListener((request, response) => {
    requested += 1;
    socket = request.socket;
    response.end();
  }, async (client, server) => {
    server.keepAliveTimeout = 60_000;
    client.send(GET);
    assert.is((await client.response()).status, 200);
    socket?.pause();
    discardInput(socket as Socket);
    client.send(GET.repeat(1000));
    client.socket.end();
    await waitUntil(() => socket?.readableEnded === true, 'the end');
    assert.is(requested, 1);
  });
});
sockets('of which Node has paused the reading: its input is discarded, and the end of the client is seen, with and without a handle', async () => {
  for (const connected of [overNetwork, connectPair]) {
    await connectToListener((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(LARGE));
    }, async (_client, server) => {
      const [socket, client] = await connected(server);
      client.pause().write(message('GET', '/large') + GET);
      await waitUntil(() => socket.isPaused(), 'that Node pauses the reading');
      discardInput(socket);
      client.end(GET.repeat(10_000));
      await waitUntil(() => socket.readableEnded, 'the end');
      client.destroy();
      socket.destroy();
    });
  }
});
sockets('whose client reads nothing: bytesTaken does not grow with further writes', async () => {
  let socket: Socket | undefined;
  await connectToListener((request) => (socket = request.socket), async (client) => {
    client.socket.pause();
    client.send(GET);
    await waitUntil(() => socket !== undefined, 'the request');
    const server = socket as unknown as Socket;
    server.write('x'.repeat(LARGE));
    let taken = -1;
    await waitUntil(() => taken === (taken = countTakenBytes(server)), 'that no more is taken');
    assert.ok(taken > 0 && taken < LARGE, `${taken} bytes`);
    server.write('more');
    assert.is(countTakenBytes(server), taken);
    client.socket.removeAllListeners('data').resume();
    await waitUntil(() => server.writableLength === 0, 'that all is taken');
    assert.is(countTakenBytes(server), LARGE + 4);
  });
});
sockets('is closed by Node through destroySoon, which can be replaced and taken back', async () => {
  let closed = 0;
  await connectToListener((request, response) => {
    onCloseByNode(request.socket, () => (closed += 1));
    response.setHeader('Connection', 'close');
    response.end();
    response.on('finish', () => setImmediate(() => {
      closeAsNodeDoes(request.socket);
      request.socket.destroySoon();
    }));
  }, async (client) => {
    client.send(GET);
    assert.is((await client.response()).status, 200);
    await once(client.socket, 'end');
    assert.is(closed, 1);
  });
});
sockets('without a reader: a later listener for its data resumes it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const client = await RawClient.connect((server.address() as AddressInfo).port);
  try {
    const [socket] = await accepted as [Socket];
    socket.resume();
    stopReading(socket);
    client.send('later');
    const [data] = await once(socket.setEncoding('latin1'), 'data') as [string];
    assert.is(data, 'later');
  } finally {
    client.destroy();
    server.close();
  }
});
for (const [how, leave, isSeen] of [
  ['reset', (client: Socket) => client.resetAndDestroy(), true],
  ['ended', (client: Socket) => client.end(), false],
] as const) {
  sockets(`of which nothing is read, and that its client has ${how}: ${isSeen ? 'the system has forgotten' : 'the system knows'} the peer`, async () => {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = await accepted as [Socket];
    try {
      await new Promise((resolve) => client.write(Buffer.alloc(100_000), resolve));
      assert.is(isReset(socket), false);
      leave(client);
      if (isSeen) await waitUntil(() => isReset(socket), 'the reset');
      else await once(client, 'finish');
      assert.is(isReset(socket), isSeen);
    } finally {
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
}

const transports = suite('the socket that carries the bytes');
transports('of a TLS socket is the one that its server accepted', async () => {
  const server = createTlsServer(getCertificate()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const secured = once(server, 'secureConnection');
  const client = await RawClient.connect((server.address() as AddressInfo).port, false, true);
  try {
    const [transport] = await accepted as [Socket];
    const [socket] = await secured as [TLSSocket];
    assert.is(getTransport(socket), transport);
    assert.is(getTransport(transport), transport);
    assert.ok(transport.bytesRead > 0);
  } finally {
    client.destroy();
    server.close();
  }
});
transports('of a TLS socket: with parseByEvents, requests that arrive while reading is paused are not lost', async () => {
  const REQUESTS = 2000;
  let responses = 0;
  // Node pauses the parser while responses that wait for their turn have more than the socket's buffer.
  const server = createHttpsServer(getCertificate(), (_request, response) => void setTimeout(() => response.end('x'.repeat(1000)), 1));
  server.on('secureConnection', parseByEvents).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await RawClient.connect((server.address() as AddressInfo).port, false, true);
  try {
    client.send(GET.repeat(REQUESTS));
    while (responses < REQUESTS && (await client.response()).status === 200) responses += 1;
    assert.is(responses, REQUESTS);
  } finally {
    client.destroy();
    server.close();
  }
});
