/** The pairs of programs of docs/frameworks.md send the same responses to the same requests. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { withScratch, listSections, withRunning } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const KEEPER = { Authorization: 'Bearer secret' };

/** Requests in their order: method, path, body, headers. Then the status of both responses. */
const PAIRS = {
  express: [
    ['POST', '/v1/note', '{"text":"buy milk"}', JSON_TYPE, 201],
    ['POST', '/v1/note', '{"text":7}', JSON_TYPE, 400],
    ['GET', '/v1/note/1', undefined, { Origin: 'https://page.example' }, 200],
    ['GET', '/v1/note/2', undefined, {}, 404],
    ['PUT', '/v1/note/1', '{"text":"call home"}', JSON_TYPE, 204],
    ['PUT', '/v1/note/2', '{"text":"call home"}', JSON_TYPE, 404],
    ['PUT', '/v1/note/1', '{}', JSON_TYPE, 400],
    ['POST', '/v1/note/1/shout', undefined, JSON_TYPE, 200],
  ],
  fastify: [
    ['GET', '/animal', undefined, {}, 200],
    ['GET', '/animal?limit=0', undefined, {}, 422],
    ['GET', '/animal?limit=few', undefined, {}, 422],
    ['POST', '/animal', '{"name":"bee","legs":6}', JSON_TYPE, 401],
    ['POST', '/animal', '{"name":"bee","legs":6}', { ...JSON_TYPE, ...KEEPER }, 201],
    ['POST', '/animal', '{"name":"bee","legs":6}', { ...JSON_TYPE, ...KEEPER }, 409],
    ['POST', '/animal', '{"name":"","legs":-1}', { ...JSON_TYPE, ...KEEPER }, 422],
    ['POST', '/animal', '{"name":', { ...JSON_TYPE, ...KEEPER }, 400],
    ['GET', '/animal/bee', undefined, {}, 200],
    ['GET', '/animal?limit=1', undefined, {}, 200],
    ['GET', '/elsewhere', undefined, {}, 404],
  ],
};

const programs = new Map(listSections('frameworks.md').flat().filter(({ name }) => /-(?:before|after)\.js$/.test(name)).map((block) => [block.name, block]));

/** Runs a program of the document, and sends it the requests. Resolves to the visible parts of the responses. */
function getResponses(name, requests, folder) {
  return withRunning(programs.get(`${name}.js`), folder, async ({ port }) => {
    const responses = [];
    for (const [method, path, body, headers] of requests) responses.push(await ask(`http://127.0.0.1:${port}${path}`, { method, headers, body }));
    return responses;
  });
}

async function ask(url, init) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await response.text();
  const field = (name) => response.headers.get(name);
  return {
    status: response.status,
    type: field('content-type')?.split(';')[0] ?? null,
    location: field('location'),
    allowsOrigin: field('access-control-allow-origin'),
    challenge: field('www-authenticate')?.split(',')[0] ?? null,
    etag: field('etag')?.startsWith('W/') ? null : field('etag'),
    body: field('content-type')?.includes('json') ? JSON.parse(text) : text,
  };
}

await checking('migration', async (check) => {
  await withScratch(async (folder) => {
    for (const [framework, requests] of Object.entries(PAIRS)) {
      const before = await getResponses(`${framework}-before`, requests, folder);
      const after = await getResponses(`${framework}-after`, requests, folder);
      for (const [index, [method, path, body = '', , status]] of requests.entries()) {
        await check(`${framework}: ${method} ${path} ${body} -> ${status}`, () => {
          assert.equal(before[index].status, status);
          assert.deepEqual(after[index], before[index]);
        });
      }
    }
    await check('each program of the document is run', () => assert.equal(programs.size, 2 * Object.keys(PAIRS).length));
  });
});
