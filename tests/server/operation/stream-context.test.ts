/** The async context in which streams of an operation run: that of the interceptors that the operation ran in. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { ApiServer, bytes, defineEndpoint, defineFormat, integerId, reply, type ApiServerOptions, type Interceptor } from '../../../src/index.ts';
import { events, ndjson, ranges } from '../../../src/formats/index.ts';
import { assert, serve, suite, waitUntil } from '../../support/facts.ts';

const tenant = new AsyncLocalStorage<string>();
const user = new AsyncLocalStorage<string>();
const seen: string[] = [];
const note = (what: string): void => void seen.push(`${what} of ${tenant.getStore()}, ${user.getStore()}`);

const inTenant: Interceptor = { around: (_call, run) => tenant.run('acme', () => run({})) };
const asUser: Interceptor = {
  around: async (_call, run) => {
    await Promise.resolve();
    return user.run('Ann', () => run({}));
  },
};
const encodes: Interceptor = { around: async (call, run) => call.encode(await run({})) };
const wraps: Interceptor = {
  around: async (_call, run) => {
    const body = await run({}) as AsyncIterable<unknown>;
    return (async function* () {
      yield* body;
    })();
  },
};
const replaces: Interceptor = { around: async (_call, run) => (await run({}), reply(200, 'other')) };

const asIs = (value: unknown): any => value;

/** An async iterable of the user that is not a generator. */
function makeIterable(items: readonly unknown[]): AsyncIterable<any> {
  return {
    [Symbol.asyncIterator]: () => {
      note('made');
      const iterator = items.values();
      return {
        next: async () => (note('next'), iterator.next()),
        return: async () => (note('return'), { done: true, value: undefined }),
      };
    },
  };
}

async function* generate(item: unknown): AsyncGenerator<any> {
  try {
    note('next');
    yield item;
    await new Promise((resolve) => setImmediate(resolve));
    note('next');
    yield item;
  } finally {
    note('finally');
  }
}

function* generateSync(): Generator<any> {
  try {
    note('next');
    yield 1;
  } finally {
    note('finally');
  }
}

function makeRanges(): ReturnType<typeof ranges> {
  return ranges({ size: 2, read: () => (note('read'), Readable.from(generate(Buffer.from('a')), { objectMode: false })), close: () => note('close') });
}

const text = defineFormat<any, any>({ types: ['text/plain'], decode: () => undefined, encode: (value) => (note('encode'), value) });

const OPERATIONS: Readonly<Record<string, object>> = {
  ndjson: { output: ndjson(asIs), run: () => generate(1) },
  'ndjson of an async function': { output: ndjson(asIs), run: async () => generate(1) },
  'ndjson of an iterable': { output: ndjson(asIs), run: () => makeIterable([1]) },
  'ndjson of a sync generator': { output: ndjson(asIs), run: () => generateSync() },
  'ndjson of a sync iterable': { output: ndjson(asIs), run: () => ({ [Symbol.iterator]: generateSync }) },
  'a reply with ndjson': { output: { 200: ndjson(asIs) }, run: () => reply(200, generate(1)) },
  events: { output: events(asIs), run: () => generate({ data: 1 }) },
  bytes: { output: bytes(), run: () => generate(Buffer.from('a')) },
  'a format': { output: text, run: () => generate('a') },
  'a stream': { run: () => reply(200, generate('a')) },
  'a stream of Node': { run: () => reply(200, Readable.from(generate('a'))) },
  ranges: { run: () => reply(200, makeRanges()) },
};

const PATHS = new Map(Object.keys(OPERATIONS).map((name, index) => [name, `/case${index}`]));

function declare(use: readonly Interceptor[]): (server: ApiServer) => void {
  return (server) => {
    for (const [name, operation] of Object.entries(OPERATIONS)) server.registerEndpoint(PATHS.get(name) ?? '', defineEndpoint({ use, get: operation } as never) as never);
  };
}

/** Calls a function with the `fetch` of each carrier. */
async function byBoth(use: readonly Interceptor[], call: (fetchPath: typeof fetch, server: ApiServer) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  for (const isInMemory of [true, false]) {
    seen.length = 0;
    await serve(declare(use), async ({ server, url }) => {
      const over: typeof fetch = (path, init) => fetch(`${url}${path}`, init);
      await call(isInMemory ? server.fetch as typeof fetch : over, server);
    }, { root: '', ...options });
  }
}

const ANN = [' of acme, Ann'];
const owners = (): string[] => [...new Set(seen.map((line) => line.slice(line.indexOf(' of '))))];

