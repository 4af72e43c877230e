/**
 * Prism, which reports responses that deviate from a document. It stands between a client and a server that repeats responses that were
 * recorded before, since it responds to some requests itself: without credentials, for example, or with a body that is not JSON. Uses no network.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { withFile } from './openapi-validators.js';
import { Program } from './program.js';

const CLI = fileURLToPath(new URL('node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url));
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/** Sends all requests to a server, in their order. Resolves to its responses, each with the method and the path of its request. */
export async function getResponses(url, requests) {
  const responses = [];
  for (const { method, path, status: expected, headers, body } of requests) {
    const response = await fetch(url + path, { method, headers, body });
    const allHeaders = [...response.headers].filter(([name]) => !HOP_BY_HOP.includes(name));
    const bytes = Buffer.from(await response.arrayBuffer());
    responses.push({ method, path, expected, status: response.status, headers: allHeaders, body: bytes });
  }
  return responses;
}

/** Prism's complaints about responses: for each, a list. */
export async function findComplaints(document, responses) {
  const repeated = [];
  const server = createServer((request, response) => {
    const index = Number(request.headers['x-response']);
    repeated.push(index);
    const { status, headers, body } = responses[index];
    response.writeHead(status, headers.flat()).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const found = await throughPrism(document, `http://127.0.0.1:${server.address().port}`, async (url) => {
      const each = [];
      for (const [index, response] of responses.entries()) each.push(await complaintsOfOne(url, index, response));
      return each;
    });
    assert.deepEqual(repeated, [...responses.keys()]);
    return found;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function complaintsOfOne(url, index, { method, path, status }) {
  const response = await fetch(url + path, { method, headers: { 'x-response': index } });
  await response.arrayBuffer();
  const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]');
  // With `--errors`, Prism replaces a wrong response with an error.
  assert.equal(response.status, violations.length > 0 ? 500 : status, `${method} ${path}`);
  return violations.map(({ location, message }) => `${location.join('.')}: ${message}`);
}

/** Uses the URL of Prism in front of `upstream`. */
function throughPrism(document, upstream, use) {
  return withFile(withoutSecurity(document), async (file) => {
    const words = [CLI, 'proxy', file, upstream, '--port', '0', '--errors', '--validate-request=false'];
    const prism = new Program(process.execPath, words);
    try {
      const [, url] = await prism.printed(/is listening on (http:\S+)/);
      return await use(url);
    } finally {
      await prism.end('SIGKILL');
    }
  });
}

/** Prism returns 401 to requests without credentials, and has no option against that. */
function withoutSecurity(document) {
  const copy = structuredClone(document);
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) delete operation.security;
  }
  return copy;
}
