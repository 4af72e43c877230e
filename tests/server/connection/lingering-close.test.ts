/** The server reads and discards the client's bytes after the last response, so that a reset does not destroy the response. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { destroyWhenFlushed, lingeringClose } from '../../../src/server/exchange/node/lingering-close.ts';
import { runTogether } from '../../support/run-together.ts';
import { assert, delay, Gate, RawClient, serve, suite, waitUntil } from '../../support/facts.ts';

const request = 'GET /v1/pet/ant HTTP/1.1\r\nHost: a\r\n\r\n';
const upgrade = 'GET /v1/slow/ant HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n';
const LENGTH = 400_000;
const SENT = 100_000;
// How many requests the server may have read together with the last one.
const MAX_PARSED = 20_000;
// Long enough to read all of it.
const READING_MS = 1000;
// Longer than a client may be silent.
const BLOCKED_MS = 600;

function endpoints(gate: Gate, onSocket: (socket: Socket) => void = () => {}): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/pet', defineEndpoint({ id: stringId, get: (name) => ({ name }) }));
    server.mount('/mount', (request, response) => {
      onSocket(request.socket);
      void gate.passed.then(() => response.end('x'.repeat(LENGTH)));
    });
    server.registerEndpoint('/slow', defineEndpoint({ id: stringId, get: () => gate.passed.then(() => 'done') }));
  };
}

const pipelined = suite('a hundred thousand requests after a last one');
const pipelinedTogether = runTogether(pipelined);
pipelinedTogether('which is rejected: nearly all are discarded without being parsed, and the client reads its response', async () => {
  await serve(endpoints(new Gate()), async ({ port, received: parsed }) => {
    const client = await RawClient.send(port, `GET /v1/pet/ant HTTP/1.1\r\n\r\n${request.repeat(SENT)}`);
    assert.is((await client.response()).status, 400);
    assert.is(await client.closed(), '');
    await delay(READING_MS);
    assert.ok(parsed() < MAX_PARSED, String(parsed()));
  });
});
pipelinedTogether('which is in flight: nearly all are discarded without being parsed, and the client reads its response', async () => {
  const gate = new Gate();
  await serve(endpoints(gate), async ({ port, received: parsed }) => {
    const client = await RawClient.send(port, upgrade);
    await waitUntil(() => parsed() === 1, 'the request');
    client.send(request.repeat(SENT));
    await delay(READING_MS);
    gate.open();
    assert.is((await client.response()).status, 200);
    assert.is(await client.closed(), '');
    await delay(READING_MS);
    assert.ok(parsed() < MAX_PARSED, String(parsed()));
  });
});
pipelinedTogether('which a mounted handler responds to: the client reads the whole response', async () => {
  const gate = new Gate();
  await serve(endpoints(gate), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send('GET /mount HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await delay(100);
    gate.open();
    client.send(request.repeat(SENT));
    await delay(READING_MS);
    client.socket.resume();
    const { status, body } = await client.response();
    assert.is(status, 200);
    assert.is(body.length, LENGTH);
    assert.is(await client.closed(), '');
  });
});
pipelinedTogether('which a mounted handler responds to, while the server stops: the whole response is read', async () => {
  const gate = new Gate();
  gate.open();
  const first = 'GET /mount HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const more = request.repeat(1000);
  let client: RawClient | undefined;
  let bytesRead = (): number => 0;
  const onSocket = (socket: Socket): void => {
    bytesRead = () => socket.bytesRead;
    // The server has just ended its side, and has not begun to wait for the client.
    socket.once('finish', () => client?.send(more));
  };
  await serve(endpoints(gate, onSocket), async ({ server, port }) => {
    client = await RawClient.connect(port);
    client.socket.pause();
    client.send(first);
    await waitUntil(() => bytesRead() === first.length + more.length, 'the requests');
    await server.stop();
    client.socket.resume();
    assert.is((await client.response()).body.length, LENGTH);
  }, { stopGraceMs: 3_600_000 });
});

/** Connects, and passes both ends of the connection. The client's end stays open when ours ends. */
async function withConnection(use: (socket: Socket, client: RawClient) => Promise<void>): Promise<void> {
  const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const accepted = once(listener, 'connection');
    const client = await RawClient.connect((listener.address() as AddressInfo).port, true, false);
    const [socket] = await accepted as [Socket];
    try {
      await use(socket, client);
    } finally {
      client.destroy();
      socket.destroy();
    }
  } finally {
    listener.close();
  }
}

// More than the buffers of both sides hold.
const MUCH = 10_000_000;
const late = suite('a lingering close in a process that is blocked');
late('reads the input that has arrived meanwhile, before it takes the client for silent', () => withConnection(async (socket, client) => {
  lingeringClose(socket);
  await client.closed();
  client.send('x');
  const end = performance.now() + BLOCKED_MS;
  while (performance.now() < end);
  await delay(10);
  assert.is(socket.bytesRead, 1);
  assert.not(socket.destroyed);
  await waitUntil(() => socket.destroyed, 'the end');
}));

const short = suite('a lingering close that is cut short');
short('ends when the client has received the last response in full', () => withConnection(async (socket, client) => {
  client.socket.pause();
  socket.end('x'.repeat(MUCH));
  destroyWhenFlushed(socket);
  assert.not(socket.writableFinished);
  assert.not(socket.destroyed);
  client.socket.resume();
  assert.is((await client.closed()).length, MUCH);
  // The client's side is still open.
  await waitUntil(() => socket.destroyed, 'the end');
  assert.not(client.socket.writableEnded);
}));
short('destroys the socket at once if the last response has been flushed', () => withConnection(async (socket, client) => {
  socket.end();
  assert.is(await client.closed(), '');
  assert.ok(socket.writableFinished);
  assert.not(socket.destroyed);
  destroyWhenFlushed(socket);
  assert.ok(socket.destroyed);
}));
