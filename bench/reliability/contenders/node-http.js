/** The pets, served as one writes it by hand on `node:http` with some care: types, sizes and failures are looked at. */
import { createServer } from 'node:http';
import { BODY_BYTES, flawOf } from './pets.js';

/** Listens on a free port; `timeMs` bounds how long a head and a whole request may take. */
export async function open(pets, { timeMs } = {}) {
  const times = timeMs === undefined ? {} : { headersTimeout: timeMs, requestTimeout: timeMs };
  const server = createServer(times, (request, response) => {
    answer(pets, request, response).catch((error) => replyError(response, error));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return { port: server.address().port, close: () => new Promise((resolve) => server.close(resolve)) };
}

class HttpError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answer(pets, request, response) {
  const { pathname } = urlOf(request);
  const [, id] = /^\/v1\/pet\/(\d+)$/.exec(pathname) ?? [];
  const [, room] = /^\/v1\/room\/([^/]+)$/.exec(pathname) ?? [];
  if (pathname === '/v1/pet') {
    allow(request, 'POST');
    const created = String(pets.insert(await readPet(request)));
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': created.length, Location: `/v1/pet/${created}` };
    response.writeHead(201, headers).end(created);
  } else if (id !== undefined) {
    allow(request, 'GET');
    const pet = pets.find(Number(id));
    if (pet === undefined) throw new HttpError(404, 'Not found.');
    replyJson(response, 200, pet);
  } else if (room !== undefined) {
    allow(request, 'GET');
    replyJson(response, 200, await pets.room(decode(room)));
  } else {
    throw new HttpError(404, 'Not found.');
  }
}

function urlOf(request) {
  try {
    return new URL(request.url, 'http://localhost');
  } catch {
    throw new HttpError(400, 'The request target is not valid.');
  }
}

function allow(request, method) {
  if (request.method !== method) throw new HttpError(405, `Only ${method} is allowed.`);
}

function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The id is not percent-encoded UTF-8.');
  }
}

async function readPet(request) {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) throw new HttpError(415, 'Expected JSON.');
  const bytes = await readBody(request);
  let json;
  try {
    json = JSON.parse(bytes.toString());
  } catch {
    throw new HttpError(400, 'The body is not JSON.');
  }
  const flaw = flawOf(json);
  if (flaw !== undefined) throw new HttpError(400, flaw);
  return json;
}

function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES) chunks.push(chunk);
      else reject(new HttpError(413, 'The body is too long.'));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function replyJson(response, status, value) {
  const json = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
}

function replyError(response, error) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = error instanceof HttpError ? error.status : 500;
  // What is left of a body that is too long is not worth reading.
  if (status === 413) response.setHeader('Connection', 'close');
  replyJson(response, status, { error: status === 500 ? 'Internal error.' : error.message });
}
