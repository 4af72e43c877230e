/** Keys and requests of reads, what a change makes stale, and what is not an id, a key or a cache. */
import { integerId, wildcardId } from '../../src/client/index.ts';
import { FakeCache, makeQueried } from '../support/fake-cache.ts';
import { assert, suite } from '../support/facts.ts';

const DATE = new Date(0);
const zoo = { zoo: 3 };

const keys = suite('queries: the key and the request of a read');
for (const [what, read, key, request] of [
  ['an item', (q) => q('/pet').get(7), ['/pet', 'get', '/pet/7', ''], 'GET /pet/7'],
  ['an item by a string', (q) => q('/pet').get('7'), ['/pet', 'get', '/pet/7', ''], 'GET /pet/7'],
  ['an id with reserved characters', (q) => q('/pet').get('a/b?c%d é'), ['/pet', 'get', '/pet/a%2Fb%3Fc%25d%20%C3%A9', ''], 'GET /pet/a%2Fb%3Fc%25d%20%C3%A9'],
  ['an id of a wildcard', (q) => q('/file', {}, { id: wildcardId }).get('a b/c'), ['/file', 'get', '/file/a%20b/c', ''], 'GET /file/a%20b/c'],
  ['a list', (q) => q('/pet').list(), ['/pet', 'list', '/pet', ''], 'GET /pet'],
  ['a query, in one order', (q) => q('/pet').list({ query: { b: [2, 1], a: 'ü&' } }),
    ['/pet', 'list', '/pet', '?a=%C3%BC%26&b=2&b=1'], 'GET /pet?b=2&b=1&a=%C3%BC%26'],
  ['a query of values that JSON lacks', (q) => q('/pet').list({ query: { big: 2n ** 64n, date: DATE, none: undefined } }),
    ['/pet', 'list', '/pet', '?big=18446744073709551616&date=1970-01-01T00%3A00%3A00.000Z'], 'GET /pet?big=18446744073709551616&date=1970-01-01T00%3A00%3A00.000Z'],
  ['a named read', (q) => q('/pet').custom.nearest.get({ query: { x: 1 } }), ['/pet', 'custom', '/pet', 'nearest?x=1'], 'GET /pet/nearest?x=1'],
  ['a named read of an item', (q) => q('/pet').itemCustom.visits.get(7), ['/pet', 'itemCustom', '/pet/7', 'visits'], 'GET /pet/7/visits'],
  ['a path with a parameter', (q) => q('/zoo/:zoo/pet', zoo).get(7), ['/zoo/3/pet', 'get', '/zoo/3/pet/7', ''], 'GET /zoo/3/pet/7'],
  ['a singleton', (q) => q.one('/settings').get(), ['/settings', 'get', '/settings', ''], 'GET /settings'],
  ['a path with a slash at its end', (q) => q('/log/').list(), ['/log', 'list', '/log', ''], 'GET /log/'],
  ['a singleton at the root', (q) => q.one('/').get(), ['', 'get', '', ''], 'GET '],
  ['pages', (q) => q('/pet').pages({ query: { limit: 3 } }), ['/pet', 'pages', '/pet', '?limit=3'], 'GET /pet?limit=3'],
] as readonly (readonly [string, (q: any) => any, unknown, string])[]) {
  keys(`${what}: ${JSON.stringify(key)}`, async () => {
    for (const [base, name] of [['http://zoo/v1', ''], ['/v1/', 'a']]) {
      const { q, sent } = makeQueried(undefined, { base: base!, name: name! });
      const { queryKey, queryFn, ...rest } = read(q);
      assert.equal(queryKey, [`${name}${(key as string[])[0]}`, (key as string[])[1], `${name}${(key as string[])[2]}`, ...(key as string[]).slice(3)]);
      await queryFn({});
      assert.equal(sent, [request]);
      assert.is('enabled' in rest, false);
    }
  });
}
keys('the beginning of all keys', () => {
  assert.equal([makeQueried().q('/pet').key, makeQueried(undefined, { name: 'a' }).q('/zoo/:zoo/pet', zoo).key], [['/pet'], ['a/zoo/3/pet']]);
});
keys('an item without an id is not enabled', async () => {
  for (const [read, key] of [
    [(q: any) => q('/pet').get(undefined), ['/pet', 'get', '/pet/', '']],
    [(q: any) => q('/pet').itemCustom.visits.get(undefined), ['/pet', 'itemCustom', '/pet/', 'visits']],
  ] as const) {
    const { queryKey, enabled } = read(makeQueried().q);
    assert.equal([queryKey, enabled], [key, false]);
  }
});
for (const id of ['', '.', '..', '\ud800', null, {}]) {
  keys(`an id that no path can have, ${JSON.stringify(id)}, rejects when it is read, and not while a component renders`, async () => {
    const { q, sent } = makeQueried();
    const { queryKey, queryFn, enabled } = q('/pet').get(id);
    assert.equal([queryKey[2], enabled], ['/pet/', undefined]);
    const error = await queryFn().catch((reason: unknown) => reason);
    assert.instance(error, TypeError);
    assert.equal(sent, []);
  });
}
keys('the options of a call are sent, and its signal ends the request as that of the library does', async () => {
  const { q } = makeQueried();
  const own = AbortSignal.abort('own');
  const given = AbortSignal.abort('given');
  const { signal } = new AbortController();
  const read = q('/pet').get(1, { signal: own });
  const pages = q('/pet').pages({ signal: own });
  const reasons = [read.queryFn(), read.queryFn({ signal }), q('/pet').get(1, { signal }).queryFn({ signal: given }), pages.queryFn({ signal }), pages.queryFn({})];
  assert.equal(await Promise.all(reasons.map((promise) => promise.catch((reason: unknown) => reason))), ['own', 'own', 'given', 'own', 'own']);
});
keys('the pages of a list follow its links, also after the first was kept as JSON', async () => {
  const { q, sent } = makeQueried((request) => Response.json([1], request.includes('after') ? {} : { headers: { Link: '</v1/pet?after=2>; rel=next, </v1/pet?before=1>; rel=prev' } }));
  const { initialPageParam, queryFn, getNextPageParam, getPreviousPageParam } = q('/pet').pages({ query: { big: 2n } });
  const first = await queryFn({ pageParam: initialPageParam });
  await queryFn({ pageParam: JSON.parse(JSON.stringify([initialPageParam]))[0] });
  await queryFn({ pageParam: getNextPageParam(first) });
  assert.equal(getPreviousPageParam(first), { before: '1' });
  assert.equal(sent, ['GET /pet?big=2', 'GET /pet?big=2', 'GET /pet?after=2']);
});
keys('names of operations that JavaScript itself calls are not operations', () => {
  const { custom } = makeQueried().q('/pet');
  assert.equal([custom.then, custom[Symbol.iterator], typeof custom.constructor, typeof custom.toString.get], [undefined, undefined, 'function', 'function']);
});
keys('mutation keys are the endpoint and the change', () => {
  const { q } = makeQueried();
  assert.equal([q('/pet').create().mutationKey, q('/pet').custom.reset().mutationKey, q('/pet').itemCustom.feed().mutationKey],
    [['/pet', 'create'], ['/pet', 'custom', 'reset'], ['/pet', 'itemCustom', 'feed']]);
});

