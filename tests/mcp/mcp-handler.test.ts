/** What is a message, and which are rejected, before and after revision 2026-07-28. */
import { ApiServer } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { call, INFO, makeModernMessage, post, serveTools } from './serve-tools.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';

const requests = suite('a request of a client');
for (const [what, body, headers, status, code, message] of [
  ['no JSON', '{', {}, 400, -32700, 'the body is not JSON'],
  ['nothing', '', {}, 400, -32700, 'the body is empty'],
  ['a key named __proto__', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', {}, 400, -32700, 'the body has a key named "__proto__"'],
  ['a different version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, {}, 400, -32600, 'The message must be a JSON-RPC 2.0 request or notification.'],
  ['no method', { jsonrpc: '2.0', id: 1, result: {} }, {}, 400, -32600, 'The message must be a JSON-RPC 2.0 request or notification.'],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, {}, 400, -32600, 'The message must be a JSON-RPC 2.0 request or notification.'],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    {}, 400, -32600, 'The message must be a JSON-RPC 2.0 request or notification.'],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], {}, 400, -32600, 'The message must be a JSON-RPC 2.0 request or notification.'],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, {}, 404, -32601, 'There is no such method.'],
  ['a method called constructor', { jsonrpc: '2.0', id: 1, method: 'constructor' }, {}, 404, -32601, 'There is no such method.'],
  ['an unknown revision', { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { 'mcp-protocol-version': '1900-01-01' }, 400, -32022, 'The protocol version is not supported.'],
  ['an unknown tool', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'petSecret' } }, {}, 200, -32602, 'There is no such tool.'],
  ['an operation that is not a tool', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'petDelete' } }, {}, 200, -32602, 'There is no such tool.'],
  ['a tool called constructor', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } }, {}, 200, -32602, 'There is no such tool.'],
  ['arguments that are a list', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'petGet', arguments: [] } },
    {}, 200, -32602, 'The arguments must be an object.'],
  ['another cursor', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, {}, 200, -32602, 'The cursor is not from this list.'],
  ['a different media type', 'x', { 'content-type': 'text/plain' }, 415, -32600, 'The body must be application/json.'],
  ['an origin', { jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'http://evil.example' }, 403, -32600, 'Pages of this origin may not send requests.'],
  ['more than 1 MiB', ' '.repeat(2 ** 20 + 1), {}, 413, -32600, 'The message is too long.'],
  ['a tool whose name is a list', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: ['petCreate'], arguments: { body: { name: 'Rex' } } } },
    {}, 200, -32602, 'The name of the tool must be a string.'],
  ['a tool whose name is an object', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: { toString: 1 } } },
    {}, 200, -32602, 'The name of the tool must be a string.'],
  ['a tool whose name is a number', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } },
    {}, 200, -32602, 'The name of the tool must be a string.'],
  ['a tool without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, {}, 200, -32602, 'The name of the tool must be a string.'],
  ['a protocolVersion that is a list', { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: ['2025-11-25'] } },
    {}, 200, -32602, 'The protocolVersion must be a string.'],
  ['a protocolVersion that is an object', { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: { toString: 1 } } },
    {}, 200, -32602, 'The protocolVersion must be a string.'],
  ['no protocolVersion', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, {}, 200, -32602, 'The protocolVersion must be a string.'],
  ['a protocolVersion of _meta that is an object', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { [PROTOCOL_VERSION]: { toString: 1 } } } },
    {}, 400, -32602, 'The protocol version must be a string.'],
  ['a protocolVersion of _meta that is a list', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { [PROTOCOL_VERSION]: ['2026-07-28'] } } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, 400, -32602, 'The protocol version must be a string.'],
] as const) {
  requests(`with ${what} -> ${status}, ${code}, and nothing is called`, () => serveTools(async ({ url }, calls) => {
    const response = await post(url, body, headers as unknown as Record<string, string>);
    assert.equal(calls, []);
    assert.is(response.status, status);
    assert.is(response.json.error.code, code);
    assert.match(response.json.error.message, message);
    assert.is(response.headers.get('content-type'), 'application/json');
  }));
}
requests('with an origin that is Host -> 403; with one of allowedOrigins -> 200', () => serveTools(async ({ url }) => {
  assert.is((await call(url, 'ping', {}, { origin: url })).status, 403);
  assert.is((await call(url, 'ping', {}, { origin: 'https://chat.example' })).status, 200);
}, { allowedOrigins: ['https://chat.example'] }));
for (const method of ['GET', 'DELETE', 'PUT']) {
  requests(`by ${method} -> 405 with Allow: POST`, () => serveTools(async ({ url }) => {
    const response = await fetch(`${url}/mcp`, { method });
    assert.is(response.status, 405);
    assert.is(response.headers.get('allow'), 'POST');
    assert.match(await response.text(), 'Messages are sent by POST.');
  }));
}
requests('below the route -> 404', () => serveTools(async ({ url }) => {
  const response = await fetch(`${url}/mcp/x`, { method: 'POST' });
  assert.is(response.status, 404);
  await response.text();
}));
requests('that is a notification -> 202 without a body', () => serveTools(async ({ url }) => {
  const { status, json } = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal([status, json], [202, undefined]);
}));

