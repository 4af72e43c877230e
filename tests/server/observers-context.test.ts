/** The async context of observed requests: the stores that subscribers bind to `start`, and never those of another request. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, reply, stringId, type ApiRequest, type ApiServer, type RequestMessage } from '../../src/index.ts';
import { after, until } from '../support/gate.ts';
import { Injection } from '../support/injection.ts';
import { chunkedMessage, message } from '../support/messages.ts';
import { observing } from '../support/observing.ts';
import { RawClient } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';

const storage = new AsyncLocalStorage<string | undefined>();

/** Which function was called, for which request, and the store that it found. */
type Seen = [what: string, by: string, found: string | undefined];

/** Binds the name of each request, which its target has, to `start`. */
async function binding(use: (seen: Seen[]) => Promise<void>): Promise<void> {
  const channels = tracingChannel<unknown, RequestMessage>('restpoint.request');
  const seen: Seen[] = [];
  channels.start.bindStore(storage as AsyncLocalStorage<unknown>, (published) => nameOf(published));
  try {
    await observing(() => use(seen), ({ name, message: published }) => seen.push([name, nameOf(published), storage.getStore()]));
  } finally {
    channels.start.unbindStore(storage);
  }
}

function nameOf({ request }: RequestMessage): string {
  return String(request.url?.split('name=')[1]);
}

/** An endpoint whose functions all note the store that they find. */
function noting(seen: Seen[]): (server: ApiServer) => void {
  const note = (what: string, { raw }: Pick<ApiRequest, 'raw'>): void => {
    seen.push([what, String(raw.url?.split('name=')[1]), storage.getStore()]);
  };
  const later = async (request: Pick<ApiRequest, 'raw' | 'signal'>): Promise<string> => {
    note('run', request);
    request.signal.addEventListener('abort', () => note('abort', request));
    await after(1);
    note('run later', request);
    return 'done';
  };
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: async (json: unknown) => (await after(1), String(json)),
      context: (request) => note('context', request),
      create: (_item, request) => later(request),
      get: (_id, request) => (note('run', request), 'done'),
      update: async (_id, _item, request) => void (await later(request)),
      custom: {
        stream: (request) => reply(200, (async function* () {
          for (const piece of ['a', 'b']) {
            await after(1);
            note('stream', request);
            yield piece;
          }
        })()),
        never: (request) => (request.signal.addEventListener('abort', () => note('abort', request)), new Promise(() => {})),
        fail: async (request) => {
          await later(request);
          throw new Error('failed');
        },
      },
    }));
  };
}

/** `name` is that of the request: none may find another's store. */
function requests(name: string): string[] {
  return [
    message('GET', `/v1/item/1?name=${name}a`),
    message('PUT', `/v1/item/1?name=${name}b`, '"x"'),
    chunkedMessage('POST', `/v1/item?name=${name}c`, '"xyz"'),
    message('POST', `/v1/item/stream?name=${name}d`),
    message('POST', `/v1/item/fail?name=${name}e`),
    message('GET', `/v1/item/1?name=${name}f`),
  ];
}

