/** A host's own server to which an `ApiServer` is attached: who answers, with which limits, and how `stop` closes it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createNetServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, defineEndpoint, stringId, type ApiServerOptions } from '../../src/index.ts';
import { Gate, running, until, within } from '../support/gate.ts';
import { listening } from '../support/hosting.ts';
import { head, message } from '../support/messages.ts';
import { RawClient, rawRequest, rawUntilClosed } from '../support/raw-client.ts';
import { statusesIn } from '../support/statuses.ts';
import { certificate, connectTo } from '../support/transport.ts';
import { echoed, echoing, upgradeOf } from '../support/upgrading.ts';

interface Attached {
  readonly api: ApiServer;
  readonly server: Server;
  readonly port: number;
  readonly gate: Gate;
  readonly errors: readonly Error[];
  /** The pets that an operation was asked for. */
  readonly asked: readonly string[];
}

interface AttachedOptions extends ApiServerOptions {
  /** The listener of the host, made for the server that is attached. */
  readonly host?: (api: ApiServer) => RequestListener;
  readonly declare?: (api: ApiServer) => void;
  readonly isLate?: boolean;
}

const JSON_TYPE = ['Content-Type: application/json'];

/** A server of the host's, with an attached one that has pets. The pet `slow` waits for the gate. */
async function attaching(use: (attached: Attached) => Promise<void>, options: AttachedOptions = {}): Promise<void> {
  const { host, declare = () => {}, isLate = false, ...others } = options;
  const errors: Error[] = [];
  const asked: string[] = [];
  const gate = new Gate();
  const api = new ApiServer('/v1', { logger: { info() {}, error: (error: Error) => errors.push(error) }, stopGraceMs: 1000, ...others });
  api.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    schema: String,
    create: (name) => name,
    get: async (name) => {
      asked.push(name);
      if (name === 'slow') await gate.passed;
      return name;
    },
  }));
  declare(api);
  const server = createServer();
  if (host !== undefined) server.on('request', host(api));
  if (!isLate) api.attach(server);
  const port = await listening(server);
  if (isLate) api.attach(server);
  try {
    await use({ api, server, port, gate, errors, asked });
  } finally {
    gate.open();
    await api.stop();
    for (const client of clients.splice(0)) client.destroy();
  }
}

const clients: RawClient[] = [];

/** A client that is destroyed at the end of its test. */
async function connected(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  clients.push(client);
  return client;
}

/** A host that answers everything itself, but for what is below `/v1`. */
const withPages = (api: ApiServer): RequestListener => (request, response) => {
  api.requestListener(request, response, () => response.end(`page ${request.url}`));
};

const answering = suite('a host\'s server that is attached');
for (const [why, options] of [
  ['without a listener of the host', {}],
  ['with requestListener as its listener', { host: (api: ApiServer) => api.requestListener }],
  ['with requestListener in a listener of the host', { host: withPages }],
  ['with a host that waits first', { host: (api: ApiServer): RequestListener => (request, response) => void setTimeout(() => api.requestListener(request, response), 5) }],
  ['while it listens', { isLate: true }],
] as const) {
  answering(`${why}: operations answer, over one connection`, async () => {
    await attaching(async ({ port }) => {
      const client = await connected(port);
      client.send(message('GET', '/v1/pet/1') + message('POST', '/v1/pet', '"ant"', JSON_TYPE) + message('PATCH', '/v1/pet/1'));
      assert.equal([(await client.response()).body, (await client.response()).headers.get('location')], ['"1"', '/v1/pet/ant']);
      assert.is((await client.response()).status, 405);
      client.send(message('GET', '/v1/pet/2'));
      assert.is((await client.response()).body, '"2"');
    }, options);
  });
}
answering('the host answers its own requests', async () => {
  await attaching(async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/page'))).body, 'page /page');
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, '"1"');
  }, { host: withPages });
});
answering('a listener that the host adds later gets the requests', async () => {
  await attaching(async ({ port, server, api }) => {
    assert.is((await rawRequest(port, message('GET', '/page'))).status, 404);
    server.on('request', withPages(api));
    assert.is((await rawRequest(port, message('GET', '/page'))).body, 'page /page');
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, '"1"');
  });
});
answering('the requests of a connection have their turns, those of the host too', async () => {
  const pages: (string | undefined)[] = [];
  await attaching(async ({ port, gate, asked }) => {
    const client = await connected(port);
    client.send(message('GET', '/v1/pet/slow') + message('GET', '/page') + message('GET', '/v1/pet/2'));
    await until(() => asked.length === 1, 'the first');
    await running(10);
    assert.equal([pages, asked], [[], ['slow']]);
    gate.open();
    assert.equal([(await client.response()).body, (await client.response()).body, (await client.response()).body], ['"slow"', 'page', '"2"']);
  }, {
    host: (api) => (request, response) => {
      api.requestListener(request, response, () => {
        pages.push(request.url);
        response.end('page');
      });
    },
  });
});
answering('a request that the host passes on twice is dispatched once', async () => {
  await attaching(async ({ port, asked }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, '"1"');
    await running(10);
    assert.equal(asked, ['1']);
  }, {
    host: (api) => (request, response) => {
      api.requestListener(request, response);
      api.requestListener(request, response);
    },
  });
});
answering('a request that the host has answered is not dispatched', async () => {
  await attaching(async ({ port, asked }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet/1'))).body, 'no');
    assert.equal(asked, []);
  }, {
    host: (api) => (request, response) => {
      response.end('no');
      api.requestListener(request, response);
    },
  });
});
answering('an operation runs in the async context in which the host passed the request on', async () => {
  const storage = new AsyncLocalStorage<string>();
  await attaching(async ({ port, api }) => {
    api.registerEndpoint('/context', { get: () => storage.getStore() ?? 'none' });
    const text = await rawUntilClosed(port, message('GET', '/v1/context') + head('GET', '/v1/context', ['X-Name: b', 'Connection: close']));
    assert.match(text, 'of undefined');
    assert.match(text, 'of b');
  }, {
    host: (api) => (request, response) => storage.run(`of ${request.headers['x-name']}`, () => api.requestListener(request, response)),
  });
});
answering('a host that writes another length than it has declared: the connection closes, and that is logged', async () => {
  await attaching(async ({ port, errors }) => {
    const text = await rawUntilClosed(port, message('GET', '/page') + message('GET', '/v1/pet/1'));
    assert.not.match(text, '200 OK\r\n.*"1"');
    assert.match(errors[0]?.message ?? '', 'a listener of the attached server');
  }, { host: () => (_request, response) => void response.writeHead(200, { 'Content-Length': 2 }).end('long') });
});
answering.run();

