/**
 * The pets, served as one writes it by hand on `node:http` with care and for just this API: ids are read strictly, shapes
 * looked at, bodies bounded, failures answered with problems. The yardstick of the bench: it sends the bytes that restpoint
 * sends, and does nothing else that restpoint does.
 */
import { createServer } from 'node:http';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, BODY_BYTES, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf } from './pets.js';

const ONE = '/v1/pet/';

export async function open(pets) {
  const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => answer(pets, request, response));
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function answer(pets, request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (path === '/v1/pet') {
    if (method === 'POST') readValue(request, response, flawOfPet, (pet) => replyCreated(response, pets.create(pet)));
    else if (method === 'OPTIONS') replyEmpty(response, 200, ALLOW_ALL);
    else replyEmpty(response, 405, 'POST, OPTIONS');
  } else if (path === '/v1/pet/feed' && method === 'POST') {
    readValue(request, response, flawOfMeal, (meal) => replyJson(response, pets.feed(meal)));
  } else if (path.startsWith(ONE) && path.length > ONE.length && !path.includes('/', ONE.length)) {
    answerOne(pets, request, response, path.slice(ONE.length));
  } else {
    replyProblem(response, 404, NO_SUCH_PATH);
  }
}

function answerOne(pets, request, response, text) {
  const { method } = request;
  if (method === 'OPTIONS') return replyEmpty(response, 200, ALLOW_ONE);
  if (method !== 'GET' && method !== 'HEAD' && method !== 'PUT' && method !== 'DELETE') return replyEmpty(response, 405, ALLOWED_ON_ONE);
  const id = idOf(text);
  if (id === undefined) return replyProblem(response, 400, BAD_ID);
  if (method === 'PUT') return readValue(request, response, flawOfPet, (pet) => replyNoContent(response, pets.update(id, pet)));
  if (method === 'DELETE') return replyNoContent(response, pets.delete(id));
  const pet = pets.find(id);
  return pet === undefined ? replyProblem(response, 404, 'Not found.') : replyJson(response, pet);
}

/** Reads a body of JSON, and hands it on where it has the shape. */
function readValue(request, response, flawOf, use) {
  let chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES) chunks.push(chunk);
    else chunks = [];
  });
  request.on('end', () => {
    if (bytes > BODY_BYTES) return replyProblem(response, 413, `The body must not be longer than ${BODY_BYTES} bytes.`);
    let json;
    try {
      json = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return replyProblem(response, 400, 'Bad arguments: the body is not JSON');
    }
    const flaw = flawOf(json);
    return flaw === undefined ? use(json) : replyProblem(response, 400, `Bad arguments: ${flaw}`);
  });
}

function replyJson(response, value) {
  const json = JSON.stringify(value);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) });
  response.end(json);
}

function replyCreated(response, id) {
  const text = String(id);
  response.writeHead(201, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': text.length, Location: ONE + text });
  response.end(text);
}

function replyNoContent(response, wasThere) {
  if (!wasThere) return replyProblem(response, 404, 'Not found.');
  response.writeHead(204);
  return response.end();
}

function replyEmpty(response, status, allow) {
  response.writeHead(status, { Allow: allow, 'Content-Length': 0 });
  response.end();
}

function replyProblem(response, status, detail) {
  const json = problemOf(status, detail);
  response.writeHead(status, { 'Content-Type': 'application/problem+json', 'Content-Length': Buffer.byteLength(json) });
  response.end(json);
}
