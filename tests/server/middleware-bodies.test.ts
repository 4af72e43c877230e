/** Middleware and the body of a request: who reads it, and when the server sends `100 Continue`. */
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Middleware } from '../../src/index.ts';
import { delay, waitUntil } from '../support/wait.ts';
import { ANT } from '../support/deliveries.ts';
import { chunkedMessage, head, message, readProblem } from '../support/messages.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { Zoo } from '../support/zoo.ts';

interface ZooServed extends TestServer {
  readonly zoo: Zoo;
}

/** Serves the zoo, and a mount at `/echo` that sends each body back, behind middleware. */
async function serveBehind(listener: Middleware, use: (served: ZooServed) => Promise<void>): Promise<void> {
  const zoo = new Zoo();
  await serve((server) => {
    server.use(listener);
    zoo.register(server);
    server.mount('/echo', (request, response) => request.pipe(response));
  }, (served) => use(Object.assign(served, { zoo })));
}

type Read = (request: IncomingMessage) => unknown;

async function firstPiece(request: IncomingMessage): Promise<void> {
  for await (const _ of request) break;
}

const READERS: readonly (readonly [who: string, read: Read])[] = [
  ['a body parser', (request) => text(request)],
  ['a listener for data', (request) => void request.on('data', () => {})],
  ['a listener for data, and a wait', (request) => (request.on('data', () => {}), delay(20))],
  ['a listener for data, paused again', (request) => void request.on('data', () => {}).pause()],
  ['a listener for readable', (request) => (request.on('readable', () => request.read()), delay(20))],
  ['a listener for readable that reads nothing', (request) => void request.on('readable', () => {})],
  ['a loop that breaks off', (request) => firstPiece(request)],
  ['a pipeline that fails before it has read anything', (request) => pipeline(request, async () => { throw new Error('fails'); }).catch(() => {})],
  ['one who reads it away', (request) => (request.resume(), delay(20))],
  ['one who wants text', (request) => void request.setEncoding('utf8')],
];
const TAKEN = 'Internal error: the body was read before the operation could: by a body parser in front of the server, or by a listener for data';
const MESSAGES = [['with a length', message], ['chunked', chunkedMessage]] as const;

const taken = suite('W8: a body that middleware has read');
for (const [caller, read] of READERS) {
  const readFirst: Middleware = async (request, _response, next) => (await read(request), next());
  for (const [how, make] of MESSAGES) {
    taken(`${caller}, ${how} -> 500 for an operation, logged, not invoked`, () => serveBehind(readFirst, async ({ port, zoo, errors }) => {
      assert.is(readProblem(await send(port, make('POST', '/v1/pet', ANT))).status, 500);
      assert.equal([zoo.invoked, errors.map((error) => error.message)], [0, [`POST /v1/pet: ${TAKEN}`]]);
      assert.is((await send(port, message('POST', '/v1/pet/count'))).status, 200);
    }));
  }
  taken(`${caller}, without a body, or with an unwanted body: responds as usual`, () => serveBehind(readFirst, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('POST', '/v1/pet/count') + message('GET', '/v1/pet/1', 'unwanted') + message('OPTIONS', '/v1/pet'));
    for (const status of [200, 404, 200]) assert.is((await client.response()).status, status);
  }));
}
taken.run();

const unread = suite('W8: a body that middleware has not read');
for (const [why, listener] of [
  ['at once', (_request, _response, next) => next()],
  ['behind a wait', async (_request, _response, next) => (await delay(20), next())],
  ['behind a pause and a wait', async (request, _response, next) => (request.pause(), await delay(20), next())],
] as const satisfies readonly (readonly [string, Middleware])[]) {
  for (const [how, make] of MESSAGES) {
    for (const [size, pad] of [['small', 0], ['large', 300_000]] as const) {
      unread(`next ${why}, ${how}, ${size}: comes whole to an operation and to a mount`, async () => {
        const body = JSON.stringify({ name: `ant${'x'.repeat(pad)}`, legs: 6 });
        await serveBehind(listener, async ({ port }) => {
          const client = await RawClient.connect(port);
          client.send(make('POST', '/v1/pet', body) + make('POST', '/echo', body) + message('GET', '/v1/pet/1'));
          assert.is((await client.response()).status, 201);
          assert.is((await client.response()).body, body);
          assert.is((await client.response()).body, body);
        });
      });
    }
  }
}
unread('a listener that counts the bytes, for an operation without a body: sees all of them', async () => {
  let bytes = 0;
  let hasEnded = false;
  const count: Middleware = (request, _response, next) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => (hasEnded = true));
    next();
  };
  await serveBehind(count, async ({ port }) => {
    const client = await RawClient.send(port, head('GET', '/v1/pet/1', ['Content-Length: 10']) + '12345');
    assert.is((await client.response()).status, 404);
    client.send(`67890${message('OPTIONS', '/v1/pet')}`);
    assert.is((await client.response()).status, 200);
    assert.equal([bytes, hasEnded], [10, true]);
  });
});
unread.run();

