/** H2: `Location` of a Create in a server that the user has mounted below a path. */
import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { message } from '../support/messages.ts';
import { send, type RawResponse } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';

type Routed = IncomingMessage & { originalUrl?: string; baseUrl?: string };

function serverAt(root: string, errors: Error[] = []): ApiServer {
  const server = new ApiServer(root, { logger: { info() {}, error: (error: Error) => errors.push(error) } });
  server.registerEndpoint(root === '' ? '/' : '/pet', { id: stringId, schema: String, create: (name) => name });
  return server;
}

/** Creates an item behind a router of the user. */
async function createItem(server: ApiServer, target: string, route: (request: Routed) => void): Promise<RawResponse> {
  let response: RawResponse | undefined;
  await serveListener((request, response) => {
    route(request);
    server.requestListener(request, response);
  }, async (port) => void (response = await send(port, message('POST', target, '"a b"', ['Content-Type: application/json']))));
  if (response === undefined) throw new Error('there is no response');
  return response;
}

/** Removes the first four characters of the path, as Connect does for a mount at `/api`. */
function connect(request: Routed): void {
  request.originalUrl = request.url ?? '';
  request.url = request.originalUrl.slice(4) || '/';
}

/** As `connect`, and reports the removed path. */
function express(request: Routed): void {
  connect(request);
  request.baseUrl = '/api';
}

const mounted = suite('Location of a mounted server');
for (const [why, root, target, route, location] of [
  ['at the root', '/v1', '/v1/pet', (request: Routed) => (request.originalUrl = request.url ?? ''), '/v1/pet/a%20b'],
  ['below a path, by Connect', '/v1', '/api/v1/pet?a=b', connect, '/api/v1/pet/a%20b'],
  ['below a path, by Express', '/v1', '/api/v1/pet?a=b', express, '/api/v1/pet/a%20b'],
  ['below a path, with the root as its base', '', '/api', connect, '/api/a%20b'],
  ['below a path, with a slash', '', '/api/', express, '/api/a%20b'],
] as const) {
  mounted(`${why}: ${location}`, async () => {
    const { status, headers } = await createItem(serverAt(root), target, route);
    assert.equal([status, headers.get('location')], [201, location]);
  });
}
mounted('has the prefix that the router removed, also if middleware then rewrites the path', async () => {
  const server = serverAt('/v1');
  server.use((request, _response, next) => {
    request.url = '/v1/pet';
    next();
  });
  assert.is((await createItem(server, '/api/old', connect)).headers.get('location'), '/api/v1/pet/a%20b');
});
mounted('in another ApiServer has the route of the mount', async () => {
  const inner = serverAt('/v1');
  await serve((server) => server.mount('/outer', inner.requestListener), async ({ port }) => {
    const { headers } = await send(port, message('POST', '/outer/v1/pet', '"ant"', ['Content-Type: application/json']));
    assert.is(headers.get('location'), '/outer/v1/pet/ant');
  });
});
for (const baseUrl of ['//evil.example', '/a\r\nSet-Cookie: a=b', 'http://evil.example', '/a?b']) {
  mounted(`with the prefix ${JSON.stringify(baseUrl)} is not sent, and that is logged`, async () => {
    const errors: Error[] = [];
    const { status, headers, head } = await createItem(serverAt('/v1', errors), '/v1/pet', (request) => (request.baseUrl = baseUrl));
    assert.equal([status, headers.get('location'), head.includes('evil'), head.includes('Set-Cookie')], [201, undefined, false, false]);
    assert.match(errors[0]?.message ?? '', 'no Location');
  });
}
mounted.run();