const contexts = suite('the stores that are bound to start');
for (const [how, send] of [
  ['one by one', async (client: RawClient, messages: readonly string[]) => {
    for (const each of messages) (client.send(each), await client.response());
  }],
  ['pipelined', async (client: RawClient, messages: readonly string[]) => {
    client.send(messages.join(''));
    for (const _ of messages) await client.response();
  }],
  ['in pieces, and pipelined', async (client: RawClient, messages: readonly string[]) => {
    for (const piece of messages.join('').match(/.{1,40}/gs) ?? []) (client.send(piece), await after(1));
    for (const _ of messages) await client.response();
  }],
] as const) {
  for (const behind of ['nothing', 'middleware'] as const) {
    contexts(`${how}, behind ${behind}: all that runs for a request finds them`, async () => {
      await binding(async (seen) => {
        await serving((server) => {
          // As middleware with a store of its own: it calls `next` in another context than that of the connection.
          if (behind === 'middleware') server.use((_request, _response, next) => void storage.run('middleware', () => setImmediate(next)));
          noting(seen)(server);
        }, async ({ port, errors }) => {
          const clients = await Promise.all(['x', 'y', 'z'].map(async (name) => [name, await RawClient.connect(port)] as const));
          await Promise.all(clients.map(([name, client]) => send(client, requests(name))));
          await until(() => seen.filter(([what]) => what === 'asyncEnd').length === 18, 'all ends');
          for (const [, client] of clients) client.destroy();
          assert.is(errors.length, 3);
        });
        assert.equal(seen.filter(([, by, found]) => by !== found), []);
        for (const [what, times] of [['context', 18], ['run', 15], ['run later', 9], ['stream', 6], ['error', 3], ['end', 18]] as const) {
          assert.is(seen.filter(([name]) => name === what).length, times, what);
        }
      });
    });
  }
}
contexts('abort listeners and the last events find them after the client has left', async () => {
  await binding(async (seen) => {
    await serving(noting(seen), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/item/1?name=first') + message('POST', '/v1/item/never?name=second'));
      await client.response();
      client.destroy();
      await until(() => seen.filter(([what]) => what === 'asyncEnd').length === 2, 'both ends');
    });
    assert.equal(seen.filter(([, by, found]) => by !== found), []);
    assert.is(seen.filter(([what]) => what === 'abort').length, 1);
  });
});
contexts('a request that came over no connection has them, and ends once', async () => {
  await binding(async (seen) => {
    await serving(noting(seen), async ({ server }) => {
      const [status] = await new Injection('PUT', '/v1/item/1?name=a', ['"x', 'y"'], { 'transfer-encoding': 'chunked' }).into(server.requestListener);
      assert.is(status, 204);
      await until(() => seen.some(([what]) => what === 'asyncEnd'), 'its end');
    });
    assert.equal(seen.filter(([, by, found]) => by !== found), []);
    assert.is(seen.filter(([what]) => what === 'asyncEnd').length, 1);
  });
});
contexts.run();

const failing = suite('a subscriber that throws');
for (const event of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const) {
  failing(`in ${event}: the request is answered as before, and the process gets an uncaught exception`, async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
    const failure = new Error(`in ${event}`);
    try {
      await observing(async (observed) => {
        await serving((server) => server.registerEndpoint('/item', { get: () => { throw new Error('failed'); } }), async ({ port, errors }) => {
          const client = await RawClient.connect(port);
          client.send(message('GET', '/v1/item'));
          assert.is((await client.response()).status, 500);
          client.destroy();
          const [published] = await observed.ended(1);
          assert.equal(observed.namesOf(published), ['start', 'error', 'end', 'asyncStart', 'asyncEnd']);
          assert.is(errors.length, 1);
        });
      }, ({ name }) => { if (name === event) throw failure; });
      assert.equal(uncaught, [failure]);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
}
failing.run();

const served = suite('an observed request');
served('its operation is done before the next turn of the event loop, with and without subscribers', async () => {
  const turns: boolean[] = [];
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/item', { get: ({ raw }) => {
      const { _httpMessage: response } = raw.socket as unknown as { _httpMessage: { writableEnded: boolean } };
      queueMicrotask(() => turns.push(response.writableEnded));
      return 1;
    } });
  };
  await serving(declare, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/item'));
    await client.response();
    await observing(async () => {
      client.send(message('GET', '/v1/item'));
      await client.response();
    });
    client.destroy();
  });
  assert.equal(turns, [true, true]);
});
served('its request is a stream like any other', async () => {
  const seen: string[] = [];
  await observing(async (observed) => {
    await serving((server) => server.registerEndpoint('/item', { schema: String, get: () => '1', update: () => {} }), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message('PUT', '/v1/item', '"x"') + message('GET', '/v1/item'));
      await observed.ended(2);
      client.destroy();
      await until(() => seen.length === 2, 'the ends of both requests');
    });
  }, ({ name, message: { request } }) => { if (name === 'start') request.on('end', () => seen.push(String(request.method))); });
  assert.equal(seen, ['PUT', 'GET']);
});
served.run();
