/**
 * Each of a user's functions runs in the async context in which its own request was passed on, whoever makes that context. How the
 * request arrives, and how long it waits, makes no difference.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { createServer, Server, type IncomingMessage, type ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId, type ApiServerOptions, type Middleware, type MountHandler, type RequestMessage } from '../../src/index.ts';
import { after, until } from '../support/gate.ts';
import { hosting } from '../support/hosting.ts';
import { Injection } from '../support/injection.ts';
import { head, message } from '../support/messages.ts';
import { nameOf, NEVER, noted, Notes, noting, REQUESTS, storage } from '../support/noting.ts';
import { observing, type Observed } from '../support/observing.ts';
import { RawClient, rawRequest, rawUntilClosed } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { streaming } from '../support/streaming.ts';
import { PUT, taking } from '../support/taking.ts';
import { upgradeOf } from '../support/upgrading.ts';

type Use = (port: number, notes: Notes) => Promise<void>;
/** Serves an API whose requests each have a store, and uses it. */
type Serve = (use: Use, options?: ApiServerOptions) => Promise<void>;

/** Passes each request on in a store. */
function passing(server: ApiServer): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => storage.run(nameOf(request), () => server.requestListener(request, response));
}

const hosted: Serve = async (use, options) => {
  const notes = new Notes();
  const server = new ApiServer('/v1', { ...noted(notes), ...options });
  noting(notes)(server);
  await hosting(passing(server), async (port) => {
    await use(port, notes);
    await server.stop();
  });
};

const created: Serve = async (use, options) => {
  const notes = new Notes();
  const server: ApiServer = new ApiServer('/v1', {
    ...noted(notes), ...options, createServer: (_listener, serverOptions) => createServer(serverOptions, passing(server)),
  });
  noting(notes)(server);
  const result = await server.start('127.0.0.1:0');
  assert.ok(result.ok);
  await use(Number(new URL(result.url).port), notes);
  await server.stop();
};

/** Serves with `start()`, behind middleware. */
function started(...listeners: readonly Middleware[]): Serve {
  return async (use, options) => {
    const notes = new Notes();
    await serving((server) => {
      for (const listener of listeners) server.use(listener);
      noting(notes)(server);
    }, ({ port }) => use(port, notes), { ...noted(notes), ...options });
  };
}

/** Wraps the events of every server in the process, as OpenTelemetry's tracer does. */
const traced: Serve = async (use, options) => {
  const emit = Server.prototype.emit as (this: Server, event: string, ...args: unknown[]) => boolean;
  Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
    if (!/^request$|^check/.test(event)) return emit.call(this, event, ...args);
    return storage.run(nameOf(args[0] as IncomingMessage), () => emit.call(this, event, ...args));
  };
  try {
    await started()(use, options);
  } finally {
    Server.prototype.emit = emit;
  }
};

/** Binds a store to the event `start` of each request, and notes the events of requests too. */
async function binding(notes: Notes, use: (observed: Observed) => Promise<void>): Promise<void> {
  const { start } = tracingChannel<unknown, RequestMessage>('restpoint.request');
  start.bindStore(storage as AsyncLocalStorage<unknown>, ({ request }) => nameOf(request));
  try {
    await observing(use, ({ name, message: { request } }) => notes.note(name, nameOf(request)));
  } finally {
    start.unbindStore(storage);
  }
}

function bound(...listeners: readonly Middleware[]): Serve {
  return (use, options) => started(...listeners)((port, notes) => binding(notes, () => use(port, notes)), options);
}

const storing: Middleware = (request, _response, next) => storage.run(nameOf(request), () => next());
const waiting: Middleware = async (_request, _response, next) => (await after(2), next());
const elsewhere: Middleware = (_request, _response, next) => void storage.run('of middleware', () => setImmediate(next));

const WAYS: readonly (readonly [where: string, serve: Serve])[] = [
  ['a listener of the user around requestListener', hosted],
  ['a listener of createServer', created],
  ['a tracer, under start()', traced],
  ['middleware', started(storing)],
  ['middleware behind a wait', started(waiting, storing)],
  ['middleware before a wait', started(storing, waiting)],
  ['a subscriber that binds a store to start', bound()],
  ['a subscriber that binds a store to start, before middleware that calls next in another', bound(elsewhere)],
];

