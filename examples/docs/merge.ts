import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { mergePatch } from 'restpoint/formats';
import { z } from 'zod';

const Pet = z.strictObject({ name: z.string(), color: z.string().optional() });
const pets = new Map<number, z.output<typeof Pet> & { id: number }>([[1, { id: 1, name: 'Rex', color: 'red' }]]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    get: (id) => pets.get(id),
    patch: {
      input: mergePatch(Pet),
      run: async (id, change) => {
        const row = pets.get(id);
        if (row === undefined) return false;
        const { id: _, ...pet } = row; // The strict schema rejects an id.
        pets.set(id, { id, ...await change(pet) });
        return true;
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
