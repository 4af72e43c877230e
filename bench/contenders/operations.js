/** The requests of the bench, each with the response that every contender must send: the status, the body and some headers. */
import { ALLOW_ONE, ALLOWED_ON_ONE, BAD_ID, makeBadRequest, NO_SUCH_PATH, Pets, PRIVATE, makeProblem } from './pets.js';

const PET = '{"name":"Rex","legs":4,"lethal":false}  ';
const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM = { 'content-type': 'application/problem+json' };
const CREATED = { status: 201, body: '#', 'content-type': 'text/plain', location: '/v1/pet/#' };
const PAGE = JSON.stringify(new Pets().list({ limit: 10, after: 5, name: 'Re' }));
const DONE = { status: 204, body: '' };

export const OPERATIONS = [
  ['Get', 'GET', '/v1/pet/1', { status: 200, body: PET.trim(), ...JSON_TYPE }],
  ['Get, with a context', 'GET', '/v1/own/1', { status: 200, body: PET.trim(), ...JSON_TYPE, 'cache-control': PRIVATE }],
  ['List, three query parameters', 'GET', '/v1/pet?limit=10&after=5&name=Re', { status: 200, body: PAGE, ...JSON_TYPE }],
  ['Create, 40 B', 'POST', '/v1/pet', CREATED, PET],
  ['Create, 10 KB', 'POST', '/v1/pet', CREATED, petOf(10_000)],
  ['Create, 1 MB', 'POST', '/v1/pet', CREATED, petOf(1_000_000)],
  ['Update', 'PUT', '/v1/pet/1', DONE, PET],
  ['Delete', 'DELETE', '/v1/pet/1', DONE],
  ['Custom', 'POST', '/v1/pet/feed', { status: 200, body: '{"fed":250}', ...JSON_TYPE }, '{"grams":250}'],
  ['OPTIONS', 'OPTIONS', '/v1/pet/1', { status: 200, body: '', allow: ALLOW_ONE }],
  ['Unknown path, 404', 'GET', '/v1/nothing', { status: 404, body: makeProblem(404, NO_SUCH_PATH), ...PROBLEM }],
  ['Wrong method, 405', 'PATCH', '/v1/pet/1', { status: 405, body: '', allow: ALLOWED_ON_ONE }],
  ['Bad id, 400', 'GET', '/v1/pet/one', { status: 400, body: makeBadRequest(BAD_ID), ...PROBLEM }],
].map(([name, method, path, expected, body]) => ({ name, method, path, expected, body }));

/** The request as it goes over the wire. */
export function encodeRequest({ method, path, body }) {
  const length = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost:8080\r\n${length}\r\n${body ?? ''}`);
}

/** The JSON of a pet with as many visits to the doctor as fit into so many bytes, padded to exactly that length. */
function petOf(bytes) {
  const visit = { day: '2024-02-29', weight: 31.5, vaccinated: true, remarks: 'Sleeps well; the left paw has healed.' };
  const jsonOf = (count) => JSON.stringify({ name: 'Rex', legs: 4, lethal: false, visits: Array(count).fill(visit) });
  const each = jsonOf(2).length - jsonOf(1).length;
  return jsonOf(Math.floor((bytes - jsonOf(0).length) / each)).padEnd(bytes);
}
