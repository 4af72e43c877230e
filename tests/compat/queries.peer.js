/** `restpoint/queries` with TanStack's own cache: the newest, and the oldest that gives mutations their cache. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { ApiServer, defineEndpoint, integerId } from '../../dist/index.js';
import { client } from '../../dist/client/index.js';
import { idempotent, memoryIdempotencyStore, pages } from '../../dist/interceptors/index.js';
import { merge, queries } from '../../dist/queries/index.js';
import { checking } from './checks.js';
import { waitUntil } from './until.js';

const require = createRequire(import.meta.url);
const CORES = [
  ['the newest', createRequire(require.resolve('@tanstack/react-query'))('@tanstack/query-core')],
  ['5.89', require('query-core-oldest')],
];
const any = (value) => value;

/** A promise, and its `resolve`. */
function defer() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

/** A server with two pets, and what was sent to it. `hold(request)` may return a promise that delays the response, or throw in place of it. */
function serve(hold = () => {}) {
  const pets = new Map([[1, { id: 1, legs: 4, meals: 0 }], [12, { id: 12, legs: 2, meals: 0 }]]);
  const versions = new Map();
  const sent = [];
  const aborted = [];
  let made = 0;
  const store = (id, pet) => (pets.set(id, { ...pet, id }), versions.set(id, (versions.get(id) ?? 0) + 1));
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId, list: () => [...pets.values()], get: (id) => pets.get(id), version: ({ id }) => versions.get(id) ?? 0, requireIfMatch: false,
      create: { input: any, use: idempotent(memoryIdempotencyStore()), run: (pet) => (store(made += 20, pet), made) },
      update: { input: any, run: (id, pet) => void store(id, pet) },
      delete: (id) => pets.delete(id),
    }),
  });
  const fetchHeld = async (url, init) => {
    const request = `${init.method} ${new URL(url).pathname.slice('/v1'.length)}`;
    sent.push(request);
    init.signal?.addEventListener('abort', () => aborted.push(request));
    const response = await server.fetch(url, init);
    await hold(request, init);
    return response;
  };
  const api = client('http://internal/v1', { fetch: fetchHeld });
  return { api, pets, store, sent, aborted, q: queries(api), page: queries(client('/v1', { fetch: (url, init) => fetchHeld(`http://internal${url}`, init) })), count: () => made / 20 };
}

/** A server with four cups, two in a page. Its responses wait while `held.isHeld`. */
function serveCups() {
  const cups = [1, 2, 3, 4].map((id) => ({ id, size: 10 }));
  const [sent, held] = [[], []];
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoints({
    '/cup': defineEndpoint({
      id: integerId,
      list: { use: pages({ cursor: ({ id }) => id, codec: integerId, default: 2 }), run: ({ page: { after = 0, take } }) => cups.filter(({ id }) => id > after).slice(0, take) },
      get: (id) => cups.find((cup) => cup.id === id),
    }),
  });
  const fetch = async (url, init) => {
    sent.push(url);
    const response = await server.fetch(url, init);
    if (held.isHeld) await new Promise((resolve) => held.push(resolve));
    return response;
  };
  return { cups, sent, held, cup: queries(client('http://internal/v1', { fetch, ids: { '/cup': integerId } }))('/cup') };
}