const EVENTS = ['asyncEnd', 'asyncStart', 'end', 'error', 'start'];
const NAMES = ['a', 'b', 'c', 'd'];

async function inPieces(client: RawClient, bytes: string, length: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += length) {
    client.send(bytes.slice(at, at + length));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const context = suite('the async context of a request');
for (const [where, serve] of WAYS) {
  for (const [what, make, status, calls] of REQUESTS) {
    for (const length of [10_000, 45, 1]) {
      context(`of ${where}, ${what}, pipelined in pieces of ${length}: every function finds its own request's store`, async () => {
        await serve(async (port, notes) => {
          const client = await RawClient.connect(port);
          try {
            const sent = inPieces(client, NAMES.map((name) => make(name)).join(''), length);
            for (const name of NAMES) assert.is((await client.response()).status, status, name);
            await sent;
            await until(() => calls.every((call) => notes.of('d').includes(call)), 'all calls');
            assert.equal(notes.lost, []);
            for (const name of NAMES) assert.equal(notes.of(name).filter((call) => !EVENTS.includes(call)), calls);
          } finally {
            client.destroy();
          }
        });
      });
    }
  }
  context(`of ${where}, all kinds, on three connections at once: every function finds its own request's store`, async () => {
    await serve(async (port, notes) => {
      const mixed = [...REQUESTS, ...[...REQUESTS].reverse()];
      await Promise.all(['x', 'y', 'z'].map(async (connection) => {
        const client = await RawClient.connect(port);
        client.send(mixed.map(([, make], index) => make(`${connection}${index}`)).join(''));
        for (const [what, , status] of mixed) assert.is((await client.response()).status, status, what);
        client.destroy();
      }));
      assert.equal(notes.lost, []);
    });
  });
  context(`of ${where}, a client that waits for 100 Continue: every function finds its own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      const [, make] = REQUESTS[0] as typeof REQUESTS[number];
      const [first, body = ''] = make('a', ['Expect: 100-continue']).split(/(?<=\r\n\r\n)/);
      client.send(first ?? '');
      assert.is((await client.response()).status, 100);
      client.send(body);
      assert.is((await client.response()).status, 201);
      assert.equal(notes.lost, []);
      client.destroy();
    });
  });
  context(`of ${where}, a client that leaves: listeners of the signal find their own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/item/a', '', ['X-Name: a']) + NEVER('b'));
      assert.is((await client.response()).status, 200);
      await until(() => notes.of('b').includes('parse'), 'the operation');
      client.socket.resetAndDestroy();
      await until(() => notes.of('b').includes('abort'), 'the abort');
      assert.equal(notes.lost, []);
    });
  });
  context(`of ${where}, a timeout: listeners of the signal and the log find their own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/item/a', '', ['X-Name: a']) + NEVER('b'));
      assert.is((await client.response()).status, 200);
      assert.is((await client.response()).status, 503);
      assert.equal(notes.seen.filter(([call]) => call === 'abort' || call === 'log').sort(), [['abort', 'b', 'b'], ['log', 'b', 'b']]);
      assert.equal(notes.lost, []);
      client.destroy();
    }, { limits: { operationMs: 100 } });
  });
}
context.run();

const OWN = ['X-Name: own'];
const LOGLESS = { logger: { info() {}, error() {} } };

/** Records the stores in which responses are ended and failures logged. Some libraries replace `end`, too. */
async function foundBy(handler: MountHandler, pieces: readonly string[], status: number): Promise<unknown[]> {
  const found: unknown[] = [];
  const error = (): void => void found.push(['log', storage.getStore()]);
  const server = new ApiServer('', { limits: { bodyBytes: 10 }, logger: { info() {}, error } });
  server.registerEndpoint('/item', { id: stringId, schema: String, create: (name: string) => name });
  server.mount('/mount', handler);
  const pass = passing(server);
  await hosting((request, response) => {
    const end = response.end as (this: ServerResponse, ...values: unknown[]) => ServerResponse;
    Object.assign(response, { end: (...values: unknown[]) => (found.push(['end', storage.getStore()]), end.apply(response, values)) });
    pass(request, response);
  }, async (port) => {
    const client = await RawClient.connect(port);
    for (const piece of pieces) {
      client.send(piece);
      await after(20);
    }
    assert.is((await client.response()).status, status);
    await after(20);
    client.destroy();
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
  assert.equal(await foundBy(() => {}, pieces, 413), [['end', 'own']]);
});
others('the 500 and the log of a mount whose promise rejects in another: once, in that of its request', async () => {
  const handler: MountHandler = () => foreign(new Error('the pool is closed'));
  assert.equal(await foundBy(handler, [head('GET', '/mount', OWN)], 500), [['log', 'own'], ['end', 'own']]);
});
others('the next of requestListener, also when it has waited: that in which requestListener was called', async () => {
  const server = new ApiServer('/v1', LOGLESS);
  server.registerEndpoint('/pet', { id: stringId, get: (name) => name });
  await hosting((request, response) => storage.run(`of ${request.url}`, () => {
    server.requestListener(request, response, () => response.end(storage.getStore()));
  }), async (port) => {
    const text = await rawUntilClosed(port, message('GET', '/v1/pet/1') + message('GET', '/a') + head('GET', '/b', ['Connection: close']));
    assert.equal(text.match(/"1"|of \/\w$|of \/\w(?=HTTP)/gm), ['"1"', 'of /a', 'of /b']);
  });
});
others('a handler of an upgrade after another request: not that of the other', async () => {
  const seen: (string | undefined)[] = [];
  await serving((server) => {
    server.use((_request, _response, next) => storage.run('another', next));
    server.mount('/slow', (_request, response) => void setTimeout(() => response.end(), 20));
    server.registerUpgrade('/chat', (_request, socket) => {
      seen.push(storage.getStore());
      socket.end();
    });
  }, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/slow') + upgradeOf('/chat'));
    await client.response();
    await client.closed();
    assert.equal(seen, [undefined]);
    client.destroy();
  });
});
others('a request that came over no connection: the store that is bound to start', async () => {
  const notes = new Notes();
  const server = new ApiServer('/v1', noted(notes));
  noting(notes)(server);
  await binding(notes, async (observed) => {
    const injection = new Injection('PUT', '/v1/item/a', ['"', 'a"'], { 'transfer-encoding': 'chunked', 'x-name': 'a' });
    assert.is((await injection.into(server.requestListener))[0], 204);
    await observed.ended(1);
  });
  assert.equal(notes.lost, []);
  assert.is(notes.seen.filter(([what]) => what === 'asyncEnd').length, 1);
});
others('the iteration of bytes: that of who iterates', async () => {
  await serving(taking(async (body) => storage.run('mine', async () => {
    const stores = new Set<unknown>();
    for await (const _chunk of body) stores.add(storage.getStore());
    return [...stores];
  })), async ({ port }) => {
    assert.is((await rawRequest(port, message(...PUT, 'x'.repeat(500_000)))).body, '["mine"]');
  });
});
others('the next and the return of a stream: that which its operation has entered', async () => {
  const stores: unknown[] = [];
  const stream = { next: () => (stores.push(storage.getStore()), { value: 'x'.repeat(100_000) }), return: () => stores.push(`closed in ${storage.getStore()}`) };
  const make = (): unknown => {
    storage.enterWith('mine');
    return { [Symbol.asyncIterator]: () => stream };
  };
  await serving(streaming(make), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(message('GET', '/v1/stream/1'));
    await until(() => stores.length > 0, 'the stream to begin');
    client.socket.resume();
    await until(() => stores.length > 5, 'some chunks');
    client.destroy();
    await until(() => stores.at(-1) === 'closed in mine', 'the stream to be closed, and not to be read any more');
    assert.equal([...new Set(stores)], ['mine', 'closed in mine']);
  });
});
others.run();
