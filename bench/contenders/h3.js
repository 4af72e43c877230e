/** The pets, served by h3 2 through its own server for Node. Its limit for bodies looks at the declared length, which is the faster way. */
import { H3, HTTPResponse, serve } from 'h3';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, BODY_BYTES, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf } from './pets.js';

export async function open(pets) {
  const app = new H3();
  addRoutes(app, pets);
  const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true });
  await server.ready();
  return { port: Number(new URL(server.url).port), close: () => server.close() };
}

function addRoutes(app, pets) {
  app.post('/v1/pet', (event) => withBody(event, flawOfPet, (pet) => {
    const id = String(pets.create(pet));
    return new HTTPResponse(id, { status: 201, headers: { 'Content-Type': 'text/plain; charset=utf-8', Location: `/v1/pet/${id}` } });
  }));
  app.post('/v1/pet/feed', (event) => withBody(event, flawOfMeal, (meal) => pets.feed(meal)));
  app.get('/v1/pet/:id', (event) => withId(event, (id) => pets.find(id) ?? problem(404, 'Not found.')));
  app.put('/v1/pet/:id', (event) => withId(event, (id) => withBody(event, flawOfPet, (pet) => noContent(pets.update(id, pet)))));
  app.delete('/v1/pet/:id', (event) => withId(event, (id) => noContent(pets.delete(id))));
  app.options('/v1/pet', () => empty(200, ALLOW_ALL));
  app.options('/v1/pet/:id', () => empty(200, ALLOW_ONE));
  app.all('/v1/pet/:id', () => empty(405, ALLOWED_ON_ONE));
  app.all('/**', () => problem(404, NO_SUCH_PATH));
}

function withId(event, use) {
  const id = idOf(event.context.params.id);
  return id === undefined ? problem(400, BAD_ID) : use(id);
}

async function withBody(event, flawOf, use) {
  if (Number(event.req.headers.get('content-length')) > BODY_BYTES) return problem(413, 'The body is too long.');
  let json;
  try {
    json = await event.req.json();
  } catch {
    return problem(400, 'Bad arguments: the body is not JSON');
  }
  const flaw = flawOf(json);
  return flaw === undefined ? use(json) : problem(400, `Bad arguments: ${flaw}`);
}

function noContent(wasThere) {
  return wasThere ? new HTTPResponse(null, { status: 204 }) : problem(404, 'Not found.');
}

function empty(status, allow) {
  return new HTTPResponse(null, { status, headers: { Allow: allow } });
}

function problem(status, detail) {
  return new HTTPResponse(problemOf(status, detail), { status, headers: { 'Content-Type': 'application/problem+json' } });
}
