/** Bodies and replies on bare `node:http`, as fast as they can be written: for the hand-written handler and for Polka. */
import { ALLOW_ALL, ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, BODY_BYTES, NO_SUCH_PATH, problemOf } from './pets.js';

// Answers that never change are prepared. Node takes flat arrays of headers as they are.
const prepared = (status, head, body) => ({ status, head: [...head, 'Content-Length', String(body.length)], body });
const problem = (status, detail) => prepared(status, ['Content-Type', 'application/problem+json'], problemOf(status, detail));
const empty = (status, allow) => prepared(status, ['Allow', allow], '');

export const ALL = empty(200, ALLOW_ALL);
export const NOT_ON_ALL = empty(405, 'POST, OPTIONS');
export const ONE = empty(200, ALLOW_ONE);
export const NOT_ON_ONE = empty(405, ALLOWED_ON_ONE);
export const NO_PATH = problem(404, NO_SUCH_PATH);
export const NO_ID = problem(400, BAD_ID);
const NOT_FOUND = problem(404, 'Not found.');
const NOT_JSON = problem(400, 'Bad arguments: the body is not JSON');
const TOO_LONG = problem(413, `The body must not be longer than ${BODY_BYTES} bytes.`);

/** Reads a body of JSON, and calls `use` with it where it has the right shape. */
export function withBody(request, response, flawOf, use) {
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
    return flaw === undefined ? use(json) : reply(response, problem(400, `Bad arguments: ${flaw}`));
  });
}

export function reply(response, { status, head, body }) {
  response.writeHead(status, head);
  response.end(body);
}

/** Answers 404 for `undefined`. */
export function replyJson(response, value) {
  if (value === undefined) return reply(response, NOT_FOUND);
  const json = JSON.stringify(value);
  response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(json))]);
  return response.end(json);
}

export function replyCreated(response, id) {
  const text = String(id);
  response.writeHead(201, ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(text.length), 'Location', `/v1/pet/${text}`]);
  response.end(text);
}

export function replyNoContent(response, wasThere) {
  if (!wasThere) return reply(response, NOT_FOUND);
  response.writeHead(204);
  return response.end();
}
