/** The pets, served by Fastify 5 with schemas for bodies, ids and responses, which it compiles. */
import fastify from 'fastify';
import { ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, makeBadRequest, BODY_BYTES, makeBodyIssue, KEEPER, NO_SUCH_PATH, PRIVATE, makeProblem, serverOptions } from './pets.js';

const object = (properties) => ({ type: 'object', required: Object.keys(properties), properties });
const NUMBER = { type: 'number' };
const PET = object({ name: { type: 'string' }, legs: NUMBER });
const MEAL = object({ grams: NUMBER });
const FED = { 200: object({ fed: NUMBER }) };
const ID = object({ id: { type: 'integer' } });
const PAGE = object({
  limit: { type: 'integer', minimum: 1, maximum: 100 },
  after: { type: 'integer', minimum: 0 },
  name: { type: 'string' },
});
const PETS = { 200: { type: 'array', items: object({ id: { type: 'integer' }, name: { type: 'string' }, legs: NUMBER }) } };
const PET_RESPONSE = { 200: { ...PET, properties: { ...PET.properties, lethal: { type: 'boolean' } } } };

export async function open(pets, { timeMs } = {}) {
  const { keepAliveTimeout, requestTimeout, ...http } = serverOptions(timeMs);
  const server = fastify({ bodyLimit: BODY_BYTES, keepAliveTimeout, requestTimeout, http });
  addRoutes(server, pets);
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { port: server.server.address().port, close: () => server.close() };
}

function addRoutes(server, pets) {
  server.decorateRequest('keeper', null);
  server.setErrorHandler((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status !== 400) return problem(reply, status, error.message);
    return send(reply, status, makeBadRequest(error.validationContext === 'params' ? BAD_ID : makeBodyIssue(error.message)));
  });
  server.setNotFoundHandler((_request, reply) => problem(reply, 404, NO_SUCH_PATH));
  server.post('/v1/pet', { schema: { body: PET } }, async (request, reply) => {
    const id = String(pets.create(request.body));
    return reply.code(201).header('Location', `/v1/pet/${id}`).type('text/plain; charset=utf-8').send(id);
  });
  server.post('/v1/pet/feed', { schema: { body: MEAL, response: FED } }, async (request) => pets.feed(request.body));
  server.get('/v1/pet/:id', { schema: { params: ID, response: PET_RESPONSE } }, async (request, reply) => {
    return pets.find(request.params.id) ?? problem(reply, 404, 'Not found.');
  });
  server.get('/v1/pet', { schema: { querystring: PAGE, response: PETS } }, async (request) => pets.list(request.query));
  server.get('/v1/own/:id', { schema: { params: ID, response: PET_RESPONSE }, preHandler: signIn }, async (request, reply) => {
    reply.header('Cache-Control', PRIVATE);
    return pets.findOwn(request.keeper, request.params.id) ?? problem(reply, 404, 'Not found.');
  });
  server.put('/v1/pet/:id', { schema: { params: ID, body: PET } }, async (request, reply) => {
    return noContent(reply, pets.update(request.params.id, request.body));
  });
  server.delete('/v1/pet/:id', { schema: { params: ID } }, async (request, reply) => {
    return noContent(reply, pets.delete(request.params.id));
  });
  server.get('/v1/room/:id', async (request) => pets.room(request.params.id));
  server.options('/v1/pet/:id', (_request, reply) => reply.header('Allow', ALLOW_ONE).send());
  server.patch('/v1/pet/:id', (_request, reply) => reply.code(405).header('Allow', ALLOWED_ON_ONE).send());
}

function signIn(request, _reply, done) {
  request.keeper = KEEPER;
  done();
}

function noContent(reply, wasThere) {
  return wasThere ? reply.code(204).send() : problem(reply, 404, 'Not found.');
}

function problem(reply, status, detail) {
  return send(reply, status, makeProblem(status, detail));
}

function send(reply, status, body) {
  return reply.code(status).type('application/problem+json').send(body);
}
