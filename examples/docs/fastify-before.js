import { fastify } from 'fastify';

const app = fastify();
const animals = new Map([['ant', { name: 'ant', legs: 6 }]]);

async function signIn(request, reply) {
  if (request.headers.authorization === 'Bearer secret') return;
  reply.header('WWW-Authenticate', 'Bearer realm="api"');
  throw Object.assign(new Error('Sign in first.'), { statusCode: 401 });
}

const animal = {
  type: 'object',
  required: ['name', 'legs'],
  properties: { name: { type: 'string', minLength: 1 }, legs: { type: 'integer', minimum: 0 } },
  additionalProperties: false,
};
const page = { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 } } };

app.setErrorHandler((error, request, reply) => {
  const statusCode = error.validation ? 422 : error.statusCode ?? 500;
  reply.status(statusCode).send({ statusCode });
});
app.setNotFoundHandler((request, reply) => {
  reply.status(404).send({ statusCode: 404 });
});

app.get('/animal', { schema: { querystring: page } }, (request) => [...animals.values()].slice(0, request.query.limit));

app.post('/animal', { preHandler: signIn, schema: { body: animal } }, (request, reply) => {
  const { name } = request.body;
  if (animals.has(name)) throw Object.assign(new Error('the name is taken'), { statusCode: 409 });
  animals.set(name, request.body);
  reply.status(201).header('Location', `/animal/${encodeURIComponent(name)}`).send(name);
});

app.get('/animal/:name', (request, reply) => {
  const found = animals.get(request.params.name);
  if (!found) throw Object.assign(new Error('Not found.'), { statusCode: 404 });
  reply.send(found);
});

await app.listen({ port: 8080 });