const context = suite('R6: the async context of a stream');
for (const [what, use] of [
  ['in two interceptors', [inTenant, asUser]],
  ['within interceptors that encode it', [encodes, inTenant, asUser, encodes]],
  ['in an interceptor that wraps it', [wraps, inTenant, asUser]],
] as const) {
  for (const name of Object.keys(OPERATIONS)) {
    if (what.includes('wraps') && !/^(ndjson|events|a format)( of an (?:async|it).*)?$/.test(name)) continue;
    context(`${name}, ${what}: that of the operation, from the first step to the last`, () => byBoth(use, async (fetchPath) => {
      const response = await fetchPath(PATHS.get(name) ?? '');
      assert.is(response.status, 200);
      await response.text();
      await waitUntil(() => seen.length > 1, 'the end');
      assert.ok(seen.length > 1);
      assert.equal(owners(), ANN);
    }));
    context(`${name}, ${what}, for a client that leaves: that of the operation`, () => byBoth(use, async (fetchPath) => {
      const leaving = new AbortController();
      const response = await fetchPath(PATHS.get(name) ?? '', { signal: leaving.signal });
      leaving.abort();
      await response.text().catch(() => {});
      await waitUntil(() => seen.some((line) => /finally|close|return|next/.test(line)), 'the end');
      assert.equal(owners(), ANN);
    }));
  }
}
for (const [what, init, headers] of [['HEAD', { method: 'HEAD' }, {}], ['a version that the client has', { headers: { 'if-none-match': '"1"' } }, { ETag: '"1"' }]] as const) {
  context(`a stream and ranges that are not sent, for ${what}: are closed in that of the operation`, async () => {
    const use = [inTenant, asUser];
    for (const body of [() => makeIterable(['a']), makeRanges]) {
      const server = new ApiServer('');
      server.registerEndpoint('/a', defineEndpoint({ use, get: () => reply(200, body(), headers) }));
      seen.length = 0;
      await server.fetch('/a', init);
      await waitUntil(() => seen.some((line) => /^(?:return|close)/.test(line)), 'the end');
      assert.equal(owners(), ANN);
    }
  });
}
context('a stream in whose place an interceptor sends another: is closed in that of the operation', async () => {
  const server = new ApiServer('');
  server.registerEndpoint('/a', defineEndpoint({ use: [replaces, inTenant, asUser], get: () => reply(200, makeIterable(['a'])) }));
  seen.length = 0;
  assert.is(await (await server.fetch('/a')).text(), '"other"');
  await waitUntil(() => seen.length > 1, 'the end');
  assert.equal(seen, ['made of acme, Ann', 'return of acme, Ann']);
});
context('of the second run, if an interceptor runs the operation twice', async () => {
  let runs = 0;
  const twice: Interceptor = { around: async (_call, run) => (await user.run('first', () => run({})), user.run('second', () => run({}))) };
  for (const [use, get] of [
    [[twice], () => reply(200, (runs += 1) === 1 ? 'none' : generate('a'))],
    [[wraps, twice], { output: ndjson(asIs), run: () => generate('a') }],
  ] as const) {
    const server = new ApiServer('');
    server.registerEndpoint('/a', defineEndpoint({ use, get } as never) as never);
    seen.length = 0;
    await (await server.fetch('/a')).text();
    assert.equal(owners(), [' of undefined, second']);
  }
});
context('events that end with the server: are closed in that of the operation', () => byBoth([inTenant, asUser], async (fetchPath, server) => {
  server.registerEndpoint('/quiet', defineEndpoint({ use: [inTenant, asUser], get: { output: events(asIs), run: () => ({ ...makeIterable([]), [Symbol.asyncIterator]: () => ({
    next: () => new Promise<never>(() => {}), return: async () => (note('return'), { done: true as const, value: undefined }),
  }) }) } } as never) as never);
  const response = await fetchPath('/quiet');
  const stopped = tenant.run('other', () => server.stop());
  await response.text();
  await stopped;
  assert.equal(seen, ['return of acme, Ann']);
}));
context('the input of an operation, and one that an interceptor makes of it: that of who iterates', async () => {
  const replacesInput: Interceptor = {
    around: (call, run) => tenant.run('acme', () => run({}, { input: (async function* () {
      for await (const item of call.input as AsyncIterable<unknown>) {
        note('item');
        yield item;
      }
    })() })),
  };
  const server = new ApiServer('');
  server.registerEndpoint('/a', defineEndpoint({ id: integerId, use: [replacesInput], custom: { count: { input: ndjson((json: unknown) => (note('decode'), json)), run: async (items) => {
    let count = 0;
    await user.run('Ann', async () => {
      for await (const _ of items) count += 1;
    });
    return count;
  } } } }));
  seen.length = 0;
  const init = { method: 'POST', body: Readable.toWeb(Readable.from([Buffer.from('1\n'), Buffer.from('2\n')])), duplex: 'half', headers: { 'content-type': 'application/x-ndjson' } };
  assert.is(await (await server.fetch('/a/count', init as RequestInit)).text(), '2');
  assert.equal(owners(), ANN);
});
