/** `restpoint/queries` with the adapters of TanStack Query and SWR: all compile, and those of Vue, Solid and Svelte run. browser.js runs React's page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { QueryClient, useInfiniteQuery, useMutation, useQuery } from '@tanstack/vue-query';
import { build, stop } from 'esbuild';
import { compile, compileModule } from 'svelte/compiler';
import { effectScope, reactive } from 'vue';
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

/** The queries in Vue, without a page. */
function beginVue(pet, cache) {
  const scope = effectScope();
  const [one, list, edit, remove] = scope.run(() => [
    useQuery(pet.get(1), cache), useInfiniteQuery(pet.pages(), cache),
    useMutation(pet.edit({ optimistic: true }), cache), useMutation(pet.delete({ optimistic: true }), cache),
  ]).map(reactive);
  return { one: () => one, list: () => list, edit: () => edit, remove: () => remove, end: () => scope.stop() };
}

/** The `begin` of a program of `tanstack/`, as the bundler of a page compiles it. */
async function importBegin(file) {
  const compileSvelte = async ({ path }) => {
    const text = await readFile(path, 'utf8');
    const { js } = (path.endsWith('.js') ? compileModule : compile)(text, { filename: path, generate: 'client' });
    return { contents: js.code };
  };
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [fileURLToPath(new URL(`tanstack/${file}`, import.meta.url))], bundle: true, write: false, format: 'esm', platform: 'neutral',
    conditions: ['browser', 'svelte'], mainFields: ['browser', 'module', 'main'],
    plugins: [{ name: 'svelte', setup: ({ onLoad }) => onLoad({ filter: /\.svelte(\.js)?$/ }, compileSvelte) }],
  });
  return (await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)).begin;
}

async function checkAdapter(check, name, begin) {
  const server = startPets();
  // A change is held until it is released.
  let release;
  const fetch = async (url, init) => {
    if (!['GET', 'HEAD'].includes(init.method)) await new Promise((resolve) => (release = resolve));
    return server.fetch(url, init);
  };
  const pet = queries(client('http://localhost/v1', { fetch, ids: { '/pet': integerId } }))('/pet');
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { one, list, edit, remove, end } = begin(pet, cache);
  const names = () => list().data?.pages.flatMap(({ items }) => items).map((item) => item.name);
  try {
    await check(`${name}: a list loads more`, async () => {
      await shows(['Asp', 'Bo'], names);
      await list().fetchNextPage();
      await shows(['Asp', 'Bo', 'Cat'], names);
      assert.equal(list().hasNextPage, false);
    });
    await check(`${name}: a change is shown at once, in the item and in the list, and stays`, async () => {
      const saved = edit().mutateAsync([1, (item) => ({ ...item, name: 'Ant' })]);
      await shows(['Ant', 'Bo', 'Cat'], names);
      await shows('Ant', () => one().data?.name);
      await waitUntil(() => release !== undefined);
      release();
      await saved;
      await waitUntil(() => cache.isFetching() === 0);
      assert.deepEqual([names(), one().data.name], [['Ant', 'Bo', 'Cat'], 'Ant']);
    });
    await check(`${name}: a change that fails is taken back, with its status`, async () => {
      release = undefined;
      remove().mutate([2]);
      await shows(['Ant', 'Cat'], names);
      await waitUntil(() => release !== undefined);
      release();
      await shows(['Ant', 'Bo', 'Cat'], names);
      await shows(409, () => remove().error?.status);
    });
  } finally {
    end();
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
  await checkAdapter(check, 'Vue', beginVue);
  await checkAdapter(check, 'Solid', await importBegin('solid.js'));
  await checkAdapter(check, 'Svelte', await importBegin('svelte.svelte.js'));
  await stop();
});
