/**
 * The pets, served by a hand-written `node:http` handler: what everything else is compared with.
 *
 * It is careful: ids are read strictly, shapes are checked, bodies are limited, failures are answered with problems. It is
 * fast: written for this API alone, with prepared answers and flat header arrays. It sends the bytes that restpoint sends.
 */
import { createServer } from 'node:http';
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, BODY_BYTES, flawOfMeal, flawOfPet, idOf, NO_SUCH_PATH, problemOf, readJson, serverOptions } from './pets.js';

const ONE = '/v1/pet/';
const ROOM = '/v1/room/';

const prepared = (status, head, body) => ({ status, head: [...head, 'Content-Length', String(body.length)], body });
const problem = (status, detail) => prepared(status, ['Content-Type', 'application/problem+json'], problemOf(status, detail));
const empty = (status, allow) => prepared(status, ['Allow', allow], '');

const ALL = empty(200, ALLOW_ALL);
const NOT_ON_ALL = empty(405, 'POST, OPTIONS');
const SINGLE = empty(200, ALLOW_ONE);
const NOT_ON_ONE = empty(405, ALLOWED_ON_ONE);
const NO_PATH = problem(404, NO_SUCH_PATH);
const NOT_FOUND = problem(404, 'Not found.');
const NO_ID = problem(400, BAD_ID);
const NOT_JSON = problem(400, 'Bad arguments: the body is not JSON');
const TOO_LONG = problem(413, `The body must not be longer than ${BODY_BYTES} bytes.`);

export async function open(pets, { timeMs } = {}) {
  const server = createServer(serverOptions(timeMs), (request, response) => answer(pets, request, response));
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function answer(pets, request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (path === '/v1/pet') {
    if (method === 'POST') withBody(request, response, flawOfPet, (pet) => replyCreated(response, pets.create(pet)));
    else reply(response, method === 'OPTIONS' ? ALL : NOT_ON_ALL);
  } else if (path === '/v1/pet/feed' && method === 'POST') {
    withBody(request, response, flawOfMeal, (meal) => replyJson(response, pets.feed(meal)));
  } else if (path.startsWith(ONE) && path.length > ONE.length && !path.includes('/', ONE.length)) {
    answerOne(pets, request, response, path.slice(ONE.length));
  } else if (path.startsWith(ROOM) && method === 'GET') {
    answerRoom(pets, response, path.slice(ROOM.length));
  } else {
    reply(response, NO_PATH);
  }
}

function answerOne(pets, request, response, text) {
  const { method } = request;
  if (method === 'OPTIONS') return reply(response, SINGLE);
  if (method !== 'GET' && method !== 'HEAD' && method !== 'PUT' && method !== 'DELETE') return reply(response, NOT_ON_ONE);
  const id = idOf(text);
  if (id === undefined) return reply(response, NO_ID);
  if (method === 'PUT') return withBody(request, response, flawOfPet, (pet) => replyNoContent(response, pets.update(id, pet)));
  if (method === 'DELETE') return replyNoContent(response, pets.delete(id));
  const pet = pets.find(id);
  return pet === undefined ? reply(response, NOT_FOUND) : replyJson(response, pet);
}

function answerRoom(pets, response, text) {
  let id;
  try {
    id = decodeURIComponent(text);
  } catch {
    return reply(response, problem(400, 'Bad arguments: id: expected percent-encoded UTF-8'));
  }
  return pets.room(id).then((room) => replyJson(response, room));
}

function withBody(request, response, flawOf, use) {
  readJson(request, (refused, json) => {
    if (refused !== 0) return reply(response, refused === 413 ? TOO_LONG : NOT_JSON);
    const flaw = flawOf(json);
    return flaw === undefined ? use(json) : reply(response, problem(400, `Bad arguments: ${flaw}`));
  });
}

function reply(response, { status, head, body }) {
  response.writeHead(status, head);
  response.end(body);
}

function replyJson(response, value) {
  const json = JSON.stringify(value);
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))]);
  response.end(json);
}

function replyCreated(response, id) {
  const text = String(id);
  response.writeHead(201, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length), 'Location', ONE + text]);
  response.end(text);
}

function replyNoContent(response, wasThere) {
  if (!wasThere) return reply(response, NOT_FOUND);
  response.writeHead(204);
  return response.end();
}
