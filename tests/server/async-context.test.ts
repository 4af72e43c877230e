/**
 * Each of a user's functions runs in the async context in which its own request was passed on, whoever makes that context. How the
 * request arrives, and how long it waits, makes no difference.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { Server, type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiServer, stringId, type ApiServerOptions, type Middleware, type MountHandler, type RequestMessage } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { Injection } from '../support/injection.ts';
import { readName, NEVER, recordErrors, CallRecorder, declareRecorded, REQUESTS, storage } from '../support/record-calls.ts';
import { captureEvents, type CapturedEvents } from '../support/capture-events.ts';
import { declareStream } from '../support/declare-stream.ts';
import { UPLOAD, declareUpload } from '../support/declare-upload.ts';
import { makeUpgrade } from '../support/upgrades.ts';
import { assert, delay, head, message, RawClient, send, sendUntilClosed, serve, suite, waitUntil } from '../support/facts.ts';

type Use = (port: number, recorder: CallRecorder) => Promise<void>;
/** Serves an API whose requests each have a store, and uses it. */
type Serve = (use: Use, options?: ApiServerOptions) => Promise<void>;

/** Passes each request on in a store. */
function passOn(server: ApiServer): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => storage.run(readName(request), () => server.requestListener(request, response));
}

const serveHosted: Serve = async (use, options) => {
  const recorder = new CallRecorder();
  const server = new ApiServer('/v1', { ...recordErrors(recorder), ...options });
  declareRecorded(recorder)(server);
  await serveListener(passOn(server), async (port) => {
    await use(port, recorder);
    await server.stop();
  });
};


/** Serves with `start()`, behind middleware. */
function serveStarted(...listeners: readonly Middleware[]): Serve {
  return async (use, options) => {
    const recorder = new CallRecorder();
    await serve((server) => {
      for (const listener of listeners) server.use(listener);
      declareRecorded(recorder)(server);
    }, ({ port }) => use(port, recorder), { ...recordErrors(recorder), ...options });
  };
}

/** Wraps the events of every server in the process, as OpenTelemetry's tracer does. */
const serveTraced: Serve = async (use, options) => {
  const emit = Server.prototype.emit as (this: Server, event: string, ...args: unknown[]) => boolean;
  Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
    if (!/^request$|^check/.test(event)) return emit.call(this, event, ...args);
    return storage.run(readName(args[0] as IncomingMessage), () => emit.call(this, event, ...args));
  };
  try {
    await serveStarted()(use, options);
  } finally {
    Server.prototype.emit = emit;
  }
};

/** Binds a store to the event `start` of each request, and notes the events of requests too. */
async function serveBound(recorder: CallRecorder, use: (captured: CapturedEvents) => Promise<void>): Promise<void> {
  const { start } = tracingChannel<unknown, RequestMessage>('restpoint.request');
  start.bindStore(storage as AsyncLocalStorage<unknown>, ({ request }) => readName(request));
  try {
    await captureEvents(use, ({ name, message: { request } }) => recorder.record(name, readName(request)));
  } finally {
    start.unbindStore(storage);
  }
}

function serveWithBound(...listeners: readonly Middleware[]): Serve {
  return (use, options) => serveStarted(...listeners)((port, recorder) => serveBound(recorder, () => use(port, recorder)), options);
}

const runInStore: Middleware = (request, _response, next) => storage.run(readName(request), () => next());
const waitThenNext: Middleware = async (_request, _response, next) => (await delay(2), next());
const elsewhere: Middleware = (_request, _response, next) => void storage.run('of middleware', () => setImmediate(next));

const WAYS: readonly (readonly [where: string, serve: Serve])[] = [
  ['a listener of the user around requestListener', serveHosted],
  ['a tracer, under start()', serveTraced],
  ['middleware', serveStarted(runInStore)],
  ['middleware behind a wait', serveStarted(waitThenNext, runInStore)],
  ['middleware before a wait', serveStarted(runInStore, waitThenNext)],
  ['a subscriber that binds a store to start', serveWithBound()],
  ['a subscriber that binds a store to start, before middleware that calls next in another', serveWithBound(elsewhere)],
];

const EVENTS = ['asyncEnd', 'asyncStart', 'end', 'error', 'start'];
// Of how many bytes each piece is, and how many requests of each kind there are.
const PIECES = [[10_000, ['a', 'b', 'c', 'd']], [45, ['a', 'b']], [3, ['a']]] as const;

