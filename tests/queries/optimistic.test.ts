/** Optimistic changes: what they show, how they are taken back, rivals, and what a read that is on its way does to them. */
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { uint64Id } from '../../src/client/index.ts';
import { queries } from '../../src/queries/index.ts';
import { FakeCache, makeQueried } from '../support/fake-cache.ts';
import { assert, suite } from '../support/facts.ts';

interface Pet { readonly id: number; readonly legs: number; readonly name?: string }
const one: Pet = { id: 1, legs: 4 };
const twelve: Pet = { id: 12, legs: 12 };

/** A promise, and what settles it. */
function defer<T = unknown>() {
  let [resolve, reject]: [(value: T) => void, (error: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

/** A server whose changes wait, and a cache with its pets. */
function makeShown(options: Parameters<typeof makeQueried>[1] = {}) {
  const changes: { request: string; body: any; respond: (value?: unknown) => void; fail: (status?: number) => void }[] = [];
  const stored = new Map<number, Pet>([[1, one], [12, twelve]]);
  const made = makeQueried((request, body) => {
    if (request === 'GET /pet' || request === 'GET /pet?legs=4') return [...stored.values()];
    if (request.startsWith('GET /pet/')) return stored.get(Number(request.slice(9)));
    const { promise, resolve, reject } = defer();
    changes.push({
      request, body,
      respond: (value = new Response(null, { status: 204 })) => resolve(value),
      fail: (status) => (status === undefined ? reject(new TypeError('lost')) : resolve(new Response(null, { status }))),
    });
    return promise;
  }, options);
  const { q, cache } = made;
  cache.add('list', q('/pet').list(), [one, twelve]);
  cache.add('pages', q('/pet').pages(), { pages: [{ items: [one] }, { items: [twelve] }], pageParams: [undefined, { after: '1' }] });
  cache.add('envelope', { queryKey: q('/pet').list({ query: { envelope: 1 } }).queryKey }, { items: [one, twelve], pages: 1 });
  cache.add('names', { queryKey: q('/pet').list({ query: { names: 1 } }).queryKey }, ['Rex', null, { id: {} }, { id: '' }]);
  cache.add('count', { queryKey: q('/pet').list({ query: { count: 1 } }).queryKey }, 2);
  cache.add('nearest', { queryKey: q('/pet').custom.nearest.get().queryKey }, [one]);
  cache.add('pet 1', q('/pet').get(1), one);
  cache.add('pet 12', q('/pet').get(12), twelve);
  cache.add('settings', { queryKey: q.one('/settings').get().queryKey }, { theme: 'dark', size: 1 });
  return { ...made, changes, stored };
}
const shownOf = (cache: FakeCache) => ({
  list: cache.dataOf('list'), pages: cache.dataOf('pages').pages, envelope: cache.dataOf('envelope'), item: cache.dataOf('pet 1'),
});
const three = { ...one, legs: 3 };
const before = shownOf(makeShown().cache);
const showing = (pet: Pet) => ({ list: [pet, twelve], pages: [{ items: [pet] }, { items: [twelve] }], envelope: { items: [pet, twelve], pages: 1 }, item: pet });
const without = { list: [twelve], pages: [{ items: [] }, { items: [twelve] }], envelope: { items: [twelve], pages: 1 }, item: one };
const boom = (..._: unknown[]) => { throw new Error('boom'); };

const shown = suite('queries: an optimistic change');
for (const [what, change, args, expected] of [
  ['update', (q) => q('/pet').update({ optimistic: true }), [1, { legs: 3 }], showing(three)],
  ['update by a string', (q) => q('/pet').update({ optimistic: true }), ['1', { legs: 3 }], showing(three)],
  ['patch', (q) => q('/pet').patch({ optimistic: true }), [1, { legs: 3 }, { ifMatch: '"1"' }], showing(three)],
  ['update by a form: not shown', (q) => q('/pet').update({ optimistic: true }), [1, new FormData()], before],
  ['patch by a list: not shown', (q) => q('/pet').patch({ optimistic: true }), [1, [{ op: 'remove' }]], before],
  ['update without a body', (q) => q('/pet').update({ optimistic: true }), [1], before],
  ['delete', (q) => q('/pet').delete({ optimistic: true }), [1], without],
  ['a function', (q) => q('/pet').delete({ optimistic: (pet: Pet, id: number) => ({ ...pet, name: `${id}` }) }), [1], showing({ ...one, name: '1' })],
  ['a function of a named change', (q) => q('/pet').itemCustom.feed({ optimistic: (pet: Pet, _: number, { legs }: Pet) => ({ ...pet, legs }) }),
    [1, { legs: 3 }], showing(three)],
  ['a function that removes', (q) => q('/pet').update({ optimistic: () => undefined }), [1, {}], without],
  ['a named change with true: not shown', (q) => q('/pet').itemCustom.feed({ optimistic: true }), [1], before],
  ['false', (q) => q('/pet').update({ optimistic: false }), [1, { legs: 3 }], before],
  ['no options', (q) => q('/pet').update(), [1, { legs: 3 }], before],
] as readonly (readonly [string, (q: any) => any, unknown[], unknown])[]) {
  for (const end of ['succeeds', 'fails', 'is lost']) {
    shown(`${what}, which ${end}`, async () => {
      const { q, cache, changes } = makeShown();
      const ended = change(q).mutationFn(args, { client: cache }).catch((error: Error) => error);
      await cache.settle();
      assert.equal(shownOf(cache), expected);
      assert.equal([cache.dataOf('names'), cache.dataOf('count'), cache.dataOf('nearest'), cache.dataOf('pet 12')],
        [['Rex', null, { id: {} }, { id: '' }], 2, [one], twelve]);
      // What the refresh after it reads would hide what was taken back.
      cache.invalidateQueries = async () => {};
      if (end === 'succeeds') changes[0]!.respond();
      else changes[0]!.fail(end === 'fails' ? 409 : undefined);
      const error = await ended;
      assert.is(error instanceof Error, end !== 'succeeds');
      if (end !== 'succeeds') assert.equal(shownOf(cache), before);
      else if (what !== 'delete' && what !== 'a function') assert.equal(shownOf(cache), expected);
    });
  }
}
for (const [what, change, expected] of [
  ['is computed from what is shown', (pet: Pet) => ({ ...pet, legs: 3 }), showing(three)],
  ['leaves it for undefined', () => undefined, before],
  ['throws, as a merge into what is shown may', boom, before],
  ['takes time', async (pet: Pet) => ({ ...pet, legs: 3 }), before],
] as const) {
  shown(`edit, whose function ${what}`, async () => {
    const { q, cache } = makeShown();
    void q('/pet').edit({ optimistic: true }).mutationFn([1, change], { client: cache }).catch(() => {});
    await Promise.resolve();
    await Promise.resolve();
    assert.equal(shownOf(cache), expected);
    await cache.settle();
  });
}
shown('edit, whose function takes time and rejects: its error is only that of the call', async () => {
  const { q, cache } = makeShown();
  let calls = 0;
  const change = async () => boom(calls += 1);
  cache.invalidateQueries = async () => {};
  assert.is(await q('/pet').edit({ optimistic: true }).mutationFn([1, change], { client: cache }).catch((error: Error) => error.message), 'boom');
  // A rejection that nobody handles would end the process.
  await cache.settle();
  assert.equal([calls > 1, shownOf(cache)], [true, before]);
});
shown('a singleton', async () => {
  const { q, cache, changes } = makeShown();
  const ended = q.one('/settings').patch({ optimistic: true }).mutationFn([{ size: 2 }], { client: cache });
  await cache.settle();
  assert.equal(cache.dataOf('settings'), { theme: 'dark', size: 2 });
  changes[0]!.respond();
  await ended;
});
for (const [what, options, change] of [
  ['its function throws', {}, (q: any) => q('/pet').update({ optimistic: (pet: Pet) => (pet.id === 1 && boom()) })],
  ['idOf throws', { idOf: boom }, (q: any) => q('/pet').update({ optimistic: true })],
] as const) {
  shown(`if ${what}, nothing is shown and nothing is sent`, async () => {
    const { q, cache, changes } = makeShown(options);
    const error = await change(q).mutationFn([1, { legs: 3 }], { client: cache }).catch((reason: Error) => reason.message);
    assert.equal([error, changes, shownOf(cache)], ['boom', [], before]);
  });
}
shown('idOf has the ids of rows', async () => {
  const { q, cache, changes } = makeShown({ idOf: ({ legs }) => legs });
  const ended = q('/pet').delete({ optimistic: true }).mutationFn([4], { client: cache });
  await cache.settle();
  assert.equal(cache.dataOf('list'), [twelve]);
  changes[0]!.respond();
  await ended;
});
for (const [what, change, body, expected] of [
  ['a patch of a string', 'patch', { name: 'Asp' }, { id: 1, name: 'Asp', nick: 'R', owner: 'Ada', home: { street: 'Main', city: 'Ede' } }],
  ['a patch of a part of an object', 'patch', { home: { city: 'Gouda' } },
    { id: 1, name: 'Rex', nick: 'R', owner: 'Ada', home: { street: 'Main', city: 'Gouda' } }],
  ['a patch whose null is a value', 'patch', { owner: null }, { id: 1, name: 'Rex', nick: 'R', owner: null, home: { street: 'Main', city: 'Ede' } }],
  ['a patch with undefined, which is not sent', 'patch', { nick: undefined },
    { id: 1, name: 'Rex', nick: 'R', owner: 'Ada', home: { street: 'Main', city: 'Ede' } }],
  ['a merge patch whose null removes', 'merge', { nick: null, home: { street: null } }, { id: 1, name: 'Rex', owner: 'Ada', home: { city: 'Ede' } }],
  ['a merge patch of an object in place of a string', 'merge', { name: { first: 'Rex', last: null } },
    { id: 1, name: { first: 'Rex' }, nick: 'R', owner: 'Ada', home: { street: 'Main', city: 'Ede' } }],
  ['a merge patch of a list, which has no parts', 'merge', { home: [null, {}] }, { id: 1, name: 'Rex', nick: 'R', owner: 'Ada', home: [null, {}] }],
  ['an update: what the body leaves out may be made by the server', 'update', { name: 'Asp', home: { street: 'High', city: 'Gouda' } },
    { id: 1, name: 'Asp', nick: 'R', owner: 'Ada', home: { street: 'High', city: 'Gouda' } }],
] as const) {
  shown(`the body of ${what}`, async () => {
    const { q, cache } = makeShown();
    cache.setQueryData(q('/pet').get(1).queryKey, { id: 1, name: 'Rex', nick: 'R', owner: 'Ada', home: { street: 'Main', city: 'Ede' } });
    const way = change === 'merge' ? q('/pet').patch({ optimistic: 'merge' }) : q('/pet')[change]({ optimistic: true });
    void way.mutationFn([1, body], { client: cache });
    assert.equal(cache.dataOf('pet 1'), expected);
  });
}
for (const [what, id, codec, own] of [
  ['a bigint', 2n ** 64n - 1n, uint64Id, '18446744073709551615'],
  ['a date', new Date(0), { parse: String, format: (day: Date) => day.toISOString().slice(0, 10) }, '1970-01-01T00:00:00.000Z'],
  ['an object', { a: 1 }, { parse: String, format: ({ a }: { a: number }) => `a${a}` }, { a: 1 }],
] as const) {
  shown(`the row of ${what} as an id`, async () => {
    const { api, cache } = makeShown();
    const pet = queries<any, false>(api)('/pet', {}, { id: codec }) as any;
    cache.setQueryData(pet.list().queryKey, [{ id: own, legs: 4 }, { id: { a: 2 }, legs: 4 }, { id: '7', legs: 4 }]);
    void pet.update({ optimistic: true }).mutationFn([id, { legs: 3 }], { client: cache });
    assert.equal(cache.dataOf('list').map(({ legs }: Pet) => legs), [3, 4, 4]);
  });
}

const reads = suite('queries: a read that is on its way');
/** A cache in which each read of the list waits, and what a page shows of the first pet, value after value: it renders when all that is called has ended. */
function makeReading(data: unknown = [one, twelve]) {
  const made = makeShown();
  const { q, cache } = made;
  const waiting: ReturnType<typeof defer<any>>[] = [];
  cache.entries = [];
  const entry = cache.add('list', { queryKey: q('/pet').list().queryKey, queryFn: () => (waiting.push(defer()), waiting.at(-1)!.promise) }, data);
  cache.add('pet 12', q('/pet').get(12), twelve);
  const legs: unknown[] = [];
  cache.getQueryCache().subscribe(() => queueMicrotask(() => {
    const now = cache.dataOf('list')[0]?.legs;
    if (now !== legs.at(-1)) legs.push(now);
  }));
  return { ...made, waiting, legs, entry };
}
const count = { optimistic: (pet: Pet) => ({ ...pet, legs: pet.legs + 1 }) };
for (const [what, old, expected] of [['does not have the change', one, [5]], ['has it', { ...one, legs: 5 }, [5]], ['has that of a rival too', { ...one, legs: 9 }, [5, 9]]] as const) {
  reads(`a response that was asked for before a change ended and ${what}: it is shown once, and then what the server says`, async () => {
    const { q, cache, changes, waiting, legs } = makeReading();
    cache.fetch('list');
    const ended = q('/pet').update(count).mutationFn([1, {}], { client: cache });
    changes[0]!.respond();
    await ended;
    waiting[0]!.resolve([old, { ...twelve, legs: 1 }]);
    await cache.settle();
    // All else of the response is shown.
    assert.equal([cache.dataOf('list'), waiting.length], [[{ ...one, legs: 5 }, { ...twelve, legs: 1 }], 2]);
    waiting[1]!.resolve([old.legs === 4 ? { ...one, legs: 5 } : old, twelve]);
    await cache.settle();
    assert.equal([legs, waiting.length], [expected, 2]);
  });
}
reads('a read that begins and ends during a change', async () => {
  const { q, cache, changes, waiting, legs } = makeReading();
  q('/pet').update(count).mutationFn([1, {}], { client: cache }).catch(() => {});
  cache.fetch('list');
  waiting[0]!.resolve([{ ...one, legs: 5 }, twelve]);
  await cache.settle();
  changes[0]!.fail(409);
  await cache.settle();
  waiting[1]!.resolve([{ ...one, legs: 7 }, twelve]);
  await cache.settle();
  assert.equal(legs, [5, 4, 7]);
});
reads('of a change that fails: it is taken back at once, though another one is on its way', async () => {
  const { q, cache, changes } = makeShown();
  cache.invalidateQueries = async () => {};
  for (const body of [{ name: 'Bob' }, { legs: 3 }]) void q('/pet').patch({ optimistic: true }).mutationFn([1, body], { client: cache }).catch(() => {});
  changes[0]!.fail(409);
  await cache.settle();
  assert.equal(shownOf(cache), showing(three));
});
reads('one that hangs keeps no other query from being read', async () => {
  const { q, cache, changes, sent, waiting } = makeReading();
  for (const _ of [1, 2, 3]) {
    const ended = q('/pet').update().mutationFn([12, {}], { client: cache });
    changes.pop()!.respond();
    await ended;
    await cache.settle();
  }
  assert.equal([sent.filter((request) => request === 'GET /pet/12').length, waiting.length], [3, 1]);
});
reads('a change that hangs keeps its own row, and nothing else', async () => {
  const { q, cache, changes, waiting } = makeReading();
  void q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache });
  const ended = q('/pet').update({ optimistic: true }).mutationFn([12, { legs: 5 }], { client: cache });
  changes[1]!.respond();
  await ended;
  waiting[0]!.resolve([{ ...one, legs: 9 }, { ...twelve, legs: 6 }, { id: 13, legs: 0 }]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [three, { ...twelve, legs: 6 }, { id: 13, legs: 0 }]);
});
reads('a change that was made stays shown when another one is taken back before the next response', async () => {
  const { q, cache, changes } = makeReading();
  const ended = [1, 12].map((id) => q('/pet').update({ optimistic: true }).mutationFn([id, { legs: 3 }], { client: cache }).catch(() => {}));
  changes[0]!.respond();
  await ended[0];
  changes[1]!.fail(409);
  await ended[1];
  assert.equal(cache.dataOf('list'), [three, twelve]);
});
reads('two changes of an item that were made in the other order stay shown in their own', async () => {
  const { q, cache, changes, waiting } = makeReading();
  const [, second] = [{ legs: 1 }, { legs: 2, name: 'Rex' }].map((body) => q('/pet').patch({ optimistic: true }).mutationFn([1, body], { client: cache }).catch(() => {}));
  changes[1]!.respond();
  await second;
  waiting[0]!.resolve([{ ...one, legs: 9 }, twelve]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ ...one, legs: 2, name: 'Rex' }, twelve]);
  changes[0]!.fail(409);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ ...one, legs: 2, name: 'Rex' }, twelve]);
  waiting[1]!.resolve([{ ...one, legs: 7 }, twelve]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ ...one, legs: 7 }, twelve]);
});
reads('of a next page: a change that failed meanwhile is not shown again by the pages before it', async () => {
  const { q, cache, changes, waiting, entry } = makeReading({ pages: [{ items: [one], next: 2 }], pageParams: [undefined] });
  cache.entries[0] = Object.assign(entry, { queryKey: q('/pet').pages().queryKey, getNextPageParam: ({ next }: { next?: number }) => next });
  const ended = q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache }).catch(() => {});
  cache.fetch('list', true);
  changes[0]!.fail(409);
  await ended;
  waiting[0]!.resolve({ items: [twelve] });
  await cache.settle();
  assert.equal(cache.dataOf('list').pages, [{ items: [one], next: 2 }, { items: [twelve] }]);
});
reads('what somebody has written during it counts, though a change is on its way', async () => {
  const { q, cache, waiting } = makeReading();
  cache.fetch('list');
  void q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache });
  cache.setQueryData(q('/pet').list().queryKey, [{ ...one, legs: 7 }, twelve]);
  waiting[0]!.resolve([{ ...one, legs: 8 }, twelve]);
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ ...one, legs: 8 }, twelve]);
});
reads('whose response a function of the user cannot change: it is shown as it is, and the error is reported', async () => {
  const { q, cache, changes, waiting, entry } = makeReading([twelve]);
  cache.fetch('list');
  const ended = q('/pet').update({ optimistic: (pet: Pet) => ({ ...pet, legs: pet.name!.length }) }).mutationFn([1, {}], { client: cache });
  const errors = await captureUnhandled(async () => {
    waiting[0]!.resolve([one, twelve]);
    await cache.settle();
  });
  assert.equal([errors.length, cache.dataOf('list'), entry.state.fetchStatus], [1, [one, twelve], 'idle']);
  changes[0]!.respond();
  await ended;
  await cache.settle();
  assert.is(waiting.length, 2);
});
reads('of a loader, without a component: its response is stale', async () => {
  const { q, cache, changes, waiting, entry } = makeReading();
  entry.isActive = false;
  cache.fetch('list');
  const ended = q('/pet').create().mutationFn([{}], { client: cache });
  changes[0]!.respond('13');
  await ended;
  waiting[0]!.resolve([one]);
  await cache.settle();
  assert.equal([cache.dataOf('list'), entry.state.isInvalidated, waiting.length], [[one], true, 1]);
});
reads('one that fails is followed by one more', async () => {
  const { q, cache, changes, waiting, entry } = makeReading();
  cache.fetch('list');
  const ended = q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache });
  changes[0]!.respond();
  await ended;
  waiting[0]!.reject(new Error('lost'));
  await cache.settle();
  assert.equal([cache.dataOf('list'), entry.state.isInvalidated, waiting.length], [[three, twelve], true, 2]);
});
reads('of a next page, while nothing changes, is the only one', async () => {
  const { q, cache, waiting, entry } = makeReading({ pages: [{ items: [one], next: 2 }], pageParams: [undefined] });
  void q('/pet').update({ optimistic: true }).mutationFn([12, {}], { client: cache });
  cache.entries[0] = Object.assign(entry, { queryKey: q('/pet').pages().queryKey, getNextPageParam: ({ next }: { next?: number }) => next });
  cache.fetch('list', true);
  waiting[0]!.resolve({ items: [twelve] });
  await cache.settle();
  assert.equal([cache.dataOf('list').pages.length, waiting.length], [2, 1]);
});
for (const isFirst of [true, false]) {
  reads(`of a next page, which began ${isFirst ? 'before' : 'during'} a refresh: it is shown, and then all pages are read`, async () => {
    const { q, cache, changes, waiting, entry } = makeReading({ pages: [{ items: [one], next: 2 }], pageParams: [undefined] });
    cache.entries[0] = Object.assign(entry, { queryKey: q('/pet').pages().queryKey, getNextPageParam: ({ next }: { next?: number }) => next });
    if (isFirst) cache.fetch('list', true);
    const ended = q('/pet').update().mutationFn([1, {}], { client: cache });
    changes[0]!.respond();
    await ended;
    if (!isFirst) cache.fetch('list', true);
    waiting.at(-1)!.resolve({ items: [twelve] });
    await cache.settle();
    assert.equal(cache.dataOf('list').pages, [{ items: [one], next: 2 }, { items: [twelve] }]);
    waiting.at(-1)!.resolve({ items: [three], next: 2 });
    await cache.settle();
    waiting.at(-1)!.resolve({ items: [twelve] });
    await cache.settle();
    assert.equal([cache.dataOf('list').pages.flatMap(({ items }: any) => items), waiting.length], [[three, twelve], isFirst ? 3 : 4]);
  });
}

