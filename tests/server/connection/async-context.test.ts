/**
 * Each of a host's functions runs in the async context in which its own request was passed on. How the request arrives, and how
 * long it waits, makes no difference.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, Server, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, defineEndpoint, stringId, type ApiRequest, type IdCodec } from '../../../src/index.ts';
import { after, until } from '../../support/gate.ts';
import { chunkedMessage, message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';

const storage = new AsyncLocalStorage<string>();

/** Which function was called, for which request, and the store that it found. */
type Seen = [what: string, by: string, found: string | undefined];

class Notes {
  readonly seen: Seen[] = [];

  note(what: string, by: unknown): void {
    this.seen.push([what, String(by), storage.getStore()]);
  }

  /** The calls that found another request's store, or no store. */
  get lost(): Seen[] {
    return this.seen.filter(([, by, found]) => by !== found);
  }
}

/** An endpoint whose functions all note the store that they find. Ids, items and inputs are the name of the request. */
function noting(notes: Notes): (server: ApiServer) => void {
  const id: IdCodec<string> = {
    parse: (text) => (notes.note('parse', text), text),
    format: (name) => (notes.note('format', name), name),
  };
  const later = async (name: string, { signal }: ApiRequest): Promise<unknown> => {
    notes.note('run', name);
    signal.addEventListener('abort', () => notes.note('abort', name));
    await after(1);
    notes.note('run later', name);
    return { toJSON: () => (notes.note('toJSON', name), name) };
  };
  const schema = async (json: unknown): Promise<string> => {
    notes.note('decode', json);
    await after(1);
    notes.note('decode later', json);
    return String(json);
  };
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({
      id,
      schema,
      create: async (name, request) => (await later(name, request), name),
      get: (name) => (notes.note('run', name), name),
      update: (name, _item, request) => void later(name, request),
      delete: (name) => notes.note('run', name),
      custom: { ask: { input: schema, run: later }, quick: { input: String, run: (name) => notes.note('run', name) ?? name } },
    }));
    server.registerEndpoint('/never', {
      id: stringId,
      get: (name: string, { signal }: ApiRequest) => {
        signal.addEventListener('abort', () => notes.note('abort', name));
        return new Promise(() => {});
      },
    });
    server.registerHandler('/mount', (request, response) => {
      const name = request.url?.slice(1);
      notes.note('mount', name);
      setTimeout(() => (notes.note('mount later', name), response.end('mounted')), 1);
    });
  };
}

type Use = (port: number, notes: Notes) => Promise<void>;
type Serve = (use: Use, limits?: { operationMs: number }) => Promise<void>;

function nameOf({ headers }: IncomingMessage): string {
  return String(headers['x-name']);
}

function noted(limits = {}): { readonly notes: Notes; readonly server: ApiServer } {
  const notes = new Notes();
  const server = new ApiServer('/v1', { limits, stopGraceMs: 1000, logger: { info() {}, error: () => notes.note('log', storage.getStore()) } });
  noting(notes)(server);
  return { notes, server };
}

/** Wraps `requestListener` in a listener of the host. */
const aroundListener: Serve = async (use, limits) => {
  const { notes, server } = noted(limits);
  const http = createServer((request, response) => storage.run(nameOf(request), () => server.requestListener(request, response)));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  try {
    await use((http.address() as AddressInfo).port, notes);
  } finally {
    http.closeAllConnections();
    http.close();
  }
};

/** Wraps the events of every server in the process, as OpenTelemetry's tracer does. */
const underStart: Serve = async (use, limits) => {
  const { notes, server } = noted(limits);
  const emit = Server.prototype.emit as (this: Server, event: string, ...args: unknown[]) => boolean;
  Server.prototype.emit = function (this: Server, event: string, ...args: unknown[]): boolean {
    if (!/^request$|^check/.test(event)) return emit.call(this, event, ...args);
    return storage.run(nameOf(args[0] as IncomingMessage), () => emit.call(this, event, ...args));
  };
  try {
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    await use((started.address as AddressInfo).port, notes);
  } finally {
    await server.stop();
    Server.prototype.emit = emit;
  }
};

const SERVED = [['around requestListener', aroundListener], ['under start()', underStart]] as const;

type Make = (name: string) => string;
const named = (name: string): string[] => [`X-Name: ${name}`];

