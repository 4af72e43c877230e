/** The pets, served by Koa 3 with its router. */
import Router from '@koa/router';
import Koa from 'koa';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf } from './pets.js';
import { readJson } from './read-json.js';

export async function open(pets) {
  const app = new Koa();
  // It would say so of every client that leaves while it is answered.
  app.silent = true;
  const router = new Router();
  addRoutes(router, pets);
  app.use(router.routes()).use((context) => problem(context, 404, NO_SUCH_PATH));
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function addRoutes(router, pets) {
  router.post('/v1/pet', (context) => withBody(context, flawOfPet, (pet) => {
    const id = String(pets.create(pet));
    context.status = 201;
    context.set('Location', `/v1/pet/${id}`);
    context.body = id;
  }));
  router.post('/v1/pet/feed', (context) => withBody(context, flawOfMeal, (meal) => (context.body = pets.feed(meal))));
  router.get('/v1/pet/:id', (context) => withId(context, (id) => {
    const pet = pets.find(id);
    if (pet === undefined) problem(context, 404, 'Not found.');
    else context.body = pet;
  }));
  router.put('/v1/pet/:id', (context) => withId(context, (id) => withBody(context, flawOfPet, (pet) => noContent(context, pets.update(id, pet)))));
  router.delete('/v1/pet/:id', (context) => withId(context, (id) => noContent(context, pets.delete(id))));
  router.options('/v1/pet', (context) => empty(context, 200, ALLOW_ALL));
  router.options('/v1/pet/:id', (context) => empty(context, 200, ALLOW_ONE));
  router.all('/v1/pet/:id', (context) => empty(context, 405, ALLOWED_ON_ONE));
}

function withId(context, use) {
  const id = idOf(context.params.id);
  return id === undefined ? problem(context, 400, BAD_ID) : use(id);
}

function withBody(context, flawOf, use) {
  return new Promise((resolve) => {
    readJson(context.req, (refused, json) => {
      const flaw = refused === 0 ? flawOf(json) : 'the body is not JSON, or too long';
      if (flaw === undefined) use(json);
      else problem(context, refused || 400, `Bad arguments: ${flaw}`);
      resolve();
    });
  });
}

function noContent(context, wasThere) {
  if (wasThere) context.status = 204;
  else problem(context, 404, 'Not found.');
}

function empty(context, status, allow) {
  context.status = status;
  context.set('Allow', allow);
  context.body = '';
}

function problem(context, status, detail) {
  context.status = status;
  context.type = 'application/problem+json';
  context.body = problemOf(status, detail);
}
