/** The pets, served by Hono 4 through its own server for Node. It limits bodies by their declared length, the faster way. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { once } from 'node:events';
import * as strings from './pets.js';
import { makeBadRequest, BODY_BYTES, makeBodyIssue, findMealFlaw, findPetFlaw, parseId, KEEPER, parsePage, PRIVATE, makeProblem, serverOptions } from './pets.js';

export async function open(pets, { timeMs } = {}) {
  const app = new Hono();
  addRoutes(app, pets);
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', serverOptions: serverOptions(timeMs) });
  await once(server, 'listening');
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function addRoutes(app, pets) {
  app.notFound((context) => problem(context, 404, strings.NO_SUCH_PATH));
  app.post('/v1/pet', (context) => withBody(context, findPetFlaw, (pet) => {
    const id = String(pets.create(pet));
    return context.text(id, 201, { Location: `/v1/pet/${id}` });
  }));
  app.post('/v1/pet/feed', (context) => withBody(context, findMealFlaw, (meal) => context.json(pets.feed(meal))));
  app.get('/v1/pet', (context) => {
    const page = parsePage(context.req.query());
    return page === undefined ? badRequest(context, strings.BAD_PAGE) : context.json(pets.list(page));
  });
  app.get('/v1/own/:id', signIn, (context) => withId(context, (id) => {
    const pet = pets.findOwn(context.get('keeper'), id);
    return pet === undefined ? problem(context, 404, 'Not found.') : context.json(pet, 200, { 'Cache-Control': PRIVATE });
  }));
  app.get('/v1/pet/:id', (context) => withId(context, (id) => {
    const pet = pets.find(id);
    return pet === undefined ? problem(context, 404, 'Not found.') : context.json(pet);
  }));
  app.put('/v1/pet/:id', (context) => withId(context, (id) => {
    return withBody(context, findPetFlaw, (pet) => noContent(context, pets.update(id, pet)));
  }));
  app.delete('/v1/pet/:id', (context) => withId(context, (id) => noContent(context, pets.delete(id))));
  app.get('/v1/room/:id', async (context) => context.json(await pets.room(context.req.param('id'))));
  app.options('/v1/pet/:id', (context) => context.body(null, 200, { Allow: strings.ALLOW_ONE }));
  app.all('/v1/pet/:id', (context) => context.body(null, 405, { Allow: strings.ALLOWED_ON_ONE }));
}

function signIn(context, next) {
  context.set('keeper', KEEPER);
  return next();
}

function withId(context, use) {
  const id = parseId(context.req.param('id'));
  return id === undefined ? badRequest(context, strings.BAD_ID) : use(id);
}

async function withBody(context, flawOf, use) {
  if (Number(context.req.header('content-length')) > BODY_BYTES) return problem(context, 413, 'The body is too long.');
  let json;
  try {
    json = await context.req.json();
  } catch {
    return badRequest(context, strings.NOT_JSON);
  }
  const flaw = flawOf(json);
  return flaw === undefined ? use(json) : badRequest(context, makeBodyIssue(flaw));
}

function noContent(context, wasThere) {
  return wasThere ? context.body(null, 204) : problem(context, 404, 'Not found.');
}

function problem(context, status, detail) {
  return context.body(makeProblem(status, detail), status, { 'Content-Type': 'application/problem+json' });
}

function badRequest(context, issue) {
  return context.body(makeBadRequest(issue), 400, { 'Content-Type': 'application/problem+json' });
}
