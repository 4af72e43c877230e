/** The option `context` of a mount: its callers are authenticated as those of an operation. */
import { setTimeout } from 'node:timers/promises';
import { anyone, apiKey, bearer } from '../../src/auth/index.ts';
import { ApiError, type ContextRequest, type MountHandler, stringId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { openApiHandler } from '../../src/openapi/index.ts';
import { makeServer, makeStream } from '../support/fetch-server.ts';
import { makeEchoHandler, makeUpgrade, readEcho } from '../support/upgrades.ts';
import { assert, type Declare, facts, Gate, head, message, RawClient, send, serve, suite, waitTwoTurns } from '../support/facts.ts';

const staff = bearer((token) => token === 'staff', { resource: { authorizationServers: ['https://login.example'] } });
const byKey = apiKey('X-Key', (key) => key === 'k');
const echo: MountHandler = (request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => response.end(`${request.method} ${request.url} ${body}`));
};
const unreachable: MountHandler = () => assert.unreachable();
const signed = ({ raw, route, query, params, client }: ContextRequest): boolean => {
  return raw.headers['x-signed'] === JSON.stringify([route, query.get('a'), params, client === raw.socket.remoteAddress]);
};
const declare: Declare = (server) => {
  server.registerEndpoint('/pet', { id: stringId, get: (id) => id });
  server.mount('/', echo, { context: byKey });
  server.mount('/metrics', echo, { context: staff });
  server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1' } }), { context: async (request) => signed(request) });
  server.mount('/own', (_request, response) => void response.setHeader('Cache-Control', 'max-age=3').end('own'), { context: () => 'Ann' });
  server.mount('/open', echo, { context: anyone });
  server.mount('/failing', () => { throw new Error('disk'); }, { context: () => 'Ann' });
  server.mount('/away', unreachable, { context: async () => { throw new RangeError('away'); } });
  server.mount('/bug', unreachable, { context: () => { throw new Error('bug'); } });
  server.mount('/function', unreachable, { context: () => unreachable });
  server.mount('/closed', unreachable, { context: () => ApiError.status(403, 'No.') });
  server.mount('/cors', echo, { context: byKey, cors: false });
};
const options = { allowedHosts: ['a'], mapError: (thrown: unknown) => (thrown instanceof RangeError ? ApiError.status(503, 'Later.') : undefined) };
const PRIVATE = ' | Cache-Control: private, no-cache';
const METADATA = '/.well-known/oauth-protected-resource/metrics';
const MISSING = `401 The request needs a bearer token. | WWW-Authenticate: Bearer realm="api", resource_metadata="http://a${METADATA}"${PRIVATE}`;
const WRONG = MISSING.replace(/The.*?\./, 'The token is not valid.').replace('"api"', '"api", error="invalid_token"');
const SIGNED = `X-Signed: ${JSON.stringify([{ method: '*', path: '/openapi.json' }, '1', {}, true])}`;
const NO_KEY = `401 The request needs an API key. | WWW-Authenticate: ApiKey realm="api"${PRIVATE}`;
const PREFLIGHT = 'Origin: https://app.example\nAccess-Control-Request-Method: GET';

const guarded = suite('M7: a mount with a context');
facts(guarded, declare, [
  ['nobody', 'GET /metrics', MISSING],
  ['nobody, below it', 'GET /metrics/a', MISSING],
  ['nobody, and a body', 'POST /metrics abc', MISSING],
  ['a method of no operation', 'PROPFIND /metrics', MISSING],
  ['OPTIONS', 'OPTIONS /metrics', MISSING],
  ['a preflight without the option cors', `OPTIONS /metrics\n${PREFLIGHT}`, MISSING],
  ['a preflight of a handler with its own CORS', `OPTIONS /cors\n${PREFLIGHT}`, `200 OPTIONS /${PRIVATE}`.replace('/ |', '/  |')],
  ['but not its OPTIONS', 'OPTIONS /cors', NO_KEY],
  ['HEAD', 'HEAD /files', NO_KEY.replace(/401 [^|]*/, '401 length 99 ')],
  ['a wrong token', 'GET /metrics\nAuthorization: Bearer eve', WRONG],
  ['its caller', 'POST /metrics/a?b abc\nAuthorization: Bearer staff', `200 POST /a?b abc${PRIVATE}`],
  ['at "/": all paths that nothing else serves', ['GET /files', 'GET /files\nX-Key: k'], [NO_KEY, `200 GET /files ${PRIVATE}`]],
  ['at "/": not an endpoint', 'GET /v1/pet/a', '200 "a"'],
  ['a handler of this package', 'GET /openapi.json', `403 The caller is not allowed to do this.${PRIVATE}`],
  ['a function that reads the request', `HEAD /openapi.json/x?a=1\n${SIGNED}`, `404 length 98${PRIVATE}`],
  ['a handler with a Cache-Control of its own', 'GET /own', '200 own | Cache-Control: max-age=3'],
  ['anyone', 'GET /open', '200 GET / '],
  ['a handler that fails', 'GET /failing', `500${PRIVATE.toLowerCase()}`, '* /failing: disk'],
  ['an error that mapError knows', 'GET /away', `503 Later.${PRIVATE}`, '* /away: Later.'],
  ['a bug', 'GET /bug', `500${PRIVATE}`, '* /bug: Internal error: bug'],
  ['no caller', 'GET /function', `500${PRIVATE}`,
    '* /function: Internal error: a context must not be a function: write context: signedIn, not context: () => signedIn'],
  ['a returned error', 'GET /closed', `403 No.${PRIVATE}`],
], options);
guarded('a preflight of a listed origin is not asked, and may send the key', () => serve(declare, async ({ port }) => {
  const { status, headers } = await send(port, message('OPTIONS', '/metrics', '', PREFLIGHT.split('\n')));
  assert.equal([status, headers.get('access-control-allow-headers')?.includes('X-Key')], [204, true]);
}, { cors: { origins: ['https://app.example'] } }));
guarded('the metadata of its resource is served to anyone', () => serve(declare, async ({ port }) => {
  const { status, body } = await send(port, message('GET', METADATA));
  assert.equal([status, JSON.parse(body).authorization_servers], [200, ['https://login.example']]);
}, options));
guarded('server.fetch: the same, even if the context reads the request', async () => {
  const { server } = makeServer();
  server.mount('/echo', echo, { context: ({ raw }) => raw.headers.authorization === 'staff' });
  const statusAndBody = async (init: RequestInit): Promise<unknown> => {
    const response = await server.fetch(new Request('http://a/echo/a', { method: 'POST', ...init }));
    return [response.status, response.headers.get('cache-control'), (await response.text()).slice(0, 11)];
  };
  assert.equal(await statusAndBody({}), [403, 'private, no-cache', '{"type":"ab']);
  const streamed = await statusAndBody({ body: makeStream('a', 'bc'), duplex: 'half', headers: { authorization: 'staff' } });
  assert.equal(streamed, [200, 'private, no-cache', 'POST /a abc']);
});

