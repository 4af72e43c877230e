/** How `stop` closes a server that `createServer` has made, and the servers that `start` rejects. */
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, type CreateServer, stringId } from '../../src/index.ts';
import { serveCreatedServer, makePagesListener } from '../support/serve-created-server.ts';
import { Gate, waitUntil, withTimeout } from '../support/wait.ts';
import { message } from '../support/messages.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { getCertificate, connectTo } from '../support/transport.ts';
import { makeEchoHandler, makeUpgrade } from '../support/upgrades.ts';

const SILENT = { info() {}, error() {} };

const stopping = suite('H4: stop() of a server of createServer');
for (const [why, options] of [['an operation', {}], ['an app', { app: makePagesListener }]] as const) {
  stopping(`with an operation in flight behind ${why}: it gets its response, idle connections close, and new ones are rejected`, async () => {
    await serveCreatedServer(async ({ api, server, port, gate, requested }) => {
      const idle = await RawClient.send(port, message('GET', '/v1/pet/1'));
      await idle.response();
      const busy = await RawClient.send(port, message('GET', '/v1/pet/slow'));
      await waitUntil(() => requested.includes('slow'), 'the operation');
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
      await withTimeout(stopped);
      assert.is(closes, 1);
    }, { ...options, stopGraceMs: 3_600_000 });
  });
}
stopping('a page of the app in flight is sent in full', async () => {
  const gate = new Gate();
  let begun = 0;
  await serveCreatedServer(async ({ api, port }) => {
    const pair = [await RawClient.connect(port), await RawClient.connect(port)];
    pair[0]?.send(message('GET', '/whole'));
    pair[1]?.send(message('GET', '/streamed'));
    await waitUntil(() => begun === 2, 'the pages');
    const stopped = api.stop();
    gate.open();
    assert.equal([(await pair[0]?.response())?.headers.get('connection'), (await pair[1]?.response())?.body], ['close', 'begin end']);
    for (const client of pair) assert.is(await client.closed(), '');
    await withTimeout(stopped);
  }, {
    stopGraceMs: 3_600_000,
    app: () => (request, response) => {
      begun += 1;
      if (request.url === '/streamed') response.write('begin ');
      void gate.passed.then(() => response.end('end'));
    },
  });
});
stopping('destroys the remaining connections after stopGraceMs', () => serveCreatedServer(async ({ api, port, requested }) => {
  const client = await RawClient.send(port, message('GET', '/v1/pet/slow'));
  await waitUntil(() => requested.length === 1, 'the operation');
  await withTimeout(api.stop());
  assert.is(await client.closed(), '');
}, { stopGraceMs: 200 }));
stopping('lets it start again, with another server', async () => {
  const servers = new Set<Server>();
  const api: ApiServer = new ApiServer('', {
    logger: SILENT,
    createServer: (listener, options) => {
      const server = createServer(options, listener);
      servers.add(server);
      return server;
    },
  });
  api.registerEndpoint('/', { id: stringId, get: (name) => name });
  for (const times of [1, 2, 3]) {
    const started = await api.start('127.0.0.1:0');
    assert.ok(started.ok);
    assert.is((await send(Number(new URL(started.url).port), message('GET', '/a'))).body, '"a"');
    await withTimeout(api.stop());
    assert.is(servers.size, times);
  }
  assert.ok([...servers].every(({ listening }) => !listening));
});
stopping('that the user has closed: resolves when the operation in flight has its response, and close is emitted once', async () => {
  let closes = 0;
  await serveCreatedServer(async ({ api, server, port, gate, requested }) => {
    const client = await RawClient.send(port, message('GET', '/v1/pet/slow'));
    await waitUntil(() => requested.length === 1, 'the operation');
    server.close();
    const stopped = api.stop();
    gate.open();
    assert.is((await client.response()).body, '"slow"');
    await withTimeout(stopped);
    assert.is(closes, 1);
  }, { stopGraceMs: 3_600_000, prepare: (server) => server.on('close', () => (closes += 1)) });
});
stopping('that the user has closed, with all connections: close is not emitted again', async () => {
  let closes = 0;
  await serveCreatedServer(async ({ api, server }) => {
    await new Promise((resolve) => server.close(resolve));
    await withTimeout(api.stop());
    await new Promise(setImmediate);
    assert.is(closes, 1);
  }, { prepare: (server) => server.on('close', () => (closes += 1)) });
});
stopping('waits for requests on connections that a different server has accepted', () => serveCreatedServer(async ({ api, server, gate, requested }) => {
  const front = createNetServer((socket) => void server.emit('connection', socket));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const client = await RawClient.connect((front.address() as AddressInfo).port);
  client.send(message('GET', '/v1/pet/slow'));
  await waitUntil(() => requested.length === 1, 'the operation');
  let isStopped = false;
  const stopped = api.stop().then(() => (isStopped = true));
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  assert.is(isStopped, false);
  gate.open();
  assert.is((await client.response()).body, '"slow"');
  client.destroy();
  await withTimeout(stopped);
  front.close();
}, { stopGraceMs: 3_600_000 }));
stopping('over TLS is the same: a request in flight gets its response, and a half handshake does not delay it', async () => {
  const gate = new Gate();
  let begun = false;
  const api = new ApiServer('', {
    logger: SILENT, stopGraceMs: 3_600_000, createServer: (listener, options) => createHttpsServer({ ...options, ...getCertificate() }, listener),
  });
  api.registerEndpoint('/', { id: stringId, get: async (name) => (begun = true, await gate.passed, name) });
  api.registerUpgrade('/chat', makeEchoHandler());
  const started = await api.start('127.0.0.1:0');
  assert.ok(started.ok);
  assert.match(started.url, /^https:/);
  const port = Number(new URL(started.url).port);
  const half = await connectTo(port, true, false);
  half.on('error', () => {});
  const client = await connectTo(port, true, true);
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  client.write(message('GET', '/a'));
  await waitUntil(() => begun, 'the operation');
  const chat = await connectTo(port, true, true);
  let chatted = '';
  chat.on('data', (chunk: Buffer) => (chatted += chunk.toString()));
  chat.write(`${makeUpgrade('/chat')}hello`);
  await waitUntil(() => chatted.endsWith('hello'), 'the echo');
  chat.destroy();
  const stopped = api.stop();
  gate.open();
  await withTimeout(stopped);
  assert.match(received, /Connection: close[^]*"a"$/);
  for (const socket of [half, client]) socket.destroy();
});
stopping.run();