const expecting = suite('100 Continue in a host\'s server that is attached');
const EXPECTING = head('POST', '/v1/pet', ['Content-Length: 5', 'Expect: 100-continue', ...JSON_TYPE]);
for (const [why, options] of [['an operation', {}], ['an operation behind the host', { host: withPages }]] as const) {
  expecting(`${why} asks for the body, when it reads it`, async () => {
    await attaching(async ({ port }) => {
      const client = await connected(port);
      client.send(EXPECTING);
      assert.is((await client.response()).status, 100);
      client.send('"ant"');
      assert.is((await client.response()).status, 201);
    }, options);
  });
  expecting(`${why} refuses a body without asking for it`, async () => {
    await attaching(async ({ port }) => {
      assert.is((await rawRequest(port, EXPECTING.replace('application/json', 'text/plain'))).status, 415);
    }, options);
  });
}
expecting('a host that reads the body asks for it, and one that does not read it does not', async () => {
  await attaching(async ({ port }) => {
    const client = await connected(port);
    client.send(EXPECTING.replace('/v1/pet', '/page'));
    assert.is((await client.response()).status, 100);
    client.send('hello');
    assert.is((await client.response()).body, 'hello');
    assert.is((await rawRequest(port, EXPECTING.replace('/v1/pet', '/no'))).status, 403);
  }, {
    host: () => async (request, response) => {
      if (request.url === '/no') return void response.writeHead(403, { Connection: 'close' }).end();
      for await (const chunk of request) response.write(chunk);
      response.end();
    },
  });
});
expecting('a host with a listener for checkContinue decides itself', async () => {
  await attaching(async ({ port, server }) => {
    server.on('checkContinue', (_request, response) => void response.writeHead(403, { Connection: 'close' }).end('mine'));
    assert.is((await rawRequest(port, EXPECTING)).body, 'mine');
    assert.is((await rawRequest(port, EXPECTING.replace('100-continue', 'more'))).status, 417);
  });
});
expecting('another expectation is a 417, for the host\'s own paths too, unless the host listens to checkExpectation', async () => {
  await attaching(async ({ port, server }) => {
    const other = EXPECTING.replace('100-continue', 'more').replace('/v1/pet', '/page');
    assert.is((await rawRequest(port, other)).status, 417);
    server.on('checkExpectation', (_request, response) => void response.writeHead(200, { Connection: 'close' }).end('mine'));
    assert.is((await rawRequest(port, other)).body, 'mine');
  }, { host: withPages });
});
expecting.run();

