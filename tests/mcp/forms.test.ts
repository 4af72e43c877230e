/** K1: Tools whose body is a form. */
import { form } from '../../src/formats/index.ts';
import type { ApiServer } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { makeJsonSchema } from '../support/make-document.ts';
import { call, callTool, INFO } from './serve-tools.ts';
import { assert, serve, suite } from '../support/facts.ts';

const TEXT = { type: 'string' };
const TAGS = { type: 'array', items: TEXT };
const PET = makeJsonSchema({ type: 'object', required: ['name'], properties: { name: TEXT, tags: TAGS, legs: {}, photo: {}, scans: { type: 'array', items: {} } } });

async function show({ photo, scans = [], ...fields }: any): Promise<object> {
  const read = async (file: File): Promise<string> => `${file.name} ${file.type} ${await file.text()}`;
  return { ...fields, ...(photo && { photo: await read(photo) }), scans: await Promise.all(scans.map(read)) };
}

function declare(server: ApiServer): void {
  server.registerEndpoint('/pet', { custom: {
    add: { tool: true, input: form(PET, { files: { photo: { types: ['image/*', 'image/png'] }, scans: {} } }), run: show },
    plain: { tool: true, input: form(PET), run: show },
  } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}

const forms = suite('a tool whose body is a form');
forms('has its fields as arguments, and files in Base64', () => serve(declare, async ({ url }) => {
  const { tools } = (await call(url, 'tools/list')).json.result;
  const [add, plain] = tools.map(({ inputSchema }: any) => inputSchema.properties.body);
  const file = { type: 'string', contentMediaType: 'application/octet-stream', contentEncoding: 'base64' };
  assert.equal(add.properties, { name: TEXT, tags: TAGS, legs: {}, photo: file, scans: { type: 'array', items: file } });
  assert.equal(plain.properties.photo, {});
}));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
for (const { why, tool = 'petAdd', body, expected } of [
  { why: 'strings', body: { name: 'Rex', legs: 4, tags: ['a'] }, expected: { name: 'Rex', legs: '4', tags: ['a'], scans: [] } },
  { why: 'files', body: { name: 'Rex', photo: base64('x'), scans: [base64('y')] },
    expected: { name: 'Rex', photo: 'photo image/png x', scans: ['scans application/octet-stream y'] } },
  { why: 'nothing', body: { name: 'Rex', photo: null }, expected: { name: 'Rex', scans: [] } },
  { why: 'without files', tool: 'petPlain', body: { name: 'Rex', tags: ['a', true] }, expected: { name: 'Rex', tags: ['a', 'true'], scans: [] } },
]) {
  forms(`sends ${why}`, () => serve(declare, async ({ url }) => {
    assert.equal((await callTool(url, tool, { body })).json.result.structuredContent, expected);
  }));
}
forms('called again with the same key runs once', async () => {
  let count = 0;
  const run = (): number => (count += 1);
  await serve((server) => {
    server.registerEndpoint('/pet', { custom: { add: { tool: true, input: form(PET, { files: { photo: {} } }), use: idempotent(memoryIdempotencyStore()), run } } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url, errors }) => {
    const add = async (content: string): Promise<unknown> => {
      const { json } = await callTool(url, 'petAdd', { body: { name: 'Rex', photo: base64(content) }, headers: { 'Idempotency-Key': 'one' } });
      return json.result.isError;
    };
    assert.equal([await add('x'), await add('x'), await add('y'), count], [false, false, true, 1]);
    // The operation has not failed.
    assert.is(errors.length, 0);
  });
});
for (const body of ['name=Rex', ['Rex'], { name: { first: 'Rex' } }, { photo: 7 }, { scans: [7] }, { photo: 'not Base64!' }, { scans: [base64('y'), 'eQ'] }]) {
  forms(`rejects ${JSON.stringify(body)}`, () => serve(declare, async ({ url }) => {
    const { json: { result: { isError, structuredContent: { status, detail } } } } = await callTool(url, 'petAdd', { body });
    assert.equal([isError, status, detail], [
      true, 400, 'The argument body must be an object of strings, numbers, booleans, and lists of these. A file is a string in Base64.',
    ]);
  }));
}
