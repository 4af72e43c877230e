import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';

interface Pet {
  readonly name: string;
  readonly legs: number;
}

function decodePet(json: unknown): Pet {
  const { name, legs } = Object(json);
  if (typeof name !== 'string' || name === '') throw new Error('name: expected a string');
  if (!Number.isInteger(legs)) throw new Error('legs: expected an integer');
  return { name, legs };
}

function decodeFilter(query: unknown): (pet: Pet) => boolean {
  const { legs } = Object(query);
  if (legs === undefined) return () => true;
  if (!/^\d{1,3}$/.test(legs)) throw ApiError.argument('legs: expected a number');
  return (pet) => pet.legs === Number(legs);
}

const pets = new Map<number, Pet & { readonly chip?: string }>([[1, { name: 'Rex', legs: 4, chip: 'secret' }]]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: decodePet,
    list: { query: decodeFilter, output: (found: readonly unknown[]) => found.map(decodePet), run: ({ query }) => [...pets.values()].filter(query) },
    update: (id, pet) => pets.has(id) && pets.set(id, pet).size > 0,
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
