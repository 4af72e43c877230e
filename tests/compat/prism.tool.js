/**
 * Prism holds each response to the traffic of two servers against their documents: those of success, and all problems. The servers are that
 * with the schemas of three libraries, and the example. Wrong responses show that it finds them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';
import { findOperation } from './openapi-agreement.js';
import { traffic } from './openapi-traffic.js';
import { OPTIONS, zooServer } from './openapi-zoo.js';
import { getResponses, findComplaints } from './prism-proxy.js';
import { startZoo, traffic as exampleTraffic } from './zoo-traffic.js';

const JSON_TYPE = [['content-type', 'application/json']];
const PROBLEM_TYPE = [['content-type', 'application/problem+json']];
const GET = { method: 'GET', path: '/v1/zoo/berlin/pet/1' };
const POST = { method: 'POST', path: '/v1/zoo/berlin/pet' };
const unauthorized = '{"type":"about:blank","title":"Unauthorized","status":401}';

/** Wrong responses, and Prism's complaints about each. */
const WRONG = [
  ['a result without a property', GET, 200, JSON_TYPE, '{}', "required property 'legs'"],
  ['a different media type', GET, 200, [['content-type', 'text/html']], '<p>Rex</p>', 'media type "text/html" does not match'],
  ['a problem without its properties', GET, 404, PROBLEM_TYPE, '{"detail":"Not found."}', "required property 'title'"],
  ['a problem with a wrong property', GET, 404, PROBLEM_TYPE, '{"type":"about:blank","title":"Gone","status":"404"}', 'status must be integer'],
  ['an error that is not a problem', GET, 503, JSON_TYPE, '{"message":"later"}', "required property 'title'"],
  ['a status that is not in the document', GET, 203, JSON_TYPE, '{}', "required property 'title'"],
  ['401 without a challenge', GET, 401, PROBLEM_TYPE, unauthorized, "required property 'www-authenticate'"],
  ['a Create without Location', POST, 201, [['content-type', 'text/plain']], '1', "required property 'location'"],
];

const lineOf = ({ method, path, status }) => `${method} ${path} -> ${status}`;

/** The responses to all requests that deviate from the document, or have a different status than expected, as `GET /v1/pet -> 200`. */
async function rejected(document, url, requests) {
  const responses = (await getResponses(url, requests)).filter((response) => isDescribed(document, response) && !isEventStream(response));
  const complaints = await findComplaints(document, responses);
  return responses.filter(({ status, expected }, index) => status !== expected || complaints[index].length > 0).map(lineOf);
}

/** The document leaves out HEAD, OPTIONS, mounts, unknown paths and unknown methods. */
function isDescribed(document, response) {
  try {
    return findOperation(document, response) !== undefined;
  } catch {
    return false;
  }
}

// Prism holds the whole text against the schema, which describes one event.
function isEventStream({ headers }) {
  return headers.some(([name, value]) => name === 'content-type' && value === 'text/event-stream');
}

async function findRejectedOfZoo(options) {
  const server = zooServer(options);
  const { url } = await server.start('127.0.0.1:0');
  try {
    return await rejected(openApi(zooServer(), OPTIONS), url, traffic);
  } finally {
    await server.stop();
  }
}

async function findRejectedOfExample() {
  const document = JSON.parse(readFileSync(new URL('../../examples/zoo.openapi.json', import.meta.url), 'utf8'));
  const { url, stop } = await startZoo();
  try {
    return await rejected(document, url, exampleTraffic);
  } finally {
    await stop();
  }
}

await checking('Prism', async (check) => {
  await check('every response is what the document says', async () => assert.deepEqual(await findRejectedOfZoo(), []));
  await check('every response of the example is what its document says', async () => assert.deepEqual(await findRejectedOfExample(), []));
  await check('the responses of a server that breaks its declaration are found', async () => {
    assert.deepEqual(await findRejectedOfZoo({ wrong: true }), [
      'GET /v1/zoo/berlin/pet?limit=5&tag=a&tag=b -> 200', 'GET /v1/zoo/berlin/pet/1 -> 200', 'DELETE /v1/ticket/1 -> 202',
    ]);
  });
  const responses = WRONG.map(([, request, status, headers, body]) => ({ ...request, status, headers, body }));
  const complaints = await findComplaints(openApi(zooServer(), OPTIONS), responses);
  for (const [index, [what, , , , , complaint]] of WRONG.entries()) {
    await check(`it finds ${what}`, () => {
      assert.ok(complaints[index].some((each) => each.includes(complaint)), complaints[index].join('\n'));
    });
  }
});
