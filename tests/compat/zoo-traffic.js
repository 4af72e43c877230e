/**
 * Requests for the example, each with the status of its response: those of `.ci/parts/zoo.sh`, in their order, those of `tests/examples`, and each
 * rejection that an operation can have.
 *
 *   const { url, stop } = await startZoo();
 *   for (const { method, path, headers, body, status } of traffic) …
 *
 * Send all of them, in their order: the ids in the paths are those of a zoo that has responded to the earlier ones.
 */
import { readFileSync } from 'node:fs';
import { BODY_BYTES, BROKEN_ZOO, TOKEN } from './zoo-server.js';

export { startZoo, TOKEN } from './zoo-server.js';

const PHOTO_BYTES = 256 * 1024;

/** A request. Its body is bytes, a string that is sent as it is, or a value that is sent as JSON. */
function anyone(method, path, status, body, headers = {}) {
  if (body === undefined) return { method, path, status, headers };
  const isBytes = body instanceof Uint8Array;
  const type = { 'content-type': isBytes ? 'image/png' : 'application/json' };
  return { method, path, status, headers: { ...type, ...headers }, body: isBytes || typeof body === 'string' ? body : JSON.stringify(body) };
}

function keeper(method, path, status, body, headers = {}) {
  return anyone(method, path, status, body, { authorization: `Bearer ${TOKEN}`, ...headers });
}

const photo = new Uint8Array(readFileSync(new URL('../../examples/zoo/rex.png', import.meta.url)));
const artis = { name: 'Artis', city: 'Amsterdam' };
const asp = { name: 'Asp', legs: 0, lethal: true };
const boa = { name: 'Boa', legs: 0, lethal: false };

/** Those that `npm start` suggests. */
const suggested = [
  keeper('GET', '/v1/keeper/me', 200),
  keeper('POST', '/v1/zoo', 201, { name: 'Zoo 2', city: 'Utrecht' }),
  keeper('POST', '/v1/zoo/1/pet', 201, asp),
  keeper('PATCH', '/v1/zoo/1/pet/1', 204, { legs: 3 }),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 200, { grams: 250 }),
  anyone('GET', '/v1/zoo/1/pet/1/appetite', 200),
  keeper('PUT', '/v1/zoo/1/pet/1/photo', 204, photo),
  anyone('GET', '/v1/animal/ant', 200),
  anyone('GET', '/v1/zoo?limit=1', 200),
  anyone('GET', '/v1/zoo/1/pet?limit=1', 200),
  anyone('GET', '/v1/zoo/1/pet/1', 304, undefined, { 'if-none-match': '*' }),
  anyone('POST', '/v1/zoo/1/pet/search', 200, { name: 'Asp' }),
  anyone('GET', '/v1/zoo/1/pet.csv', 200),
  anyone('HEAD', '/v1/zoo/1/pet/1/photo', 200),
  anyone('GET', '/openapi.json', 200),
  anyone('GET', '/health', 200),
  anyone('GET', '/v1/event?after=0&limit=2', 200),
];

