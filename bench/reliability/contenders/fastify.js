/** The pets, served by Fastify 5 with a schema for the body and one for the id, and otherwise with its defaults. */
import fastify from 'fastify';
import { BODY_BYTES } from './pets.js';

const PET = {
  type: 'object',
  required: ['name', 'legs'],
  properties: { name: { type: 'string' }, legs: { type: 'number' } },
};
const ID = { type: 'object', properties: { id: { type: 'integer' } } };

/** Listens on a free port; `timeMs` bounds how long a head and a whole request may take. */
export async function open(pets, { timeMs } = {}) {
  const times = timeMs === undefined ? {} : { requestTimeout: timeMs, http: { headersTimeout: timeMs } };
  const server = fastify({ bodyLimit: BODY_BYTES, ...times });
  addRoutes(server, pets);
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { port: server.server.address().port, close: () => server.close() };
}

export function addRoutes(server, pets) {
  server.post('/v1/pet', { schema: { body: PET } }, async (request, reply) => {
    const id = pets.insert(request.body);
    return reply.code(201).header('Location', `/v1/pet/${id}`).type('text/plain; charset=utf-8').send(String(id));
  });
  server.get('/v1/pet/:id', { schema: { params: ID } }, async (request, reply) => {
    return pets.find(request.params.id) ?? reply.code(404).send({ error: 'Not found.' });
  });
  server.get('/v1/room/:id', async (request) => pets.room(request.params.id));
}
