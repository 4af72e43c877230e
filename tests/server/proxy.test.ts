/** The option `proxy`: the address of a client, and the URL of the server. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bearer } from '../../src/auth/index.ts';
import { ApiServer, type ContextRequest, defineEndpoint, integerId, type LoggedRequest, stringId, wildcardId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { captureEvents } from '../support/capture-events.ts';
import { assert, type Declare, facts, message, rejections, send, serve, suite } from '../support/facts.ts';

const seen: unknown[] = [];
const declare: Declare = (server) => {
  server.registerEndpoints({
    '/pet': defineEndpoint({
      id: integerId,
      schema: (json: unknown): any => json,
      use: { onRequest: ({ client }) => void seen.push(client) },
      context: ({ client }: ContextRequest) => (seen.push(client), {}),
      create: () => 7,
      list: { tool: true, summary: 'Lists pets', run: ({ client }) => (seen.push(client), 'all') },
      get: (id, { urlOf, baseUrl }) => [urlOf(id), urlOf(8), baseUrl],
      itemCustom: { where: (id, { urlOf }) => urlOf(id) },
      custom: { where: { method: 'GET', run: ({ urlOf }) => urlOf(1) } },
    }),
    '/repo/*name/tag/': defineEndpoint({ params: { name: wildcardId }, id: stringId, list: ({ urlOf }) => urlOf('a b'), get: (id, { urlOf }) => urlOf(id) }),
    '/zoo/:zoo/file': defineEndpoint({ params: { zoo: stringId }, id: wildcardId, get: (id, { urlOf }) => urlOf(id) }),
    '/one': defineEndpoint({ get: ({ urlOf }) => urlOf(1) }),
  });
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: ({ client }) => (seen.push(client), {}) }));
};

const clients = suite('P7: request.client');
for (const [trusted, lines, client] of [
  [undefined, 'X-Forwarded-For: 6.6.6.6', '127.0.0.1'],
  [0, 'X-Forwarded-For: 6.6.6.6', '127.0.0.1'],
  [['10.0.0.0/8'], 'X-Forwarded-For: 6.6.6.6', '127.0.0.1'],
  [1, 'X-Forwarded-For: 6.6.6.6, 203.0.113.9', '203.0.113.9'],
  [2, 'X-Forwarded-For: 6.6.6.6, 203.0.113.9\nx-forwarded-for: 10.0.0.1', '203.0.113.9'],
  [['127.0.0.0/8'], 'X-Forwarded-For: 2001:DB8::0:1', '2001:db8::1'],
  [['127.0.0.0/8'], 'X-Forwarded-For: ::ffff:10.0.0.1', '10.0.0.1'],
  [['::ffff:127.0.0.0/104', '10.0.0.0/8'], 'X-Forwarded-For: 6.6.6.6, [2001:db8::2]:443, 10.0.0.1:80', '2001:db8::2'],
  [1, 'X-Forwarded-For: 6.6.6.6, unknown', '127.0.0.1'],
  [1, 'X-Forwarded-For: 6.6.6.6,', '127.0.0.1'],
  [1, 'Forwarded: for=6.6.6.6\nX-Real-IP: 6.6.6.6\nX_Forwarded_For: 6.6.6.6\nX-Forwarded: 6.6.6.6\nTrue-Client-IP: 6.6.6.6', '127.0.0.1'],
] as const) {
  clients(`${lines}, trusted: ${JSON.stringify(trusted)} -> ${client}, for an operation, its context, an interceptor and a tool`, () => serve(declare, async ({ port }) => {
    seen.length = 0;
    assert.is((await send(port, message('GET', '/v1/pet', '', lines.split('\n')))).body, '"all"');
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"petList","arguments":{}}}';
    await send(port, message('POST', '/mcp', body, [...lines.split('\n'), 'Content-Type: application/json', 'Accept: application/json, text/event-stream']));
    assert.equal(seen, Array(7).fill(client));
  }, trusted === undefined ? {} : { proxy: { trusted } }));
}
clients('for an observer and the logger', async () => {
  const logged: unknown[] = [];
  const logger = { info: () => {}, error: (_: Error, about: LoggedRequest) => void logged.push(about.client, Object.keys(about)) };
  const fail: Declare = (server) => server.registerEndpoint('/pet', { get: () => { throw new Error('disk is full'); } });
  await captureEvents((captured) => serve(fail, async ({ port }) => {
    await send(port, message('GET', '/v1/pet', '', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9']));
    assert.equal((await captured.waitForEnds(1)).map(({ client }) => client), ['203.0.113.9']);
  }, { proxy: { trusted: 1 }, logger }));
  assert.equal(logged, ['203.0.113.9', ['status']]);
});
clients('of fetch, which has no address', async () => {
  for (const [trusted, client] of [[0, undefined], [['0.0.0.0/0', '::/0'], undefined], [1, '203.0.113.9']] as const) {
    const server = new ApiServer('/v1', { proxy: { trusted }, logger: { info: () => {}, error: () => {} } });
    declare(server);
    seen.length = 0;
    await server.fetch('/v1/pet', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(seen, [client, client, client]);
    await server.stop();
  }
});

const PRIVATE = ' | Cache-Control: private, no-cache';
const UNKNOWN = "Internal error: the request names a host that may be anyone's: set the option proxy.url, or allowedHosts";
const urls = suite('P8: request.urlOf and request.baseUrl');
facts(urls, declare, [
  ['of the request', 'GET /v1/pet/7', `200 ["http://a/v1/pet/7","http://a/v1/pet/8","http://a"]${PRIVATE}`],
  ['of a target in absolute-form', 'GET http://b:81/v1/pet/7', `200 ["http://b:81/v1/pet/7","http://b:81/v1/pet/8","http://b:81"]${PRIVATE}`],
  ['of an operation on it', 'POST /v1/pet/7/where', `200 "http://a/v1/pet/7"${PRIVATE}`],
  ['of an operation beside it', 'GET /v1/pet/where', `200 "http://a/v1/pet/1"${PRIVATE}`],
  ['below several segments', 'GET /v1/repo/a/b/tag/', '200 "http://a/v1/repo/a/b/tag/a%20b"'],
  ['and of their items', 'GET /v1/repo/a/tag/tag/x%20y', '200 "http://a/v1/repo/a/tag/tag/x%20y"'],
  ['of several segments', 'GET /v1/zoo/b%2Fc/file/d/e', '200 "http://a/v1/zoo/b%2Fc/file/d/e"'],
  ['no header of a client counts', 'GET /v1/pet/7\nX-Forwarded-Host: evil.example\nX-Forwarded-Proto: https\nX-Forwarded-Prefix: /e\nForwarded: host=evil.example',
    `200 ["http://a/v1/pet/7","http://a/v1/pet/8","http://a"]${PRIVATE}`],
  ['a singleton', 'GET /v1/one', '500', 'GET /v1/one: Internal error: urlOf needs endpoint.id: a singleton has no items'],
], { allowedHosts: ['a', 'b'], proxy: { trusted: 1 } });
facts(urls, declare, [
  ['of the option, with its prefix', 'GET /v1/pet/7\nX-Forwarded-Host: evil.example',
    `200 ["https://api.example/zoo/v1/pet/7","https://api.example/zoo/v1/pet/8","https://api.example/zoo"]${PRIVATE}`],
  ['which a Location has, too', 'POST /v1/pet {}', `201 text 7 | Location: /zoo/v1/pet/7${PRIVATE}`],
], { proxy: { url: 'https://api.example/zoo/' } });
facts(urls, declare, [['an origin alone', 'POST /v1/pet {}', `201 text 7 | Location: /v1/pet/7${PRIVATE}`]], { proxy: { url: 'https://api.example' } });
for (const host of ['evil.example', '[::1]@evil.example', '127.0.0.1.evil.example']) {
  urls(`a host that anyone can name: ${host}`, () => serve(declare, async ({ port, errors }) => {
    const { status } = await send(port, `GET /v1/pet/7 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assert.ok(status === 400 || status === 500);
    assert.equal(errors.map(({ message: line }) => line), status === 400 ? [] : [`GET /v1/pet/:id: ${UNKNOWN}`]);
  }));
}
const wrong = (find: (request: any) => unknown): Declare => (server) => server.registerEndpoint('/pet', { id: stringId, get: (_, request) => find(request) });
for (const [id, line] of [
  ['..', 'urlOf: no path can have the id ".."'], [undefined, 'urlOf takes an id of the endpoint: it got undefined'],
] as const) {
  facts(urls, wrong(({ urlOf }) => urlOf(id)), [[`${id} is not an id`, 'GET /v1/pet/7', '500', `GET /v1/pet/:id: Internal error: ${line}`]], { allowedHosts: ['a'] });
}
urls('in an app that has mounted the server at a path', async () => {
  for (const [url, expected] of [[undefined, 'http://127.0.0.1:PORT/api/v1/pet/1'], ['https://api.example/api', 'https://api.example/api/v1/pet/1']] as const) {
    const api = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} }, proxy: url === undefined ? {} : { url } });
    declare(api);
    const app = createServer((request, response) => {
      const originalUrl = request.url ?? '';
      api.requestListener(Object.assign(request, { originalUrl, url: originalUrl.replace('/api', '') }), response);
    });
    app.listen(0, '127.0.0.1');
    await once(app, 'listening');
    const { port } = app.address() as AddressInfo;
    const { body } = await send(port, `GET /api/v1/pet/where HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    assert.is(JSON.parse(body), expected.replace('PORT', String(port)));
    app.close();
  }
});
urls('the resource of bearer is at the same URL', () => {
  const context = bearer(() => 'ann', { resource: { authorizationServers: ['https://login.example'] } });
  return serve((server) => server.registerEndpoint('/pet', { context, get: () => 1 }), async ({ port }) => {
    const { headers } = await send(port, message('GET', '/v1/pet'));
    assert.match(String(headers.get('www-authenticate')), 'resource_metadata="https://api.example/.well-known/oauth-protected-resource/zoo/v1"');
  }, { proxy: { url: 'https://api.example/zoo' } });
});
const URL_RULE = 'must be a URL without a user, a query and a fragment, such as https://api.example';
rejections(suite('P7 P8: wrong options of proxy'), ([
  [{ url: 'api.example' }, 'proxy.url must be a URL that begins with https:// or http://: "api.example"'],
  [{ url: 'https://a/?b' }, `proxy.url ${URL_RULE}: "https://a/?b"`],
  [{ trusted: true }, 'proxy.trusted must be a number of proxies from 0 to 100, or a list of addresses and networks: true'],
  [{ trusted: ['proxy'] }, 'proxy.trusted must have addresses and networks, such as "10.0.0.0/8": proxy'],
  [true, 'proxy must be an object: true'],
  [{ trust: 1 }, 'unknown option proxy.trust: did you mean trusted? It can be one of trusted, url'],
] as const).map(([proxy, text]) => ['', () => new ApiServer('/v1', { proxy: proxy as never }), text]));