/** Those of `.ci/parts/zoo.sh`. */
const checked = [
  anyone('HEAD', '/v1/animal/ant', 200),
  anyone('GET', '/v1/animal', 405),
  anyone('GET', '/v1/nothing', 404),
  anyone('GET', '/v1/zoo/1', 200),
  anyone('GET', '/v1/zoo?limit=0', 400),
  anyone('POST', '/v1/zoo', 401, artis),
  keeper('POST', '/v1/zoo', 201, artis),
  keeper('POST', '/v1/zoo', 409, artis),
  keeper('PATCH', '/v1/zoo/3', 204, { city: 'Utrecht' }),
  anyone('GET', '/v1/zoo?after=2', 200),
  keeper('DELETE', '/v1/zoo/3', 204),
  anyone('GET', '/v1/zoo/3', 404),
  keeper('DELETE', '/v1/zoo/1', 409),
  anyone('GET', '/v1/zoo/1/pet/1', 200),
  anyone('GET', '/v1/zoo/2/pet/1', 404),
  keeper('POST', '/v1/zoo/2/pet', 201, asp),
  keeper('PUT', '/v1/zoo/2/pet/3', 204, boa),
  keeper('PATCH', '/v1/zoo/2/pet/3', 204, { lethal: true }),
  keeper('POST', '/v1/zoo/2/pet/3/feed', 200, { grams: 20 }),
  anyone('GET', '/v1/zoo/2/pet', 200),
  anyone('POST', '/v1/zoo/2/pet/search', 200, { name: 'oa' }),
  anyone('GET', '/v1/zoo/2/pet.csv', 200),
  keeper('DELETE', '/v1/zoo/2/pet/3', 204),
  anyone('GET', '/v1/zoo/2/pet/3', 404),
  keeper('PUT', '/v1/zoo/2/pet/3', 404, asp),
  keeper('DELETE', '/v1/zoo/2/pet/3', 404),
  keeper('POST', '/v1/zoo/2/pet/3/feed', 404, { grams: 20 }),
  keeper('POST', '/v1/zoo/1/pet', 400, { ...asp, legs: 'none' }),
  anyone('DELETE', '/v1/zoo/1/pet/1', 401),
  anyone('GET', '/v1/zoo/1/pet/1/photo', 200),
  anyone('GET', '/v1/zoo/1/pet/1/photo', 206, undefined, { range: 'bytes=1-3' }),
  anyone('GET', '/v1/zoo/1/pet/1/photo', 304, undefined, { 'if-none-match': '*' }),
  keeper('PUT', '/v1/zoo/1/pet/1/photo', 415, {}),
  anyone('GET', '/v1/event?after=4&limit=1', 200),
  anyone('OPTIONS', '/v1/zoo/1/pet', 200),
  anyone('DELETE', '/health', 405),
];

