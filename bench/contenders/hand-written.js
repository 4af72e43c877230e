/**
 * The pets, served by a hand-written `node:http` handler: the baseline of all comparisons.
 *
 * It is careful: ids are read strictly, shapes are checked, bodies are limited, failures get problems. It is
 * fast: it is written for this API alone. It sends the bytes that restpoint sends. Polka has the same bodies and replies.
 */
import { createServer } from 'node:http';
import { parse } from 'node:querystring';
import * as strings from './pets.js';
import {
  BODY_BYTES, findMealFlaw, findPetFlaw, KEEPER, makeBadRequest, makeBodyIssue, makeProblem, parseId, parsePage, serverOptions,
} from './pets.js';

const NOSNIFF = ['X-Content-Type-Options', 'nosniff'];
// Responses that never change are prepared. Node takes flat arrays of headers as they are.
const prepared = (status, head, body) => ({ status, head: [...head, 'Content-Length', String(body.length), ...NOSNIFF], body });
const PROBLEM = ['Content-Type', 'application/problem+json'];
const problem = (status, detail) => prepared(status, PROBLEM, makeProblem(status, detail));
const badRequest = (issue) => prepared(400, PROBLEM, makeBadRequest(issue));
const empty = (status, allow) => prepared(status, ['Allow', allow], '');

export const ONE = empty(200, strings.ALLOW_ONE);
export const NOT_ON_ONE = empty(405, strings.ALLOWED_ON_ONE);
export const NO_PATH = problem(404, strings.NO_SUCH_PATH);
const NOT_ON_ALL = empty(405, 'GET, HEAD, POST, OPTIONS');
const NO_ID = badRequest(strings.BAD_ID);
const NO_PAGE = badRequest(strings.BAD_PAGE);
const NOT_FOUND = problem(404, 'Not found.');
const NOT_JSON = badRequest(strings.NOT_JSON);
const TOO_LONG = problem(413, `The body must not be longer than ${BODY_BYTES} bytes.`);

const PRIVATE_HEADER = ['Cache-Control', strings.PRIVATE];

const PET = '/v1/pet/';
const ROOM = '/v1/room/';
const OWN = '/v1/own/';

export async function open(pets, { timeMs } = {}) {
  const server = createServer(serverOptions(timeMs), (request, response) => respond(pets, request, response));
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

function respond(pets, request, response) {
  const { method, url } = request;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  if (path === '/v1/pet') {
    if (method === 'POST') create(pets, request, response);
    else if (method === 'GET' || method === 'HEAD') list(pets, response, query === -1 ? {} : parse(url.slice(query + 1)));
    else reply(response, NOT_ON_ALL);
  } else if (path === '/v1/pet/feed' && method === 'POST') {
    feed(pets, request, response);
  } else if (path.startsWith(PET) && path.length > PET.length && !path.includes('/', PET.length)) {
    respondOne(pets, request, response, path.slice(PET.length));
  } else if (path.startsWith(ROOM) && method === 'GET') {
    respondRoom(pets, response, path.slice(ROOM.length));
  } else if (path.startsWith(OWN) && method === 'GET') {
    getOwn(pets, response, path.slice(OWN.length), KEEPER);
  } else {
    reply(response, NO_PATH);
  }
}

function respondOne(pets, request, response, text) {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') get(pets, response, text);
  else if (method === 'PUT') update(pets, request, response, text);
  else if (method === 'DELETE') remove(pets, response, text);
  else reply(response, method === 'OPTIONS' ? ONE : NOT_ON_ONE);
}

function respondRoom(pets, response, text) {
  let id;
  try {
    id = decodeURIComponent(text);
  } catch {
    return reply(response, NO_ID);
  }
  return pets.room(id).then((room) => replyJson(response, room));
}

export function create(pets, request, response) {
  withBody(request, response, findPetFlaw, (pet) => {
    const id = String(pets.create(pet));
    const type = 'text/plain; charset=utf-8';
    const head = ['Content-Type', type, 'Location', `/v1/pet/${id}`, 'Content-Length', String(id.length), ...NOSNIFF];
    response.writeHead(201, head).end(id);
  });
}

export function feed(pets, request, response) {
  withBody(request, response, findMealFlaw, (meal) => replyJson(response, pets.feed(meal)));
}

export function get(pets, response, text) {
  const id = parseId(text);
  if (id === undefined) reply(response, NO_ID);
  else replyJson(response, pets.find(id));
}

export function getOwn(pets, response, text, keeper) {
  const id = parseId(text);
  if (id === undefined) reply(response, NO_ID);
  else replyJson(response, pets.findOwn(keeper, id), PRIVATE_HEADER);
}

export function list(pets, response, query) {
  const page = parsePage(query);
  if (page === undefined) reply(response, NO_PAGE);
  else replyJson(response, pets.list(page));
}

export function update(pets, request, response, text) {
  const id = parseId(text);
  if (id === undefined) reply(response, NO_ID);
  else withBody(request, response, findPetFlaw, (pet) => replyNoContent(response, pets.update(id, pet)));
}

export function remove(pets, response, text) {
  const id = parseId(text);
  if (id === undefined) reply(response, NO_ID);
  else replyNoContent(response, pets.delete(id));
}

/** Reads a body of JSON, and calls `use` with it where it has the right shape. */
function withBody(request, response, flawOf, use) {
  let chunks = [];
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES) chunks.push(chunk);
    else chunks = [];
  });
  request.on('end', () => {
    if (bytes > BODY_BYTES) return reply(response, TOO_LONG);
    let json;
    try {
      json = JSON.parse((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString());
    } catch {
      return reply(response, NOT_JSON);
    }
    const flaw = flawOf(json);
    return flaw === undefined ? use(json) : reply(response, badRequest(makeBodyIssue(flaw)));
  });
}

export function reply(response, { status, head, body }) {
  response.writeHead(status, head).end(body);
}

/** Sends 404 for `undefined`. */
export function replyJson(response, value, headers = []) {
  if (value === undefined) return reply(response, NOT_FOUND);
  const json = JSON.stringify(value);
  const head = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json)), ...headers, ...NOSNIFF];
  return response.writeHead(200, head).end(json);
}

function replyNoContent(response, wasThere) {
  if (!wasThere) return reply(response, NOT_FOUND);
  return response.writeHead(204, NOSNIFF).end();
}