const rejected = suite('H5: a server of createServer that start() rejects');
const OPTIONS = 'createServer must make its server with the options that it gets, as http.createServer(options, listener) does: ';
for (const [why, make, error] of [
  ['a server of HTTP/2', () => createHttp2Server(), 'createServer must return an http.Server or an https.Server'],
  ['a server of HTTP/2 that also takes HTTP/1', () => createSecureServer({ allowHTTP1: true }), 'createServer must return an http.Server or an https.Server'],
  ['a server of TCP', () => createNetServer(), 'createServer must return an http.Server or an https.Server'],
  ['a listener', () => () => {}, 'createServer must return an http.Server or an https.Server'],
  ['nothing', () => undefined, 'createServer must return an http.Server or an https.Server'],
  ['a promise', async () => createServer(), 'createServer must not be async: it returned a promise'],
  ['a server that listens', (_listener, options) => createServer(options).listen(0).unref(),
    'createServer must return a server that does not listen: start does that'],
  ['a server without the options', (listener) => createServer(listener), `${OPTIONS}headersTimeout is 60000, not 10000`],
  ['a server with a limit of its own', (listener, options) => createServer({ ...options, maxHeaderSize: 1000 }, listener),
    `${OPTIONS}maxHeaderSize is 1000, not 16384`],
  ['a server with a lenient parser', (listener, options) => createServer({ ...options, insecureHTTPParser: true }, listener),
    `${OPTIONS}insecureHTTPParser is true, not undefined`],
  ['a server with TLS that closes as its clients do', (listener, options) => createHttpsServer({ ...options, allowHalfOpen: false }, listener),
    `${OPTIONS}allowHalfOpen is false, not true`],
  ['an error', () => { throw new Error('no engine'); }, 'no engine'],
] as readonly (readonly [string, (...values: Parameters<CreateServer>) => unknown, string])[]) {
  rejected(`${why} -> ${error}`, async () => {
    const api = new ApiServer('', { logger: SILENT, createServer: make as CreateServer });
    assert.equal(await api.start('127.0.0.1:0'), { ok: false, error });
    await withTimeout(api.stop());
  });
}
rejected('a server without TLS, with the option tls', async () => {
  const api = new ApiServer('', { logger: SILENT, tls: getCertificate(), createServer: (listener, options) => createServer(options, listener) });
  const error = 'createServer must return an https.Server, because of the option tls: https.createServer(options, listener)';
  assert.equal(await api.start('127.0.0.1:0'), { ok: false, error });
});
rejected('one that was used before, by this one or a different one, also after stop()', async () => {
  let server: Server | undefined;
  const once: CreateServer = (listener, options) => (server ??= createServer(options, listener));
  const [one, two] = [new ApiServer('', { logger: SILENT, createServer: once }), new ApiServer('', { logger: SILENT, createServer: once })];
  assert.ok((await one.start('127.0.0.1:0')).ok);
  const expected = { ok: false, error: 'createServer must return a new server: this one was used before' };
  assert.equal(await two.start('127.0.0.1:0'), expected);
  await one.stop();
  assert.equal(await one.start('127.0.0.1:0'), expected);
});
rejected('createServer that is not a function -> TypeError', () => {
  assert.throws(() => new ApiServer('', { createServer: 'http' as never }), (error: unknown) => error instanceof TypeError && error.message === 'createServer must be a function: string');
});
rejected.run();
