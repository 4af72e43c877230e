/** What a call sends to its operation, and what it gives. */
import { mergePatch, ndjson } from '../../src/formats/index.ts';
import { type ApiServer, integerId, reply, stringId, wildcardId } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { makeJsonSchema } from '../support/make-document.ts';
import { callTool, INFO, serveTools } from './serve-tools.ts';
import { assert, serve, suite } from '../support/facts.ts';

const Change = makeJsonSchema({ type: 'object', properties: { name: { type: 'string' } } });

const calls = suite('E9: a call');
for (const [name, given, called, structured, text] of [
  ['petGet', { id: 7 }, [[7]], { name: 'Rex' }, '{"name":"Rex"}'],
  ['petGet', { id: '7' }, [[7]], { name: 'Rex' }, '{"name":"Rex"}'],
  ['petList', {}, [[{}]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petList', { query: { tag: ['a&b', 'c'], limit: 5, none: null } }, [[{ tag: ['a&b', 'c'], limit: '5' }]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petList', { query: {} }, [[{}]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petCreate', { body: { name: 'Asp' } }, [[{ name: 'Asp' }]], { id: 7 }, '7'],
  ['petUpdate', { id: 7, body: { name: 'Asp' } }, [[7, { name: 'Asp' }]], undefined, '204'],
  ['upload', { body: Buffer.from('abc').toString('base64') }, [[]], { bytes: 3 }, '{"bytes":3}'],
  ['petNumber', {}, [], { value: 5 }, '5'],
  ['petText', {}, [], undefined, 'a string'],
  ['byGet', { id: 'a/b?c' }, [['a/b?c']], { id: 'a/b?c' }, '{"id":"a/b?c"}'],
  ['byGet', { id: '..' }, [['..']], { id: '..' }, '{"id":".."}'],
  ['byGet', { id: 'secret' }, [['secret']], { id: 'secret' }, '{"id":"secret"}'],
] as const) {
  calls(`of ${name} with ${JSON.stringify(given)} gives ${text}`, () => serveTools(async ({ url }, made) => {
    const { status, json } = await callTool(url, name, given);
    assert.is(status, 200);
    assert.equal(json.result, { content: [{ type: 'text', text }], ...(structured && { structuredContent: structured }), isError: false });
    assert.equal(made, called);
  }));
}
for (const [name, given, text] of [
  ['petGet', {}, /The argument id must be a string or a number/],
  ['petGet', { id: '' }, /The argument id must be/],
  ['petGet', { id: { a: 1 } }, /The argument id must be/],
  ['petGet', { id: 7, name: 'Rex' }, /There is no such argument. Allowed: id./],
  ['petNumber', { a: 1 }, /There is no such argument. Allowed: none./],
  ['petList', { query: 'a=1' }, /The argument query must be an object/],
  ['petList', { query: { tag: { a: 1 } } }, /The argument query must be an object/],
  ['upload', { body: 5 }, /The argument body must be a string in Base64\./],
  ...[
    'not Base64!', 'Y W J j', 'YWJj\n', 'YWJ', 'YW==YW==', 'YWI=!', '====', 'data:text/plain;base64,YWJj', '_-8=', 'YWJjé', 'QR==',
  ].map((body) => ['upload', { body }, /The argument body must be a string in Base64\./] as const),
] as const) {
  calls(`of ${name} with ${JSON.stringify(given)} is a problem with 400 that a model can read`, () => serveTools(async ({ url }, made) => {
    const { json: { result: { isError, content, structuredContent: problem } } } = await callTool(url, name, given);
    assert.equal([isError, problem.type, problem.title, problem.status], [true, 'about:blank', 'Bad Request', 400]);
    assert.match(problem.detail, text);
    assert.equal(content, [{ type: 'text', text: JSON.stringify(problem) }]);
    assert.equal(made, []);
  }));
}
calls('whose response has more than 1 MiB is an error that a model can read', () => serveTools(async ({ url }) => {
  const { json } = await callTool(url, 'petHuge');
  assert.equal(json.result, { content: [{ type: 'text', text: 'The response has more than 1048576 bytes. Ask for less.' }], isError: true });
}));
calls('sends no body for an empty string', () => serveTools(async ({ url }) => {
  assert.equal((await callTool(url, 'upload', { body: '' })).json.result.structuredContent, { bytes: 0 });
}));
for (const [name, given, status, detail] of [
  ['petGet', { id: 8 }, 404, /Not found/],
  ['petGet', { id: 'seven' }, 400, /expected a decimal integer/],
  ['petCreate', {}, 400, /the body is empty/],
  ['petBroken', {}, 409, /It is asleep/],
  ['petUnpaid', {}, 402, /Pay first/],
  ['petItemFeed', { id: 7 }, 401, /./],
] as const) {
  calls(`of ${name} that is rejected with ${status} has the problem, as text and as structured content`, () => serveTools(async ({ url, errors }) => {
    const { json: { result } } = await callTool(url, name, given);
    assert.is(result.isError, true);
    assert.is(result.structuredContent.status, status);
    assert.match(result.structuredContent.detail, detail);
    assert.equal(JSON.parse(result.content[0].text), result.structuredContent);
    assert.is(errors.length, name === 'petBroken' ? 1 : 0);
  }));
}
calls('passes on the credentials that its operation names, and nothing else', () => serveTools(async ({ url }, made) => {
  const headers = { authorization: 'Bearer ann', cookie: 'session=1', 'x-other': '1' };
  const { json: { result } } = await callTool(url, 'petItemFeed', { id: 7 }, headers);
  assert.equal(result.structuredContent, { id: 7, by: 'ann' });
  const [[sent]] = made as [[Record<string, string>]];
  assert.equal(Object.keys(sent).sort(), ['authorization', 'host']);
  await callTool(url, 'petGet', { id: 7 }, headers);
}));
async function* yieldThenFail(): AsyncGenerator<string> {
  yield 'the beginning';
  throw new Error('it broke off');
}

calls('needs the scopes of its operation', () => serveTools(async ({ url }, made) => {
  const { json: { result } } = await callTool(url, 'petItemFeed', { id: 7 }, { authorization: 'Bearer bob' });
  assert.equal([result.isError, result.structuredContent.status, made], [true, 403, []]);
}));
for (const [name, content] of [
  ['petPhoto', { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' }],
  ['petZip', { type: 'resource', resource: { uri: 'response:body', mimeType: 'application/zip', blob: Buffer.from('zip').toString('base64') } }],
] as const) {
  calls(`of ${name} gives ${content.type}`, () => serveTools(async ({ url }) => {
    const { json } = await callTool(url, name);
    assert.equal(json.result, { content: [content], isError: false });
  }));
}
for (const [type, body, content] of [
  ['application/x-ndjson', '{"a":1}\n{"a":2}\n', 'text'],
  ['application/jsonl; charset=utf-8', '{"a":"é"}\n', 'text'],
  ['application/xml', '<a/>', 'text'],
  ['application/atom+xml', '<feed/>', 'text'],
  ['APPLICATION/YAML', 'a: 1', 'text'],
  ['text/csv ; header=present', 'a,b', 'text'],
  ['image/svg+xml', '<svg/>', 'image'],
  ['application/octet-stream', 'a', 'resource'],
  ['application/xml', Buffer.from([0x3c, 0xe9, 0x3e]), 'resource'],
] as const) {
  calls(`whose result is ${type} gives ${content}: ${JSON.stringify(body)}`, () => serve((server) => {
    server.registerEndpoint('/file', { get: { tool: true, run: () => reply(200, Buffer.from(body as string), { 'Content-Type': type }) } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url }) => {
    const { json: { result } } = await callTool(url, 'fileGet');
    assert.equal([result.isError, result.content.map((each: any) => each.type)], [false, [content]]);
    if (content === 'text') assert.is(result.content[0].text, body);
  }));
}
calls('of an operation with output: ndjson gives its lines', () => serve((server) => {
  server.registerEndpoint('/pet', { list: { tool: true, output: ndjson(Change), run: () => [{ name: 'Rex' }, { name: 'Asp' }] }, id: integerId } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  assert.equal((await callTool(url, 'petList')).json.result, { content: [{ type: 'text', text: '{"name":"Rex"}\n{"name":"Asp"}\n' }], isError: false });
}));
calls('sends the Host of the caller, so allowedHosts holds', () => serveTools(async ({ url }) => {
  assert.equal((await callTool(url, 'petGet', { id: 7 })).json.result.isError, false);
}, {}, { allowedHosts: ['127.0.0.1'] }));
calls('whose response breaks off is an error that a model can read', () => serveTools(async ({ url, server, errors }) => {
  server.registerEndpoint('/cut', { get: { tool: true, run: () => reply(200, yieldThenFail(), { 'Content-Type': 'text/plain' }) } } as never);
  const { json } = await callTool(url, 'cutGet');
  assert.match(String(errors[0]), /it broke off/);
  assert.equal(json.result, { content: [{ type: 'text', text: 'The operation did not send a complete response.' }], isError: true });
}));

/** Declares tools whose requests have more than an id, a query and JSON. */
function declareOthers(server: ApiServer): void {
  const pets = new Map([[1, { id: 1, revision: 1 }], [2, { id: 2, revision: 1 }]]);
  server.registerEndpoint('/pet', {
    id: integerId,
    version: ({ revision }: any) => revision,
    requireIfMatch: true,
    get: { tool: true, run: (id: number) => pets.get(id) },
    list: { tool: true, use: pages({ cursor: ({ id }: any) => id }), run: ({ page: { after = '0', take } }: any) => [...pets.values()].filter(({ id }) => id > after).slice(0, take) },
    patch: { tool: true, input: mergePatch(Change as never), run: async (id: number, change: any) => void pets.set(id, { ...pets.get(id), ...await change({}), revision: 2 }) },
  } as never);
  server.registerEndpoint('/file', { id: wildcardId, get: { tool: true, run: (key: string) => ({ key }) } } as never);
  server.registerEndpoint('/repo/*name/tag' as never, {
    params: { name: wildcardId }, id: stringId, get: { tool: true, run: (tag: string, { params }: any) => [params.name, tag] },
    itemCustom: { sign: { method: 'GET', run: () => 'not a tool' } },
  } as never);
  server.registerEndpoint('/file/list', { get: () => 'not a tool' } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}

const others = suite('a call, besides its id, its query and JSON,');
const serveOthers = (use: (url: string) => Promise<void>): Promise<void> => serve(declareOthers, ({ url }) => use(url));
others('gives the version of an item, and takes that which it is for', () => serveOthers(async (url) => {
  const { json: { result: { content } } } = await callTool(url, 'petGet', { id: 1 });
  assert.equal(content[1], { type: 'text', text: 'ETag: "1"' });
  const change = (headers: object): Promise<any> => callTool(url, 'petPatch', { id: 1, headers, body: { name: 'Rex' } });
  for (const [headers, status] of [[{}, 428], [{ 'If-Match': '"0"' }, 412], [{ 'If-Match': '"1"' }, undefined]] as const) {
    const { json: { result } } = await change(headers);
    assert.equal([result.structuredContent?.status, result.isError], [status, status !== undefined]);
  }
  assert.match((await callTool(url, 'petGet', { id: 1 })).json.result.content[0].text, /"name":"Rex"/);
}));
others('gives the link to the next page of a list', () => serveOthers(async (url) => {
  const { json: { result } } = await callTool(url, 'petList', { query: { limit: 1 } });
  assert.equal([result.structuredContent.items.length, result.content[1].text], [1, 'Link: <?limit=1&after=1>; rel="next"']);
}));
for (const key of ['a/b c', 'list', 'list/a', 'a?b#c']) {
  others(`can be for a key with slashes: ${key}`, () => serveOthers(async (url) => {
    assert.equal((await callTool(url, 'fileGet', { id: key })).json.result.structuredContent, { key });
  }));
}
for (const [name, id] of [['a', '7'], ['a/tag/b', 'sign'], ['tag', 'a/../b'], ['a/tag/b c', '?#']] as const) {
  others(`can be below a key with slashes: ${name} ${id}`, () => serveOthers(async (url) => {
    assert.equal((await callTool(url, 'repoTagGet', { name, id })).json.result.content[0].text, JSON.stringify([name, id]));
  }));
}
for (const key of ['a//b', '/a', 'a/', '/', '//', '../pet/1', 'a/..', 'a/./b', 'a\\b']) {
  others(`has the message of HTTP for a key that no path can have: ${key}`, () => serveOthers(async (url) => {
    const { structuredContent } = (await callTool(url, 'fileGet', { id: key })).json.result;
    assert.equal([structuredContent.status, structuredContent.detail], [400, 'Bad arguments: the id has an empty segment, ".", ".." or a backslash']);
  }));
}
others('cannot leave the path of its operation', () => serveOthers(async (url) => {
  for (const key of ['../pet/1', 'a//b', '/a', 'a/..']) assert.is((await callTool(url, 'fileGet', { id: key })).json.result.isError, true);
}));