const REQUESTS: readonly (readonly [what: string, make: Make, status: number])[] = [
  ['Create', (name) => message('POST', '/v1/item', `"${name}"`, named(name)), 201],
  ['Create, chunked', (name) => chunkedMessage('POST', '/v1/item', `"${name}"`, named(name)), 201],
  ['Get', (name) => message('GET', `/v1/item/${name}`, '', named(name)), 200],
  ['Get with a body', (name) => message('GET', `/v1/item/${name}`, '"x"', named(name)), 200],
  ['Update', (name) => message('PUT', `/v1/item/${name}`, `"${name}"`, named(name)), 204],
  ['Delete', (name) => message('DELETE', `/v1/item/${name}`, '', named(name)), 204],
  ['Custom', (name) => message('POST', '/v1/item/ask', `"${name}"`, named(name)), 200],
  ['Custom, answered at once', (name) => message('POST', '/v1/item/quick', `"${name}"`, named(name)), 200],
  ['a mount', (name) => message('GET', `/mount/${name}`, '', named(name)), 200],
  ['a mount, with a body', (name) => message('POST', `/mount/${name}`, '"x"', named(name)), 200],
];

const NAMES = ['a', 'b', 'c', 'd'];

async function byteByByte(client: RawClient, bytes: string): Promise<void> {
  for (const byte of bytes) {
    client.send(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const WAYS: readonly (readonly [how: string, send: (client: RawClient, messages: string[]) => Promise<void>])[] = [
  ['pipelined in one piece', async (client, messages) => client.send(messages.join(''))],
  ['pipelined byte by byte', (client, messages) => byteByByte(client, messages.join(''))],
  ['each with its end in the piece of the next', async (client, messages) => {
    const all = messages.join('');
    for (let at = 0; at < all.length; at += 45) {
      client.send(all.slice(at, at + 45));
      await after(1);
    }
  }],
];

const context = suite('the async context of a request');
for (const [where, serve] of SERVED) {
  for (const [what, make, status] of REQUESTS) {
    for (const [how, send] of WAYS) {
      context(`${where}, ${what}, ${how}: every function finds its own request's store`, async () => {
        await serve(async (port, notes) => {
          const client = await RawClient.connect(port);
          try {
            const sent = send(client, NAMES.map(make));
            for (const name of NAMES) assert.is((await client.response()).status, status, name);
            await sent;
            assert.equal(notes.lost, []);
            assert.ok(notes.seen.length >= NAMES.length);
          } finally {
            client.destroy();
          }
        });
      });
    }
  }

  context(`${where}, all kinds on one connection: every function finds its own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      const mixed = [...REQUESTS, ...[...REQUESTS].reverse()];
      client.send(mixed.map(([, make], index) => make(`n${index}`)).join(''));
      for (const [what, , status] of mixed) assert.is((await client.response()).status, status, what);
      assert.equal(notes.lost, []);
      client.destroy();
    });
  });

  context(`${where}, a client that waits for 100 Continue: every function finds its own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      const [head, body = ''] = message('POST', '/v1/item', '"a"', [...named('a'), 'Expect: 100-continue']).split(/(?<=\r\n\r\n)/);
      client.send(head ?? '');
      assert.is((await client.response()).status, 100);
      client.send(body);
      assert.is((await client.response()).status, 201);
      assert.equal(notes.lost, []);
      client.destroy();
    });
  });

  context(`${where}, a client that leaves: listeners of the signal find their own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/item/a', '', named('a')) + message('GET', '/v1/never/b', '', named('b')));
      assert.is((await client.response()).status, 200);
      await after(20);
      client.socket.resetAndDestroy();
      await until(() => notes.seen.some(([what]) => what === 'abort'), 'the abort');
      assert.equal(notes.lost, []);
    });
  });

  context(`${where}, a timeout: listeners of the signal and the log find their own request's store`, async () => {
    await serve(async (port, notes) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/item/a', '', named('a')) + message('GET', '/v1/never/b', '', named('b')));
      assert.is((await client.response()).status, 200);
      assert.is((await client.response()).status, 503);
      assert.equal(notes.seen.slice(-2).sort(), [['abort', 'b', 'b'], ['log', 'b', 'b']]);
      assert.equal(notes.lost, []);
      client.destroy();
    }, { operationMs: 30 });
  });
}
context.run();
