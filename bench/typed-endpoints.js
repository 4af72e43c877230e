/**
 * TypeScript sources with many endpoints, the same for each contender: an integer id, a body of a name and a number that a
 * function checks, and Create, Get, Update, Delete and one Custom operation.
 */
import { TYPED_MODULE } from './library.js';

const SHAPE = (index) => `
interface Pet${index} { readonly name: string; readonly legs${index}: number }
function asPet${index}(value: unknown): Pet${index} {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('legs${index}' in value)) throw new TypeError('a pet');
  const { name, legs${index} } = value;
  if (typeof name !== 'string' || typeof legs${index} !== 'number') throw new TypeError('a pet');
  return { name, legs${index} };
}
const pets${index} = new Map<number, Pet${index}>();`;

const repeat = (count, write) => Array.from({ length: count }, (_, index) => write(index)).join('\n');

const restpoint = (index) => `${SHAPE(index)}
server.registerEndpoint('/pet${index}', defineEndpoint({
  id: integerId,
  schema: asPet${index},
  create: (pet) => { pets${index}.set(1, pet); return 1; },
  get: (id) => pets${index}.get(id) ?? { name: '', legs${index}: 0 },
  update: (id, pet) => { pets${index}.set(id, pet); },
  delete: (id) => { pets${index}.delete(id); },
  custom: { feed: { input: asPet${index}, run: (pet) => ({ fed: pet.name }) } },
}));`;

// As in Hono's guide to validation: the validator of the body comes before the handler, and routes are chained.
const hono = (index) => `
  .post('/v1/pet${index}', validator('json', asPet${index}), (c) => { pets${index}.set(1, c.req.valid('json')); return c.text('1', 201); })
  .get('/v1/pet${index}/:id', (c) => c.json(pets${index}.get(Number(c.req.param('id'))) ?? { name: '', legs${index}: 0 }))
  .put('/v1/pet${index}/:id', validator('json', asPet${index}), (c) => { pets${index}.set(Number(c.req.param('id')), c.req.valid('json')); return c.body(null, 204); })
  .delete('/v1/pet${index}/:id', (c) => { pets${index}.delete(Number(c.req.param('id'))); return c.body(null, 204); })
  .post('/v1/pet${index}/feed', validator('json', asPet${index}), (c) => c.json({ fed: c.req.valid('json').name }))`;

// As in Fastify's guide to TypeScript: the types of body and parameters are given to each route.
const fastifySource = (index) => `${SHAPE(index)}
server.post<{ Body: Pet${index} }>('/v1/pet${index}', { schema }, async (request, reply) => { pets${index}.set(1, asPet${index}(request.body)); return reply.code(201).send('1'); });
server.get<{ Params: { id: number } }>('/v1/pet${index}/:id', async (request) => pets${index}.get(request.params.id) ?? { name: '', legs${index}: 0 });
server.put<{ Body: Pet${index}; Params: { id: number } }>('/v1/pet${index}/:id', { schema }, async (request, reply) => { pets${index}.set(request.params.id, asPet${index}(request.body)); return reply.code(204).send(); });
server.delete<{ Params: { id: number } }>('/v1/pet${index}/:id', async (request, reply) => { pets${index}.delete(request.params.id); return reply.code(204).send(); });
server.post<{ Body: Pet${index} }>('/v1/pet${index}/feed', { schema }, async (request) => ({ fed: request.body.name }));`;

export const TYPED = {
  restpoint: (count) => `import { ApiServer, defineEndpoint, integerId } from '${TYPED_MODULE}';
const server = new ApiServer('/v1');
${repeat(count, restpoint)}`,
  hono: (count) => `import { Hono } from 'hono';
import { validator } from 'hono/validator';
${repeat(count, SHAPE)}
export const app = new Hono()${repeat(count, hono)};`,
  fastify: (count) => `import fastify from 'fastify';
const server = fastify();
const schema = { body: { type: 'object', required: ['name'] } };
${repeat(count, fastifySource)}`,
};