const legacy = suite('a client that begins with initialize');
for (const [asked, given] of [['2025-06-18', '2025-06-18'], ['2025-11-25', '2025-11-25'], ['2024-11-05', '2025-11-25'], ['2026-07-28', '2025-11-25']]) {
  legacy(`asks for ${asked} and gets ${given}`, () => serveTools(async ({ url }) => {
    const { json } = await call(url, 'initialize', { protocolVersion: asked, capabilities: {}, clientInfo: INFO });
    assert.equal(json, { jsonrpc: '2.0', id: 1, result: { protocolVersion: given, capabilities: { tools: {} }, serverInfo: INFO } });
  }));
}
legacy('can ping, and has no server/discover', () => serveTools(async ({ url }) => {
  assert.equal((await call(url, 'ping')).json.result, {});
  assert.is((await call(url, 'server/discover')).status, 404);
}));

const discovered = suite('a client of revision 2026-07-28');
discovered('gets the revisions, the capabilities and the name of the server from server/discover', () => serveTools(async ({ url }) => {
  const { message, headers } = makeModernMessage('server/discover');
  const { status, json } = await post(url, message, headers);
  assert.is(status, 200);
  assert.equal(json.result, {
    resultType: 'complete', supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18'], capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': INFO },
  });
}));
discovered('gets lists with ttlMs and cacheScope, and results with resultType', () => serveTools(async ({ url }) => {
  const list = makeModernMessage('tools/list');
  const { result } = (await post(url, list.message, list.headers)).json;
  assert.equal([result.resultType, result.ttlMs, result.cacheScope], ['complete', 60_000, 'private']);
  const called = makeModernMessage('tools/call', { name: 'petGet', arguments: { id: 7 } });
  for (const name of ['petGet', `=?base64?${Buffer.from('petGet').toString('base64')}?=`]) {
    const { json } = await post(url, called.message, { ...called.headers, 'mcp-name': name });
    assert.equal([json.result.resultType, json.result.structuredContent], ['complete', { name: 'Rex' }]);
  }
}));
for (const [what, change, code] of [
  ['without Mcp-Method', { 'mcp-method': '' }, -32020],
  ['with another Mcp-Method', { 'mcp-method': 'tools/list' }, -32020],
  ['with another Mcp-Name', { 'mcp-name': 'petList' }, -32020],
  ['with an Mcp-Name in Base64 with more padding than it needs', { 'mcp-name': '=?base64?cGV0R2V0=?=' }, -32020],
  ['with an Mcp-Name that is not Base64', { 'mcp-name': '=?base64?cGV0!!!R2V0?=' }, -32020],
  ['with another Mcp-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }, -32020],
] as const) {
  discovered(`${what} -> 400, ${code}`, () => serveTools(async ({ url }, calls) => {
    const { message, headers } = makeModernMessage('tools/call', { name: 'petGet', arguments: { id: 7 } });
    const { status, json } = await post(url, message, { ...headers, ...change });
    assert.equal([status, json.error.code, json.id, calls], [400, code, 'a', []]);
    assert.match(json.error.message, `Header mismatch: ${Object.keys(change)[0]} is missing, or does not match the body.`);
  }));
}
for (const stated of ['2099-01-01', '2025-11-25']) {
  discovered(`whose body says ${stated} -> 400, -32020: the header says 2026-07-28`, () => serveTools(async ({ url }) => {
    const { message, headers } = makeModernMessage('tools/list');
    const { status, json } = await post(url, JSON.stringify(message).replace('2026-07-28', stated), headers);
    assert.equal([status, json.error.code], [400, -32020]);
  }));
}
for (const missing of ['protocolVersion', 'clientCapabilities']) {
  discovered(`without ${missing} in _meta -> 400, -32602`, () => serveTools(async ({ url }) => {
    const { message, headers } = makeModernMessage('tools/list');
    const { status, json } = await post(url, JSON.stringify(message, (key, value) => (key === `io.modelcontextprotocol/${missing}` ? undefined : value)), headers);
    assert.equal([status, json.error.code, json.error.message], [400, -32602, `The params must have _meta with io.modelcontextprotocol/${missing}.`]);
  }));
}
discovered('with an unknown revision in _meta -> 400, with those that there are', () => serveTools(async ({ url }) => {
  for (const [revision, requested] of [['2099-01-01', '2099-01-01'], ['2'.repeat(1000), '2'.repeat(100)]] as const) {
    const { status, json } = await call(url, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': revision } });
    assert.equal([status, json.error.code, json.error.data], [400, -32022, { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested }]);
  }
}));
discovered('with a name that is a list -> 200, -32602, and nothing is called', () => serveTools(async ({ url }, calls) => {
  const { message, headers } = makeModernMessage('tools/call', { name: ['petCreate'], arguments: { body: { name: 'Rex' } } });
  const { status, json } = await post(url, message, { ...headers, 'mcp-name': 'petCreate' });
  assert.equal([status, json.error.code, calls], [200, -32602, []]);
}));
discovered('has no ping and no initialize', () => serveTools(async ({ url }) => {
  for (const method of ['ping', 'initialize']) {
    const { message, headers } = makeModernMessage(method);
    assert.is((await post(url, message, headers)).json.error.code, -32601);
  }
}));

const options = suite('the options of mcpHandler');
for (const [wrong, message] of [
  [{ info: INFO, origin: 'x' }, 'unknown option options.origin: it can be one of info, allowedOrigins, context, tools, bodyBytes'],
  [{ info: { name: 'zoo' } }, 'options.info.version is required'],
  [{ info: { name: 'zoo', version: 1 } }, 'options.info.version must be a string: 1'],
  [{ info: INFO, allowedOrigins: ['chat.example'] }, 'options.allowedOrigins must be origins, such as https://chat.example: "chat.example"'],
  [{ info: INFO, allowedOrigins: ['https://chat.example/'] }, 'options.allowedOrigins must be origins, such as https://chat.example: "https://chat.example/"'],
  [{ info: INFO, context: 'ann' }, 'options.context must be a function: string'],
  [{ info: INFO, tools: ['petGet'] }, 'options.tools must be a function: object'],
  [{ info: INFO, bodyBytes: 0 }, `options.bodyBytes must be a whole number from 1 to ${2 ** 29 - 24}: 0`],
] as const) {
  options(`${JSON.stringify(wrong)} -> TypeError`, () => {
    const server = new ApiServer('/v1');
    assert.throws(() => mcpHandler(server, wrong as never), isTypeError(message));
  });
}
