/** Following events: what each refreshes and shows, bursts, lost connections, ends, and errors. */
import { FakeCache, makeQueried } from '../support/fake-cache.ts';
import { assert, suite } from '../support/facts.ts';

interface Event { readonly id?: string; readonly data: unknown }
const one = { id: 1, legs: 4 };
const twelve = { id: 12, legs: 2 };

/** A cache with pets, and `follow` with these events. */
function makeFollowed() {
  const made = makeQueried((request) => (request.startsWith('GET /pet') ? (request === 'GET /pet' ? [one, twelve] : one) : {}));
  const { q, cache } = made;
  cache.add('list', q('/pet').list(), [one, twelve]);
  cache.add('pet 1', q('/pet').get(1), one);
  cache.add('pet 12', q('/pet').get(12), twelve);
  cache.add('settings', { queryKey: q.one('/settings').get().queryKey }, { size: 1 });
  return made;
}
async function* send(...all: unknown[]): AsyncGenerator<Event> {
  for (const data of all) yield { data };
}
const readData = ({ data }: any) => data;

const following = suite('queries: following events');
for (const [what, data, log, list, follow] of [
  ['an item', { id: 1 }, 'invalidate list, invalidate pet 1', [one, twelve]],
  ['an item by a string', { id: '12' }, 'invalidate list, invalidate pet 12', [one, twelve]],
  ['an item that it has', { id: 1, item: { id: 1, legs: 3 } }, 'invalidate list, invalidate pet 1', [{ id: 1, legs: 3 }, twelve]],
  ['a deleted item', { id: 1, item: null }, 'remove pet 1, invalidate list', [twelve]],
  ['anything', undefined, 'invalidate list, invalidate pet 1, invalidate pet 12', [one, twelve]],
  ['nothing', null, '', [one, twelve]],
  ['a singleton', { item: { size: 2 } }, 'invalidate settings', [one, twelve], (q: any) => q.one('/settings')],
] as readonly (readonly [string, unknown, string, unknown, ((q: any) => any)?])[]) {
  following(`an event of ${what}: ${log}`, async () => {
    const { q, cache } = makeFollowed();
    const shown: unknown[] = [];
    cache.invalidateQueries = async ({ predicate }) => {
      shown.push(cache.dataOf('list'));
      cache.log.push(...cache.entries.filter(predicate).map(({ name }) => `invalidate ${name}`));
    };
    await (follow?.(q) ?? q('/pet')).follow(cache, () => send(data), readData);
    assert.equal(cache.log.join(', '), log);
    assert.equal([cache.dataOf('list'), shown], [list, log ? [list] : []]);
    if (follow) assert.equal(cache.dataOf('settings'), { size: 2 });
  });
}
following('of a burst, the first is refreshed, and then all others at once', async () => {
  const { q, cache, sent } = makeFollowed();
  const held: (() => void)[] = [];
  for (const entry of cache.entries) {
    const { queryFn = async () => ({}) } = entry;
    Object.assign(entry, { queryFn: async (context: object) => [await queryFn(context), await new Promise<void>((resolve) => held.push(resolve))][0] });
  }
  await q('/pet').follow(cache, () => send(...Array.from({ length: 100 }, (_, at) => ({ id: at % 2 ? 1 : 12 }))), readData);
  for (const expected of [['GET /pet', 'GET /pet/12', 'GET /pet/1'], ['GET /pet', 'GET /pet/12', 'GET /pet/1'], []]) {
    await cache.settle();
    assert.equal(sent.splice(0), expected);
    held.splice(0).forEach((release) => release());
  }
});
following('an item of an event stays shown over a response that was asked for before', async () => {
  const { q, cache } = makeFollowed();
  let release = (_: unknown): void => {};
  Object.assign(cache.entries[0]!, { queryFn: () => new Promise((resolve) => (release = resolve)) });
  cache.fetch('list');
  await q('/pet').follow(cache, () => send({ id: 1, item: { id: 1, legs: 3 } }), readData);
  release([one, { id: 12, legs: 1 }]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ id: 1, legs: 3 }, { id: 12, legs: 1 }]);
  release([{ id: 1, legs: 5 }, twelve]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ id: 1, legs: 5 }, twelve]);
});
for (const [what, version, legs] of [
  ['of revisions', ({ revision }: any) => revision, [5, 5, 6]],
  ['of bigints', ({ revision }: any) => BigInt(revision ?? 0), [5, 5, 6]], ['without a version', undefined, [5, 4, 6]],
] as const) {
  following(`an item that is older than the one that is shown is not shown, ${what}: ${legs}`, async () => {
    const { q, cache } = makeFollowed();
    let release = (_: unknown): void => {};
    Object.assign(cache.entries[0]!, { queryFn: () => new Promise((resolve) => (release = resolve)) });
    cache.fetch('list');
    const shown: unknown[] = [];
    const open = async function* () {
      // Of rivals, the one that commits last need not have the highest revision.
      for (const revision of [5, 4, 6]) {
        yield revision;
        assert.equal(cache.dataOf('list')[0].legs, cache.dataOf('pet 1').legs);
        shown.push(cache.dataOf('list')[0].legs);
      }
    };
    const read = (revision: number) => ({ id: 1, item: { id: 1, legs: revision, revision } });
    await q('/pet').follow(cache, open, read, { ...(version && { version }) });
    assert.equal(shown, legs);
    // A response that was asked for before the events.
    release([{ ...one, revision: 1 }, twelve]);
    await cache.settle();
    assert.is(cache.dataOf('list')[0].legs, 6);
  });
}
following('an older item stays hidden after a response that was asked for before both events', async () => {
  const { q, cache } = makeFollowed();
  let release = (_: unknown): void => {};
  Object.assign(cache.entries[0]!, { queryFn: () => new Promise((resolve) => (release = resolve)) });
  cache.fetch('list');
  const read = (revision: number) => ({ id: 1, item: { id: 1, legs: revision, revision } });
  await q('/pet').follow(cache, async function* () { yield 5; yield 4; }, read, { version: ({ revision }: any) => revision });
  release([{ ...one, revision: 1 }, twelve]);
  await cache.settle();
  assert.is(cache.dataOf('list')[0].legs, 5);
});
following('an item that is shown where there was none has no version to compare', async () => {
  const { q, cache } = makeFollowed();
  cache.setQueryData(q('/pet').get(1).queryKey, null);
  await q('/pet').follow(cache, () => send({ id: 1, item: { id: 1, revision: 5 } }), readData, { version: ({ revision }: any) => revision });
  assert.equal(cache.dataOf('pet 1'), { id: 1, revision: 5 });
});
following('of many events of an item, one is kept for the response to come', async () => {
  const { q, cache } = makeFollowed();
  let release = (_: unknown): void => {};
  Object.assign(cache.entries[0]!, { queryFn: () => new Promise((resolve) => (release = resolve)) });
  cache.fetch('list');
  let compared = 0;
  const item = { id: 1, legs: 3 };
  await q('/pet').follow(cache, () => send(...Array.from({ length: 100 }, () => ({ id: 1, item }))), readData, { version: () => (compared += 1, 1) });
  compared = 0;
  release([one, twelve]);
  await cache.settle();
  assert.equal([cache.dataOf('list'), compared < 5], [[item, twelve], true]);
});
for (const [what, ids, expected] of [
  ['without ids reads everything again', [undefined, undefined], true], ['with ids does not: the server sends what was missed', ['1', '2'], false],
] as const) {
  following(`a lost connection of events ${what}`, async () => {
    const { q, cache } = makeFollowed();
    const seen: Response[] = [];
    const open = async function* ({ onResponse }: any) {
      for (const [at, id] of ids.entries()) {
        onResponse(Response.json(1));
        // What has changed before the first connection, no event says.
        assert.is(cache.log.includes('invalidate pet 1'), at === 0 || expected);
        yield { ...(id && { id }), data: { id: 12 } };
        await cache.settle();
        if (at === 0) cache.log.length = 0;
      }
    };
    await q('/pet').follow(cache, open, readData, { onResponse: (response: Response) => seen.push(response) });
    await cache.settle();
    assert.equal([cache.log.includes('invalidate pet 1'), seen.length], [expected, 2]);
  });
}
following('the options reach the stream, and a stream that ends resolves', async () => {
  const { q, cache } = makeFollowed();
  const { signal } = new AbortController();
  let given: any;
  assert.is(await q('/pet').follow(cache, (options: object) => send(given = options), () => null, { signal, timeoutMs: 5 }), undefined);
  assert.equal([given.signal === signal, given.timeoutMs], [true, 5]);
});
for (const [what, open, read, message] of [
  ['the stream fails', async function* () { throw new Error('lost'); }, readData, 'lost'],
  ['it cannot be opened', () => { throw new Error('closed'); }, readData, 'closed'],
  ['read throws', () => send({ id: 1 }), () => { throw new Error('boom'); }, 'boom'],
  ['no path can have an id', () => send({ id: undefined }), readData, 'the path must not have a segment "undefined": pass the id'],
] as const) {
  following(`rejects if ${what}`, async () => {
    const { q, cache } = makeFollowed();
    assert.is(await q('/pet').follow(cache, open, read).catch((error: Error) => error.message), message);
    assert.equal(cache.log, []);
  });
}
for (const isEnded of [false, true]) {
  following(`an abort ${isEnded ? 'before the stream' : 'in the middle'} resolves, and leaves nothing open`, async () => {
    const left = new AbortController();
    if (isEnded) left.abort();
    let isClosed = false;
    const { q, cache } = makeFollowed();
    const open = async function* ({ signal }: { signal: AbortSignal }) {
      try {
        signal.throwIfAborted();
        yield { data: { id: 1 } };
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      } finally {
        isClosed = true;
      }
    };
    const ended = q('/pet').follow(cache, open, readData, { signal: left.signal });
    await cache.settle();
    left.abort();
    await ended;
    assert.equal([isClosed, cache.log], [true, isEnded ? [] : ['invalidate list', 'invalidate pet 1']]);
  });
}
following('a stream whose server does not know the id of the last event any more begins anew, and all is read again', async () => {
  const { q, cache } = makeFollowed();
  const streams = [
    async function* () {
      yield { id: '1', data: { id: 1 } };
      await cache.settle();
      cache.log.splice(0);
      throw Object.assign(new Error('Gone'), { status: 410 });
    },
    async function* () { yield { id: '2', data: { id: 12 } }; throw Object.assign(new Error('Gone'), { status: 409 }); },
  ];
  let opened = 0;
  const open = ({ onResponse }: any): AsyncIterable<unknown> => (onResponse(new Response()), (streams[opened++] as any)());
  assert.is(await q('/pet').follow(cache, open, readData).catch(({ status }: any) => status), 409);
  assert.is(opened, 2);
  assert.is(cache.log.join(', '), 'invalidate list, invalidate pet 1, invalidate pet 12');
  // Without an id there is nothing to forget.
  const gone = async function* (): AsyncGenerator { throw Object.assign(new Error('Gone'), { status: 410 }); };
  assert.is(await q('/pet').follow(cache, gone, readData).catch(({ status }: any) => status), 410);
});
following('the stream of a client goes on after its connection was lost', async () => {
  const left = new AbortController();
  const { q, cache, sent, api } = (() => {
    const made = makeQueried((request): unknown => {
      if (request !== 'GET /change') return [];
      if (made.sent.filter((each) => each === request).length > 1) left.abort();
      return new Response('retry: 0\n\ndata: {"id":1}\n\n', { headers: { 'Content-Type': 'text/event-stream' } });
    });
    return made;
  })();
  cache.add('list', q('/pet').list(), []);
  await q('/pet').follow(cache, (options: object) => (api as any).one('/change').get(options), readData, { signal: left.signal });
  await cache.settle();
  assert.equal(sent.filter((each) => each === 'GET /change').length, 2);
  assert.ok(cache instanceof FakeCache && cache.log.includes('invalidate list'));
});
