/** QUERY (RFC 10008): the operation `search`. */
import { ApiError, ApiServer, bytes, integerId, reply, type AnyDecoder } from '../../../src/index.ts';
import { assert, check, facts, rejections, suite, type Declare } from '../../support/facts.ts';

const JSON_TYPE = '\nContent-Type: application/json';

let found: unknown;
function declareSearch(run: (criteria: any) => unknown = (criteria) => (found = { found: criteria }), properties: { readonly input?: AnyDecoder } = {}): Declare {
  const input = (json: unknown): unknown => {
    if (json === 'bad') throw new Error('no criteria');
    return json;
  };
  return (server) => {
    found = undefined;
    server.registerEndpoint('/pet', { id: integerId, search: { input, run, ...properties } });
  };
}
async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

const bodies = suite('the body of a QUERY');
facts(bodies, declareSearch(), [
  ['', `QUERY /v1/pet {"legs":4}${JSON_TYPE}`, '200 {"found":{"legs":4}}'],
  ['', 'QUERY /v1/pet {"legs":4}\nContent-Type: application/vnd.pet+json', '200 {"found":{"legs":4}}'],
  ['a page of a different origin needs a preflight', `QUERY /v1/pet 1${JSON_TYPE}\nSec-Fetch-Site: cross-site`, '200 {"found":1}'],
]);
facts(bodies, declareSearch(), [
  ['no type', 'QUERY /v1/pet {"legs":4}', '400 A QUERY must have a Content-Type.'],
  ['nothing', 'QUERY /v1/pet', '400 A QUERY must have a Content-Type.'],
  ['', 'QUERY /v1/pet {"legs":4}\nContent-Type: text/plain', '415 The body must be application/json in UTF-8. | Accept: application/json | Accept-Query: application/json'],
  ['', `QUERY /v1/pet${JSON_TYPE}`, '400 Bad arguments: the body is empty @#'],
  ['', `QUERY /v1/pet "bad"${JSON_TYPE}`, '400 Bad arguments: no criteria @#'],
], { after: () => assert.is(found, undefined) });
facts(bodies, (server) => server.registerEndpoint('/pet', { id: integerId, search: { run: () => 'all' } }), [['without input it is ignored, and needs no type', 'QUERY /v1/pet', '200 "all"']]);
facts(bodies, declareSearch(readAll, { input: bytes({ types: ['application/sql', 'text/*'] }) }), [
  ['of a format', 'QUERY /v1/pet select\nContent-Type: application/sql', '200 "select"'],
  ['of a format, without type', 'QUERY /v1/pet select', '400 A QUERY must have a Content-Type.'],
  ['of a format, of another type', `QUERY /v1/pet 1${JSON_TYPE}`, '415 The body must be application/sql or text/*. | Accept: application/sql, text/* | Accept-Query: application/sql, text/*'],
]);

const routes = suite('O21: the route of search');
facts(routes, declareSearch(), [
  ['says what a QUERY can have', 'OPTIONS /v1/pet', '200 | Allow: QUERY | Accept-Query: application/json'],
  ['an item has none', `QUERY /v1/pet/1 1${JSON_TYPE}`, '405 | Allow: OPTIONS'],
  ['is allowed', 'GET /v1/pet', '405 | Allow: QUERY, OPTIONS'],
]);
facts(routes, declareSearch(() => { throw ApiError.status(409, 'busy'); }), [
  ['what it throws is its response, and is not logged unless the server failed', `QUERY /v1/pet 1${JSON_TYPE}`, '409 busy'],
]);
rejections(routes, [['a function alone', () => new ApiServer('').registerEndpoint('/pet', { id: integerId, search: () => 1 } as never), /endpoint\.search must be an object, not a function/]]);

const OLD = 'Sun, 06 Nov 1994 08:49:37 GMT';
const conditional = suite('R9: a QUERY with conditions, which are compared after its body is decoded');
for (const [headers, condition, status] of [
  [{ ETag: '"a"' }, 'If-None-Match: "a"', 304],
  [{ ETag: '"a"' }, 'If-None-Match: "b"', 200],
  [{ ETag: '"a"' }, 'If-Match: "b"', 412],
  [{ ETag: '"a"' }, 'If-Match: "a"', 200],
  [{ 'Last-Modified': OLD }, `If-Modified-Since: ${OLD}`, 304],
  [{ 'Last-Modified': OLD }, 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT', 412],
  [{}, 'If-None-Match: *', 304],
  [{}, 'If-Match: "a"', 412],
] as const) {
  const shown = Object.entries(headers).map(([name, value]) => ` | ${name}: ${value}`).join('');
  conditional(`${condition} of ${shown || 'none'} -> ${status}`, () => check(
    declareSearch(() => reply(200, [1], headers)),
    [`QUERY /v1/pet 1${JSON_TYPE}\n${condition}`, `QUERY /v1/pet {${JSON_TYPE}\n${condition}`],
    [{ 200: `200 [1]${shown}`, 304: `304${shown}`, 412: '412 A condition of the request is not met.' }[status], '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @#'],
  ));
}

const others = suite('F1: a body of a different type: 415 names the types that are accepted');
const declare: Declare = (server) => server.registerEndpoint('/pet', {
  id: integerId,
  create: { input: String, run: () => 1 },
  custom: { find: { input: String, run: () => 1 } },
  itemCustom: { feed: { input: String, run: () => 1 } },
  patch: { input: String, run: () => {} },
  update: { input: String, run: () => {} },
});
const ACCEPTED = '415 The body must be application/json in UTF-8. | Accept: application/json';
facts(others, declare, [
  ['', 'POST /v1/pet a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'POST /v1/pet/find a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'POST /v1/pet/1/feed a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Post: application/json`],
  ['', 'PATCH /v1/pet/1 a\nContent-Type: text/csv', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PUT /v1/pet/1 a\nContent-Type: text/csv', ACCEPTED],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json; charset=utf-8', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: Application/JSON;charset="UTF-8"', '204'],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/json-patch+json', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/merge-patch+json', `${ACCEPTED} | Accept-Patch: application/json`],
  ['', 'PATCH /v1/pet/1 1\nContent-Type: application/vnd.pet+json', `${ACCEPTED} | Accept-Patch: application/json`],
]);
