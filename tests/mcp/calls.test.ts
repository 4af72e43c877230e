/** What a call sends to its operation, and what it gives. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reply } from '../../src/index.ts';
import { callTool, servingTools } from './calling.ts';

const calls = suite('a call');
for (const [name, given, called, structured, text] of [
  ['petGet', { id: 7 }, [[7]], { name: 'Rex' }, '{"name":"Rex"}'],
  ['petGet', { id: '7' }, [[7]], { name: 'Rex' }, '{"name":"Rex"}'],
  ['petList', {}, [[{}]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petList', { query: { tag: ['a&b', 'c'], limit: 5, none: null } }, [[{ tag: ['a&b', 'c'], limit: '5' }]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petList', { query: {} }, [[{}]], { items: [{ name: 'Rex' }] }, '[{"name":"Rex"}]'],
  ['petCreate', { body: { name: 'Asp' } }, [[{ name: 'Asp' }]], { id: '7' }, '7'],
  ['petUpdate', { id: 7, body: { name: 'Asp' } }, [[7, { name: 'Asp' }]], undefined, '204'],
  ['upload', { body: Buffer.from('abc').toString('base64') }, [[]], { bytes: 3 }, '{"bytes":3}'],
  ['petNumber', {}, [], { value: 5 }, '5'],
  ['petText', {}, [], undefined, 'a text'],
  ['byGet', { id: 'a/b?c' }, [['a/b?c']], { id: 'a/b?c' }, '{"id":"a/b?c"}'],
  ['byGet', { id: '..' }, [['..']], { id: '..' }, '{"id":".."}'],
  ['byGet', { id: 'secret' }, [['secret']], { id: 'secret' }, '{"id":"secret"}'],
] as const) {
  calls(`of ${name} with ${JSON.stringify(given)} gives ${text}`, () => servingTools(async ({ url }, made) => {
    const { status, json } = await callTool(url, name, given);
    assert.is(status, 200);
    assert.equal(json.result, { content: [{ type: 'text', text }], ...(structured && { structuredContent: structured }), isError: false });
    assert.equal(made, called);
  }));
}
for (const [name, given, text] of [
  ['petGet', {}, /The argument id must be a text or a number/],
  ['petGet', { id: '' }, /The argument id must be/],
  ['petGet', { id: { a: 1 } }, /The argument id must be/],
  ['petGet', { id: 7, name: 'Rex' }, /There is no such argument: id can be given/],
  ['petNumber', { a: 1 }, /There is no such argument: none can be given/],
  ['petList', { query: 'a=1' }, /The argument query must be an object/],
  ['petList', { query: { tag: { a: 1 } } }, /The argument query must be an object/],
  ['upload', { body: 5 }, /The argument body must be a text in Base64/],
  ['petHuge', {}, /The answer has more than 1048576 bytes/],
] as const) {
  calls(`of ${name} with ${JSON.stringify(given)} is an error that a model can read`, () => servingTools(async ({ url }, made) => {
    const { json } = await callTool(url, name, given);
    assert.is(json.result.isError, true);
    assert.match(json.result.content[0].text, text);
    assert.equal(made, []);
  }));
}
for (const [name, given, status, detail] of [
  ['petGet', { id: 8 }, 404, /Not found/],
  ['petGet', { id: 'seven' }, 400, /expected a decimal integer/],
  ['petCreate', {}, 400, /the body is empty/],
  ['petBroken', {}, 409, /It is asleep/],
  ['petItemFeed', { id: 7 }, 401, /./],
] as const) {
  calls(`of ${name} that is refused with ${status} has the problem, as text and as structured content`, () => servingTools(async ({ url, errors }) => {
    const { json: { result } } = await callTool(url, name, given);
    assert.is(result.isError, true);
    assert.is(result.structuredContent.status, status);
    assert.match(result.structuredContent.detail, detail);
    assert.equal(JSON.parse(result.content[0].text), result.structuredContent);
    assert.is(errors.length, name === 'petBroken' ? 1 : 0);
  }));
}
calls('passes on the credentials that its operation names, and nothing else', () => servingTools(async ({ url }, made) => {
  const headers = { authorization: 'Bearer ann', cookie: 'session=1', 'x-other': '1' };
  const { json: { result } } = await callTool(url, 'petItemFeed', { id: 7 }, headers);
  assert.equal(result.structuredContent, { id: 7, by: 'ann' });
  const [[sent]] = made as [[Record<string, string>]];
  assert.equal(Object.keys(sent).sort(), ['authorization', 'host']);
  await callTool(url, 'petGet', { id: 7 }, headers);
}));
async function* cut(): AsyncGenerator<string> {
  yield 'the beginning';
  throw new Error('it broke off');
}

calls('needs the scopes of its operation', () => servingTools(async ({ url }, made) => {
  const { json: { result } } = await callTool(url, 'petItemFeed', { id: 7 }, { authorization: 'Bearer bob' });
  assert.equal([result.isError, result.structuredContent.status, made], [true, 403, []]);
}));
for (const [name, content] of [
  ['petPhoto', { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' }],
  ['petZip', { type: 'resource', resource: { uri: 'answer:body', mimeType: 'application/zip', blob: Buffer.from('zip').toString('base64') } }],
] as const) {
  calls(`of ${name} gives ${content.type}`, () => servingTools(async ({ url }) => {
    const { json } = await callTool(url, name);
    assert.equal(json.result, { content: [content], isError: false });
  }));
}
calls('sends the Host of the caller, so allowedHosts holds', () => servingTools(async ({ url }) => {
  assert.equal((await callTool(url, 'petGet', { id: 7 })).json.result.isError, false);
}, {}, { allowedHosts: ['127.0.0.1'] }));
calls('whose answer breaks off is an error that a model can read', () => servingTools(async ({ url, server, errors }) => {
  server.registerEndpoint('/cut', { get: { tool: true, run: () => reply(200, cut(), { 'Content-Type': 'text/plain' }) } } as never);
  const { json } = await callTool(url, 'cutGet');
  assert.match(String(errors[0]), /it broke off/);
  assert.equal(json.result, { content: [{ type: 'text', text: 'The operation gave no whole answer.' }], isError: true });
}));
calls.run();
