/** `requestListener` with `next`, as apps call it: which requests go on to the next listener, and in which state. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiServer, defineEndpoint, stringId, type ApiServerOptions } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { assert, Gate, message, send, suite, waitUntil } from '../support/facts.ts';

type Next = (request: IncomingMessage, response: ServerResponse) => void;

interface App {
  readonly server: ApiServer;
  readonly calls: (readonly unknown[])[];
}

const respondNext: Next = (request, response) => response.end(`next ${request.url}`);

/** An app with a server at its root, and a listener behind it. */
async function serveApp(
  use: (port: number, app: App) => Promise<void>,
  { next = respondNext, declare = () => {}, ...options }: AppOptions = {},
): Promise<void> {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} }, ...options });
  server.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    schema: String,
    create: (name) => name,
    get: async (name) => name,
  }));
  server.mount('/files', (_request, response) => response.end('mounted'));
  declare(server);
  const calls: unknown[][] = [];
  await serveListener((request, response) => {
    server.requestListener(request, response, (...values: unknown[]) => {
      calls.push(values);
      next(request, response);
    });
  }, (port) => use(port, { server, calls }));
}

interface AppOptions extends ApiServerOptions {
  readonly next?: Next;
  readonly declare?: (server: ApiServer) => void;
}

const passed = suite('H1: requests that go on to next');
for (const [method, path] of [
  ['GET', '/'], ['GET', '/v1'], ['GET', '/v1/pets'], ['POST', '/v1/pet/1/feed'], ['OPTIONS', '/v2'], ['PROPFIND', '/pot'], ['GET', '//v1/pet/1'],
  ['GET', '/filesX'],
] as const) {
  passed(`${method} ${path} is not served: next is called once, without an argument`, () => serveApp(async (port, { calls }) => {
    const { status, body, headers } = await send(port, message(method, path));
    assert.equal([status, body, headers.get('connection')], [200, `next ${path}`, 'keep-alive']);
    assert.equal(calls, [[]]);
  }));
}
passed('a request that no endpoint would accept goes on too: checks and limits are for paths that are served', () => serveApp(async (port, { calls }) => {
  assert.is((await send(port, message('GET', '/page'))).body, 'next /page');
  assert.is(calls.length, 1);
  assert.is((await send(port, message('GET', '/v1/pet/1'))).status, 421);
}, { allowedHosts: ['zoo.example'] }));
passed('middleware of the server is not called for them', async () => {
  const seen: (string | undefined)[] = [];
  await serveApp(async (port) => {
    const { headers } = await send(port, message('GET', '/page'));
    assert.is(headers.get('x-seen'), undefined);
    assert.is((await send(port, message('GET', '/v1/pet/1'))).headers.get('x-seen'), 'yes');
    assert.equal(seen, ['/v1/pet/1']);
  }, {
    declare: (server) => server.use((request, response, next) => {
      seen.push(request.url);
      response.setHeader('X-Seen', 'yes');
      next();
    }),
  });
});
passed('they do not count for limits.inFlight', async () => {
  const gate = new Gate();
  await serveApp(async (port, { calls }) => {
    const waiting = send(port, message('GET', '/slow'));
    await waitUntil(() => calls.length === 1, 'the slow page');
    assert.is((await send(port, message('GET', '/v1/pet/1'))).status, 200);
    gate.open();
    await waiting;
  }, { limits: { inFlight: 1 }, next: (_request, response) => void gate.passed.then(() => response.end()) });
});
passed('a path that is registered later is served from then on', () => serveApp(async (port, { server }) => {
  assert.is((await send(port, message('GET', '/v1/late'))).body, 'next /v1/late');
  server.registerEndpoint('/late', { get: () => 'here' });
  assert.is((await send(port, message('GET', '/v1/late'))).body, '"here"');
}));

const kept = suite('H1: requests that do not go on to next');
for (const [method, path, status] of [
  ['GET', '/v1/pet/1', 200], ['HEAD', '/v1/pet/1', 200], ['DELETE', '/v1/pet/1', 405], ['PATCH', '/v1/pet', 405], ['OPTIONS', '/v1/pet', 200],
  ['OPTIONS', '*', 200], ['GET', '/files/a', 200], ['GET', '/v1/pet/%ff', 400], ['GET', '/a%00b', 400], ['GET', '/a\\b', 400],
] as const) {
  kept(`${method} ${path} -> ${status}`, () => serveApp(async (port, { calls }) => {
    assert.is((await send(port, message(method, path))).status, status);
    assert.equal(calls, []);
  }));
}
kept('nor does one that middleware rewrites to a path that is not served: 404', () => serveApp(async (port, { calls }) => {
  assert.is((await send(port, message('GET', '/v1/pet/1'))).status, 404);
  assert.equal(calls, []);
}, {
  declare: (server) => server.use((request, _response, next) => {
    request.url = '/nowhere';
    next();
  }),
}));
kept('without next, an unknown path is a 404', async () => {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  await serveListener(server.requestListener, async (port) => assert.is((await send(port, message('GET', '/page'))).status, 404));
});

const state = suite('H1: a request that goes on to next');
state('has an unread body, and no listener of the server', async () => {
  const counts: number[] = [];
  const next: Next = async (request, response) => {
    counts.push(...[request, response].flatMap((stream) => ['data', 'end', 'error', 'close'].map((name) => stream.listenerCount(name))));
    let text = '';
    for await (const chunk of request) text += chunk;
    response.end(text);
  };
  await serveApp(async (port) => {
    const alone: number[] = [];
    await serveListener((request, response) => {
      alone.push(...[request, response].flatMap((stream) => ['data', 'end', 'error', 'close'].map((name) => stream.listenerCount(name))));
      response.end();
    }, async (other) => void (await send(other, message('POST', '/page', 'hello'))));
    assert.is((await send(port, message('POST', '/page', 'hello'))).body, 'hello');
    assert.equal(counts, alone);
  }, { next });
});