/** Those of the tables in `tests/examples`. */
const tested = [
  anyone('GET', '/v1/animal/ant', 200),
  anyone('GET', '/v1/animal/a%2Fb%20c', 200),
  anyone('GET', '/health', 200),
  anyone('HEAD', '/health', 200),
  anyone('GET', '/v1/zoo/0', 404),
  anyone('GET', '/v1/zoo/first', 400),
  anyone('GET', '/v1/zoo?limit=0', 400),
  anyone('GET', '/v1/zoo?limit=101', 200),
  anyone('GET', '/v1/zoo?limit=ten', 400),
  anyone('GET', '/v1/zoo?limit=1&limit=2', 400),
  anyone('GET', '/v1/zoo?after=-1', 200),
  anyone('GET', '/v1/zoo?after=x', 400),
  anyone('GET', '/v1/zoo?after=99999999999999999', 400),
  anyone('POST', '/v1/zoo', 401, artis),
  anyone('PUT', '/v1/zoo/1', 401, artis),
  anyone('PATCH', '/v1/zoo/1', 401, { city: 'Amsterdam' }),
  anyone('DELETE', '/v1/zoo/1', 401),
  keeper('POST', '/v1/zoo', 400, { city: 'Amsterdam' }),
  keeper('PUT', '/v1/zoo/1', 204, { name: 'Zoo 1', city: 'Amsterdam' }),
  keeper('PUT', '/v1/zoo/0', 404, { name: 'Zoo 0', city: 'Amsterdam' }),
  keeper('PATCH', '/v1/zoo/1', 204, { city: 'Amsterdam' }),
  keeper('PATCH', '/v1/zoo/1', 400, { name: '' }),
  keeper('PATCH', '/v1/zoo/0', 404, { city: 'Amsterdam' }),
  keeper('DELETE', '/v1/zoo/0', 404),
  keeper('DELETE', '/v1/zoo/1', 409),
  anyone('GET', '/v1/zoo/1/pet', 200),
  anyone('GET', '/v1/zoo/1/pet?after=1', 200),
  anyone('GET', '/v1/zoo/1/pet?limit=no', 400),
  anyone('GET', '/v1/zoo/0/pet', 404),
  anyone('GET', '/v1/zoo/first/pet', 400),
  anyone('GET', '/v1/zoo/1/pet/1', 200),
  anyone('GET', '/v1/zoo/1/pet/0', 404),
  anyone('POST', '/v1/zoo/1/pet/search', 200, { name: 'ex' }),
  anyone('POST', '/v1/zoo/1/pet/search', 200, { name: 'Asp' }),
  anyone('POST', '/v1/zoo/0/pet/search', 404, { name: 'Asp' }),
  anyone('GET', '/v1/zoo/1/pet/1/appetite', 304, undefined, { 'if-none-match': '*' }),
  anyone('GET', '/v1/zoo/1/pet/first/appetite', 400),
  anyone('GET', '/v1/zoo/0/pet/1/appetite', 404),
  anyone('POST', '/v1/zoo/1/pet', 401, asp),
  anyone('PUT', '/v1/zoo/1/pet/1', 401, asp),
  anyone('PATCH', '/v1/zoo/1/pet/1', 401, { legs: 3 }),
  anyone('DELETE', '/v1/zoo/1/pet/2', 401),
  anyone('POST', '/v1/zoo/1/pet/1/feed', 401, { grams: 1 }),
  keeper('POST', '/v1/zoo/1/pet', 400, { ...asp, legs: -1 }),
  keeper('POST', '/v1/zoo/0/pet', 404, asp),
  keeper('PUT', '/v1/zoo/1/pet/1', 204, asp),
  keeper('PUT', '/v1/zoo/1/pet/0', 404, asp),
  keeper('PATCH', '/v1/zoo/1/pet/1', 204, { legs: 3 }),
  keeper('PATCH', '/v1/zoo/1/pet/1', 400, { legs: -1 }),
  keeper('PATCH', '/v1/zoo/1/pet/0', 404, {}),
  keeper('DELETE', '/v1/zoo/1/pet/2', 204),
  keeper('DELETE', '/v1/zoo/1/pet/0', 404),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 200, { grams: 250 }),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 400, { grams: 0 }),
  keeper('POST', '/v1/zoo/1/pet/0/feed', 404, { grams: 250 }),
  anyone('GET', '/v1/event?limit=0', 400),
  anyone('GET', '/v1/event?limit=1001', 400),
  anyone('GET', '/v1/event?after=last', 400),
  anyone('HEAD', '/v1/event', 200),
];

/** Each operation, with a body that it takes. */
const operations = [
  anyone('GET', '/v1/animal/ant', 200),
  anyone('GET', '/v1/zoo', 200),
  anyone('GET', '/v1/zoo/1', 200),
  keeper('POST', '/v1/zoo', 201, { ...artis, name: 'Blijdorp' }),
  keeper('PUT', '/v1/zoo/4', 204, { ...artis, name: 'Burgers' }),
  keeper('PATCH', '/v1/zoo/4', 204, { city: 'Arnhem' }),
  keeper('DELETE', '/v1/zoo/4', 204),
  anyone('GET', '/v1/zoo/1/pet', 200),
  anyone('GET', '/v1/zoo/1/pet/1', 200),
  anyone('POST', '/v1/zoo/1/pet/search', 200, { name: 'A' }),
  keeper('POST', '/v1/zoo/1/pet', 201, asp),
  keeper('PUT', '/v1/zoo/1/pet/4', 204, boa),
  keeper('PATCH', '/v1/zoo/1/pet/4', 204, { lethal: true }),
  keeper('POST', '/v1/zoo/1/pet/4/feed', 200, { grams: 5 }),
  anyone('GET', '/v1/zoo/1/pet.csv', 200),
  keeper('PUT', '/v1/zoo/1/pet/4/photo', 204, photo),
  anyone('GET', '/v1/zoo/1/pet/4/photo', 200),
  keeper('DELETE', '/v1/zoo/1/pet/4/photo', 204),
  keeper('DELETE', '/v1/zoo/1/pet/4', 204),
  anyone('GET', '/v1/event?after=0&limit=1', 200),
  keeper('GET', '/v1/keeper/me', 200),
];

