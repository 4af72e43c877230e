/** `restpoint/queries` with the adapters of TanStack Query and SWR: all compile, and Vue's runs. browser.js runs React's page. */
import assert from 'node:assert/strict';
import { QueryClient, useInfiniteQuery, useMutation, useQuery } from '@tanstack/vue-query';
import { effectScope } from 'vue';
import { client, integerId } from '../../dist/client/index.js';
import { ApiError, ApiServer, defineEndpoint } from '../../dist/index.js';
import { pages } from '../../dist/interceptors/index.js';
import { queries } from '../../dist/queries/index.js';
import { checking } from './checks.js';
import { compileByEach, compileRenamed, withProject } from './tanstack-page.js';
import { waitUntil } from './until.js';

function startPets() {
  const pets = new Map(['Asp', 'Bo', 'Cat'].map((name, at) => [at + 1, { id: at + 1, name }]));
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId,
      list: { use: pages({ cursor: ({ id }) => id, codec: integerId, default: 2 }), run: ({ page: { after = 0, take } }) => [...pets.values()].filter(({ id }) => id > after).slice(0, take) },
      get: (id) => pets.get(id),
      version: ({ name }) => name,
      update: { input: (pet) => pet, run: (id, { name }) => void pets.set(id, { id, name }) },
      delete: (id) => {
        if (id === 2) throw ApiError.status(409, 'It stays.');
        return pets.delete(id);
      },
    }),
  });
  return server;
}

/** Waits until a component shows this. */
async function shows(expected, read) {
  await waitUntil(() => JSON.stringify(read()) === JSON.stringify(expected), () => `${JSON.stringify(expected)}: it shows ${JSON.stringify(read())}`);
}

async function checkVue(check) {
  const server = startPets();
  // A change is held until it is released.
  let release;
  const fetch = async (url, init) => {
    if (!['GET', 'HEAD'].includes(init.method)) await new Promise((resolve) => (release = resolve));
    return server.fetch(url, init);
  };
  const pet = queries(client('http://localhost/v1', { fetch, ids: { '/pet': integerId } }))('/pet');
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const scope = effectScope();
  const [one, list, edit, remove] = scope.run(() => [
    useQuery(pet.get(1), cache), useInfiniteQuery(pet.pages(), cache),
    useMutation(pet.edit({ optimistic: true }), cache), useMutation(pet.delete({ optimistic: true }), cache),
  ]);
  const names = () => list.data.value?.pages.flatMap(({ items }) => items).map(({ name }) => name);
  try {
    await check('Vue: a list loads more', async () => {
      await shows(['Asp', 'Bo'], names);
      await list.fetchNextPage();
      await shows(['Asp', 'Bo', 'Cat'], names);
      assert.equal(list.hasNextPage.value, false);
    });
    await check('Vue: a change is shown at once, in the item and in the list, and stays', async () => {
      const saved = edit.mutateAsync([1, (item) => ({ ...item, name: 'Ant' })]);
      await shows(['Ant', 'Bo', 'Cat'], names);
      await shows('Ant', () => one.data.value?.name);
      await waitUntil(() => release !== undefined);
      release();
      await saved;
      await waitUntil(() => cache.isFetching() === 0);
      assert.deepEqual([names(), one.data.value.name], [['Ant', 'Bo', 'Cat'], 'Ant']);
    });
    await check('Vue: a change that fails is taken back, with its status', async () => {
      release = undefined;
      remove.mutate([2]);
      await shows(['Ant', 'Cat'], names);
      await waitUntil(() => release !== undefined);
      release();
      await shows(['Ant', 'Bo', 'Cat'], names);
      await shows(409, () => remove.error.value?.status);
    });
  } finally {
    scope.stop();
    cache.clear();
    await server.stop();
  }
}

await checking('queries', async (check) => {
  await withProject(async (folder) => {
    for (const [compiler, messages] of Object.entries(await compileByEach(folder))) {
      await check(`${compiler} accepts the page, its server, and the options in each adapter`, () => assert.deepEqual(messages, []));
    }
    await check('the page does not compile beside a server that has no meals', async () => {
      const messages = await compileRenamed(folder, 'meals', 'others');
      assert.ok(messages.some((message) => message.startsWith('page.tsx')), messages.join('\n'));
    });
  });
  await checkVue(check);
});
