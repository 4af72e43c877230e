/**
 * The OpenAPI document of the example, as `examples/zoo.openapi.json` has it: two validators do not complain, and every response of the
 * server conforms to the document. Servers with wrong responses show that deviations are found.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checking } from './checks.js';
import { compareWithDocument, findOperation } from './openapi-agreement.js';
import { lintComplaints, schemaComplaints } from './openapi-validators.js';
import { startZoo, traffic } from './zoo-traffic.js';

const root = new URL('../../', import.meta.url);
const textOf = (file) => readFileSync(new URL(file, root), 'utf8');
const DOCUMENT_TEXT = textOf('examples/zoo.openapi.json');
const document = JSON.parse(DOCUMENT_TEXT);
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

// The document leaves out HEAD, OPTIONS, mounts, unknown paths and unknown methods.
const UNDESCRIBED = [
  'HEAD /v1/zoo/1/pet/1/photo -> 200', 'GET /openapi.json -> 200', 'GET /health -> 200', 'HEAD /v1/animal/ant -> 200', 'GET /v1/animal -> 405',
  'GET /v1/nothing -> 404', 'OPTIONS /v1/zoo/1/pet -> 200', 'DELETE /health -> 405', 'GET /health -> 200', 'HEAD /health -> 200',
  'HEAD /v1/event -> 200',
];
// There is an animal of every name, and one keeper and one list of events. No keeper is forbidden anything. `default` is seen once. In the store in
// memory, a request waits for another one with its key.
const UNSEEN = ['animalGet 404', 'zooPetCreate 409', 'zooPetItemFeed 409', 'eventGet 404', 'keeperMeGet 404'];

const lineOf = ({ method, path, status }) => `${method} ${path} -> ${status}`;

function isDescribed({ method, path }) {
  const [target] = path.split('?');
  return Object.entries(document.paths).some(([template, item]) => {
    return method.toLowerCase() in item && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target);
  });
}

/** Sends requests to a zoo, and returns the deviations from the document. */
async function held(requests, options, onResponse) {
  const zoo = await startZoo(options);
  try {
    return await compareWithDocument(document, zoo.url, requests, onResponse, isDescribed);
  } finally {
    await zoo.stop();
  }
}

/** The requests that a string has, each as a line with N for each id that is not 0. */
function requestsIn(text, pattern) {
  return Array.from(text.matchAll(pattern), ([, method, path, status]) => withoutIds(`${method} ${path} -> ${status}`));
}

function withoutIds(line) {
  return line.replaceAll(/(?<=[/=])(?:[1-9]\d*|ZOO|PET)(?=[/?& ])/g, 'N');
}

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const problem = (properties) => JSON.stringify({ type: 'about:blank', ...properties });

