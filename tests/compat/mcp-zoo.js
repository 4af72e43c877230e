/** A server whose operations are tools of each kind, for clients of the Model Context Protocol. */
import { ApiError, ApiServer, bytes, integerId } from '../../dist/index.js';
import { bearer } from '../../dist/auth/index.js';
import { pages } from '../../dist/interceptors/index.js';
import { mcpHandler } from '../../dist/mcp/index.js';
import { z } from 'zod';

export const INFO = { name: 'zoo', version: '1' };
export const TOOLS = [
  'petCreate', 'petDelete', 'petGet', 'petItemWake', 'petList', 'petPatch', 'petPhoto', 'petSearch', 'petUpdate',
];

const Owner = z.object({ name: z.string(), phone: z.string().optional() });
const Pet = z.object({
  name: z.string().min(1), kind: z.enum(['ant', 'dog']).optional(), owner: Owner.nullable().optional(), tags: z.array(z.string()).optional(),
});

/** A zoo with pet 1. `onRequest` gets each request of a client. */
export function mcpZoo(onRequest = () => {}) {
  const pets = new Map([[1, { name: 'Rex' }]]);
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.use((request, response, next) => {
    onRequest(request);
    next();
  });
  const keeper = bearer((token) => token === 'secret' || undefined);
  server.registerEndpoint('/pet', {
    id: integerId,
    schema: Pet,
    version: ({ name }) => name,
    get: { tool: true, run: (id) => pets.get(id) },
    list: {
      tool: true, output: z.array(Pet), use: pages({ cursor: ({ name }) => name }),
      run: ({ page: { take } }) => [...pets.values()].slice(0, take),
    },
    create: { tool: { description: 'Adds a pet.' }, context: keeper, run: (pet) => pets.set(pets.size + 1, pet).size },
    update: { tool: true, context: keeper, run: (id, pet) => pets.has(id) && pets.set(id, pet) },
    patch: { tool: true, context: keeper, input: Pet.partial(), run: (id, change) => pets.has(id) && pets.set(id, { ...pets.get(id), ...change }) },
    delete: { tool: true, context: keeper, run: (id) => pets.delete(id) },
    custom: {
      photo: { tool: true, context: keeper, input: bytes({ types: ['image/png'] }), output: z.null(), run: () => null },
      search: { tool: true, input: Pet.pick({ name: true }), output: z.array(Pet), run: ({ name }) => [...pets.values()].filter((pet) => pet.name === name) },
    },
    itemCustom: {
      wake: { tool: true, output: z.object({}), run: () => { throw ApiError.status(409, 'It is asleep.'); } },
      secret: { run: () => 'no tool' },
    },
  });
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
  return server;
}