await checking('queries', async (check) => {
  for (const [version, { QueryClient, QueryObserver, InfiniteQueryObserver, MutationObserver, dehydrate, hydrate, notifyManager, onlineManager }] of CORES) {
    const makeCache = () => {
      const cache = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
      cache.mount();
      return cache;
    };
    const show = async (cache, read) => {
      const observer = new QueryObserver(cache, read);
      const leave = observer.subscribe(() => {});
      await waitUntil(() => !observer.getCurrentResult().isPending);
      return { leave, data: () => observer.getCurrentResult().data };
    };
    const mutate = (cache, options, ...args) => new MutationObserver(cache, options).mutate(args);

    await check(`${version}: an optimistic change is shown, taken back, and hides no rival`, async () => {
      const held = defer();
      const { q, store, sent } = serve((request) => (request.startsWith('PUT') ? held.promise.then(() => Promise.reject(new TypeError('lost'))) : undefined));
      const cache = makeCache();
      const pet = q('/pet');
      const [list, one] = [await show(cache, pet.list()), await show(cache, pet.get(1))];
      const ended = mutate(cache, pet.update({ optimistic: true }), 1, { legs: 3 }).catch((error) => error.message);
      await waitUntil(() => list.data()[0].legs === 3 && one.data().legs === 3);
      cache.setQueryData(pet.get(1).queryKey, { id: 1, legs: 9 });
      store(1, { legs: 9 });
      held.resolve();
      assert.match(await ended, /^lost/);
      await waitUntil(() => list.data()[0].legs === 9 && one.data().legs === 9);
      assert.deepEqual(sent.filter((request) => request.startsWith('GET')).sort(), ['GET /pet', 'GET /pet', 'GET /pet/1', 'GET /pet/1']);
      cache.clear();
    });
    await check(`${version}: many changes at once are followed by two refreshes`, async () => {
      const held = defer();
      const { q, sent } = serve((request) => (request.startsWith('PUT') ? held.promise : undefined));
      const cache = makeCache();
      const list = await show(cache, q('/pet').list());
      const ended = Array.from({ length: 20 }, (_, legs) => mutate(cache, q('/pet').update({ optimistic: true }), legs % 2 ? 1 : 12, { legs }));
      await waitUntil(() => sent.filter((request) => request.startsWith('PUT')).length === 20);
      held.resolve();
      await Promise.all(ended);
      await waitUntil(() => cache.isFetching() === 0);
      assert.deepEqual(sent.filter((request) => request.startsWith('GET')), ['GET /pet', 'GET /pet', 'GET /pet']);
      assert.deepEqual(list.data().map(({ legs }) => legs), [19, 18]);
      cache.clear();
    });
    await check(`${version}: a burst of 100 events is two refreshes, and none is cancelled`, async () => {
      const held = defer();
      let reads = 0;
      const { q, sent, aborted } = serve((request) => (request === 'GET /pet' && (reads += 1) === 2 ? held.promise : undefined));
      const cache = makeCache();
      await show(cache, q('/pet').list());
      await q('/pet').follow(cache, async function* () { for (let id = 1; id <= 100; id += 1) yield id; }, (id) => ({ id }));
      await waitUntil(() => reads === 2);
      held.resolve();
      await waitUntil(() => reads === 3 && cache.isFetching() === 0);
      assert.deepEqual([sent, aborted], [['GET /pet', 'GET /pet', 'GET /pet'], []]);
      cache.clear();
    });
    await check(`${version}: a first load that began before a change is followed by one more read`, async () => {
      const held = defer();
      let reads = 0;
      const { q } = serve((request) => (request === 'GET /pet' && (reads += 1) === 1 ? held.promise : undefined));
      const cache = makeCache();
      const shown = show(cache, q('/pet').list());
      await waitUntil(() => reads === 1);
      await mutate(cache, q('/pet').create(), { legs: 6 });
      held.resolve();
      const list = await shown;
      await waitUntil(() => cache.isFetching() === 0);
      assert.deepEqual([list.data().map(({ legs }) => legs), reads], [[4, 2, 6], 2]);
      cache.clear();
    });
    await check(`${version}: what a page renders never goes back, whichever response a change meets`, async () => {
      const held = [];
      const { q, pets } = serve((request) => (held.length < 9 && request === 'GET /pet' ? new Promise((resolve) => held.push(resolve)) : undefined));
      const cache = makeCache();
      const observer = new QueryObserver(cache, q('/pet').list());
      const rendered = [];
      const leave = observer.subscribe(notifyManager.batchCalls(() => rendered.push(observer.getCurrentResult().data?.[0].legs)));
      await waitUntil(() => held.length === 1);
      held.shift()();
      await waitUntil(() => cache.isFetching() === 0);
      // The first response is older than the change, the second one has it, and that of a rival.
      void cache.refetchQueries({ queryKey: q('/pet').key });
      await waitUntil(() => held.length === 1);
      await mutate(cache, q('/pet').update({ optimistic: (pet) => ({ ...pet, legs: pet.legs + 1 }) }), 1, { legs: 5 });
      held.shift()();
      await waitUntil(() => held.length === 1);
      held.shift()();
      await waitUntil(() => cache.isFetching() === 0);
      leave();
      assert.deepEqual([pets.get(1).legs, [...new Set(rendered)].filter((legs) => legs), rendered.at(-1), rendered.lastIndexOf(4) < rendered.indexOf(5)], [5, [4, 5], 5, true]);
      cache.clear();
    });
    for (const isFirst of [true, false]) {
      await check(`${version}: a next page that begins ${isFirst ? 'before' : 'during'} a refresh is shown, and then all are read again`, async () => {
        const { cup, cups, sent, held } = serveCups();
        const cache = makeCache();
        const observer = new InfiniteQueryObserver(cache, cup.pages());
        const leave = observer.subscribe(() => {});
        await waitUntil(() => observer.getCurrentResult().isSuccess);
        held.isHeld = true;
        cups[0].size = 11;
        const event = () => cup.follow(cache, async function* () { yield 1; }, (id) => ({ id }));
        if (!isFirst) {
          await event();
          await waitUntil(() => held.length === 1);
        }
        const more = observer.fetchNextPage();
        if (isFirst) await event();
        await waitUntil(() => held.length === (isFirst ? 1 : 2));
        held.isHeld = false;
        held.splice(0).forEach((release) => release());
        await more;
        await waitUntil(() => cache.isFetching() === 0 && sent.length >= (isFirst ? 4 : 5));
        assert.deepEqual(observer.getCurrentResult().data.pages.flatMap(({ items }) => items.map(({ size }) => size)), [11, 10, 10, 10]);
        leave();
        cache.clear();
      });
    }
    await check(`${version}: what a loader reads during a change is stale`, async () => {
      const held = defer();
      const { q } = serve((request) => (request === 'GET /pet' ? held.promise : undefined));
      const cache = makeCache();
      const loaded = cache.ensureQueryData(q('/pet').list());
      await mutate(cache, q('/pet').create(), { legs: 6 });
      held.resolve();
      assert.equal((await loaded).length, 2);
      const list = await show(cache, q('/pet').list());
      await waitUntil(() => list.data().length === 3);
      cache.clear();
    });
    await check(`${version}: a deleted item leaves the lists, and is not read again`, async () => {
      const { q, sent } = serve();
      const cache = makeCache();
      const list = await show(cache, q('/pet').list());
      await cache.prefetchQuery(q('/pet').get(1));
      await mutate(cache, { ...q('/pet').delete({ optimistic: true }), onSuccess: () => {} }, 1);
      await waitUntil(() => list.data().length === 1 && cache.isFetching() === 0);
      assert.deepEqual([cache.getQueryData(q('/pet').get(1).queryKey), sent], [undefined, ['GET /pet', 'GET /pet/1', 'DELETE /pet/1', 'GET /pet']]);
      cache.clear();
    });
    await check(`${version}: an edit of a form counts what a rival has saved`, async () => {
      const { q, store, pets } = serve();
      const cache = makeCache();
      const one = await show(cache, q('/pet').get(1));
      const seen = one.data();
      store(1, { ...seen, meals: 5 });
      await mutate(cache, q('/pet').edit({ optimistic: true }), 1, merge(seen, { legs: 3 }));
      assert.deepEqual(pets.get(1), { id: 1, legs: 3, meals: 5 });
      const conflict = await mutate(cache, q('/pet').edit(), 1, merge(seen, { legs: 1 })).catch((error) => error);
      assert.deepEqual([conflict.name, conflict.fields, conflict.newest.legs, pets.get(1).legs], ['ConflictError', ['legs'], 3, 3]);
      cache.clear();
    });
    await check(`${version}: a change made offline is sent once after a reload, with its key`, async () => {
      const keys = [];
      const { q, count } = serve((request, { headers }) => {
        keys.push(headers.get('idempotency-key'));
        if (keys.length < 3) throw new TypeError('lost');
      });
      const create = q('/pet').create();
      const load = () => {
        const cache = makeCache();
        cache.setMutationDefaults(create.mutationKey, { ...create, retry: 3, retryDelay: 1 });
        return cache;
      };
      onlineManager.setOnline(false);
      const before = load();
      mutate(before, { mutationKey: create.mutationKey }, { legs: 8 }, { idempotencyKey: 'k1' }).catch(() => {});
      await waitUntil(() => before.getMutationCache().getAll()[0]?.state.isPaused);
      const saved = JSON.stringify(dehydrate(before));
      before.clear();
      assert.deepEqual(keys, []);
      const after = load();
      hydrate(after, JSON.parse(saved));
      onlineManager.setOnline(true);
      await after.resumePausedMutations();
      await waitUntil(() => after.isMutating() === 0);
      assert.deepEqual([keys, count()], [['"k1"', '"k1"', '"k1"'], 1]);
      after.clear();
    });
    await check(`${version}: a page with a different base has what the server has read, pages too`, async () => {
      const { q, page, sent } = serve();
      const server = makeCache();
      await Promise.all([server.prefetchQuery(q('/pet').get(1)), server.prefetchInfiniteQuery(q('/pet').pages({ query: { limit: 5n } }))]);
      const cache = makeCache();
      hydrate(cache, JSON.parse(JSON.stringify(dehydrate(server))));
      const one = await show(cache, page('/pet').get(1));
      const observer = new InfiniteQueryObserver(cache, page('/pet').pages({ query: { limit: 5n } }));
      observer.subscribe(() => {});
      assert.deepEqual([one.data().legs, observer.getCurrentResult().data.pages[0].items.length, sent.length], [4, 2, 2]);
      await cache.invalidateQueries({ queryKey: page('/pet').key });
      assert.deepEqual([observer.getCurrentResult().data.pages.length, sent.length], [1, 4]);
      server.clear();
      cache.clear();
    });
    await check(`${version}: a request is aborted when the last component leaves`, async () => {
      const { q, aborted, sent } = serve(() => new Promise(() => {}));
      const cache = makeCache();
      const leave = new QueryObserver(cache, q('/pet').get(1)).subscribe(() => {});
      await waitUntil(() => sent.length === 1);
      leave();
      assert.deepEqual(aborted, ['GET /pet/1']);
      const { queryKey, enabled } = q('/pet').get(undefined);
      new QueryObserver(cache, { ...q('/pet').get(undefined) }).subscribe(() => {})();
      assert.deepEqual([queryKey[2], enabled, sent.length], ['/pet/', false, 1]);
      cache.clear();
    });
  }
});