const rivals = suite('queries: rivals of a change');
rivals('it is not taken back where somebody has written since', async () => {
  const { q, cache, changes } = makeShown();
  const ended = q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache }).catch(() => {});
  await cache.settle();
  cache.setQueryData(q('/pet').list().queryKey, [{ ...one, legs: 7 }]);
  cache.invalidateQueries = async () => {};
  changes[0]!.fail();
  await ended;
  assert.equal([cache.dataOf('list'), cache.dataOf('pet 1')], [[{ ...one, legs: 7 }], one]);
});
rivals('of several changes, each refreshes, and all that are on their way stay shown', async () => {
  const { q, cache, changes, stored, sent } = makeShown();
  const feeds = [1, 1, 12].map((id, at) => q('/pet').update({ optimistic: true }).mutationFn([id, { legs: at }], { client: cache }).catch(() => {}));
  assert.equal(cache.dataOf('list'), [{ id: 1, legs: 1 }, { id: 12, legs: 2 }]);
  sent.length = 0;
  stored.set(1, { id: 1, legs: 0 });
  changes[0]!.respond();
  await cache.settle();
  assert.equal([cache.dataOf('list'), sent], [[{ id: 1, legs: 1 }, { id: 12, legs: 2 }], ['GET /pet', 'GET /pet', 'GET /pet/1']]);
  changes[1]!.fail(409);
  await cache.settle();
  assert.equal([cache.dataOf('list'), cache.dataOf('pet 1')], [[{ id: 1, legs: 0 }, { id: 12, legs: 2 }], { id: 1, legs: 0 }]);
  stored.set(12, { id: 12, legs: 2 });
  changes[2]!.respond();
  await Promise.all(feeds);
  await cache.settle();
  assert.equal([cache.dataOf('list'), cache.dataOf('pet 12')], [[{ id: 1, legs: 0 }, { id: 12, legs: 2 }], { id: 12, legs: 2 }]);
});
rivals('the options are those of the call, whichever were there first', async () => {
  const { api, q, cache, changes } = makeShown();
  cache.add('report', { queryKey: q('/report').list().queryKey }, 1);
  cache.add('names of', { queryKey: q('/pet').list({ query: { by: 'name' } }).queryKey }, [{ name: 'Rex', legs: 4 }]);
  const others = queries<any, false>(api, { also: { '/pet': ['/report'] }, idOf: ({ name }) => name }) as any;
  for (const each of [q, others, q]) {
    cache.log.length = 0;
    const ended = each('/pet').update({ optimistic: true }).mutationFn(['Rex', { legs: 3 }], { client: cache });
    assert.is(cache.dataOf('names of')[0].legs, each === others ? 3 : 4);
    changes.pop()!.fail(409);
    await ended.catch(() => {});
    assert.equal([cache.dataOf('names of')[0].legs, cache.log.includes('invalidate report')], [4, each === others]);
    await cache.settle();
  }
});
for (const order of [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]]) {
  rivals(`of three changes, the last two fail in the order ${order}: only the first is shown`, async () => {
    const { q, cache, changes } = makeShown();
    cache.invalidateQueries = async () => {};
    const { setQueryData } = cache;
    // As TanStack's cache: it keeps its own copy.
    cache.setQueryData = (key, data) => setQueryData.call(cache, key, structuredClone(data));
    const patches = [{ name: 'Rex' }, { legs: 3 }, { legs: 2 }];
    const ended = patches.map((patch) => q('/pet').patch({ optimistic: true }).mutationFn([1, patch], { client: cache }).catch(() => {}));
    await cache.settle();
    assert.equal(shownOf(cache), showing({ ...one, name: 'Rex', legs: 2 }));
    for (const at of order) {
      if (at === 0) changes[at]!.respond();
      else changes[at]!.fail();
      await cache.settle();
    }
    await Promise.all(ended);
    assert.equal(shownOf(cache), showing({ ...one, name: 'Rex' }));
    // Of the next changes, none is above one that has ended.
    void q('/pet').patch({ optimistic: true }).mutationFn([1, { legs: 1 }], { client: cache }).catch(() => {});
    await cache.settle();
    changes[3]!.fail();
    await cache.settle();
    assert.equal(shownOf(cache), showing({ ...one, name: 'Rex' }));
  });
}
rivals('of two that fail, the first stays where somebody has written between them', async () => {
  const { q, cache, changes } = makeShown();
  cache.invalidateQueries = async () => {};
  const patch = async (body: object) => {
    void q('/pet').patch({ optimistic: true }).mutationFn([1, body], { client: cache }).catch(() => {});
    await cache.settle();
  };
  await patch({ legs: 3 });
  cache.setQueryData(q('/pet').list().queryKey, [{ ...one, legs: 7 }]);
  await patch({ legs: 2 });
  for (const { fail } of changes) fail();
  await cache.settle();
  assert.equal([cache.dataOf('list'), cache.dataOf('pet 1')], [[{ ...one, legs: 7 }], one]);
});
rivals('a change that is not shown keeps nobody waiting, such as an upload', async () => {
  const { q, cache, changes, sent } = makeShown();
  void q('/pet').create().mutationFn([{}], { client: cache });
  await cache.settle();
  const ended = q('/pet').update().mutationFn([1, {}], { client: cache });
  await cache.settle();
  changes[1]!.respond();
  await ended;
  await cache.settle();
  assert.equal(sent, ['POST /pet', 'PUT /pet/1', 'GET /pet', 'GET /pet', 'GET /pet/1']);
});
rivals('after invalidateQueries has thrown, the next change refreshes', async () => {
  const { q, cache, changes, sent } = makeShown();
  const works = cache.invalidateQueries;
  const errors = await captureUnhandled(async () => {
    for (const method of [boom, works]) {
      cache.invalidateQueries = method as typeof works;
      const ended = q('/pet').create().mutationFn([{}], { client: cache });
      await cache.settle();
      changes.pop()!.respond('7');
      assert.is(await ended, '7');
      await cache.settle();
    }
  });
  assert.equal([errors.length, sent], [1, ['POST /pet', 'POST /pet', 'GET /pet', 'GET /pet']]);
});
rivals('queries of other programs may have any key', async () => {
  const { q, cache, changes, sent } = makeShown({ also: { '/pet': ['/report'] } });
  const keys: any[] = [[Object.create(null)], [Symbol('pet')], [['/pet'], 'get', {}], [], [null, null, {}], 'pet'];
  for (const queryKey of keys) cache.entries.unshift({ ...cache.entries[0]!, name: 'other', queryKey });
  const ended = q('/pet').delete({ optimistic: true }).mutationFn([1], { client: cache });
  await cache.settle();
  changes[0]!.respond();
  await ended;
  await cache.settle();
  assert.equal([sent, cache.log.filter((line) => line.endsWith('other'))], [['DELETE /pet/1', 'GET /pet', 'GET /pet'], []]);
});
rivals('a first load that is on its way is shown, and read once more: it may have been read before the change', async () => {
  const { q, cache, changes } = makeShown();
  const [stale, fresh] = [defer<string[]>(), defer<string[]>()];
  let count = 0;
  cache.add('new', { queryKey: q('/pet').list({ query: { legs: 4 } }).queryKey, queryFn: async () => (count += 1) === 1 ? stale.promise : fresh.promise });
  const ended = q('/pet').create().mutationFn([{}], { client: cache });
  changes[0]!.respond('7');
  await ended;
  stale.resolve(['old']);
  await cache.settle();
  assert.equal([cache.dataOf('new'), count], [['old'], 2]);
  fresh.resolve(['new']);
  await cache.settle();
  assert.equal([cache.dataOf('new'), count], [['new'], 2]);
});
rivals('two caches and two endpoints do not wait for each other', async () => {
  const { q, cache, changes } = makeShown();
  const other = new FakeCache();
  other.add('list', { queryKey: q('/pet').list().queryKey }, []);
  cache.add('zoos', { queryKey: q('/zoo').list().queryKey }, []);
  void q('/pet').create().mutationFn([{}], { client: cache });
  const ended = [q('/pet').create().mutationFn([{}], { client: other }), q('/zoo').create().mutationFn([{}], { client: cache })];
  await cache.settle();
  changes.slice(1).forEach(({ respond }) => respond('1'));
  await Promise.all(ended);
  assert.equal([cache.log, other.log], [['invalidate zoos'], ['invalidate list']]);
});
