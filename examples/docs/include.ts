import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const owners = new Map([[7, { name: 'Ann' }]]);
const pets = new Map([[1, { name: 'Rex', owner: 7, visits: ['a cold'] }]]);
const Include = z.string().regex(/^(?:owner|visits)(?:,(?:owner|visits))*$/, 'expected owner, visits').transform((names) => names.split(','));

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    get: {
      query: z.object({ include: Include.optional() }),
      output: z.object({ name: z.string(), owner: z.object({ name: z.string() }).optional(), visits: z.array(z.string()).optional() }),
      run: (id, { query: { include = [] } }) => {
        const pet = pets.get(id);
        return pet && {
          name: pet.name,
          ...(include.includes('owner') && { owner: owners.get(pet.owner) }),
          ...(include.includes('visits') && { visits: pet.visits }),
        };
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
