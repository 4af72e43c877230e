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

// As they are sent by the programs that load servers, by Chromium to the origin of its page, and by a gateway in front of that.
const SHORT = ['User-Agent: bench', 'Accept: */*'];
const BROWSER = [
  'Connection: keep-alive', 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"', 'sec-ch-ua-mobile: ?0', 'sec-ch-ua-platform: "Linux"',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Accept: application/json', 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty',
  'Referer: http://localhost:8080/pets', 'Accept-Encoding: gzip, deflate, br, zstd', 'Accept-Language: en-US,en;q=0.9', 'Cookie: theme=dark',
];
const GATEWAY = [
  ...BROWSER, 'X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https', 'X-Forwarded-Host: pets.example', 'Via: 1.1 gateway',
  'X-Request-Id: 6f9619ff-8b86-d011-b42d-00cf4fc964ff', 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
];

/** The heads of requests. The first line is `Host`. */
export const HEADS = [SHORT, BROWSER, GATEWAY].map((lines) => ({ name: `${lines.length + 1} lines`, lines }));

/** Operations with each of the heads. One with a body has two more lines. */
export const WITH_HEADS = ['Get', 'Create, 40 B'].flatMap((wanted) => {
  const operation = OPERATIONS.find(({ name }) => name === wanted);
  return HEADS.map(({ name, lines }) => ({ ...operation, operation: wanted, name: `${wanted}, ${name}`, lines }));
});

export const ALL_OPERATIONS = [...OPERATIONS, ...WITH_HEADS];

/** The request as it goes over the wire. */
export function encodeRequest({ method, path, body, lines = [] }) {
  const length = body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${[`${method} ${path} HTTP/1.1`, 'Host: localhost:8080', ...lines, ...length].join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** The JSON of a pet with as many visits to the doctor as fit into so many bytes, padded to exactly that length. */
function petOf(bytes) {
  const visit = { day: '2024-02-29', weight: 31.5, vaccinated: true, remarks: 'Sleeps well; the left paw has healed.' };
  const jsonOf = (count) => JSON.stringify({ name: 'Rex', legs: 4, lethal: false, visits: Array(count).fill(visit) });
  const each = jsonOf(2).length - jsonOf(1).length;
  return jsonOf(Math.floor((bytes - jsonOf(0).length) / each)).padEnd(bytes);
}