async function sendInPieces(client: RawClient, bytes: string, length: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += length) {
    client.send(bytes.slice(at, at + length));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const context = suite('W9 C13: the async context of a request');
for (const [where, serve] of WAYS) {
  for (const [length, names] of PIECES) {
    context(`of ${where}, all kinds, pipelined in pieces of ${length}: every function finds its own request's store`, () => serve(async (port, recorder) => {
      const client = await RawClient.connect(port);
      const named = REQUESTS.flatMap((request, index) => names.map((name) => [`${name}${index}`, request] as const));
      const sent = sendInPieces(client, named.map(([name, [, make]]) => make(name)).join(''), length);
      for (const [, [what, , status]] of named) assert.is((await client.response()).status, status, what);
      await sent;
      await waitUntil(() => named.every(([name, [, , , calls]]) => calls.every((call) => recorder.callsFor(name).includes(call))), 'all calls');
      assert.equal(recorder.misplaced, []);
      for (const [name, [what, , , calls]] of named) assert.equal(recorder.callsFor(name).filter((call) => !EVENTS.includes(call)), calls, what);
    }));
  }
  context(`of ${where}, all kinds, on three connections at once: every function finds its own request's store`, () => serve(async (port, recorder) => {
    const mixed = [...REQUESTS, ...[...REQUESTS].reverse()];
    await Promise.all(['x', 'y', 'z'].map(async (connection) => {
      const client = await RawClient.send(port, mixed.map(([, make], index) => make(`${connection}${index}`)).join(''));
      for (const [what, , status] of mixed) assert.is((await client.response()).status, status, what);
    }));
    assert.equal(recorder.misplaced, []);
  }));
  context(`of ${where}, a client that waits for 100 Continue: every function finds its own request's store`, () => serve(async (port, recorder) => {
    const client = await RawClient.connect(port);
    const [, make] = REQUESTS[0] as typeof REQUESTS[number];
    const [first, body = ''] = make('a', ['Expect: 100-continue']).split(/(?<=\r\n\r\n)/);
    client.send(first ?? '');
    assert.is((await client.response()).status, 100);
    client.send(body);
    assert.is((await client.response()).status, 201);
    assert.equal(recorder.misplaced, []);
  }));
  context(`of ${where}, a client that leaves: listeners of the signal find their own request's store`, () => serve(async (port, recorder) => {
    const client = await RawClient.send(port, message('GET', '/v1/item/a', '', ['X-Name: a']) + NEVER('b'));
    assert.is((await client.response()).status, 200);
    await waitUntil(() => recorder.callsFor('b').includes('parse'), 'the operation');
    client.socket.resetAndDestroy();
    await waitUntil(() => recorder.callsFor('b').includes('abort'), 'the abort');
    assert.equal(recorder.misplaced, []);
  }));
  context(`of ${where}, a timeout: listeners of the signal and the log find their own request's store`, () => serve(async (port, recorder) => {
    const client = await RawClient.send(port, message('GET', '/v1/item/a', '', ['X-Name: a']) + NEVER('b'));
    assert.is((await client.response()).status, 200);
    assert.is((await client.response()).status, 503);
    assert.equal(recorder.calls.filter(([call]) => call === 'abort' || call === 'log').sort(), [['abort', 'b', 'b'], ['log', 'b', 'b']]);
    assert.equal(recorder.misplaced, []);
  }, { limits: { operationMs: 100 } }));
}

const OWN = ['X-Name: own'];
const LOGLESS = { logger: { info() {}, error() {} } };

/** Records the stores in which responses are ended and failures logged. Some libraries replace `end`, too. */
async function captureContexts(handler: MountHandler, pieces: readonly string[], status: number): Promise<unknown[]> {
  const found: unknown[] = [];
  const error = (): void => void found.push(['log', storage.getStore()]);
  const server = new ApiServer('', { limits: { bodyBytes: 10 }, logger: { info() {}, error } });
  server.registerEndpoint('/item', { id: stringId, schema: String, create: (name: string) => name });
  server.mount('/mount', handler);
  const pass = passOn(server);
  await serveListener((request, response) => {
    const end = response.end as (this: ServerResponse, ...values: unknown[]) => ServerResponse;
    Object.assign(response, { end: (...values: unknown[]) => (found.push(['end', storage.getStore()]), end.apply(response, values)) });
    pass(request, response);
  }, async (port) => {
    const client = await RawClient.connect(port);
    for (const piece of pieces) {
      client.send(piece);
      await delay(20);
    }
    assert.is((await client.response()).status, status);
    await delay(20);
  });
  return found;
}

/** A thenable, as some libraries return it, that rejects twice in another async context. */
function foreign(reason: Error): PromiseLike<never> {
  return {
    then(_fulfilled, rejected) {
      const reject = (): void => void rejected?.(reason);
      storage.run('another request', () => setTimeout(() => (reject(), reject()), 1));
      return new Promise<never>(() => {});
    },
  };
}

const others = suite('the async context of other functions that run for a request');
others('the 413 to a body whose later chunk exceeds the limit: that of its request', async () => {
  const pieces = [head('POST', '/item', [...OWN, 'Transfer-Encoding: chunked']), '8\r\n"2345678\r\n', '8\r\n12345678\r\n'];
  assert.equal(await captureContexts(() => {}, pieces, 413), [['end', 'own']]);
});
others('the 500 and the log of a mount whose promise rejects in another: once, in that of its request', async () => {
  const handler: MountHandler = () => foreign(new Error('the pool is closed'));
  assert.equal(await captureContexts(handler, [head('GET', '/mount', OWN)], 500), [['log', 'own'], ['end', 'own']]);
});
others('the next of requestListener, also when it has waited: that in which requestListener was called', async () => {
  const server = new ApiServer('/v1', LOGLESS);
  server.registerEndpoint('/pet', { id: stringId, get: (name) => name });
  await serveListener((request, response) => storage.run(`of ${request.url}`, () => {
    server.requestListener(request, response, () => response.end(storage.getStore()));
  }), async (port) => {
    const text = await sendUntilClosed(port, message('GET', '/v1/pet/1') + message('GET', '/a') + head('GET', '/b', ['Connection: close']));
    assert.equal(text.match(/"1"|of \/\w$|of \/\w(?=HTTP)/gm), ['"1"', 'of /a', 'of /b']);
  });
});
others('a handler of an upgrade after another request: not that of the other', async () => {
  const seen: (string | undefined)[] = [];
  await serve((server) => {
    server.use((_request, _response, next) => storage.run('another', next));
    server.mount('/slow', (_request, response) => void setTimeout(() => response.end(), 20));
    server.registerUpgrade('/chat', (_request, socket) => {
      seen.push(storage.getStore());
      socket.end();
    });
  }, async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/slow') + makeUpgrade('/chat'));
    await client.response();
    await client.closed();
    assert.equal(seen, [undefined]);
  });
});
others('a request that came over no connection: the store that is bound to start', async () => {
  const recorder = new CallRecorder();
  const server = new ApiServer('/v1', recordErrors(recorder));
  declareRecorded(recorder)(server);
  await serveBound(recorder, async (captured) => {
    const injection = new Injection('PUT', '/v1/item/a', ['"', 'a"'], { 'transfer-encoding': 'chunked', 'x-name': 'a' });
    assert.is((await injection.into(server.requestListener))[0], 204);
    await captured.waitForEnds(1);
  });
  assert.equal(recorder.misplaced, []);
  assert.is(recorder.calls.filter(([what]) => what === 'asyncEnd').length, 1);
});
others('the iteration of bytes: that of who iterates', () => serve(declareUpload(async (body) => storage.run('mine', async () => {
  const stores = new Set<unknown>();
  for await (const _chunk of body) stores.add(storage.getStore());
  return [...stores];
})), async ({ port }) => assert.is((await send(port, message(...UPLOAD, 'x'.repeat(500_000)))).body, '["mine"]')));
others('the next and the return of a stream: that which its operation has entered', async () => {
  const stores: unknown[] = [];
  const stream = { next: () => (stores.push(storage.getStore()), { value: 'x'.repeat(100_000) }), return: () => stores.push(`closed in ${storage.getStore()}`) };
  const make = (): unknown => {
    storage.enterWith('mine');
    return { [Symbol.asyncIterator]: () => stream };
  };
  await serve(declareStream(make), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(message('GET', '/v1/stream/1'));
    await waitUntil(() => stores.length > 0, 'the stream to begin');
    client.socket.resume();
    await waitUntil(() => stores.length > 5, 'some chunks');
    client.destroy();
    await waitUntil(() => stores.at(-1) === 'closed in mine', 'the stream to be closed, and not to be read any more');
    assert.equal([...new Set(stores)], ['mine', 'closed in mine']);
  });
});
