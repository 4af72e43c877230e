/**
 * The pets, served by a hand-written `node:http` handler: what everything else is compared with.
 *
 * It is careful: ids are read strictly, shapes are checked, bodies are limited, failures are answered with problems. It is
 * fast: it is written for this API alone. It sends the bytes that restpoint sends.
 */
import { createServer } from 'node:http';
import { ALL, NO_ID, NO_PATH, NOT_ON_ALL, NOT_ON_ONE, ONE, reply, replyCreated, replyJson, replyNoContent, withBody } from './node-http.js';
import { flawOfMeal, flawOfPet, idOf, serverOptions } from './pets.js';

const PET = '/v1/pet/';
const ROOM = '/v1/room/';

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
  } else if (path.startsWith(PET) && path.length > PET.length && !path.includes('/', PET.length)) {
    answerOne(pets, request, response, path.slice(PET.length));
  } else if (path.startsWith(ROOM) && method === 'GET') {
    answerRoom(pets, response, path.slice(ROOM.length));
  } else {
    reply(response, NO_PATH);
  }
}

function answerOne(pets, request, response, text) {
  const { method } = request;
  if (method === 'OPTIONS') return reply(response, ONE);
  if (method !== 'GET' && method !== 'HEAD' && method !== 'PUT' && method !== 'DELETE') return reply(response, NOT_ON_ONE);
  const id = idOf(text);
  if (id === undefined) return reply(response, NO_ID);
  if (method === 'PUT') return withBody(request, response, flawOfPet, (pet) => replyNoContent(response, pets.update(id, pet)));
  if (method === 'DELETE') return replyNoContent(response, pets.delete(id));
  return replyJson(response, pets.find(id));
}

function answerRoom(pets, response, text) {
  let id;
  try {
    id = decodeURIComponent(text);
  } catch {
    return reply(response, NO_ID);
  }
  return pets.room(id).then((room) => replyJson(response, room));
}
