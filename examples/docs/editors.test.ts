/** Eight clients that change one item at the same time. docs/versions.md explains it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { client } from 'restpoint/client';
import { z } from 'zod';

const Pet = z.object({ name: z.string(), meals: z.int() });
const pets = new Map([[1, { name: 'Rex', meals: 0, revision: 1 }]]);

const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    get: (id) => pets.get(id),
    version: ({ revision }) => revision,
    requireIfMatch: true,
    update: {
      input: Pet,
      run: (id, pet, { ifMatch }) => {
        const revision = pets.get(id)?.revision ?? 0;
        if (ifMatch !== '*' && !ifMatch?.includes(String(revision))) throw ApiError.status(412, 'The pet has changed.');
        pets.set(id, { ...pet, revision: revision + 1 });
      },
    },
  }),
});

test('eight keepers feed one pet at the same time, and no meal is lost', async () => {
  const keeper = client<typeof api>('http://localhost/v1', { fetch: server.fetch })('/pet');
  const feed = () => keeper.edit(1, (pet) => ({ ...pet, meals: pet.meals + 1 }));
  await Promise.all(Array.from({ length: 8 }, feed));
  assert.equal(pets.get(1)?.meals, 8);
});
