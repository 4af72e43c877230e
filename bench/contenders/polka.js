/** The pets, served by Polka, which leaves bodies and replies to its users: they are those of the hand-written handler. */
import { createServer } from 'node:http';
import polka from 'polka';
import { create, feed, get, getOwn, list, NO_PATH, NOT_ON_ONE, ONE, remove, reply, replyJson, update } from './hand-written.js';
import { KEEPER, serverOptions } from './pets.js';

export async function open(pets, { timeMs } = {}) {
  const app = polka({ server: createServer(serverOptions(timeMs)), onNoMatch: (_request, response) => reply(response, NO_PATH) });
  addRoutes(app, pets);
  await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve));
  return { port: app.server.address().port, close: () => new Promise((resolve) => app.server.close(resolve)) };
}

function addRoutes(app, pets) {
  app.post('/v1/pet', (request, response) => create(pets, request, response));
  app.post('/v1/pet/feed', (request, response) => feed(pets, request, response));
  app.get('/v1/pet', (request, response) => list(pets, response, request.query ?? {}));
  app.get('/v1/own/:id', signIn, (request, response) => getOwn(pets, response, request.params.id, request.keeper));
  app.get('/v1/pet/:id', (request, response) => get(pets, response, request.params.id));
  app.put('/v1/pet/:id', (request, response) => update(pets, request, response, request.params.id));
  app.delete('/v1/pet/:id', (request, response) => remove(pets, response, request.params.id));
  app.get('/v1/room/:id', async (request, response) => replyJson(response, await pets.room(request.params.id)));
  app.options('/v1/pet/:id', (_request, response) => reply(response, ONE));
  app.all('/v1/pet/:id', (_request, response) => reply(response, NOT_ON_ONE));
}

function signIn(request, _response, next) {
  request.keeper = KEEPER;
  next();
}
