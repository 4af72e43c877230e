/** O24: Named operations with `method`. Compiling this file is the test. */
import { client, type ResultOf } from '../../src/client/index.ts';
import { ApiServer, type ApiRequest, defineEndpoint, integerId, type StandardSchemaV1 } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { decodePet, petSchema, portionSchema, same, type Pet } from './schemas.ts';

interface Place {
  readonly city: string;
}
declare const placeSchema: StandardSchemaV1<Place, Place>;
const server = new ApiServer('');

const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    custom: {
      nearest: {
        method: 'GET', query: placeSchema, etag: 'body', cache: { maxAgeSeconds: 1 }, run: ({ query }) => ({ near: query.city, is: same<typeof query, Place>(true) }),
      },
      count: { method: 'GET', run: (request) => (same<typeof request, ApiRequest>(true) ? 1 : 0) },
      oldest: { method: 'GET', use: pages({ cursor: (pet: Pet) => pet.name, envelope: true }), run: ({ page }): Pet[] => (page.take > 1 ? [] : []) },
      feed: { method: 'POST', input: portionSchema, run: ({ grams }) => grams },
    },
    itemCustom: {
      visits: { method: 'GET', run: (id) => ({ id, is: same<typeof id, number>(true) }) },
    },
  }),
});

type Api = typeof api;
const pets = client<Api>('http://localhost')('/pet');
same<ResultOf<Api, '/pet', 'custom.nearest'>['near'], string>(true);
const near = await pets.custom.nearest.get({ query: { city: 'Utrecht' } });
same<typeof near.near, string>(true);
const count = await pets.custom.count.get();
same<typeof count, 0 | 1>(true);
const { items } = await pets.custom.oldest.get({ query: { limit: 2 } });
same<typeof items, { name: string; legs: number }[]>(true);
const fed = await pets.custom.feed({ grams: '2' });
same<typeof fed, number>(true);
const visits = await pets.itemCustom.visits.get(1, { safe: true });
if (visits.ok) same<typeof visits.value.id, number>(true);

// @ts-expect-error it is called by its method
pets.custom.nearest({ query: { city: 'Utrecht' } });
// @ts-expect-error the query is required
pets.custom.nearest.get();
// @ts-expect-error a GET has no body
pets.custom.count.get({ city: 'Utrecht' });
// @ts-expect-error a POST is called by its name
pets.custom.feed.get();
// @ts-expect-error the id comes first
pets.itemCustom.visits.get();

// @ts-expect-error a GET has no body
defineEndpoint({ custom: { nearest: { method: 'GET', input: decodePet, run: () => 1 } } });
// @ts-expect-error the same of an item
defineEndpoint({ id: integerId, itemCustom: { visits: { method: 'GET', input: decodePet, run: () => 1 } } });
// @ts-expect-error named operations have no other methods
defineEndpoint({ custom: { nearest: { method: 'QUERY', run: () => 1 } } });
// @ts-expect-error methods are in capitals
defineEndpoint({ custom: { nearest: { method: 'get', run: () => 1 } } });
// @ts-expect-error the method of a get is fixed
defineEndpoint({ id: integerId, get: { method: 'GET', run: () => 1 } });
// @ts-expect-error a POST is not cached
defineEndpoint({ custom: { count: { method: 'POST', cache: { maxAgeSeconds: 1 }, run: () => 1 } } });
// @ts-expect-error without a method it is a POST
defineEndpoint({ custom: { count: { etag: 'body', run: () => 1 } } });
// @ts-expect-error a result that JSON does not have
defineEndpoint({ custom: { count: { method: 'GET', run: () => 1n } } });