// ---- What a change makes stale.

const SHOWN: Readonly<Record<string, (q: any) => { queryKey: readonly unknown[] }>> = {
  list: (q) => q('/pet').list(), 'list ?legs=4': (q) => q('/pet').list({ query: { legs: 4 } }), pages: (q) => q('/pet').pages(),
  nearest: (q) => q('/pet').custom.nearest.get(), 'pet 1': (q) => q('/pet').get(1), 'visits 1': (q) => q('/pet').itemCustom.visits.get(1),
  'pet 12': (q) => q('/pet').get(12), 'visits 12': (q) => q('/pet').itemCustom.visits.get(12), 'no pet': (q) => q('/pet').get(undefined),
  'toys of 1': (q) => q('/pet/:pet/toy', { pet: 1 }).list(), 'toys of 12': (q) => q('/pet/:pet/toy', { pet: 12 }).list(),
  pets: (q) => q('/pets').list(), petition: (q) => q('/petition').list(), zoos: (q) => q('/zoo').list(), 'zoo 3': (q) => q('/zoo').get(3), 'zoo 4': (q) => q('/zoo').get(4),
  'pets of 3': (q) => q('/zoo/:zoo/pet', zoo).list(), 'pet 7 of 3': (q) => q('/zoo/:zoo/pet', zoo).get(7), 'pet 8 of 3': (q) => q('/zoo/:zoo/pet', zoo).get(8),
  'pets of 4': (q) => q('/zoo/:zoo/pet', { zoo: 4 }).list(), settings: (q) => q.one('/settings').get(), theme: (q) => q.one('/settings').custom.theme.get(),
  root: (q) => q.one('/').get(), 'log 1': (q) => q('/log/').get(1), logs: (q) => q('/log/').list(), file: (q) => q('/file', {}, { id: wildcardId }).get('a'), 'file below': (q) => q('/file', {}, { id: wildcardId }).get('a/b'),
  todos: () => ({ queryKey: ['todos'] }), strange: () => ({ queryKey: [Object.create(null), 1, Object.create(null)] }), flat: () => ({ queryKey: ['/pet', 'list', 7] }),
};
const LISTS = 'list, list ?legs=4, pages, nearest';
const OF_1 = `${LISTS}, pet 1, visits 1, toys of 1, root`;
const stale = suite('queries: what a change makes stale');
for (const [what, change, args, expected, removed = ''] of [
  ['create', (q) => q('/pet').create(), [{}], `${LISTS}, no pet, root`],
  ['update', (q) => q('/pet').update(), [1, {}], OF_1],
  ['patch', (q) => q('/pet').patch(), ['1', {}], OF_1],
  ['edit', (q) => q('/pet').edit(), [1, () => undefined], OF_1],
  ['a named change of an item', (q) => q('/pet').itemCustom.feed(), [1], OF_1],
  ['delete', (q) => q('/pet').delete(), [1], `${LISTS}, root`, 'pet 1, visits 1, toys of 1'],
  ['a named change', (q) => q('/pet').custom.reset(), [], `${LISTS}, pet 1, visits 1, pet 12, visits 12, no pet, toys of 1, toys of 12, root`],
  ['a change below a parent', (q) => q('/zoo/:zoo/pet', zoo).update(), [7, {}], 'zoos, zoo 3, pets of 3, pet 7 of 3, root'],
  ['a new item below a parent', (q) => q('/zoo/:zoo/pet', zoo).create(), [{}], 'zoos, zoo 3, pets of 3, root'],
  ['a deleted parent', (q) => q('/zoo').delete(), [3], 'zoos, root', 'zoo 3, pets of 3, pet 7 of 3, pet 8 of 3'],
  ['below a slash at the end', (q) => q('/log/').update(), [1, {}], 'root, log 1, logs'],
  ['a singleton', (q) => q.one('/settings').update(), [{}], 'settings, theme, root'],
  ['a deleted singleton', (q) => q.one('/settings').delete(), [], 'root', 'settings, theme'],
  ['a deleted item of a wildcard', (q) => q('/file', {}, { id: wildcardId }).delete(), ['a'], 'root, file below', 'file'],
] as readonly (readonly [string, (q: any) => any, unknown[], string, string?])[]) {
  for (const name of ['', 'a']) {
    stale(`${what}: ${expected}${name && ', with a name'}`, async () => {
      const { q, cache } = makeQueried((request) => (request.startsWith('GET') ? {} : new Response(null, { status: 204 })), { name });
      for (const [each, read] of Object.entries(SHOWN)) cache.add(each, { queryKey: read(q).queryKey }, {});
      await change(q).mutationFn(args, { client: cache });
      assert.equal(cache.log,
        [...(removed ? removed.split(', ').map((each) => `remove ${each}`) : []), ...expected.split(', ').map((each) => `invalidate ${each}`)]);
    });
  }
}
for (const [what, respond] of [
  ['an error', () => new Response(null, { status: 500 })], ['a lost connection', () => { throw new TypeError('lost'); }],
] as const) {
  stale(`a change with ${what} refreshes the same, and removes nothing: it may have been made`, async () => {
    const { q, cache } = makeQueried(respond);
    for (const each of ['list', 'pet 1', 'pet 12', 'pets']) cache.add(each, { queryKey: SHOWN[each]!(q).queryKey }, {});
    assert.instance(await q('/pet').delete().mutationFn([1], { client: cache }).catch((error: unknown) => error), Error);
    assert.equal(cache.log, ['invalidate list', 'invalidate pet 1']);
  });
}
for (const [also, change, expected] of [
  [{ '/zoo/:zoo/pet': ['/pet', '/report.+(x)'] }, (q) => q('/zoo/:zoo/pet', zoo).create(), 'list, pet 1, pets of 3, zoos, report'],
  [{ '/pet': ['/zoo/:zoo/pet'] }, (q) => q('/pet').create(), 'list, pets of 3'],
  // A circle: each makes the other stale, and no more.
  [{ '/pet': ['/zoo/:zoo/pet'], '/zoo/:zoo/pet': ['/pet'] }, (q) => q('/pet').create(), 'list, pets of 3'],
  [{ '/pets': ['/pet'] }, (q) => q('/pet').create(), 'list'],
] as readonly (readonly [any, (q: any) => any, string])[]) {
  for (const name of ['', 'a.b']) {
    stale(`also ${JSON.stringify(also)}: ${expected}${name && ', with a name'}`, async () => {
      const { q, cache } = makeQueried(() => new Response(null, { status: 204 }), { also, name });
      for (const each of ['list', 'pet 1', 'pets', 'petition', 'pets of 3', 'zoos']) cache.add(each, { queryKey: SHOWN[each]!(q).queryKey }, {});
      cache.add('report', { queryKey: q('/report.+(x)').list().queryKey }, {});
      await change(q).mutationFn([{}], { client: cache });
      assert.equal(cache.log.map((line) => line.replace('invalidate ', '')).sort(), expected.split(', ').sort());
    });
  }
}
stale('a change without a cache is not sent', async () => {
  const { q, sent } = makeQueried();
  for (const args of [[[{}]], [[{}], {}], [[{}], { signal: undefined }]]) {
    const error = await q('/pet').create().mutationFn(...args).catch((reason: unknown) => reason);
    assert.instance(error, TypeError);
    assert.is((error as Error).message, 'queries needs TanStack Query 5.89 or { client }');
  }
  assert.equal(sent, []);
});
stale('a change with an id that no path can have is not sent', async () => {
  const { q, sent, cache } = makeQueried();
  cache.add('list', { queryKey: q('/pet').list().queryKey }, {});
  assert.instance(await q('/pet').delete().mutationFn([undefined], { client: cache }).catch((error: unknown) => error), TypeError);
  assert.equal([sent, cache.log], [[], []]);
});
stale('the cache of the options replaces that of the library', async () => {
  const [own, given] = [new FakeCache(), new FakeCache()];
  const { q } = makeQueried(() => 1, { client: own });
  for (const cache of [own, given]) cache.add('list', { queryKey: q('/pet').list().queryKey }, {});
  await q('/pet').create().mutationFn([{}], { client: given });
  assert.equal([own.log, given.log], [['invalidate list'], []]);
});
stale('a change resolves to the result of its call, with all of its arguments', async () => {
  const { q, sent, cache } = makeQueried((_, body) => body, { ids: { '/pet': integerId } } as object);
  assert.equal(await q('/pet').itemCustom.feed().mutationFn([7, { grams: 20 }, { query: { fast: true } }], { client: cache }), { grams: 20 });
  assert.equal(sent, ['POST /pet/7/feed?fast=true']);
});
