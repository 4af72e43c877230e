/** A host that changes the listeners or the `emit` of an attached server. */
import { createServer, Server, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId } from '../../src/index.ts';
import { attaching, connected } from '../support/attaching.ts';
import { after, Gate, until, within } from '../support/gate.ts';
import { listening } from '../support/hosting.ts';
import { Injection } from '../support/injection.ts';
import { message } from '../support/messages.ts';
import { RawClient, rawRequest } from '../support/raw-client.ts';
import { echoed, echoing, upgradeOf } from '../support/upgrading.ts';

/** An `ApiServer` with pets, not attached yet. */
function declared(): ApiServer {
  const api = new ApiServer('/v1', { logger: { info() {}, error() {} }, stopGraceMs: 1000 });
  api.registerEndpoint('/pet', { id: stringId, get: (name) => name });
  return api;
}

/** A listener that answers later, as most apps do. */
const late = (text: string): RequestListener => (_request, response) => void setImmediate(() => response.end(text));

/** The bodies of a server's answers to these targets: `404` if the path is not served. */
async function answersOf(server: Server, api: ApiServer, targets: readonly string[]): Promise<readonly string[]> {
  const port = await listening(server);
  const answers: string[] = [];
  try {
    for (const target of targets) {
      const { status, body } = await rawRequest(port, message('GET', target));
      answers.push(status === 200 ? body : String(status));
    }
    return answers;
  } finally {
    await api.stop();
  }
}

/** Removes the listeners of a server, and calls them itself for requests that are not its own, as Socket.IO does. */
function attachEngine(server: Server): void {
  const before = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.url === '/engine') response.end('engine');
    else for (const listener of before) listener.call(server, request, response);
  });
}

type Doing = (server: Server, attach: () => void) => void;

