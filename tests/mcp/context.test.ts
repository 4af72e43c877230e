/** The option `context`: callers are authenticated before a message is read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../src/auth/index.ts';
import { ApiError, type ContextRequest, integerId, reply } from '../../src/index.ts';
import { mcpHandler, type McpOptions } from '../../src/mcp/index.ts';
import { Gate } from '../support/gate.ts';
import { message, problemIn } from '../support/messages.ts';
import { RawClient, rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { call, callTool, INFO, servingTools } from './calling.ts';

const head = (length: number, ...lines: readonly string[]): string =>
  ['POST /mcp?a=1 HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', `Content-Length: ${length}`, ...lines, '', ''].join('\r\n');
const user = bearer((token) => (token === 'ann' ? { name: token } : undefined));
const CHALLENGE = 'Bearer realm="api"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const NOT_ALLOWED = 'The caller is not allowed to do this.';

const rejected = suite('a caller whom the context of mcpHandler rejects');
for (const [what, context, lines, status, challenge, detail, logged] of [
  ['without credentials', user, [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['with a wrong token', user, ['Authorization: Bearer eve'], 401, INVALID, 'The token is not valid.', 0],
  ['with two tokens', user, ['Authorization: Bearer ann', 'Authorization: Bearer ann'], 400, `${CHALLENGE}, error="invalid_request"`, 'The Authorization header is malformed.', 0],
  ['by a promise', async (request: ContextRequest) => user(request), [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['by false', () => false, [], 403, undefined, NOT_ALLOWED, 0],
  ['by a promise of false', async () => false, [], 403, undefined, NOT_ALLOWED, 0],
  ['by false, where there is a challenge', Object.assign(() => false, { unauthorized: user.unauthorized }), [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['by an error that it returns', () => ApiError.status(403, 'no'), [], 403, undefined, 'no', 0],
  ['by a 503', () => { throw ApiError.status(503, 'the users are away'); }, [], 503, undefined, 'the users are away', 1],
  ['by another error', () => { throw new Error('disk'); }, [], 500, undefined, undefined, 1],
  ['by a reply', () => reply(302, undefined, { Location: '/login' }), [], 500, undefined, undefined, 1],
] as const) {
  rejected(`${what} -> ${status}, and no byte of the message is read`, () => servingTools(async ({ port, errors }, calls) => {
    const client = await RawClient.connect(port);
    client.send(head(1_000_000, ...lines));
    const response = await client.response();
    assert.equal([response.status, response.headers.get('www-authenticate'), problemIn(response).detail], [status, challenge, detail]);
    assert.equal([calls, errors.length], [[], logged]);
    client.destroy();
  }, { context: context as NonNullable<McpOptions['context']> }));
}
rejected('and who sends the message all the same can read the 401, and send another message', () => servingTools(async ({ port }) => {
  const client = await RawClient.connect(port);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  client.send(head(body.length) + body);
  assert.is((await client.response()).status, 401);
  client.send(head(body.length, 'Authorization: Bearer ann') + body);
  assert.is((await client.response()).body, '{"jsonrpc":"2.0","id":1,"result":{}}');
  client.destroy();
}, { context: user }));
rejected('by its origin, its path, its method, its type or its length is not asked for', async () => {
  let asked = 0;
  await servingTools(async ({ port }) => {
    for (const bytes of [
      head(2, 'Origin: http://evil.example'), message('POST', '/mcp/x', '{}'), message('GET', '/mcp'), message('POST', '/mcp', '{}').replace('application/json', 'text/plain'), head(2 ** 20 + 1),
    ]) {
      const client = await RawClient.connect(port);
      client.send(bytes);
      assert.ok((await client.response()).status >= 400);
      client.destroy();
    }
  }, { context: () => { asked += 1; } });
  assert.is(asked, 0);
});
rejected.run();

const admitted = suite('a caller whom the context of mcpHandler admits');
for (const [what, result] of [['undefined', undefined], ['null', null], ['a user', { name: 'ann' }], ['a promise', Promise.resolve('ann')]] as const) {
  admitted(`by ${what} gets a response`, () => servingTools(async ({ url }) => {
    assert.equal((await callTool(url, 'petGet', { id: 7 })).json.result.structuredContent, { name: 'Rex' });
  }, { context: () => result }));
}
admitted('is authenticated by the tool too', () => servingTools(async ({ url }) => {
  assert.equal((await callTool(url, 'petItemFeed', { id: 7 })).json.result.structuredContent.status, 401);
  assert.equal((await callTool(url, 'petItemFeed', { id: 7 }, { authorization: 'Bearer ann' })).json.result.structuredContent, { id: 7, by: 'ann' });
}, { context: () => 'anyone' }));
admitted('is asked for with a request of the mount', async () => {
  const seen: unknown[] = [];
  await servingTools(async ({ port }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.is((await rawRequest(port, head(body.length, 'X-Name: ann') + body)).status, 200);
  }, { context: ({ raw, route, params, query, signal, itemId }) => {
    seen.push(raw.headers['x-name'], route, params, query.get('a'), signal.aborted, itemId);
  } });
  assert.equal(seen, ['ann', { method: 'POST', path: '/mcp' }, {}, '1', false, undefined]);
});
admitted('who leaves meanwhile aborts its signal, and nothing is called', async () => {
  const [begun, left] = [new Gate(), new Gate()];
  await servingTools(async ({ port }, calls) => {
    const client = await RawClient.connect(port);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'petGet', arguments: { id: 7 } } });
    client.send(head(body.length) + body);
    await begun.passed;
    client.destroy();
    await left.passed;
    assert.equal(calls, []);
  }, { context: async ({ signal }) => {
    begun.open();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    left.open();
  } });
});
admitted.run();

const lengths = suite('the length of a message');
for (const [what, bytes, framing] of [
  ['that its head states, before it is sent', '', 'Content-Length: 101'],
  ['in chunks', `65\r\n${' '.repeat(101)}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'],
] as const) {
  lengths(`above bodyBytes, ${what} -> 413`, () => servingTools(async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${bytes}`);
    const { status, body } = await client.response();
    assert.equal([status, JSON.parse(body).error.message], [413, 'The message is too long.']);
    client.destroy();
  }, { bodyBytes: 100 }));
}
lengths('of bodyBytes is read, also above the default', () => serving((server) => {
  server.registerEndpoint('/pet', { id: integerId, create: { tool: true, input: (json: unknown) => json, limits: { bodyBytes: 2 ** 22 }, run: () => 1 } });
  server.mount('/mcp', mcpHandler(server, { info: INFO, bodyBytes: 2 ** 21 }));
}, async ({ url }) => {
  assert.is((await callTool(url, 'petCreate', { body: 'x'.repeat(2 ** 21 - 200) })).json.result.isError, false);
  assert.is((await call(url, 'ping', { a: 'x'.repeat(2 ** 21) })).status, 413);
}));
lengths.run();
