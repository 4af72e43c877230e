/** The pets, served by Express 5 with its own reader of JSON. */
import express from 'express';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, BODY_BYTES, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf } from './pets.js';

export async function open(pets) {
  const app = express();
  // In production it keeps its failures to itself.
  app.set('env', 'production');
  addRoutes(app, pets);
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function addRoutes(app, pets) {
  const json = express.json({ limit: BODY_BYTES });
  app.post('/v1/pet', json, shaped(flawOfPet), (request, response) => {
    const id = String(pets.create(request.body));
    response.status(201).location(`/v1/pet/${id}`).type('text/plain').send(id);
  });
  app.post('/v1/pet/feed', json, shaped(flawOfMeal), (request, response) => response.json(pets.feed(request.body)));
  app.get('/v1/pet/:id', withId, (_request, response) => {
    const pet = pets.find(response.locals.id);
    if (pet === undefined) problem(response, 404, 'Not found.');
    else response.json(pet);
  });
  app.put('/v1/pet/:id', withId, json, shaped(flawOfPet), (request, response) => noContent(response, pets.update(response.locals.id, request.body)));
  app.delete('/v1/pet/:id', withId, (_request, response) => noContent(response, pets.delete(response.locals.id)));
  app.options('/v1/pet', (_request, response) => response.set('Allow', ALLOW_ALL).end());
  app.options('/v1/pet/:id', (_request, response) => response.set('Allow', ALLOW_ONE).end());
  app.all('/v1/pet/:id', (_request, response) => response.status(405).set('Allow', ALLOWED_ON_ONE).end());
  app.use((_request, response) => problem(response, 404, NO_SUCH_PATH));
  app.use((error, _request, response, _next) => problem(response, error.status ?? 500, `Bad arguments: ${error.message}`));
}

function withId(request, response, next) {
  const id = idOf(request.params.id);
  if (id === undefined) return problem(response, 400, BAD_ID);
  response.locals.id = id;
  return next();
}

function shaped(flawOf) {
  return (request, response, next) => {
    const flaw = flawOf(request.body);
    if (flaw === undefined) next();
    else problem(response, 400, `Bad arguments: ${flaw}`);
  };
}

function noContent(response, wasThere) {
  if (wasThere) response.status(204).end();
  else problem(response, 404, 'Not found.');
}

function problem(response, status, detail) {
  response.status(status).type('application/problem+json').send(problemOf(status, detail));
}
