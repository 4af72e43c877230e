import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const Pet = z.object({ name: z.string().min(1), legs: z.int().min(0) });
const pets = new Map([[1, { name: 'Rex', legs: 4 }], [2, { name: 'Asp', legs: 0 }], [3, { name: 'Rex', legs: 4 }]]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    get: (id) => pets.get(id),
    patch: {
      input: Pet.partial(),
      run: (id, { name, legs }) => {
        const pet = pets.get(id);
        if (pet === undefined) throw ApiError.notFound();
        pets.set(id, { name: name ?? pet.name, legs: legs ?? pet.legs });
      },
    },
    itemCustom: {
      feed: {
        input: z.object({ grams: z.int().min(1) }),
        run: (id, { grams }) => ({ name: pets.get(id)?.name, eaten: grams }),
      },
    },
    custom: {
      count: () => ({ pets: pets.size }),
      search: {
        input: z.object({ names: z.array(z.string()).max(100), after: z.int().default(0), limit: z.int().min(1).max(100).default(20) }),
        output: z.object({ items: z.array(Pet.extend({ id: z.int() })), next: z.int().optional() }),
        run: ({ names, after, limit }) => {
          // In SQL: WHERE name = ANY ($1) AND id > $2 ORDER BY id LIMIT limit + 1
          const found = [...pets].map(([id, pet]) => ({ id, ...pet })).filter(({ id, name }) => names.includes(name) && id > after).slice(0, limit + 1);
          const items = found.slice(0, limit);
          return { items, next: found.length > limit ? items.at(-1)?.id : undefined };
        },
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
