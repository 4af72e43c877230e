/** The pets, served by Polka, which leaves bodies and replies to its users. */
import { createServer } from 'node:http';
import polka from 'polka';
import { ALL, NO_ID, NO_PATH, NOT_ON_ONE, ONE, reply, replyCreated, replyJson, replyNoContent, withBody } from './node-http.js';
import { flawOfMeal, flawOfPet, idOf, serverOptions } from './pets.js';

export async function open(pets, { timeMs } = {}) {
  const app = polka({ server: createServer(serverOptions(timeMs)), onNoMatch: (_request, response) => reply(response, NO_PATH) });
  addRoutes(app, pets);
  await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve));
  return { port: app.server.address().port, close: () => new Promise((resolve) => app.server.close(resolve)) };
}

function addRoutes(app, pets) {
  app.post('/v1/pet', (request, response) => withBody(request, response, flawOfPet, (pet) => replyCreated(response, pets.create(pet))));
  app.post('/v1/pet/feed', (request, response) => withBody(request, response, flawOfMeal, (meal) => replyJson(response, pets.feed(meal))));
  app.get('/v1/pet/:id', (request, response) => withId(request, response, (id) => replyJson(response, pets.find(id))));
  app.put('/v1/pet/:id', (request, response) => withId(request, response, (id) => {
    withBody(request, response, flawOfPet, (pet) => replyNoContent(response, pets.update(id, pet)));
  }));
  app.delete('/v1/pet/:id', (request, response) => withId(request, response, (id) => replyNoContent(response, pets.delete(id))));
  app.get('/v1/room/:id', async (request, response) => replyJson(response, await pets.room(request.params.id)));
  app.options('/v1/pet', (_request, response) => reply(response, ALL));
  app.options('/v1/pet/:id', (_request, response) => reply(response, ONE));
  app.all('/v1/pet/:id', (_request, response) => reply(response, NOT_ON_ONE));
}

function withId(request, response, use) {
  const id = idOf(request.params.id);
  if (id === undefined) reply(response, NO_ID);
  else use(id);
}
