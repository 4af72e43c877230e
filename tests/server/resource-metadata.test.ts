/** The metadata of protected resources, on the wire: where a server serves it, and the challenges that lead to it (RFC 9728 sections 3 and 5). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiKey, bearer, firstOf, type BearerOptions } from '../../src/auth/index.ts';
import { ApiServer, type ContextRequest, stringId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { IS_TLS } from '../support/transport.ts';
import { assert, isTypeError, type RawResponse, readProblem, send, serve, type ServeOptions, suite } from '../support/facts.ts';

const SCHEME = IS_TLS ? 'https' : 'http';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const RESOURCE = { authorizationServers: ['https://login.example'], scopes: ['pet:read'] } as const;
const users = new Map([['ann', { scopes: ['pet:read', 'pet:write'] }], ['bob', { scopes: [] }]]);
const signedIn = (options: BearerOptions = { resource: RESOURCE }) => bearer((token) => users.get(token), { getScopes: ({ scopes }) => scopes, ...options });

function sendToHost(port: number, method: string, target: string, headers: readonly string[] = [], host = 'localhost:1'): Promise<RawResponse> {
  return send(port, [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...headers, '', ''].join('\r\n'));
}

function servePet(use: (port: number, errors: () => readonly Error[]) => Promise<void>, context: unknown = signedIn(), options: ServeOptions = {}): Promise<void> {
  return serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, context, get: () => 1, delete: { scopes: ['pet:write'], run: () => {} } } as never);
  }, (served) => use(served.port, () => served.errors), options);
}

const metadata = suite('U11: the metadata of a protected resource');
metadata('is that of RFC 9728, at the well-known path with the root, for anyone, and not for caches', () => servePet(async (port) => {
  const response = await sendToHost(port, 'GET', `${WELL_KNOWN}/v1`);
  assert.equal(JSON.parse(response.body), {
    resource: `${SCHEME}://localhost:1/v1`, authorization_servers: ['https://login.example'], scopes_supported: ['pet:read'], bearer_methods_supported: ['header'],
  });
  assert.equal(['content-type', 'cache-control', 'x-content-type-options', 'content-length'].map((name) => response.headers.get(name)), [
    'application/json', 'no-store', 'nosniff', String(response.body.length),
  ]);
}));
for (const [method, target, status, allow] of [
  ['HEAD', '/v1', 200, undefined], ['GET', '/v1?a=1', 200, undefined], ['OPTIONS', '/v1', 200, 'GET, HEAD, OPTIONS'],
  ['POST', '/v1', 405, 'GET, HEAD, OPTIONS'], ['DELETE', '/v1', 405, 'GET, HEAD, OPTIONS'], ['PUT', '/v1', 405, 'GET, HEAD, OPTIONS'],
  ['GET', '', 404, undefined], ['GET', '/v1/pet', 404, undefined], ['GET', '/v2', 404, undefined],
  ['GET', '/v1/', 404, undefined], ['GET', '/v1/?a=1', 404, undefined],
  ['OPTIONS', '/v1/pet', 404, undefined], ['POST', '/v1/pet', 404, undefined], ['GET', '/V1', 404, undefined],
] as const) {
  metadata(`${method} ${WELL_KNOWN}${target} -> ${status}`, () => servePet(async (port) => {
    const response = await sendToHost(port, method, WELL_KNOWN + target);
    assert.equal([response.status, response.headers.get('allow')], [status, allow]);
    if (method !== 'GET' && status !== 404) assert.is(response.body, '');
  }));
}
metadata('of a server without a root is at the well-known path itself', () => servePet(async (port) => {
  assert.is(JSON.parse((await sendToHost(port, 'GET', WELL_KNOWN)).body).resource, `${SCHEME}://localhost:1`);
}, signedIn(), { root: '' }));
metadata('is there once for many operations, and only if a context has a resource', () => serve((server) => {
  const context = signedIn();
  server.registerEndpoint('/none', { context: signedIn({}), get: () => 1 });
  assert.is(server.routes.some(({ path }) => path.startsWith(WELL_KNOWN)), false);
  server.registerEndpoints({ '/a': { context, get: () => 1 }, '/b': { get: { context: context.optional, run: () => 1 } } } as never);
  server.registerEndpoint('/c', { context: firstOf(apiKey('K', () => 1), context), get: () => 1 });
  server.registerEndpoint('/d', { context: Object.assign((request: ContextRequest) => context(request), { security: context.security }), get: () => 1 });
  server.registerEndpoint('/e', { context: signedIn({ resource: { ...RESOURCE } }), get: () => 1 });
  assert.equal(server.routes.filter(({ path }) => path.startsWith(WELL_KNOWN)), [{ method: '*', path: `${WELL_KNOWN}/v1` }]);
}, async ({ port }) => {
  for (const path of ['a', 'c', 'd', 'e']) {
    assert.match((await sendToHost(port, 'GET', `/v1/${path}`)).headers.get('www-authenticate') ?? '',
      `resource_metadata="${SCHEME}://localhost:1${WELL_KNOWN}/v1"`);
  }
  assert.is((await sendToHost(port, 'GET', '/v1/none')).headers.get('www-authenticate'), 'Bearer realm="api"');
}));
metadata('can be read by pages of listed origins, and by their scripts', () => servePet(async (port) => {
  for (const [origin, allowed] of [['https://app.example', 'https://app.example'], ['https://evil.example', undefined]] as const) {
    const { status, headers } = await sendToHost(port, 'GET', `${WELL_KNOWN}/v1`, [`Origin: ${origin}`]);
    assert.equal([status, headers.get('access-control-allow-origin')], [200, allowed]);
  }
  const preflight = await sendToHost(port, 'OPTIONS', `${WELL_KNOWN}/v1`, ['Origin: https://app.example', 'Access-Control-Request-Method: GET']);
  assert.is(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', 'Mcp-Protocol-Version');
  const { headers } = await sendToHost(port, 'GET', '/v1/pet/1', ['Origin: https://app.example']);
  assert.match(headers.get('access-control-expose-headers') ?? '', 'WWW-Authenticate');
}, signedIn(), { cors: { origins: ['https://app.example'] } }));
metadata('with other issuers in a second context -> TypeError, and nothing is added', () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/a', { context: signedIn(), get: () => 1 });
  const { length } = server.routes;
  const other = signedIn({ resource: { ...RESOURCE, authorizationServers: ['https://other.example'] } });
  assert.throws(() => server.registerEndpoint('/b', { context: other, get: () => 1 }), isTypeError(
    'the resource at "/v1" is declared twice, as {"authorizationServers":["https://login.example"],"scopes":["pet:read"]} and as {"authorizationServers":["https://other.example"],"scopes":["pet:read"]}. Use one function for context',
  ));
  assert.is(server.routes.length, length);
});
metadata('where a mount has its path -> TypeError', () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.mount(`${WELL_KNOWN}/v1`, (_request, response) => void response.end());
  assert.throws(() => server.registerEndpoint('/a', { context: signedIn(), get: () => 1 }), /oauth-protected-resource\/v1/);
});

const challenges = suite('U12: the challenge of a protected resource');
const LOCATION = `resource_metadata="${SCHEME}://localhost:1${WELL_KNOWN}/v1"`;
for (const [method, headers, status, challenge] of [
  ['GET', [], 401, `Bearer realm="api", ${LOCATION}`],
  ['GET', ['Authorization: Basic YTpi'], 401, `Bearer realm="api", ${LOCATION}`],
  ['GET', ['Authorization: Bearer eve'], 401, `Bearer realm="api", error="invalid_token", ${LOCATION}`],
  ['GET', ['Authorization: Bearer a b'], 400, `Bearer realm="api", error="invalid_request", ${LOCATION}`],
  ['DELETE', ['Authorization: Bearer bob'], 403, `Bearer realm="api", error="insufficient_scope", scope="pet:read pet:write", ${LOCATION}`],
  ['DELETE', ['Authorization: Bearer ann'], 204, undefined],
] as const) {
  challenges(`${method} with ${headers.join() || 'no token'} -> ${status}, ${challenge ?? 'no challenge'}`, () => servePet(async (port) => {
    const response = await sendToHost(port, method, '/v1/pet/1', headers);
    assert.equal([response.status, response.headers.get('www-authenticate')], [status, challenge]);
  }));
}
challenges('of a context that returns false, or throws unauthorized, leads to the metadata too', async () => {
  const context = signedIn();
  for (const [own, expected] of [
    [Object.assign(() => false, { security: context.security, unauthorized: context.unauthorized }), `Bearer realm="api", ${LOCATION}`],
    [Object.assign((request: ContextRequest) => { throw context.unauthorized('Sign in.', request); }, { security: context.security }),
      `Bearer realm="api", ${LOCATION}`],
    [Object.assign(() => { throw context.unauthorized('Sign in.'); }, { security: context.security }), 'Bearer realm="api"'],
  ] as const) {
    await serve((server) => server.registerEndpoint('/pet', { id: stringId, context: own, get: () => 1 }), async ({ port }) => {
      assert.is((await sendToHost(port, 'GET', '/v1/pet/1')).headers.get('www-authenticate'), expected);
    });
  }
});
challenges('of a caller without a context, where an operation needs a scope', () => servePet(async (port) => {
  assert.is((await sendToHost(port, 'DELETE', '/v1/pet/1')).headers.get('www-authenticate'), `Bearer realm="api", ${LOCATION}`);
}, signedIn().optional));

const hosts = suite('U13: the host of a protected resource');
for (const [host, options, resource] of [
  ['localhost:1', {}, `${SCHEME}://localhost:1/v1`],
  ['api.example', { allowedHosts: ['api.example'] }, `${SCHEME}://api.example/v1`],
] as const) {
  hosts(`${host} -> ${resource}`, () => servePet(async (port) => {
    assert.is(JSON.parse((await sendToHost(port, 'GET', `${WELL_KNOWN}/v1`, [], host)).body).resource, resource);
  }, signedIn(), options));
}
for (const host of ['evil.example', '10.0.0.1', 'localhost.evil.example']) {
  hosts(`${host}, which anyone can send, is in no response: 404, logged once, and the challenge has no metadata`, () => servePet(async (port, errors) => {
    for (let times = 0; times < 2; times += 1) {
      const response = await sendToHost(port, 'GET', `${WELL_KNOWN}/v1`, ['X-Forwarded-Host: localhost'], host);
      assert.is(readProblem(response).status, 404);
    }
    const { headers } = await sendToHost(port, 'GET', '/v1/pet/1', [], host);
    assert.is(headers.get('www-authenticate'), 'Bearer realm="api"');
    assert.equal(errors().map(({ message }) => message), [
      'option proxy.url is missing, and requests can name any host: set it, or the option allowedHosts',
    ]);
  }));
}
for (const [url, resource, paths, path] of [
  ['https://api.example', 'https://api.example/v1', ['/v1']],
  ['https://api.example/pets/', 'https://api.example/pets/v1', ['/v1', '/pets/v1']],
  ['https://api.example/pets/', 'https://api.example/pets/v1', ['/v1', '/pets/v1'], 'proxy'],
] as const) {
  hosts(`with url ${url}${path === undefined ? '' : ` of ${path}`}, no request changes it: ${resource}`, () => servePet(async (port) => {
    for (const host of ['localhost:1', 'evil.example']) {
      for (const path of paths) assert.is(JSON.parse((await sendToHost(port, 'GET', WELL_KNOWN + path, [], host)).body).resource, resource);
      const { headers } = await sendToHost(port, 'GET', '/v1/pet/1', [], host);
      assert.is(headers.get('www-authenticate'), `Bearer realm="api", resource_metadata="https://api.example${WELL_KNOWN}${resource.slice(19)}"`);
    }
  }, ...(path === 'proxy' ? [signedIn(), { proxy: { url } }] as const : [signedIn({ resource: { ...RESOURCE, url } })] as const)));
}

const tools = suite('U11 U12: the resource of mcpHandler');
const CALL = (name: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { id: 'a' } } });
function serveTools(use: (port: number) => Promise<void>, options?: BearerOptions, toolContext?: unknown): Promise<void> {
  return serve((server) => {
    const context = signedIn(options);
    server.registerEndpoint('/pet', {
      id: stringId, context: toolContext ?? context, get: { tool: true, run: () => 1 }, delete: { tool: true, scopes: ['pet:write'], run: () => {} },
    } as never);
    server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' }, context }));
  }, ({ port }) => use(port));
}
function post(port: number, body: string, ...headers: readonly string[]): Promise<RawResponse> {
  const lines = ['POST /mcp HTTP/1.1', 'Host: localhost:1', 'Content-Type: application/json', `Content-Length: ${body.length}`, ...headers];
  return send(port, [...lines, '', body].join('\r\n'));
}
const OWN = `resource_metadata="${SCHEME}://localhost:1${WELL_KNOWN}/mcp"`;
tools('is its route, beside the root of the server', () => serveTools(async (port) => {
  for (const path of ['/mcp', '/v1']) {
    assert.is(JSON.parse((await sendToHost(port, 'GET', WELL_KNOWN + path)).body).resource, `${SCHEME}://localhost:1${path}`);
  }
}));
tools('is named in the 401 of a message', () => serveTools(async (port) => {
  const response = await post(port, CALL('petGet'));
  assert.equal([response.status, response.headers.get('www-authenticate')], [401, `Bearer realm="api", ${OWN}`]);
  const wrong = await post(port, CALL('petGet'), 'Authorization: Bearer eve');
  assert.equal([wrong.status, wrong.headers.get('www-authenticate')], [401, `Bearer realm="api", error="invalid_token", ${OWN}`]);
}));
tools('is named in the 403 of a call whose caller lacks a scope', () => serveTools(async (port) => {
  const { status, headers, body } = await post(port, CALL('petDelete'), 'Authorization: Bearer bob');
  assert.equal([status, headers.get('www-authenticate')], [403, `Bearer realm="api", error="insufficient_scope", scope="pet:read pet:write", ${OWN}`]);
  assert.equal(JSON.parse(body), { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'The caller lacks a scope.' } });
  assert.is((await post(port, CALL('petDelete'), 'Authorization: Bearer ann')).status, 200);
}));
tools('without a resource, the model gets the 403 as a result', () => serveTools(async (port) => {
  const { status, body } = await post(port, CALL('petDelete'), 'Authorization: Bearer bob');
  assert.is(status, 200);
  assert.is(JSON.parse(body).result.structuredContent.detail, 'The caller needs the scope pet:write.');
}, {}));
tools('of a tool whose context has a resource, where mcpHandler has none, is the one in the challenge', () => serveTools(async (port) => {
  const { status, headers } = await post(port, CALL('petDelete'), 'Authorization: Bearer bob');
  assert.is(status, 403);
  assert.match(headers.get('www-authenticate') ?? '', LOCATION);
}, {}, signedIn()));
tools('in an app that has mounted the server at a path: url has that path', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  const context = signedIn({ resource: { ...RESOURCE, url: 'https://api.example/api' } });
  server.registerEndpoint('/pet', { id: stringId, context, get: () => 1 });
  server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' }, context }));
  const outer = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  outer.mount('/api', server.requestListener);
  outer.mount('/.well-known', ((request: IncomingMessage & { originalUrl?: string }, response: ServerResponse) => {
    request.url = request.originalUrl;
    server.requestListener(request, response);
  }) as never);
  for (const [path, resource] of [['/api/v1/pet/1', '/api/v1'], ['/api/mcp', '/api/mcp']] as const) {
    const response = await outer.fetch(path, path.endsWith('mcp') ? { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } } : {});
    assert.is(response.headers.get('www-authenticate'), `Bearer realm="api", resource_metadata="https://api.example${WELL_KNOWN}${resource}"`);
    const found = await (await outer.fetch(WELL_KNOWN + resource)).json() as { readonly resource: string };
    assert.is(found.resource, `https://api.example${resource}`);
  }
});