const deciding = suite('the listeners of an attached server: one side answers, and only one');
for (const [why, doing, expected] of [
  ['a listener that is there once, from before', (server, attach) => (server.once('request', late('host')), attach()), ['host', '"1"', '404']],
  ['a listener that is there once, and first', (server, attach) => (attach(), server.prependOnceListener('request', late('host'))), ['host', '"1"', '404']],
  ['a listener that is removed', (server, attach) => {
    const listener = late('host');
    server.on('request', listener);
    attach();
    server.off('request', listener);
  }, ['404', '"1"', '404']],
  ['all listeners are removed', (server, attach) => (attach(), server.removeAllListeners('request')), ['404', '"1"', '404']],
  ['all listeners are removed, and one is added', (server, attach) => {
    attach();
    server.removeAllListeners('request').on('request', late('host'));
  }, ['host', 'host', 'host']],
  ['Socket.IO, behind an app', (server, attach) => {
    server.on('request', late('host'));
    attach();
    attachEngine(server);
  }, ['host', 'host', 'engine']],
  ['Socket.IO, behind an app that comes after attach', (server, attach) => {
    attach();
    server.on('request', late('host'));
    attachEngine(server);
  }, ['host', 'host', 'engine']],
  ['Socket.IO, without an app', (server, attach) => (attach(), attachEngine(server)), ['404', '"1"', 'engine']],
] as readonly (readonly [string, Doing, readonly string[]])[]) {
  deciding(`${why}: ${expected.join(', ')}`, async () => {
    const api = declared();
    const server = createServer();
    doing(server, () => api.attach(server));
    assert.equal(await answersOf(server, api, ['/page', '/v1/pet/1', '/engine']), expected);
  });
}
for (const [why, listener, hints] of [
  ['a listener of the host', () => late('host'), 1],
  ['Socket.IO', (_api, server) => void attachEngine(server), 1],
  ['requestListener itself', (api) => api.requestListener, 0],
  ['none', () => {}, 0],
] as readonly (readonly [string, (api: ApiServer, server: Server) => RequestListener | void, number])[]) {
  deciding(`before attach: ${why}; the log says ${hints === 0 ? 'nothing' : 'that it gets every request'}`, async () => {
    const infos: string[] = [];
    const api = new ApiServer('/v1', { logger: { info: (text) => infos.push(text), error() {} } });
    const server = createServer();
    const first = listener(api, server);
    if (first !== undefined) server.on('request', first);
    api.attach(server);
    server.on('request', late('after'));
    assert.is(infos.filter((text) => text.startsWith('attach: the server has a request listener already')).length, hints);
    await listening(server);
    await api.stop();
  });
}
deciding('upgrades are still handed over when a host has removed the listeners for them', async () => {
  const api = declared();
  const server = createServer();
  api.registerUpgrade('/chat', echoing());
  api.attach(server);
  server.on('upgrade', () => {}).removeAllListeners('upgrade');
  const client = await RawClient.connect(await listening(server));
  client.send(upgradeOf('/chat'));
  assert.is(await echoed(client, 'hello'), 'hello');
  client.destroy();
  await api.stop();
});
deciding('an upgrade of the host with a body, behind a request in flight: the connection ends after 64 KiB of what follows', async () => {
  let upgrades = 0;
  await attaching(async ({ server, port, asked }) => {
    server.on('upgrade', () => (upgrades += 1));
    const client = await connected(port);
    client.send(message('GET', '/v1/pet/slow') + message('GET', '/chat', 'hello', ['Connection: Upgrade', 'Upgrade: websocket']).slice(0, -2));
    await until(() => asked.length === 1, 'the operation');
    for (let sent = 0; !client.isClosed && sent < 100; sent += 1) {
      client.send('x'.repeat(10_000));
      await after(2);
    }
    await until(() => client.isClosed, 'the end');
    assert.is(upgrades, 0);
  }, { declare: (api) => api.registerUpgrade('/other', echoing()) });
});
deciding('attached and stopped again and again, a server keeps the listeners that it had', async () => {
  const api = declared();
  const server = createServer(late('host'));
  api.registerUpgrade('/chat', echoing());
  await listening(server);
  api.attach(server);
  await api.stop();
  const names = (): unknown => server.eventNames().map((name) => [name, server.listenerCount(name)]);
  const before = names();
  for (let attached = 0; attached < 3; attached += 1) {
    api.attach(server);
    await listening(server);
    await api.stop();
  }
  assert.equal(names(), before);
});
deciding.run();

/** Replaces `emit` of all servers, as OpenTelemetry does. Returns the requests that it has seen. */
function trace(): { readonly seen: string[]; restore(): void } {
  const { emit } = Server.prototype;
  const isOwn = Object.hasOwn(Server.prototype, 'emit');
  const seen: string[] = [];
  Server.prototype.emit = function (this: Server, event: string | symbol, ...values: unknown[]): boolean {
    if (event === 'request') seen.push((values[0] as IncomingMessage).url ?? '');
    return Reflect.apply(emit, this, [event, ...values]) as boolean;
  } as Server['emit'];
  return {
    seen,
    restore() {
      if (isOwn) Server.prototype.emit = emit;
      else Reflect.deleteProperty(Server.prototype, 'emit');
    },
  };
}

const tracing = suite('a tracer that replaces emit of all servers');
for (const [when, isBefore] of [['before', true], ['after', false]] as const) {
  tracing(`${when} one is attached sees each request once, of the host and of the ApiServer`, async () => {
    const api = declared();
    const server = createServer((request, response) => api.requestListener(request, response, () => response.end('host')));
    if (!isBefore) api.attach(server);
    const tracer = trace();
    try {
      if (isBefore) api.attach(server);
      assert.equal(await answersOf(server, api, ['/page', '/v1/pet/1']), ['host', '"1"']);
      assert.equal(tracer.seen, ['/page', '/v1/pet/1']);
    } finally {
      tracer.restore();
    }
  });
}
tracing('after one was attached and stopped sees its requests', async () => {
  const api = declared();
  const server = createServer(late('host'));
  api.attach(server);
  await api.stop();
  const tracer = trace();
  try {
    const port = await listening(server);
    assert.is((await rawRequest(port, message('GET', '/page'))).body, 'host');
    assert.equal(tracer.seen, ['/page']);
  } finally {
    tracer.restore();
    server.closeAllConnections();
    server.close();
  }
});
tracing('one that replaces emit of the server alone keeps it', async () => {
  const api = declared();
  const server = createServer();
  const { emit } = server;
  const own: Server['emit'] = (...values: unknown[]) => Reflect.apply(emit, server, values) as boolean;
  server.emit = own;
  api.attach(server);
  assert.equal(await answersOf(server, api, ['/v1/pet/1']), ['"1"']);
  assert.is(server.emit, own);
});
tracing.run();

