// As in Fastify's guide to TypeScript: the types of body and parameters are given to each route.
import fastify from 'fastify';

const server = fastify();
const schema = { body: { type: 'object', required: ['name'] } };
// each
interface Pet_N { readonly name: string; readonly legs_N: number }
function asPet_N(value: unknown): Pet_N {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('legs_N' in value)) throw new TypeError('a pet');
  const { name, legs_N } = value;
  if (typeof name !== 'string' || typeof legs_N !== 'number') throw new TypeError('a pet');
  return { name, legs_N };
}
const pets_N = new Map<number, Pet_N>();
server.post<{ Body: Pet_N }>('/v1/pet_N', { schema }, async (request, reply) => {
  pets_N.set(1, asPet_N(request.body));
  return reply.code(201).send('1');
});
server.get<{ Params: { id: number } }>('/v1/pet_N/:id', async (request) => {
  return pets_N.get(request.params.id) ?? { name: '', legs_N: 0 };
});
server.put<{ Body: Pet_N; Params: { id: number } }>('/v1/pet_N/:id', { schema }, async (request, reply) => {
  pets_N.set(request.params.id, asPet_N(request.body));
  return reply.code(204).send();
});
server.delete<{ Params: { id: number } }>('/v1/pet_N/:id', async (request, reply) => {
  pets_N.delete(request.params.id);
  return reply.code(204).send();
});
server.post<{ Body: Pet_N }>('/v1/pet_N/feed', { schema }, async (request) => ({ fed: request.body.name }));
// end