/** Wrong responses to some requests, and the deviations that are found. */
const WRONG = [
  ['a property of a different type', ['GET', '/v1/zoo/1', 200, JSON_TYPE, '{"id":1,"name":7,"city":"Utrecht"}'], /^#\/name: .*\/type$/],
  ['a property that is missing', ['GET', '/v1/zoo/2/pet', 200, JSON_TYPE, '[{"id":3,"name":"Boa","legs":0,"lethal":true}]'], /^#\/0: .*\/required$/],
  ['a number out of its range', ['POST', '/v1/zoo/1/pet/1/feed', 200, JSON_TYPE, '{"name":"Rex","eaten":-1}'], /^#\/eaten: .*\/minimum$/],
  ['a problem without a title', ['GET', '/v1/zoo/0', 404, PROBLEM_TYPE, problem({ status: 404 })], /^#: .*\/required$/],
  ['a problem as other JSON', ['GET', '/v1/zoo/3', 404, JSON_TYPE, problem({ title: 'Not Found', status: 404 })], /^application\/json is not in the document/],
  ['a 401 without a challenge', ['GET', '/v1/keeper/me', 401, PROBLEM_TYPE, problem({ title: 'Unauthorized', status: 401 })], /^there is no WWW-Authenticate$/],
  ['a Create without Location', ['POST', '/v1/zoo/2/pet', 201, 'text/plain', '3'], /^there is no Location$/],
  ['a different media type', ['GET', '/v1/zoo/1/pet.csv', 200, JSON_TYPE, '[]'], /^application\/json is not in the document, which has text\/csv$/],
  ['a body where there is none', ['DELETE', '/v1/zoo/3', 204, JSON_TYPE, undefined], /^a body of application\/json, where there is none/],
  ['a status that is not in the document', ['DELETE', '/v1/zoo/2/pet/3', 202, undefined, undefined], /^202 is not in the document$/],
];

/** Middleware that sends the wrong responses. */
function respondWrongly(request, response, next) {
  const [, wrong] = WRONG.find(([, [method, path]]) => method === request.method && path === request.url) ?? [];
  if (wrong === undefined) return next();
  const [,, status, type, body] = wrong;
  response.writeHead(status, type === undefined ? {} : { 'Content-Type': type }).end(body);
}

await checking('the document of the zoo', async (check) => {
  for (const [name, complaintsOf] of [['@hyperjump/json-schema', schemaComplaints], ['redocly lint', (given) => lintComplaints(given, 'recommended-strict')]]) {
    await check(`${name} does not complain`, async () => assert.deepEqual(await complaintsOf(document), []));
  }
  await check('it is what the zoo serves, twice', async () => {
    const zoo = await startZoo();
    try {
      for (const _ of [1, 2]) {
        const text = await (await fetch(`${zoo.url}/openapi.json`)).text();
        assert.equal(`${JSON.stringify(JSON.parse(text), undefined, 2)}\n`, DOCUMENT_TEXT);
      }
    } finally {
      await zoo.stop();
    }
  });
  await check('each request of .ci/parts/zoo.sh is in the traffic, and each of the tables in tests/examples', () => {
    const sent = new Set(traffic.map((request) => withoutIds(lineOf(request))));
    const inShell = requestsIn(textOf('.ci/parts/zoo.sh'), /\bresponds ([A-Z]+) '?([^\s']+)'? (\d+)/g);
    const inTables = ['zoos', 'pets', 'events'].flatMap((name) => {
      return requestsIn(textOf(`tests/examples/${name}.test.ts`), /\['(?:anyone|keeper)', '([A-Z]+)', '([^']+)', .*?, (\d{3}),/g);
    });
    assert.ok(inShell.length > 30 && inTables.length > 50, `${inShell.length} and ${inTables.length}`);
    assert.deepEqual([...inShell, ...inTables].filter((line) => !sent.has(line)), []);
  });
  const seen = new Set();
  await check('every response is what the document says', async () => {
    const wrong = await held(traffic, {}, (request, { status, body }) => {
      assert.equal(`${request.method} ${request.path} -> ${status}`, lineOf(request), body);
      if (!isDescribed(request)) return;
      const { operationId, responses } = findOperation(document, request).operation;
      seen.add(`${operationId} ${status in responses ? status : 'default'}`);
    });
    assert.deepEqual(wrong, []);
  });
  await check('the requests that are not in the document are those that it leaves out', () => {
    assert.deepEqual(traffic.filter((request) => !isDescribed(request)).map(lineOf), UNDESCRIBED);
  });
  await check('each response of each operation has been seen', () => {
    const declared = operations.flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => `${operationId} ${status}`));
    const unseen = declared.filter((response) => !seen.has(response) && !/ (?:403|default)$/.test(response));
    assert.deepEqual(unseen, UNSEEN);
    assert.ok(seen.has('zooGet default'));
  });
  // A stream would wait for events that a wrong zoo does not have.
  const finite = traffic.filter(({ path }) => !path.startsWith('/v1/event?after'));
  const wrong = await held(finite, { prepare: (server) => server.use(respondWrongly) });
  for (const [what, [method, path, status], expected] of WRONG) {
    await check(`${what} is found`, () => {
      const start = `${method} ${path} -> ${status}: `;
      assert.ok(wrong.some((difference) => difference.startsWith(start) && expected.test(difference.slice(start.length))), wrong.join('\n'));
    });
  }
  await check('nothing else is found', () => {
    assert.deepEqual(wrong.filter((difference) => !WRONG.some(([, [method, path]]) => difference.startsWith(`${method} ${path} -> `))), []);
  });
});
