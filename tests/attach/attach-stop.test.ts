/** How `stop` closes a host's server to which an `ApiServer` is attached, and the servers that `attach` refuses. */
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId } from '../../src/index.ts';
import { attaching, connected, withPages } from '../support/attaching.ts';
import { Gate, until, within } from '../support/gate.ts';
import { listening } from '../support/hosting.ts';
import { message } from '../support/messages.ts';
import { rawRequest } from '../support/raw-client.ts';
import { certificate, connectTo } from '../support/transport.ts';
import { echoing, upgradeOf } from '../support/upgrading.ts';

const stopping = suite('stop() of a server that is attached');
for (const [why, options] of [['an operation', {}], ['the host', { host: withPages }]] as const) {
  stopping(`with an operation in flight behind ${why}: it is answered, idle connections close, and new ones are refused`, async () => {
    await attaching(async ({ api, server, port, gate, asked }) => {
      const idle = await connected(port);
      idle.send(message('GET', '/v1/pet/1'));
      await idle.response();
      const busy = await connected(port);
      busy.send(message('GET', '/v1/pet/slow'));
      await until(() => asked.includes('slow'), 'the operation');
      let closes = 0;
      server.on('close', () => (closes += 1));
      const { stopping: signal } = api;
      const stopped = api.stop();
      assert.ok(signal.aborted);
      assert.is(await idle.closed(), '');
      assert.is(server.listening, false);
      gate.open();
      const { headers, body } = await busy.response();
      assert.equal([headers.get('connection'), body], ['close', '"slow"']);
      assert.is(await busy.closed(), '');
      await within(5000, stopped);
      assert.is(closes, 1);
    }, { ...options, stopGraceMs: 60_000 });
  });
}
stopping('a page of the host in flight is answered in full', async () => {
  const gate = new Gate();
  let begun = 0;
  await attaching(async ({ api, port }) => {
    const pair = [await connected(port), await connected(port)];
    pair[0]?.send(message('GET', '/whole'));
    pair[1]?.send(message('GET', '/streamed'));
    await until(() => begun === 2, 'the pages');
    const stopped = api.stop();
    gate.open();
    assert.equal([(await pair[0]?.response())?.headers.get('connection'), (await pair[1]?.response())?.body], ['close', 'begin end']);
    for (const client of pair) assert.is(await client.closed(), '');
    await within(5000, stopped);
  }, {
    stopGraceMs: 60_000,
    host: () => (request, response) => {
      begun += 1;
      if (request.url === '/streamed') response.write('begin ');
      void gate.passed.then(() => response.end('end'));
    },
  });
});
stopping('destroys the remaining connections after stopGraceMs, including those from before it was attached', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 200 });
  const server = createServer();
  const port = await listening(server);
  let accepted = 0;
  server.on('connection', () => (accepted += 1));
  const client = await connected(port);
  await until(() => accepted === 1, 'the connection');
  api.attach(server);
  await within(5000, api.stop());
  assert.is(await client.closed(), '');
  client.destroy();
});
stopping('leaves the server to the host: it may listen again, alone or attached', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  api.registerEndpoint('/', { id: stringId, get: (name) => name });
  api.registerUpgrade('/chat', echoing());
  const server = createServer((_request, response) => response.end('host'));
  const { emit } = server;
  api.attach(server);
  let port = await listening(server);
  assert.is((await rawRequest(port, message('GET', '/a'))).body, 'host');
  await api.stop();
  assert.is(server.emit, emit);
  port = await listening(server);
  assert.is((await rawRequest(port, message('GET', '/a'))).body, 'host');
  assert.is((await rawRequest(port, upgradeOf('/chat'))).body, 'host');
  server.removeAllListeners('request');
  api.attach(server);
  assert.is((await rawRequest(port, message('GET', '/a'))).body, '"a"');
  await api.stop();
  const started = await api.start('127.0.0.1:0');
  assert.ok(started.ok);
  await api.stop();
});
stopping('before the server listens resolves', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  api.attach(createServer());
  await within(5000, api.stop());
});
stopping('closes every attached server', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    api.attach(server);
    await listening(server);
  }
  await within(5000, api.stop());
  assert.equal(servers.map(({ listening: isListening }) => isListening), [false, false]);
});
stopping('over TLS is the same: a request in flight is answered, and a half handshake does not delay it', async () => {
  const gate = new Gate();
  let begun = false;
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 60_000 });
  api.registerEndpoint('/', { id: stringId, get: async (name) => (begun = true, await gate.passed, name) });
  api.registerUpgrade('/chat', echoing());
  const server = createHttpsServer(certificate());
  api.attach(server);
  const port = await listening(server);
  const half = await connectTo(port, true, false);
  half.on('error', () => {});
  const client = await connectTo(port, true, true);
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  client.write(message('GET', '/a'));
  await until(() => begun, 'the operation');
  const chat = await connectTo(port, true, true);
  let chatted = '';
  chat.on('data', (chunk: Buffer) => (chatted += chunk.toString()));
  chat.write(`${upgradeOf('/chat')}hello`);
  await until(() => chatted.endsWith('hello'), 'the echo');
  chat.destroy();
  const stopped = api.stop();
  gate.open();
  await within(5000, stopped);
  assert.match(received, /Connection: close[^]*"a"$/);
  for (const socket of [half, client]) socket.destroy();
});
stopping.run();

const refused = suite('attach() that is refused');
for (const [why, make] of [
  ['a server of HTTP/2', () => createHttp2Server()],
  ['a server of HTTP/2 that also takes HTTP/1', () => createSecureServer({ allowHTTP1: true })],
  ['a server of TCP', () => createNetServer()],
  ['a listener', () => () => {}],
  ['nothing', () => undefined],
] as const) {
  refused(`${why} -> TypeError`, () => {
    const api = new ApiServer('', { logger: { info() {}, error() {} } });
    assert.throws(() => api.attach(make() as unknown as Server), (error: unknown) => error instanceof TypeError);
  });
}
refused('a server that is attached already, to this one or another', async () => {
  const server = createServer();
  const [one, two] = [new ApiServer('', { logger: { info() {}, error() {} } }), new ApiServer('')];
  one.attach(server);
  for (const api of [one, two]) assert.throws(() => api.attach(server), /attached already/);
  await one.stop();
});
refused('when the server is started, or stopping', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  assert.ok((await api.start('127.0.0.1:0')).ok);
  assert.throws(() => api.attach(createServer()), /already started/);
  const stopped = api.stop();
  assert.throws(() => api.attach(createServer()), /stopping/);
  await stopped;
});
refused('start() of a server that is attached resolves to an error', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  api.attach(createServer());
  assert.equal(await api.start('127.0.0.1:0'), { ok: false, error: 'the server is attached to a server of the host' });
  await api.stop();
});
refused.run();