/** The requests that an operation rejects in any state. */
function listRejections({ method, path, headers, body }) {
  const sent = { method, path, headers, body };
  const isBytes = body instanceof Uint8Array;
  const rejections = [];
  if (headers.authorization !== undefined) {
    for (const [authorization, status] of [['', 401], ['Bearer another-token-of-somebody', 401], ['Bearer two tokens', 400]]) {
      rejections.push({ ...sent, headers: { ...headers, authorization }, status });
    }
  }
  if (/\/\d/.test(path)) {
    rejections.push({ ...sent, path: path.replaceAll(/\/\d+/g, '/x'), status: 400 }, { ...sent, path: path.replaceAll(/\/\d+/g, '/0'), status: 404 });
  }
  if (body !== undefined) {
    rejections.push({ ...sent, headers: { ...headers, 'content-type': 'text/plain' }, status: 415 });
    rejections.push({ ...sent, body: isBytes ? new Uint8Array(PHOTO_BYTES + 1) : ' '.repeat(BODY_BYTES + 1), status: 413 });
    if (!isBytes) rejections.push({ ...sent, body: '{"name":', status: 400 }, { ...sent, body: '[]', status: 400 });
  }
  return rejections;
}

/** Requests whose conditions are not met. Each would change an item. */
const OTHER_REVISION = { 'if-match': '"0"' };
const conditional = [
  anyone('GET', '/v1/zoo/1', 304, undefined, { 'if-none-match': '*' }),
  keeper('PUT', '/v1/zoo/1', 412, artis, OTHER_REVISION),
  keeper('PATCH', '/v1/zoo/1', 412, { city: 'Amsterdam' }, OTHER_REVISION),
  keeper('DELETE', '/v1/zoo/1', 412, undefined, OTHER_REVISION),
  anyone('GET', '/v1/zoo/1/pet/1', 304, undefined, { 'if-none-match': '*' }),
  keeper('PUT', '/v1/zoo/1/pet/1', 412, asp, OTHER_REVISION),
  keeper('PATCH', '/v1/zoo/1/pet/1', 412, { legs: 3 }, OTHER_REVISION),
  keeper('DELETE', '/v1/zoo/1/pet/1', 412, undefined, OTHER_REVISION),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 412, { grams: 250 }, OTHER_REVISION),
];

/** Requests with one key, and another one with it. */
const repeated = [
  keeper('POST', '/v1/zoo/1/pet', 201, asp, { 'idempotency-key': 'one' }),
  keeper('POST', '/v1/zoo/1/pet', 201, asp, { 'idempotency-key': 'one' }),
  keeper('POST', '/v1/zoo/1/pet', 422, boa, { 'idempotency-key': 'one' }),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 200, { grams: 5 }, { 'idempotency-key': 'two' }),
  keeper('POST', '/v1/zoo/1/pet/1/feed', 422, { grams: 6 }, { 'idempotency-key': 'two' }),
];

/** Those that a few operations reject. */
const others = [
  anyone('GET', '/v1/animal/%ff', 400),
  keeper('POST', '/v1/zoo', 409, { ...artis, name: 'Zoo 2' }),
  keeper('PUT', '/v1/zoo/1', 409, { ...artis, name: 'Zoo 2' }),
  keeper('PATCH', '/v1/zoo/1', 409, { name: 'Zoo 2' }),
  keeper('PUT', '/v1/zoo/1/pet/1/photo', 415, new Uint8Array(8)),
  keeper('DELETE', '/v1/zoo/1/pet/1/photo', 204),
  anyone('GET', '/v1/zoo/1/pet/1/photo', 404),
  anyone('GET', `/v1/zoo/${BROKEN_ZOO}`, 500),
];

/** All of them. */
export const traffic = [...suggested, ...checked, ...tested, ...operations.flatMap((each) => [...listRejections(each), each]), ...conditional, ...repeated, ...others];
