/** Changes that are made offline, and sent once after the page was opened again. docs/react.md explains them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { dehydrate, type DehydratedState, hydrate, MutationObserver, onlineManager, QueryClient } from '@tanstack/react-query';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { client } from 'restpoint/client';
import { idempotent, memoryIdempotencyStore } from 'restpoint/interceptors';
import { queries } from 'restpoint/queries';
import { z } from 'zod';

const stored: string[] = [];
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    create: { use: idempotent(memoryIdempotencyStore()), input: z.object({ name: z.string() }), run: ({ name }) => stored.push(name) },
  }),
  '/pet/:pet/visit': defineEndpoint({
    params: { pet: integerId },
    id: integerId,
    create: {
      input: z.object({ reason: z.string() }),
      run: ({ reason }, { params }) => stored.push(`${params.pet}: ${reason}`),
    },
  }),
});

const keys: (string | null)[] = [];
/** The first response is lost. */
async function fetchOverBadNetwork(url: string, init: RequestInit) {
  keys.push(new Headers(init.headers).get('Idempotency-Key'));
  const response = await server.fetch(url, init);
  if (keys.length === 1) throw new TypeError('the connection is lost');
  return response;
}

const calls = queries(client<typeof api>('http://localhost/v1', { fetch: fetchOverBadNetwork, retries: 3 }));
const pet = calls('/pet');

/** The cache of a page. A stored change has no function: it takes the default of its key. */
function openPage() {
  const cache = new QueryClient();
  cache.setMutationDefaults(pet.create().mutationKey, pet.create());
  return cache;
}

test('a change that is made offline is sent once', async () => {
  onlineManager.setOnline(false);
  const before = openPage();
  const add = new MutationObserver(before, pet.create()); // In a component: useMutation(pet.create()).
  void add.mutate([{ name: 'Rex' }, { idempotencyKey: crypto.randomUUID() }]);
  await setImmediate();
  // When the user leaves.
  const saved = JSON.stringify(dehydrate(before));
  before.clear();

  const after = openPage();
  hydrate(after, JSON.parse(saved));
  assert.deepEqual(keys, []);
  onlineManager.setOnline(true);
  await after.resumePausedMutations();
  assert.deepEqual(stored, ['Rex']);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test('a change of a path with parameters, too', async () => {
  onlineManager.setOnline(false);
  const before = openPage();
  void new MutationObserver(before, calls('/pet/:pet/visit', { pet: 7 }).create()).mutate([{ reason: 'a cold' }]);
  await setImmediate();
  const saved: DehydratedState = JSON.parse(JSON.stringify(dehydrate(before)));
  before.clear();

  const after = openPage();
  for (const { mutationKey = [] } of saved.mutations) {
    const [, id] = /^\/pet\/(\d+)\/visit$/.exec(String(mutationKey[0])) ?? [];
    if (id) after.setMutationDefaults(mutationKey, calls('/pet/:pet/visit', { pet: Number(id) }).create());
  }
  hydrate(after, saved);
  onlineManager.setOnline(true);
  await after.resumePausedMutations();
  assert.deepEqual(stored, ['Rex', '7: a cold']);
  await server.stop();
});