guarded('server.fetch: the handler gets the request that the context has got', async () => {
  const { server } = makeServer();
  const seen = new Set<unknown>();
  server.mount('/same', (request, response) => {
    seen.add(request);
    response.end();
  }, { context: ({ raw }) => seen.add(raw) });
  await server.fetch('http://a/same');
  assert.is(seen.size, 1);
});

const EXPECTING = ['Content-Length: 3', 'Expect: 100-continue'];
guarded('Expect: 100-continue: no 100 for nobody, and one for the caller', () => serve(declare, async ({ port }) => {
  const nobody = await RawClient.send(port, head('POST', '/metrics', EXPECTING));
  assert.equal([(await nobody.response()).status, await nobody.closed()], [401, '']);
  const caller = await RawClient.send(port, head('POST', '/metrics', [...EXPECTING, 'Authorization: Bearer staff']));
  assert.is((await caller.response()).status, 100);
  caller.send('abc');
  assert.is((await caller.response()).body, 'POST / abc');
}));
guarded('an upgrade is a request to it, unless a handler of registerUpgrade takes it', () => serve((server) => {
  declare(server);
  server.registerUpgrade('/metrics/chat', makeEchoHandler());
}, async ({ port }) => {
  const nobody = await RawClient.send(port, makeUpgrade('/metrics'));
  assert.equal([(await nobody.response()).status, await nobody.closed()], [401, '']);
  assert.is(await readEcho(await RawClient.send(port, makeUpgrade('/metrics/chat')), 'hello'), 'hello');
}));
for (const [what, limits] of [['a client that leaves', {}], ['limits.operationMs', { operationMs: 50 }]] as const) {
  guarded(`${what} while the context waits: its signal aborts, and the handler is not called`, async () => {
    const [begun, ended] = [new Gate(), new Gate()];
    let reason: unknown;
    await serve((server) => server.mount('/', unreachable, { context: async ({ signal }) => {
      begun.open();
      await setTimeout(600_000, undefined, { signal }).catch(() => ({ reason } = signal));
      ended.open();
      return 'Ann';
    } }), async ({ port, errors }) => {
      const client = await RawClient.send(port, message('POST', '/a', 'abc'));
      await begun.passed;
      const isTimed = 'operationMs' in limits;
      if (isTimed) assert.is((await client.response()).status, 503);
      else client.destroy();
      await ended.passed;
      await waitTwoTurns();
      assert.is((reason as Error).name, isTimed ? 'TimeoutError' : 'AbortError');
      assert.equal(errors.map(({ message: logged }) => logged), isTimed ? ['* /: the operation took longer than 50 ms'] : []);
    }, { limits });
  });
}
guarded('mcpHandler: the context of the mount, and then its own', () => serve((server) => {
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: byKey }), { context: staff });
}, async ({ port }) => {
  const ping = (...lines: string[]): Promise<{ readonly status: number }> => {
    return send(port, message('POST', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}', ['Content-Type: application/json', ...lines]));
  };
  const [authorized, keyed] = ['Authorization: Bearer staff', 'X-Key: k'];
  const responses = await Promise.all([ping(), ping(keyed), ping(authorized), ping(authorized, keyed)]);
  assert.equal(responses.map(({ status }) => status), [401, 401, 401, 200]);
}));