const emitting = suite('a host that emits requests itself');
for (const [why, listener] of [
  ['without a listener', undefined],
  ['with requestListener in a listener', (api: ApiServer): RequestListener => (request, response) => api.requestListener(request, response)],
] as const) {
  emitting(`that came over no connection, ${why}: they are answered`, async () => {
    const api = declared();
    const server = createServer();
    if (listener !== undefined) server.on('request', listener(api));
    api.attach(server);
    for (const event of ['request', ...(listener === undefined ? ['checkContinue'] : [])]) {
      const emit = (request: IncomingMessage, response: ServerResponse): void => void server.emit(event, request, response);
      assert.equal(await new Injection('GET', '/v1/pet/1').into(emit), [200, '', '"1"']);
    }
    await api.stop();
  });
}
emitting('of another server: they are answered', async () => {
  const api = declared();
  const server = createServer();
  api.attach(server);
  const other = createServer((request, response) => void server.emit('request', request, response));
  const port = await listening(other);
  assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, '"1"');
  other.closeAllConnections();
  other.close();
  await api.stop();
});
emitting.run();

const closing = suite('close() of a host, and stop()');
for (const [why, prepare] of [
  ['a server that the host has closed', async (server: Server) => {
    await listening(server);
    await new Promise((resolve) => server.close(resolve));
  }],
  ['a server that never listened', async () => {}],
] as const) {
  closing(`of ${why}: close is not emitted again`, async () => {
    const api = declared();
    const server = createServer();
    api.attach(server);
    await prepare(server);
    let closes = 0;
    server.on('close', () => (closes += 1));
    await within(5000, api.stop());
    await new Promise(setImmediate);
    assert.is(closes, 0);
  });
}
closing('before stop(), with an operation in flight: it is answered, stop() waits for it, and close is emitted once', async () => {
  const gate = new Gate();
  let begun = false;
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 60_000 });
  api.registerEndpoint('/', { id: stringId, get: async (name) => (begun = true, await gate.passed, name) });
  const server = createServer();
  api.attach(server);
  const client = await RawClient.connect(await listening(server));
  client.send(message('GET', '/a'));
  await until(() => begun, 'the operation');
  let closes = 0;
  server.on('close', () => (closes += 1));
  server.close();
  const stopped = api.stop();
  gate.open();
  assert.is((await client.response()).body, '"a"');
  await within(5000, stopped);
  assert.is(closes, 1);
  client.destroy();
});
closing('stop() waits for requests on connections that another server has accepted', async () => {
  const gate = new Gate();
  let begun = false;
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 60_000 });
  api.registerEndpoint('/', { id: stringId, get: async (name) => (begun = true, await gate.passed, name) });
  const server = createServer();
  api.attach(server);
  const front = createNetServer((socket) => void server.emit('connection', socket));
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const client = await RawClient.connect((front.address() as AddressInfo).port, true, false);
  client.send(message('GET', '/a'));
  await until(() => begun, 'the operation');
  let isStopped = false;
  const stopped = api.stop().then(() => (isStopped = true));
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  assert.is(isStopped, false);
  gate.open();
  assert.is((await client.response()).body, '"a"');
  client.destroy();
  await within(5000, stopped);
  front.close();
});
closing.run();