const limits = suite('the limits of a host\'s server that is attached');
limits('are those of the attached server', async () => {
  await attaching(async ({ server }) => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections } = server;
    assert.equal([headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections], [300, 400, 500, 0, 7]);
  }, { limits: { headersMs: 300, requestMs: 400, keepAliveMs: 500, connections: 7 } });
});
for (const [why, bytes] of [['a silent connection', ''], ['half a head', 'GET / HTTP/1.1\r\nHost'], ['half a body', head('POST', '/v1/pet', ['Content-Length: 5', ...JSON_TYPE])]] as const) {
  limits(`${why} is a 408`, async () => {
    await attaching(async ({ port }) => {
      assert.equal(statusesIn(await rawUntilClosed(port, bytes)), [408]);
    }, { limits: { headersMs: 300, requestMs: 400 } });
  });
}
limits('a long head is a 431', async () => {
  await attaching(async ({ port }) => {
    assert.is((await rawRequest(port, head('GET', '/v1/pet/1', [`X: ${'x'.repeat(3000)}`]))).status, 431);
  }, { limits: { headerBytes: 2000 } });
});
limits('a malformed request is a problem, after the replies before it', async () => {
  await attaching(async ({ port, gate }) => {
    gate.open();
    assert.equal(statusesIn(await rawUntilClosed(port, 'GET\r\n\r\n')), [400]);
    assert.equal(statusesIn(await rawUntilClosed(port, `${message('GET', '/v1/pet/slow')}GET\r\n\r\n`)), [200]);
  });
});
limits('a host with a listener for clientError answers such requests itself', async () => {
  await attaching(async ({ port, server }) => {
    server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 418 Mine\r\nContent-Length: 0\r\n\r\n'));
    assert.equal(statusesIn(await rawUntilClosed(port, 'GET\r\n\r\n')), [418]);
  });
});
limits.run();

const switching = suite('upgrades of a host\'s server that is attached');
switching('go to the handler of their path, and else to the host\'s listeners', async () => {
  const theirs: (string | undefined)[] = [];
  await attaching(async ({ port, server }) => {
    assert.is((await rawRequest(port, upgradeOf('/theirs'))).status, 404);
    server.on('upgrade', (request, socket, early) => {
      theirs.push(request.url);
      void echoing()(request, socket as Socket, early);
    });
    for (const path of ['/ours', '/theirs']) {
      const client = await connected(port);
      client.send(upgradeOf(path));
      assert.is(await echoed(client, 'hello'), 'hello');
    }
    assert.equal(theirs, ['/theirs']);
    assert.is((await rawRequest(port, head('CONNECT', 'a:80')).catch((error: Error) => error.message)).toString().includes('closed'), true);
  }, { declare: (api) => api.registerUpgrade('/ours', echoing()) });
});
for (const declare of [() => {}, (api: ApiServer) => api.registerUpgrade('/ours', echoing())]) {
  switching(`the host's own, ${declare.length === 0 ? 'without' : 'with'} one of ours, are told of stop() and then destroyed`, async () => {
    let closed = 0;
    await attaching(async ({ port, server, api }) => {
      for (const event of ['upgrade', 'connect']) {
        server.on(event, (request, socket, early) => {
          request.once('close', () => (closed += 1));
          void echoing()(request, socket, early);
        });
      }
      const pair = [await connected(port), await connected(port)];
      pair[0]?.send(upgradeOf('/theirs'));
      pair[1]?.send(head('CONNECT', 'a:80'));
      for (const client of pair) assert.is(await echoed(client, 'hello'), 'hello');
      await within(5000, api.stop());
      assert.is(closed, 2);
      for (const client of pair) assert.is(await client.closed(), '');
    }, { declare, stopGraceMs: 200 });
  });
}
switching('that nobody takes, by an engine that emits the event for all: the socket is destroyed', async () => {
  await attaching(async ({ server }) => {
    const [socket] = duplexPair();
    server.emit('upgrade', { rawHeaders: [], httpVersion: '1.1', method: 'GET', url: '/', socket } as never, socket, Buffer.alloc(0));
    assert.ok(socket.destroyed);
  }, { declare: (api) => api.registerUpgrade('/ours', echoing()) });
});
switching('work over a stream in memory', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 100 });
  api.registerUpgrade('/chat', echoing());
  const server = createServer();
  api.attach(server);
  const [client, far] = duplexPair();
  server.emit('connection', far);
  client.write(`${upgradeOf('/chat')}hello`);
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await until(() => received.endsWith('hello'), 'the echo');
  await within(5000, api.stop());
  assert.ok(far.destroyed);
});
switching.run();

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
stopping('destroys what is left after stopGraceMs, connections from before it was attached too', async () => {
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
refused('start() of a server that is attached gives an error', async () => {
  const api = new ApiServer('', { logger: { info() {}, error() {} } });
  api.attach(createServer());
  assert.equal(await api.start('127.0.0.1:0'), { ok: false, error: 'the server is attached to a server of the host' });
  await api.stop();
});
refused.run();
