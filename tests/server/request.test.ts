/** What an operation may ask of its request: Node's own, the query, and a signal that tells when nobody waits. */
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../src/index.ts';
import { message } from '../support/messages.ts';
import { RawClient, rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';

/** Has every operation look at its request. */
function looking(look: (request: ApiRequest) => unknown): (server: ApiServer) => void {
  const lookAndGiveText = async (request: ApiRequest): Promise<string> => {
    await look(request);
    return 'text';
  };
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: String,
    create: (_item, request) => lookAndGiveText(request),
    get: (_id, request) => lookAndGiveText(request),
    update: (_id, _item, request) => lookAndGiveText(request),
    delete: (_id, request) => lookAndGiveText(request),
    custom: {
      feed: { input: Number, run: (_input, request) => lookAndGiveText(request) },
      count: { run: (request) => lookAndGiveText(request) },
    },
  }));
}

const everyOperation = suite('every operation');
for (const [operation, method, target, sent] of [
  ['Create', 'POST', '/v1/thing', '0'],
  ['Get', 'GET', '/v1/thing/1', ''],
  ['Get, asked by HEAD,', 'HEAD', '/v1/thing/1', ''],
  ['Update', 'PUT', '/v1/thing/1', '0'],
  ['Delete', 'DELETE', '/v1/thing/1', ''],
  ['Custom with an input', 'POST', '/v1/thing/feed', '0'],
  ['Custom without an input', 'POST', '/v1/thing/count', ''],
] as const) {
  everyOperation(`${operation} gets its request last: Node's own, the query and a signal, the same each time`, async () => {
    const seen: ApiRequest[] = [];
    const look = (request: ApiRequest): void => {
      seen.push(request);
      assert.instance(request.raw, IncomingMessage);
      assert.is(request.raw, request.raw);
      assert.is(request.raw.method, method);
      assert.is(request.raw.url, `${target}?by=me`);
      assert.is(request.raw.headers['x-marker'], 'here');
      assert.is(request.query, request.query);
      assert.is(request.query.get('by'), 'me');
      assert.is(request.signal, request.signal);
      assert.is(request.signal.aborted, false);
    };
    await serving(looking(look), async ({ port, errors }) => {
      const { status } = await rawRequest(port, message(method, `${target}?by=me`, sent, ['X-Marker: here']));
      assert.equal(errors.map((error) => error.cause), []);
      assert.ok(status < 300, String(status));
    });
    assert.is(seen.length, 1);
  });
}
everyOperation.run();

const query = suite('the query');
for (const [target, entries, why] of [
  ['/v1/thing/1', [], 'is empty where there is none'],
  ['/v1/thing/1?', [], 'is empty where nothing follows the mark'],
  ['/v1/thing/1?a=1&b=2', [['a', '1'], ['b', '2']], 'has every key'],
  ['/v1/thing/1?a=1&b=2&a=3', [['a', '1'], ['b', '2'], ['a', '3']], 'keeps repeated keys, in order'],
  ['/v1/thing/1?a', [['a', '']], 'has a key without a value'],
  ['/v1/thing/1?a=b=c?d', [['a', 'b=c?d']], 'begins at the first mark'],
  ['/v1/thing/1?a=x+y%20z%26', [['a', 'x y z&']], 'is decoded as a form'],
  ['/v1/thing/1?a=%E4%BD%A0', [['a', '你']], 'is decoded as UTF-8'],
  ['/v1/thing/1?a=%zz', [['a', '%zz']], 'keeps an escape that is none'],
  ['/v1/thing/1?__proto__=1&constructor=2', [['__proto__', '1'], ['constructor', '2']], 'takes inherited names as text'],
  ['http://zoo.example/v1/thing/1?a=1&a=2', [['a', '1'], ['a', '2']], 'comes from an absolute target, too'],
  ['http://zoo.example/v1/thing/1', [], 'is empty where an absolute target has none'],
] as const) {
  query(`${why}: ${target}`, async () => {
    const seen: string[][][] = [];
    await serving(looking((request) => seen.push([...request.query])), async ({ port }) => {
      assert.is((await rawRequest(port, message('GET', target))).status, 200);
    });
    assert.equal(seen, [entries]);
  });
}
query.run();

const signal = suite('the signal');
for (const [method, target, sent] of [
  ['GET', '/v1/thing/1', ''],
  ['PUT', '/v1/thing/1', '0'],
  ['POST', '/v1/thing/count', ''],
] as const) {
  signal(`aborts when the client of a ${method} leaves before the answer, and nothing is logged`, async () => {
    const begun = promiseAndResolve<AbortSignal>();
    const aborted = promiseAndResolve<unknown>();
    const look = async (request: ApiRequest): Promise<void> => {
      begun.resolve(request.signal);
      await once(request.signal, 'abort');
      aborted.resolve(request.signal.reason);
    };
    await serving(looking(look), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(message(method, target, sent));
      assert.is((await begun.promise).aborted, false);
      client.destroy();
      assert.is((await aborted.promise as Error).name, 'AbortError');
      assert.equal(errors, []);
    });
  });
}
signal('is aborted already where the client left before it was asked for', async () => {
  const begun = promiseAndResolve<void>();
  const aborted = promiseAndResolve<boolean>();
  const look = async (request: ApiRequest): Promise<void> => {
    begun.resolve();
    await once(request.raw.socket, 'close');
    aborted.resolve(request.signal.aborted);
  };
  await serving(looking(look), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/thing/1'));
    await begun.promise;
    client.destroy();
    assert.is(await aborted.promise, true);
  });
});
for (const [when, ask] of [
  ['before its answer', (request: ApiRequest) => void request.signal],
  ['only after its answer', () => {}],
] as const) {
  signal(`asked for ${when} does not abort by that answer, nor when the connection later closes`, async () => {
    const seen: ApiRequest[] = [];
    const look = (request: ApiRequest): void => {
      seen.push(request);
      ask(request);
    };
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('GET', '/v1/thing/1'));
        await client.response();
        // The second answer shows that the first exchange is over, on both sides.
        client.send(message('GET', '/v1/thing/2'));
        await client.response();
        const [first] = seen;
        if (first === undefined) throw new Error('the operation was not invoked');
        assert.is(first.signal.aborted, false);
        const closed = once(first.raw.socket, 'close');
        client.destroy();
        await closed;
        assert.is(first.signal.aborted, false);
      } finally {
        client.destroy();
      }
    });
  });
}
signal('is not made for an operation that does not ask for it', async () => {
  const listeners: number[] = [];
  const look = (request: ApiRequest): void => {
    listeners.push(request.raw.socket.listenerCount('close'));
    assert.is(request.signal.aborted, false);
    listeners.push(request.raw.socket.listenerCount('close'));
  };
  await serving(looking(look), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/thing/1'))).status, 200);
  });
  const [before = 0, after = 0] = listeners;
  assert.is(after, before + 1);
});
signal('leaves nothing on a kept connection: 50 requests bring no warning of a leak', async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', note);
  let asked = 0;
  const look = (request: ApiRequest): void => {
    asked += Number(!request.signal.aborted);
  };
  try {
    await serving(looking(look), async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        for (let count = 0; count < 50; count += 1) {
          client.send(message('GET', '/v1/thing/1'));
          assert.is((await client.response()).status, 200);
        }
      } finally {
        client.destroy();
      }
    });
  } finally {
    process.off('warning', note);
  }
  assert.is(asked, 50);
  assert.equal(warnings, []);
});
signal.run();

function promiseAndResolve<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
