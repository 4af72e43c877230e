/** The pets, served by Polka, which leaves the reading of bodies and the heads of answers to its users. */
import { createServer } from 'node:http';
import polka from 'polka';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf, readJson, serverOptions } from './pets.js';

export async function open(pets, { timeMs } = {}) {
  const app = polka({ server: createServer(serverOptions(timeMs)), onNoMatch: (_request, response) => problem(response, 404, NO_SUCH_PATH) });
  addRoutes(app, pets);
  await new Promise((resolve) => app.listen(0, '127.0.0.1', resolve));
  return { port: app.server.address().port, close: () => new Promise((resolve) => app.server.close(resolve)) };
}

function addRoutes(app, pets) {
  app.post('/v1/pet', (request, response) => withBody(request, response, flawOfPet, (pet) => {
    const id = String(pets.create(pet));
    response.writeHead(201, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': id.length, Location: `/v1/pet/${id}` });
    response.end(id);
  }));
  app.post('/v1/pet/feed', (request, response) => withBody(request, response, flawOfMeal, (meal) => replyJson(response, pets.feed(meal))));
  app.get('/v1/pet/:id', (request, response) => withId(request, response, (id) => {
    const pet = pets.find(id);
    if (pet === undefined) problem(response, 404, 'Not found.');
    else replyJson(response, pet);
  }));
  app.put('/v1/pet/:id', (request, response) => withId(request, response, (id) => {
    withBody(request, response, flawOfPet, (pet) => noContent(response, pets.update(id, pet)));
  }));
  app.delete('/v1/pet/:id', (request, response) => withId(request, response, (id) => noContent(response, pets.delete(id))));
  app.get('/v1/room/:id', async (request, response) => replyJson(response, await pets.room(request.params.id)));
  app.options('/v1/pet', (_request, response) => replyEmpty(response, 200, ALLOW_ALL));
  app.options('/v1/pet/:id', (_request, response) => replyEmpty(response, 200, ALLOW_ONE));
  app.all('/v1/pet/:id', (_request, response) => replyEmpty(response, 405, ALLOWED_ON_ONE));
}

function withId(request, response, use) {
  const id = idOf(request.params.id);
  if (id === undefined) problem(response, 400, BAD_ID);
  else use(id);
}

function withBody(request, response, flawOf, use) {
  readJson(request, (refused, json) => {
    const flaw = refused === 0 ? flawOf(json) : 'the body is not JSON, or too long';
    if (flaw === undefined) use(json);
    else problem(response, refused || 400, `Bad arguments: ${flaw}`);
  });
}

function replyJson(response, value) {
  const json = JSON.stringify(value);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  response.end(json);
}

function replyEmpty(response, status, allow) {
  response.writeHead(status, { Allow: allow, 'Content-Length': 0 });
  response.end();
}

function noContent(response, wasThere) {
  if (!wasThere) return problem(response, 404, 'Not found.');
  response.writeHead(204);
  return response.end();
}

function problem(response, status, detail) {
  const json = problemOf(status, detail);
  response.writeHead(status, { 'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(json) });
  response.end(json);
}
