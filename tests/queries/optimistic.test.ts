/** Optimistic changes: what they show, how they are taken back, rivals, and that one refresh follows the last of them. */
import { captureUnhandled } from '../support/capture-unhandled.ts';
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
  ['a function of a named change', (q) => q('/pet').itemCustom.feed({ optimistic: (pet: Pet, _: number, { legs }: Pet) => ({ ...pet, legs }) }), [1, { legs: 3 }], showing(three)],
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
      assert.equal([cache.dataOf('names'), cache.dataOf('count'), cache.dataOf('nearest'), cache.dataOf('pet 12')], [['Rex', null, { id: {} }, { id: '' }], 2, [one], twelve]);
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
shown('cancels requests that would show the item as it was, and no first load', async () => {
  const { q, cache } = makeShown();
  cache.add('first', { ...q('/pet').list({ query: { legs: 4 } }), queryFn: () => new Promise(() => {}) });
  void cache.invalidateQueries({ predicate: () => true });
  cache.log.length = 0;
  void q('/pet').update({ optimistic: true }).mutationFn([1, {}], { client: cache });
  await cache.settle();
  assert.equal(cache.log, ['cancel list', 'cancel pages', 'cancel envelope', 'cancel names', 'cancel count', 'cancel pet 1']);
});

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
rivals('of several changes, only the last refreshes, and shows all', async () => {
  const { q, cache, changes, stored, sent } = makeShown();
  const feeds = [1, 1, 12].map((id, at) => q('/pet').update({ optimistic: true }).mutationFn([id, { legs: at }], { client: cache }).catch(() => {}));
  await cache.settle();
  assert.equal(cache.dataOf('list'), [{ id: 1, legs: 1 }, { id: 12, legs: 2 }]);
  cache.log.length = sent.length = 0;
  stored.set(1, { id: 1, legs: 0 });
  changes[0]!.respond();
  await cache.settle();
  // Its response does not show the others.
  assert.equal([cache.dataOf('list'), sent], [[{ id: 1, legs: 1 }, { id: 12, legs: 2 }], []]);
  changes[1]!.fail(409);
  await cache.settle();
  stored.set(12, { id: 12, legs: 2 });
  changes[2]!.respond();
  await Promise.all(feeds);
  await cache.settle();
  assert.equal(sent.sort(), ['GET /pet', 'GET /pet', 'GET /pet/1', 'GET /pet/12']);
  assert.equal([cache.dataOf('list'), cache.dataOf('pet 1')], [[{ id: 1, legs: 0 }, { id: 12, legs: 2 }], { id: 1, legs: 0 }]);
});
rivals('options that a component makes at each rendering count together', async () => {
  const { q, cache, changes, sent } = makeShown();
  const again = makeShown().q;
  const ended = [q, again].map((each) => each('/pet').update({ optimistic: true }).mutationFn([1, {}], { client: cache }));
  await cache.settle();
  changes[0]!.respond();
  await cache.settle();
  assert.equal(sent, ['PUT /pet/1']);
  void ended;
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
for (const broken of ['cancelQueries', 'invalidateQueries'] as const) {
  rivals(`after ${broken} has thrown, the next change refreshes`, async () => {
    const { q, cache, changes, sent } = makeShown();
    const works = cache[broken];
    const errors = await captureUnhandled(async () => {
      for (const method of [boom, works]) {
        cache[broken] = method as typeof works;
        const ended = q('/pet').create().mutationFn([{}], { client: cache });
        await cache.settle();
        changes.pop()!.respond('7');
        assert.is(await ended, '7');
        await cache.settle();
      }
    });
    assert.equal([errors.length, sent], [1, ['POST /pet', 'POST /pet', 'GET /pet', 'GET /pet']]);
  });
}
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
rivals('a change that begins during a refresh is shown until it ends', async () => {
  const { q, cache, changes, stored } = makeShown();
  const list = defer<Pet[]>();
  cache.entries = [];
  let reads = 0;
  cache.add('list', { queryKey: q('/pet').list().queryKey, queryFn: async () => (reads += 1) === 1 ? list.promise : [...stored.values()] }, [one]);
  const first = q('/pet').create().mutationFn([{}], { client: cache });
  await cache.settle();
  changes.pop()!.respond('1');
  await first;
  // A refresh reads the list. Meanwhile something is stale again, and a change begins.
  const second = q('/pet').update({ optimistic: true }).mutationFn([1, { legs: 3 }], { client: cache });
  const third = q('/pet').create().mutationFn([{}], { client: cache });
  await cache.settle();
  changes.find(({ request }) => request === 'POST /pet')!.respond('2');
  await third;
  list.resolve([one]);
  await cache.settle();
  assert.equal([cache.dataOf('list'), reads], [[three], 1]);
  stored.set(1, three);
  changes.find(({ request }) => request === 'PUT /pet/1')!.respond();
  await second;
  await cache.settle();
  assert.equal([cache.dataOf('list'), reads], [[three, twelve], 2]);
});
rivals('a first load that is on its way begins again: it may have been read before the change', async () => {
  const { q, cache, changes } = makeShown();
  const [stale, fresh] = [defer<string[]>(), defer<string[]>()];
  let reads = 0;
  cache.add('new', { queryKey: q('/pet').list({ query: { legs: 4 } }).queryKey, queryFn: async () => (reads += 1) === 1 ? stale.promise : fresh.promise });
  const ended = q('/pet').create().mutationFn([{}], { client: cache });
  await cache.settle();
  changes[0]!.respond('7');
  await ended;
  await cache.settle();
  stale.resolve(['old']);
  fresh.resolve(['new']);
  await cache.settle();
  assert.equal([cache.dataOf('new'), reads], [['new'], 2]);
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
