/** Each undocumented behaviour of Node that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import { once } from 'node:events';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  beforeClose, bufferUnread, bytesTaken, catchInBind, closeListeningSocket, discardInput, hasHead, hasTurn, onCloseByNode,
  onFirstRead, onTurn, socketOf, transportOf,
} from '../../../src/server/connection/node-internals.ts';
import { Incoming, RequestClass } from '../../../src/server/connection/incoming.ts';
import { until } from '../../support/gate.ts';
import { head, message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { certificate } from '../../support/transport.ts';

const GET = message('GET', '/');
// More than the system buffers for a client that does not read.
const LARGE = 16 * 1024 * 1024;

/** Runs a plain `http.Server` with one client. */
async function plain(listener: RequestListener, run: (client: RawClient, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await RawClient.connect((server.address() as AddressInfo).port);
  try {
    await run(client, server);
  } finally {
    client.destroy();
    server.close();
    server.closeAllConnections();
  }
}

const turns = suite('the turn of a response');
turns('starts when the response before it has been sent and it gets its socket, and ends when it loses the socket', async () => {
  const pairs: [IncomingMessage, ServerResponse][] = [];
  await plain((request, response) => void pairs.push([request, response]), async (client) => {
    client.send(GET + GET);
    await until(() => pairs.length === 2, 'both requests');
    const [[firstRequest, first], [, second]] = pairs as [[IncomingMessage, ServerResponse], [IncomingMessage, ServerResponse]];
    assert.equal([hasTurn(first), hasTurn(second)], [true, false]);
    assert.is(socketOf(firstRequest, first), first.socket);
    const order: string[] = [];
    first.on('close', () => order.push('listener'));
    beforeClose(first, () => order.push('before'));
    onTurn(second, () => order.push(`turn of the second: ${hasTurn(second)}, after the first: ${!hasTurn(first)}`));
    first.end();
    await until(() => order.length === 3, 'the turn');
    assert.equal(order, ['before', 'listener', 'turn of the second: true, after the first: true']);
  });
});
turns('of a destroyed request: the request has lost its socket, and the response has none yet', async () => {
  const pairs: [IncomingMessage, ServerResponse][] = [];
  await plain((request, response) => void pairs.push([request, response]), async (client) => {
    client.send(GET + head('POST', '/', ['Content-Length: 10']));
    await until(() => pairs.length === 2, 'both requests');
    const [, [request, response]] = pairs as [[IncomingMessage, ServerResponse], [IncomingMessage, ServerResponse]];
    assert.is(socketOf(request, response), request.socket);
    Reflect.set(request, 'socket', null);
    assert.is(socketOf(request, response), null);
  });
});
turns.run();

const responses = suite('a response');
for (const [what, write, expected] of [
  ['no head', () => {}, false],
  ['a header set', (response: ServerResponse) => void response.setHeader('X', '1'), false],
  ['a head that Node refuses', (response: ServerResponse) => void response.writeHead(200, { X: 'a\r\nb' }), true],
  ['a head', (response: ServerResponse) => void response.writeHead(200), true],
] as const) {
  responses(`with ${what}: hasHead is ${expected}`, () => {
    const response = new ServerResponse(new IncomingMessage(new net.Socket()));
    try {
      write(response);
    } catch {
      // The head that Node refuses.
    }
    assert.is(hasHead(response), expected);
  });
}
responses('that is the last: Node closes the socket by destroySoon', async () => {
  let closed = 0;
  await plain((_request, response) => {
    if (response.socket !== null) onCloseByNode(response.socket, function () {
      closed += 1;
      this.destroy();
    });
    response.setHeader('Connection', 'close').end();
  }, async (client) => {
    client.send(GET);
    assert.is((await client.response()).status, 200);
    await client.closed();
    assert.is(closed, 1);
  });
});
responses.run();

const requests = suite('a request');
requests('that is not read: bufferUnread sets how much of it Node buffers before it pauses', async () => {
  const bytes = 512 * 1024;
  let request: IncomingMessage | undefined;
  await plain((received) => (bufferUnread(received, bytes), (request = received)), async (client) => {
    client.send(head('POST', '/', [`Content-Length: ${4 * bytes}`]) + 'x'.repeat(4 * bytes));
    await until(() => request?.socket.isPaused() === true, 'the pause');
    const { readableLength = 0 } = request ?? {};
    assert.ok(readableLength >= bytes && readableLength < bytes + 128 * 1024, `${readableLength} bytes`);
  });
});
requests('without a stream state, as in other engines: bufferUnread does nothing', () => {
  bufferUnread({} as IncomingMessage, 1);
});
for (const [how, read] of [
  ['a listener for data', (request) => request.on('data', () => {})],
  ['a listener for readable', (request) => request.on('readable', () => request.read())],
  ['resume', (request) => request.resume()],
  ['a loop', async (request) => { for await (const _ of request); }],
] as const satisfies readonly (readonly [string, (request: IncomingMessage) => unknown])[]) {
  requests(`that is read by ${how}: onFirstRead hears of it once, then and not before`, async () => {
    const bytes = 256 * 1024;
    const steps: string[] = [];
    await plain((request, response) => {
      onFirstRead(request, () => steps.push('read'));
      setTimeout(() => (steps.push('begun'), read(request)), 10);
      request.on('end', () => response.end());
    }, async (client) => {
      client.send(head('POST', '/', [`Content-Length: ${bytes}`]));
      await until(() => steps.includes('read'), 'the read');
      client.send('x'.repeat(bytes));
      assert.is((await client.response()).status, 200);
      assert.equal(steps, ['begun', 'read']);
    });
  });
}
requests('has the class that RESTPOINT_INCOMING selects', () => {
  assert.is(RequestClass, process.env['RESTPOINT_INCOMING'] === 'node' ? IncomingMessage : Incoming);
});
requests.run();

const sockets = suite('a socket');
sockets('whose input is discarded: later requests are not parsed, and the end of the client is seen', async () => {
  let requested = 0;
  let socket: Socket | undefined;
  await plain((request, response) => {
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
    await until(() => socket?.readableEnded === true, 'the end');
    assert.is(requested, 1);
  });
});
sockets('whose client reads nothing: bytesTaken does not grow with further writes', async () => {
  let socket: Socket | undefined;
  await plain((request) => (socket = request.socket), async (client) => {
    client.socket.pause();
    client.send(GET);
    await until(() => socket !== undefined, 'the request');
    const server = socket as unknown as Socket;
    server.write('x'.repeat(LARGE));
    let taken = -1;
    await until(() => taken === (taken = bytesTaken(server)), 'that no more is taken');
    assert.ok(taken > 0 && taken < LARGE, `${taken} bytes`);
    server.write('more');
    assert.is(bytesTaken(server), taken);
    client.socket.removeAllListeners('data').resume();
    await until(() => server.writableLength === 0, 'that all is taken');
    assert.is(bytesTaken(server), LARGE + 4);
  });
});
sockets.run();

const servers = suite('a server');
servers('whose listening socket is closed: its connections stay open, and it closes after they do', async () => {
  await plain((_request, response) => response.end(), async (client, server) => {
    client.send(GET);
    assert.is((await client.response()).status, 200);
    let isClosed = false;
    closeListeningSocket(server, () => (isClosed = true));
    assert.is(server.listening, false);
    client.send(GET);
    assert.is((await client.response()).status, 200);
    assert.is(isClosed, false);
    client.destroy();
    await until(() => isClosed, 'the end of the server');
  });
});
servers('that throws when it binds: catchInBind catches it', async () => {
  const server = createServer();
  const error = new Error('no permission');
  Reflect.set(server, '_listen2', () => {
    throw error;
  });
  const caught = new Promise((resolve) => catchInBind(server, resolve));
  server.listen(0, 'localhost');
  assert.is(await caught, error);
});
servers('binds by _listen2', async () => {
  const server = createServer();
  let failed: unknown;
  catchInBind(server, (thrown) => (failed = thrown));
  const bind = Reflect.get(server, '_listen2') as unknown;
  let bound = 0;
  Reflect.set(server, '_listen2', (...values: unknown[]) => {
    bound += 1;
    Reflect.apply(bind as () => void, server, values);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  assert.equal([bound, failed], [1, undefined]);
});
servers.run();

const transports = suite('the socket that carries the bytes');
transports('of a TLS socket is the one that its server accepted', async () => {
  const server = createTlsServer(certificate()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const secured = once(server, 'secureConnection');
  const client = await RawClient.connect((server.address() as AddressInfo).port, false, true);
  try {
    const [transport] = await accepted as [Socket];
    const [socket] = await secured as [TLSSocket];
    assert.is(transportOf(socket), transport);
    assert.is(transportOf(transport), transport);
    assert.ok(transport.bytesRead > 0);
  } finally {
    client.destroy();
    server.close();
  }
});
transports.run();
