/** A server that `createServer` makes: who responds, and with which limits. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer } from '../../src/index.ts';
import { serveCreatedServer, type CreatedServerOptions, JSON_TYPE, makePagesListener } from '../support/serve-created-server.ts';
import { delay, runFor, waitUntil, withTimeout } from '../support/wait.ts';
import { head, message } from '../support/messages.ts';
import { RawClient, send, sendUntilClosed } from '../support/raw-client.ts';
import { readStatuses } from '../support/statuses.ts';
import { readEcho, makeEchoHandler, makeUpgrade } from '../support/upgrades.ts';

const responding = suite('H3: a server of createServer');
for (const [why, options] of [
  ['with the listener that it gets', {}],
  ['with requestListener as its listener', { app: (api: ApiServer) => api.requestListener }],
  ['with requestListener in an app', { app: makePagesListener }],
  ['with an app that waits first', { app: (api: ApiServer): RequestListener => (request, response) => void setTimeout(() => api.requestListener(request, response), 5) }],
  ['without a listener', { createServer: (_listener, options) => createServer(options) }],
] as readonly (readonly [string, CreatedServerOptions])[]) {
  responding(`${why}: operations respond, over one connection`, () => serveCreatedServer(async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet/1') + message('POST', '/v1/pet', '"ant"', JSON_TYPE) + message('PATCH', '/v1/pet/1'));
    assert.equal([(await client.response()).body, (await client.response()).headers.get('location')], ['"1"', '/v1/pet/ant']);
    assert.is((await client.response()).status, 405);
    client.send(message('GET', '/v1/pet/2'));
    assert.is((await client.response()).body, '"2"');
  }, options));
}
responding('an app responds to its own requests', () => serveCreatedServer(async ({ port }) => {
  assert.is((await send(port, message('GET', '/page'))).body, 'page /page');
  assert.is((await send(port, message('GET', '/v1/pet/1'))).body, '"1"');
}, { app: makePagesListener }));
responding('the requests of a connection have their turns, those of the app too', async () => {
  const pages: (string | undefined)[] = [];
  await serveCreatedServer(async ({ port, gate, requested }) => {
    const client = await RawClient.send(port, message('GET', '/v1/pet/slow') + message('GET', '/page') + message('GET', '/v1/pet/2'));
    await waitUntil(() => requested.length === 1, 'the first');
    await runFor(10);
    assert.equal([pages, requested], [[], ['slow']]);
    gate.open();
    assert.equal([(await client.response()).body, (await client.response()).body, (await client.response()).body], ['"slow"', 'page', '"2"']);
  }, {
    app: (api) => (request, response) => {
      api.requestListener(request, response, () => {
        pages.push(request.url);
        response.end('page');
      });
    },
  });
});
responding('a request that the app passes on twice is dispatched once', () => serveCreatedServer(async ({ port, requested }) => {
  assert.is((await send(port, message('GET', '/v1/pet/1'))).body, '"1"');
  await runFor(10);
  assert.equal(requested, ['1']);
}, {
  app: (api) => (request, response) => {
    api.requestListener(request, response);
    api.requestListener(request, response);
  },
}));
responding('a request that the app has responded to is not dispatched', () => serveCreatedServer(async ({ port, requested }) => {
  assert.is((await send(port, message('GET', '/v1/pet/1'))).body, 'no');
  assert.equal(requested, []);
}, {
  app: (api) => (request, response) => {
    response.end('no');
    api.requestListener(request, response);
  },
}));
responding('an app that writes a different length than it has declared: the connection closes, and that is logged', async () => {
  await serveCreatedServer(async ({ port, errors }) => {
    const text = await sendUntilClosed(port, message('GET', '/page') + message('GET', '/v1/pet/1'));
    assert.not.match(text, '200 OK\r\n.*"1"');
    assert.match(errors[0]?.message ?? '', 'a listener of createServer');
  }, { app: () => (_request, response) => void response.writeHead(200, { 'Content-Length': 2 }).end('long') });
});
responding('responds to a hundred requests after a slow one, and calls none of its listeners for clientError', async () => {
  let clientErrors = 0;
  await serveCreatedServer(async ({ port, gate, requested }) => {
    const client = await RawClient.connect(port);
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    client.send([...['slow', ...names].map((name) => message('GET', `/v1/pet/${name}`)), message('GET', '/page')].join(''));
    await waitUntil(() => requested.length === 1, 'the first to begin');
    await delay(20);
    gate.open();
    for (const name of ['slow', ...names]) assert.is((await client.response()).body, JSON.stringify(name));
    assert.is((await client.response()).body, 'page /page');
    assert.is(clientErrors, 0);
  }, { app: makePagesListener, prepare: (server) => server.on('clientError', () => (clientErrors += 1)) });
});
responding.run();

const expecting = suite('H4: 100 Continue on a server of createServer');
const EXPECTING = head('POST', '/v1/pet', ['Content-Length: 5', 'Expect: 100-continue', ...JSON_TYPE]);
for (const [why, options] of [['an operation', {}], ['an operation behind an app', { app: makePagesListener }]] as const) {
  expecting(`${why} asks for the body, when it reads it`, () => serveCreatedServer(async ({ port }) => {
    const client = await RawClient.send(port, EXPECTING);
    assert.is((await client.response()).status, 100);
    client.send('"ant"');
    assert.is((await client.response()).status, 201);
  }, options));
  expecting(`${why} rejects a body without asking for it`, () => serveCreatedServer(async ({ port }) => {
    assert.is((await send(port, EXPECTING.replace('application/json', 'text/plain'))).status, 415);
  }, options));
}
expecting('an app that reads the body asks for it, and one that does not read it does not', () => serveCreatedServer(async ({ port }) => {
  const client = await RawClient.send(port, EXPECTING.replace('/v1/pet', '/page'));
  assert.is((await client.response()).status, 100);
  client.send('hello');
  assert.is((await client.response()).body, 'hello');
  assert.is((await send(port, EXPECTING.replace('/v1/pet', '/no'))).status, 403);
}, {
  app: () => async (request, response) => {
    if (request.url === '/no') return void response.writeHead(403, { Connection: 'close' }).end();
    for await (const chunk of request) response.write(chunk);
    response.end();
  },
}));
for (const isAlone of [false, true]) {
  expecting(`a listener for checkContinue decides itself, ${isAlone ? 'without' : 'with'} one for requests`, async () => {
    await serveCreatedServer(async ({ port }) => {
      assert.is((await send(port, EXPECTING)).body, 'mine');
      assert.is((await send(port, EXPECTING.replace('100-continue', 'more'))).status, 417);
      assert.is((await send(port, message('GET', '/v1/pet/1'))).body, '"1"');
    }, {
      createServer: (listener, options) => {
        const server = isAlone ? createServer(options) : createServer(options, listener);
        return server.on('checkContinue', (_request, response) => void response.writeHead(403, { Connection: 'close' }).end('mine'));
      },
    });
  });
}
for (const [why, prepare, status] of [
  ['a listener for checkExpectation', (server: Server) => server.on('checkExpectation', (_request, response) => {
    response.writeHead(202, { Connection: 'close' }).end('mine');
  }), 202],
  ['none', () => {}, 417],
] as const) {
  expecting(`any other expectation, for the paths of the app too, with ${why} -> ${status}`, () => serveCreatedServer(async ({ port }) => {
    assert.is((await send(port, EXPECTING.replace('100-continue', 'more').replace('/v1/pet', '/page'))).status, status);
  }, { app: makePagesListener, prepare }));
}
expecting.run();

const limits = suite('H4: the limits of a server of createServer');
limits('are those of the options', () => serveCreatedServer(async ({ server }) => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections } = server;
  assert.equal([headersTimeout, requestTimeout, keepAliveTimeout, maxHeadersCount, maxConnections], [300, 400, 500, 0, 7]);
}, { limits: { headersMs: 300, requestMs: 400, keepAliveMs: 500, connections: 7 } }));
for (const [why, bytes] of [['a silent connection', ''], ['half a head', 'GET / HTTP/1.1\r\nHost'], ['half a body', head('POST', '/v1/pet', ['Content-Length: 5', ...JSON_TYPE])]] as const) {
  limits(`${why} is a 408`, () => serveCreatedServer(async ({ port }) => {
    assert.equal(readStatuses(await sendUntilClosed(port, bytes)), [408]);
  }, { limits: { headersMs: 300, requestMs: 400 } }));
}
limits('a long head is a 431', () => serveCreatedServer(async ({ port }) => {
  assert.is((await send(port, head('GET', '/v1/pet/1', [`X: ${'x'.repeat(3000)}`]))).status, 431);
}, { limits: { headerBytes: 2000 } }));
limits('a malformed request is a problem, after the replies before it', () => serveCreatedServer(async ({ port, gate }) => {
  gate.open();
  assert.equal(readStatuses(await sendUntilClosed(port, 'GET\r\n\r\n')), [400]);
  assert.equal(readStatuses(await sendUntilClosed(port, `${message('GET', '/v1/pet/slow')}GET\r\n\r\n`)), [200]);
}));
limits('a listener for clientError responds to such requests itself', () => serveCreatedServer(async ({ port }) => {
  assert.equal(readStatuses(await sendUntilClosed(port, 'GET\r\n\r\n')), [418]);
}, { prepare: (server) => server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 418 Mine\r\nContent-Length: 0\r\n\r\n')) }));
limits.run();

const switching = suite('H3: upgrades on a server of createServer');
switching('go to the handler of their path, and else to the listeners', async () => {
  const theirs: (string | undefined)[] = [];
  await serveCreatedServer(async ({ port }) => {
    for (const path of ['/ours', '/theirs']) {
      const client = await RawClient.send(port, makeUpgrade(path));
      assert.is(await readEcho(client, 'hello'), 'hello');
    }
    assert.equal(theirs, ['/theirs']);
    assert.is((await send(port, head('CONNECT', 'a:80'))).status, 501);
  }, {
    declare: (api) => api.registerUpgrade('/ours', makeEchoHandler()),
    prepare: (server) => server.on('upgrade', (request, socket, early) => {
      theirs.push(request.url);
      void makeEchoHandler()(request, socket as Socket, early);
    }),
  });
});
switching('without a listener, those that no handler takes are requests', () => serveCreatedServer(async ({ port, api }) => {
  assert.is((await send(port, makeUpgrade('/v1/pet/1'))).body, '"1"');
  api.registerUpgrade('/ours', makeEchoHandler());
  assert.is((await send(port, makeUpgrade('/v1/pet/1'))).body, '"1"');
  const client = await RawClient.send(port, makeUpgrade('/ours'));
  assert.is(await readEcho(client, 'hello'), 'hello');
}));
for (const declare of [() => {}, (api: ApiServer) => api.registerUpgrade('/ours', makeEchoHandler())]) {
  switching(`of a listener, ${declare.length === 0 ? 'without' : 'with'} a handler for others, get a close event at stop() and are then destroyed`, async () => {
    let closed = 0;
    await serveCreatedServer(async ({ port, api }) => {
      const pair = [await RawClient.connect(port), await RawClient.connect(port)];
      pair[0]?.send(makeUpgrade('/theirs'));
      pair[1]?.send(head('CONNECT', 'a:80'));
      for (const client of pair) assert.is(await readEcho(client, 'hello'), 'hello');
      await withTimeout(api.stop());
      assert.is(closed, 2);
      for (const client of pair) assert.is(await client.closed(), '');
    }, {
      declare,
      stopGraceMs: 200,
      prepare: (server) => {
        for (const event of ['upgrade', 'connect']) {
          server.on(event, (request, socket, early) => {
            request.once('close', () => (closed += 1));
            void makeEchoHandler()(request, socket, early);
          });
        }
      },
    });
  });
}
switching('of a listener, with a body, after a request in flight: the connection ends after 64 KiB of what follows', async () => {
  let upgrades = 0;
  await serveCreatedServer(async ({ port, requested }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet/slow') + message('GET', '/chat', 'hello', ['Connection: Upgrade', 'Upgrade: websocket']).slice(0, -2));
    await waitUntil(() => requested.length === 1, 'the operation');
    for (let sent = 0; !client.isClosed && sent < 100; sent += 1) {
      client.send('x'.repeat(10_000));
      await delay(2);
    }
    await waitUntil(() => client.isClosed, 'the end');
    assert.is(upgrades, 0);
  }, { declare: (api) => api.registerUpgrade('/other', makeEchoHandler()), prepare: (server) => server.on('upgrade', () => (upgrades += 1)) });
});
switching('without a handler, by an engine that emits the event for all: the socket is destroyed', () => serveCreatedServer(async ({ server }) => {
  const [socket] = duplexPair();
  server.emit('upgrade', { rawHeaders: [], httpVersion: '1.1', method: 'GET', url: '/', socket } as never, socket, Buffer.alloc(0));
  assert.ok(socket.destroyed);
}, { declare: (api) => api.registerUpgrade('/ours', makeEchoHandler()) }));
switching('work over a stream in memory', () => serveCreatedServer(async ({ api, server }) => {
  const [client, far] = duplexPair();
  server.emit('connection', far);
  client.write(`${makeUpgrade('/chat')}hello`);
  let received = '';
  client.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await waitUntil(() => received.endsWith('hello'), 'the echo');
  await withTimeout(api.stop());
  assert.ok(far.destroyed);
}, { declare: (api) => api.registerUpgrade('/chat', makeEchoHandler()), stopGraceMs: 100 }));
switching('a listener that fails when an upgrade closes is logged', async () => {
  await serveCreatedServer(async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(makeUpgrade('/theirs'));
    await client.closed();
    client.destroy();
    await waitUntil(() => errors.length > 0, 'the log');
    assert.match(errors.map((error) => error.message).join('\n'), 'a socket of createServer: the app failed');
  }, {
    prepare: (server) => server.on('upgrade', (request, socket) => {
      request.on('close', () => { throw new Error('the app failed'); });
      socket.destroy();
    }),
  });
});
switching.run();
