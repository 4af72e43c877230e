/** A change that is made offline, and sent once after the page was opened again. docs/react.md explains it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { dehydrate, hydrate, MutationObserver, onlineManager, QueryClient } from '@tanstack/react-query';
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
});

const keys: (string | null)[] = [];
/** The first response is lost. */
async function fetchOverBadNetwork(url: string, init: RequestInit) {
  keys.push(new Headers(init.headers).get('Idempotency-Key'));
  const response = await server.fetch(url, init);
  if (keys.length === 1) throw new TypeError('the connection is lost');
  return response;
}

const pet = queries(client<typeof api>('http://localhost/v1', { fetch: fetchOverBadNetwork, retries: 3 }))('/pet');

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
  await server.stop();
});
