/**
 * The requests that every peer sends, one after the other, to its own zoo (`zoo.js`), and the expected responses.
 *
 * A `body` that is a string has a `Content-Length`. A list of strings is sent in chunks, one for each string. The type is JSON unless
 * `headers` has another one. A header that is `undefined` in a response must be missing.
 */
import { BODY_BYTES } from './zoo.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM_TYPE = { 'content-type': 'application/problem+json' };
const EMPTY = { status: 204, headers: { 'content-type': undefined, 'content-length': undefined }, body: '' };

const rex = JSON.stringify({ name: 'Rex', legs: 4 });
const asp = JSON.stringify({ name: 'Äsp', legs: 0 });
const long = JSON.stringify({ name: 'x'.repeat(BODY_BYTES / 2), legs: 4 });
const tooLong = JSON.stringify({ name: 'x'.repeat(BODY_BYTES), legs: 4 });

function ok(body) {
  return { status: 200, headers: { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) }, body };
}

function created(id) {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(id.length), location: `/v1/pet/${id}` };
  return { status: 201, headers, body: id };
}

function allow(status, methods) {
  return { status, headers: { allow: methods, 'content-length': '0' }, body: '' };
}

function problem(status, title, detail, headers = {}) {
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  return { status, headers: { ...PROBLEM_TYPE, ...headers }, body };
}

function badRequest(detail, place = { pointer: '#' }) {
  const errors = [{ detail, ...place }];
  const body = JSON.stringify({ type: 'about:blank', title: 'Bad Request', status: 400, detail: `Bad arguments: ${detail}`, errors });
  return { status: 400, headers: PROBLEM_TYPE, body };
}

function pieces(text, count) {
  const length = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, index) => text.slice(index * length, (index + 1) * length)).filter((piece) => piece !== '');
}

const TOO_LONG = problem(413, 'Content Too Large', `The body must not be longer than ${BODY_BYTES} bytes.`, { connection: 'close' });

/** The requests, with the responses of an engine. */
export function requestsFor({ isV8 = true } = {}) {
  return requests.map(({ responseWithoutV8, ...request }) => (isV8 || responseWithoutV8 === undefined ? request : { ...request, response: responseWithoutV8 }));
}

export const requests = [
  { name: 'Create', method: 'POST', path: '/v1/pet', body: rex, response: created('1') },
  { name: 'Get', method: 'GET', path: '/v1/pet/1', response: ok(rex) },
  { name: 'HEAD', method: 'HEAD', path: '/v1/pet/1', response: { ...ok(rex), body: '' } },
  { name: 'Update, in one chunk', method: 'PUT', path: '/v1/pet/1', body: [asp], response: EMPTY },
  { name: 'Get what was updated', method: 'GET', path: '/v1/pet/1?full', response: ok(asp) },
  { name: 'Create, in many chunks', method: 'POST', path: '/v1/pet', body: pieces(asp, asp.length), response: created('2') },
  { name: 'Create of a long item', method: 'POST', path: '/v1/pet', body: long, response: created('3') },
  { name: 'Get of a long item', method: 'GET', path: '/v1/pet/3', response: ok(long) },
  { name: 'Update of a long item, in chunks', method: 'PUT', path: '/v1/pet/3', body: pieces(long, 16), response: EMPTY },
  { name: 'a Custom operation with input', method: 'POST', path: '/v1/pet/feed?on=Monday', body: '20', response: ok('{"grams":20,"on":"Monday","left":false}') },
  { name: 'a Custom operation without input', method: 'POST', path: '/v1/pet/count', response: ok('3') },
  { name: 'a Custom operation without input, with a body', method: 'POST', path: '/v1/pet/count', body: '{}', response: ok('3') },
  { name: 'Delete', method: 'DELETE', path: '/v1/pet/1', response: EMPTY },
  { name: 'Get of what is gone -> 404', method: 'GET', path: '/v1/pet/1', response: problem(404, 'Not Found', 'Not found.') },
  { name: 'Update of what is gone -> 404', method: 'PUT', path: '/v1/pet/1', body: rex, response: problem(404, 'Not Found', 'Not found.') },
  { name: 'an unknown path -> 404', method: 'GET', path: '/v1/nothing', response: problem(404, 'Not Found', 'Nothing is served at this path.') },
  { name: 'a method that an item lacks -> 405', method: 'PATCH', path: '/v1/pet/2', response: allow(405, 'GET, HEAD, PUT, DELETE, OPTIONS') },
  { name: 'a method that the collection lacks -> 405', method: 'DELETE', path: '/v1/pet', response: allow(405, 'POST, OPTIONS') },
  { name: 'OPTIONS of the collection', method: 'OPTIONS', path: '/v1/pet', response: allow(200, 'POST, POST, POST, POST, POST') },
  { name: 'OPTIONS of an item', method: 'OPTIONS', path: '/v1/pet/2', response: allow(200, 'GET, PUT, DELETE') },
  { name: 'a malformed id -> 400', method: 'GET', path: '/v1/pet/two', response: badRequest('id: expected a decimal integer from -9007199254740991 to 9007199254740991', { parameter: 'id' }) },
  { name: 'a body that is not JSON -> 400', method: 'POST', path: '/v1/pet', body: '{"name":', response: badRequest('the body is not JSON: it ends too early, at byte 8'),
    // Only V8's message has a position.
    responseWithoutV8: badRequest('the body is not JSON') },
  { name: 'a body that is rejected -> 400', method: 'POST', path: '/v1/pet', body: '{}', response: badRequest('name: expected a string') },
  {
    name: 'a body of a different type -> 415', method: 'POST', path: '/v1/pet', headers: { 'content-type': 'text/plain' }, body: rex,
    response: problem(415, 'Unsupported Media Type', 'The body must be application/json in UTF-8.'),
  },
  { name: 'an operation that fails -> 500', method: 'POST', path: '/v1/pet/fail', response: { status: 500, headers: PROBLEM_TYPE, body: '{"type":"about:blank","title":"Internal Server Error","status":500}' } },
  { name: 'a body whose declared length is too long -> 413', method: 'POST', path: '/v1/pet', body: tooLong, response: TOO_LONG },
  { name: 'a body that grows too long -> 413', method: 'POST', path: '/v1/pet', body: pieces(tooLong, 8), response: TOO_LONG },
  { name: 'a mount', method: 'GET', path: '/health/db?full=1', response: { status: 200, headers: JSON_TYPE, body: '{"method":"GET","below":"/db?full=1","whole":"/health/db?full=1"}' } },
  { name: 'a mount that reads the body as a stream', method: 'POST', path: '/echo', headers: { 'content-type': 'text/plain' }, body: ['one,', 'two,', 'three'], response: { status: 200, headers: {}, body: 'one,two,three.' } },
  { name: 'a Custom operation after all that', method: 'POST', path: '/v1/pet/count', response: ok('2') },
];
