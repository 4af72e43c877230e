/** Bodies that code of the user reads before the operation: a body parser or a listener before the server. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ApiServer } from '../../../src/index.ts';
import { ANT } from '../../support/deliveries.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, chunkedMessage, delay, Gate, head, type MakeMessage, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

/** The actions of a user's listener before it passes a request on. */
type Before = (request: IncomingMessage) => unknown;

interface Through {
  readonly port: number;
  readonly zoo: Zoo;
  readonly errors: readonly Error[];
}

/** Serves the zoo through `requestListener`, which a listener of the user calls. */
async function serveThrough(before: Before, use: (served: Through) => Promise<void>, afterwards: Before = () => {}): Promise<void> {
  const zoo = new Zoo();
  const errors: Error[] = [];
  const server = new ApiServer('/v1', { logger: { info() {}, error: (error) => errors.push(error) } });
  zoo.register(server);
  const listener: RequestListener = async (request, response) => {
    const waits = before(request);
    if (waits instanceof Promise) await waits;
    server.requestListener(request, response);
    afterwards(request);
  };
  const http = createServer(listener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  try {
    await use({ port: (http.address() as AddressInfo).port, zoo, errors });
  } finally {
    http.closeAllConnections();
    http.close();
  }
}

/** After such a loop Node destroys the request, which loses its socket. */
async function firstPiece(request: IncomingMessage): Promise<void> {
  for await (const _ of request) break;
}

const READERS: readonly (readonly [reader: string, before: Before])[] = [
  ['a body parser that reads all of it', (request) => text(request)],
  ['a body parser that the listener does not await', (request) => void text(request)],
  ['a listener for data', (request) => void request.on('data', () => {})],
  ['a listener for data, and then a wait', (request) => (request.on('data', () => {}), delay(20))],
  ['a listener for data, paused again', (request) => void request.on('data', () => {}).pause()],
  ['a listener for readable', (request) => (request.on('readable', () => request.read()), delay(20))],
  ['a listener for readable that reads nothing', (request) => void request.on('readable', () => {})],
  ['a loop over it that breaks off', (request) => firstPiece(request)],
  ['a pipeline that fails before it has read anything', (request) => pipeline(request, async () => { throw new Error('fails'); }).catch(() => {})],
  ['resume(), and a wait', (request) => (request.resume(), delay(20))],
  ['resume()', (request) => void request.resume()],
  ['setEncoding()', (request) => void request.setEncoding('utf8')],
  ['setEncoding(), and a wait', (request) => (request.setEncoding('utf8'), delay(20))],
];

const MESSAGES: readonly (readonly [how: string, make: MakeMessage])[] = [['with a length', message], ['chunked', chunkedMessage]];

const TARGETS = [
  ['POST', '/v1/pet', 'POST /v1/pet'],
  ['PUT', '/v1/pet/1', 'PUT /v1/pet/:id'],
  ['POST', '/v1/pet/feed', 'POST /v1/pet/feed'],
] as const;

const taken = suite('B13: a body that was read before the operation');
for (const [reader, before] of READERS) {
  for (const [how, make] of MESSAGES) {
    taken(`${reader}, ${how} -> 500, logged, not invoked`, () => serveThrough(before, async ({ port, zoo, errors }) => {
      const client = await RawClient.send(port, make('POST', '/v1/pet', ANT));
      assert.is(readProblem(await client.response()).detail, undefined);
      assert.is((await send(port, message('OPTIONS', '/v1/pet'))).status, 200);
      assert.is(zoo.invoked, 0);
      assert.equal(errors.map((error) => error.message), [
        'POST /v1/pet: Internal error: the body was read before the operation could: by a body parser in front of the server, or by a listener for data',
      ]);
      client.destroy();
    }));
  }
}
taken('the next request of its connection gets its response, even if it is passed on before this one', async () => {
  await serveThrough((request) => text(request), async ({ port, zoo }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet', ANT) + message('OPTIONS', '/v1/pet') + message('POST', '/v1/pet/count'));
    for (const status of [500, 200, 200]) assert.is((await client.response()).status, status);
    assert.is(zoo.invoked, 1);
    client.destroy();
  });
});
for (const [method, target, route] of TARGETS) {
  taken(`${route}, passed on before the body arrives -> 500`, () => serveThrough((request) => void request.on('data', () => {}), async ({ port, zoo, errors }) => {
    const client = await RawClient.send(port, head(method, target, ['Content-Length: 2']));
    assert.is((await client.response()).status, 500);
    assert.is(zoo.invoked, 0);
    assert.ok(errors[0]?.message.startsWith(`${route}: `));
    client.destroy();
  }));
}
for (const [reader, before] of READERS) {
  taken(`${reader}, for an operation that takes no input: gets the usual response`, () => serveThrough(before, async ({ port, zoo, errors }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet/count', '{}') + message('OPTIONS', '/v1/pet'));
    for (const status of [200, 200]) assert.is((await client.response()).status, status);
    assert.is(zoo.invoked, 1);
    assert.equal(errors, []);
    client.destroy();
  }));
  taken(`${reader}, for a request without a body: gets the usual response`, () => serveThrough(before, async ({ port, errors }) => {
    const client = await RawClient.send(port, message('POST', '/v1/pet/count') + message('GET', '/v1/pet/1'));
    assert.is((await client.response()).status, 200);
    assert.is((await client.response()).status, 404);
    assert.equal(errors, []);
    client.destroy();
  }));
}
taken('a pipelined request that lost its socket -> 500 in its turn', async () => {
  const gate = new Gate();
  await serveThrough((request) => (request.url === '/v1/pet/1' ? gate.passed : firstPiece(request)), async ({ port, zoo }) => {
    const client = await RawClient.send(port, message('GET', '/v1/pet/1') + message('POST', '/v1/pet', ANT) + message('OPTIONS', '/v1/pet'));
    await delay(50);
    gate.open();
    for (const status of [404, 500, 200]) assert.is((await client.response()).status, status);
    assert.is(zoo.invoked, 1);
    client.destroy();
  });
});
for (const [how, make] of MESSAGES) {
  taken(`setEncoding after it is passed on, ${how} and in pieces -> 500, logged, not invoked`, () => {
    const isSet = new Gate();
    return serveThrough(() => {}, async ({ port, zoo, errors }) => {
      const bytes = make('POST', '/v1/pet', ANT);
      const client = await RawClient.send(port, bytes.slice(0, -9));
      await isSet.passed;
      client.send(bytes.slice(-9));
      assert.equal([(await client.response()).status, zoo.invoked, errors.length], [500, 0, 1]);
      client.destroy();
    }, (request) => (request.setEncoding('utf8'), isSet.open()));
  });
}

const kept = suite('B13: a body that was not read before the operation');
for (const [reader, before] of [
  ['a wait', () => delay(20)],
  ['a pause', (request) => void request.pause()],
  ['a pause and a wait', (request) => (request.pause(), delay(20))],
] as const satisfies readonly (readonly [string, Before])[]) {
  for (const [how, make] of MESSAGES) {
    for (const [body, size] of [[ANT, 'small'], [`{"name":"${'x'.repeat(300_000)}","legs":6}`, 'large']] as const) {
      kept(`after ${reader}, ${how}, ${size} -> 201`, () => serveThrough(before, async ({ port, zoo, errors }) => {
        const client = await RawClient.send(port, make('POST', '/v1/pet', body));
        assert.is((await client.response()).status, 201);
        assert.is(zoo.invoked, 1);
        assert.equal(errors, []);
        client.destroy();
      }));
    }
  }
}

const inside = suite('a body that was read before the operation, under start()');
for (const [reader, before] of [
  ['a subscriber that listens for data', (request) => void request.on('data', () => {})],
  ['a subscriber that wants text', (request) => void request.setEncoding('utf8')],
] as const satisfies readonly (readonly [string, Before])[]) {
  inside(`${reader} -> 500, logged, not invoked`, async () => {
    const zoo = new Zoo();
    const see = (published: unknown): void => void before((published as { request: IncomingMessage }).request);
    subscribe('http.server.request.start', see);
    try {
      await serve(zoo.register, async ({ port, errors }) => {
        const client = await RawClient.send(port, message('POST', '/v1/pet', ANT) + message('OPTIONS', '/v1/pet'));
        assert.is((await client.response()).status, 500);
        assert.is((await client.response()).status, 200);
        assert.is(zoo.invoked, 0);
        assert.is(errors.length, 1);
      });
    } finally {
      unsubscribe('http.server.request.start', see);
    }
  });
}
