/** S7: `cache` and `etag` of operations that read. Compiling this file is the test. */
import { defineEndpoint, integerId, type ApiRequest, type ApiServer, type CacheOptions } from '../../src/index.ts';
import { client } from '../../src/client/index.ts';
import { petSchema, same, type Pet } from './schemas.ts';

declare const pets: Map<number, Pet>;
declare const server: ApiServer;
const cache: CacheOptions = { maxAgeSeconds: 60 };

const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    list: { cache: { maxAgeSeconds: 60, scope: 'public', staleWhileRevalidateSeconds: 600, vary: ['Accept-Language'] }, etag: 'body', run: () => [...pets.values()] },
    get: { cache, etag: 'body', run: (id, request) => (same<typeof request, ApiRequest<undefined, {}, URLSearchParams, number>>(true), pets.get(id)) },
  }),
});
const calls = client<typeof api>('http://127.0.0.1');
export async function readPets(): Promise<void> {
  const pet = await calls('/pet').get(7);
  same<typeof pet.legs, number>(true);
  const { etag } = await calls('/pet').list({ safe: true }) as { etag?: string };
  same<typeof etag, string | undefined>(true);
}

// @ts-expect-error a delete
defineEndpoint({ id: integerId, delete: { cache, run: (id) => pets.delete(id) } });
// @ts-expect-error a create
defineEndpoint({ id: integerId, schema: petSchema, create: { etag: 'body', run: (pet) => pet.legs } });
// @ts-expect-error an operation with a name
defineEndpoint({ id: integerId, custom: { count: { cache, run: () => pets.size } } });
// @ts-expect-error an operation of an item
defineEndpoint({ id: integerId, itemCustom: { count: { etag: 'body', run: (id) => id } } });
// @ts-expect-error without how long
defineEndpoint({ id: integerId, list: { cache: {}, run: () => [1] } });
// @ts-expect-error a misspelt option
defineEndpoint({ id: integerId, list: { cache: { maxAgeSeconds: 60, maxAge: 60 }, run: () => [1] } });
// @ts-expect-error a scope that there is not
defineEndpoint({ id: integerId, list: { cache: { maxAgeSeconds: 60, scope: 'shared' }, run: () => [1] } });
// @ts-expect-error a tag of something else
defineEndpoint({ id: integerId, list: { etag: 'weak', run: () => [1] } });
