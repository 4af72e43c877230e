/** A host's own server to which an `ApiServer` is attached: who answers, and with which limits. */
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer } from '../../src/index.ts';
import { attaching, connected, JSON_TYPE, withPages } from '../support/attaching.ts';
import { after, running, until, within } from '../support/gate.ts';
import { head, message } from '../support/messages.ts';
import { rawRequest, rawUntilClosed } from '../support/raw-client.ts';
import { statusesIn } from '../support/statuses.ts';
import { echoed, echoing, upgradeOf } from '../support/upgrading.ts';

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
answering('a host that writes another length than it has declared: the connection closes, and that is logged', async () => {
  await attaching(async ({ port, errors }) => {
    const text = await rawUntilClosed(port, message('GET', '/page') + message('GET', '/v1/pet/1'));
    assert.not.match(text, '200 OK\r\n.*"1"');
    assert.match(errors[0]?.message ?? '', 'a listener of the attached server');
  }, { host: () => (_request, response) => void response.writeHead(200, { 'Content-Length': 2 }).end('long') });
});
answering('answers a hundred requests behind a slow one, and calls none of its listeners for clientError', async () => {
  let clientErrors = 0;
  await attaching(async ({ server, port, gate, asked }) => {
    server.on('clientError', () => (clientErrors += 1));
    const client = await connected(port);
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
    client.send([...['slow', ...names].map((name) => message('GET', `/v1/pet/${name}`)), message('GET', '/page')].join(''));
    await until(() => asked.length === 1, 'the first to begin');
    await after(20);
    gate.open();
    for (const name of ['slow', ...names]) assert.is((await client.response()).body, JSON.stringify(name));
    assert.is((await client.response()).body, 'page /page');
    assert.is(clientErrors, 0);
  }, { host: withPages });
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
  switching(`the host's own, ${declare.length === 0 ? 'without' : 'with'} one of ours, get a close event at stop() and are then destroyed`, async () => {
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
switching('without a handler, by an engine that emits the event for all: the socket is destroyed', async () => {
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