const responded = suite('W8: a request to which middleware responds before its body is read');
const reject429: Middleware = (_request, _response, next) => next(Object.assign(new Error('too many'), { status: 429, expose: true }));
const end429: Middleware = (_request, response) => response.writeHead(429).end('too many');
for (const [how, listener] of [['by next(error)', reject429], ['by itself', end429]] as const) {
  responded(`${how}, with the body to come: the response is out before it, and the next request gets its response`, async () => {
    await serveBehind(listener, async ({ port, zoo }) => {
      const client = await RawClient.connect(port);
      client.send(head('POST', '/v1/pet', [`Content-Length: ${ANT.length}`, 'Content-Type: application/json']));
      const { status, body } = await client.response();
      assert.is(status, 429);
      assert.match(body, 'too many');
      client.send(ANT + message('OPTIONS', '/v1/pet'));
      assert.equal([(await client.response()).status, zoo.invoked], [429, 0]);
    });
  });
  responded(`${how}, for a client that waits for 100 Continue: no 100 is sent, and the connection closes`, async () => {
    await serveBehind(listener, async ({ port }) => {
      const client = await RawClient.send(port, head('POST', '/v1/pet', ['Content-Length: 100000', 'Expect: 100-continue']));
      const { status, headers } = await client.response();
      assert.equal([status, headers.get('connection')], [429, 'close']);
      assert.is(await client.closed(), '');
    });
  });
}
responded.run();

const expecting = suite('W8: a client that waits for 100 Continue, after middleware');
for (const [target, status] of [['/v1/pet', 201], ['/echo', 200]] as const) {
  for (const [why, listener] of [
    ['that passes it on', (_request, _response, next) => next()],
    ['that waits', async (_request, _response, next) => (await delay(5), next())],
  ] as const satisfies readonly (readonly [string, Middleware])[]) {
    expecting(`${why}: ${target} sends 100 Continue, once`, () => serveBehind(listener, async ({ port }) => {
      const client = await RawClient.send(port, head('POST', target, [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
      assert.is((await client.response()).status, 100);
      client.send(ANT);
      assert.is((await client.response()).status, status);
      client.send(message('OPTIONS', '/v1/pet'));
      assert.is((await client.response()).status, 200);
    }));
  }
}
for (const [method, target, status] of [['GET', '/v1/pet/1', 404], ['POST', '/nowhere', 404], ['DELETE', '/v1/pet', 405]] as const) {
  expecting(`that passes it on: ${method} ${target} -> ${status} without a 100`, async () => {
    await serveBehind((_request, _response, next) => next(), async ({ port }) => {
      const client = await RawClient.send(port, head(method, target, [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
      assert.is((await client.response()).status, status);
      assert.is(await client.closed(), '');
    });
  });
}
for (const [caller, read] of [
  ['a body parser', (request) => text(request)],
  ['a listener for data', (request) => new Promise((resolve) => request.on('data', () => {}).on('end', resolve))],
  ['a listener for readable', (request) => new Promise((resolve) => request.on('readable', () => request.read()).on('end', resolve))],
] as const satisfies readonly (readonly [string, Read])[]) {
  expecting(`that reads the body (${caller}): gets 100 Continue, and the 500`, async () => {
    await serveBehind(async (request, _response, next) => (await read(request), next()), async ({ port, errors }) => {
      const client = await RawClient.send(port, head('POST', '/v1/pet', [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
      assert.is((await client.response()).status, 100);
      client.send(ANT);
      assert.is((await client.response()).status, 500);
      assert.is(errors.length, 1);
    });
  });
}
expecting('that reads the body, for a mount: gets 100 Continue once, and the connection stays open', async () => {
  await serveBehind(async (request, _response, next) => (await text(request), next()), async ({ port }) => {
    const client = await RawClient.send(port, head('POST', '/echo', [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
    assert.is((await client.response()).status, 100);
    client.send(ANT + message('OPTIONS', '/v1/pet'));
    for (const allow of [undefined, 'POST, POST, POST']) {
      const { status, headers } = await client.response();
      assert.equal([status, headers.get('allow')], [200, allow]);
    }
  });
});
expecting('that reads the body when its response has begun: gets no 100 Continue any more', async () => {
  await serveBehind((request, response) => (response.write('begun '), request.pipe(response)), async ({ port }) => {
    const client = await RawClient.send(port, head('POST', '/v1/pet', [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
    await waitUntil(() => client.unread.includes('begun'), 'the response');
    client.send(ANT);
    assert.is((await client.response()).body, `begun ${ANT}`);
  });
});
expecting('that responds with the body: gets 100 Continue', async () => {
  await serveBehind((request, response) => void request.pipe(response), async ({ port }) => {
    const client = await RawClient.send(port, head('POST', '/v1/pet', [`Content-Length: ${ANT.length}`, 'Expect: 100-continue']));
    assert.is((await client.response()).status, 100);
    client.send(ANT);
    assert.is((await client.response()).body, ANT);
  });
});
expecting.run();
