/**
 * The edits in CONTRIBUTING.md add two kinds of operation to a copy of the sources. They compile, reject wrong results, and are served, documented,
 * called as tools, checked, and called by the client.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { readEdits } from './support/shown-files.ts';

const FOLDER = join(process.cwd(), 'build', 'new-kinds');

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const DECLARATION = `
 import assert from 'node:assert/strict';
 import { checks } from './src/checks/index.ts';
 import { client } from './src/client/index.ts';
 import { ApiServer, defineEndpoint, integerId, reply } from './src/index.ts';
 import { mcpHandler } from './src/mcp/index.ts';
 import { openApi } from './src/openapi/index.ts';
interface Pet { readonly name: string }
const decodePet = (json: unknown): Pet => {
  if (typeof Object(json).name !== 'string') throw new Error('a pet has a name');
  return { name: Object(json).name };
};
const pets = new Map<number, Pet>();
`;

const WRONG = `
const bad = [
  // @ts-expect-error a result that is not sent
  defineEndpoint({ id: integerId, clear: () => ({ removed: 3 }) }),
  // @ts-expect-error the same of a promise
  defineEndpoint({ id: integerId, clear: { run: async () => ({ removed: 3 }) } }),
  // @ts-expect-error an error that is returned
  defineEndpoint({ id: integerId, clear: () => new Error() }),
  // @ts-expect-error clear needs an id
  defineEndpoint({ clear: () => pets.clear() }),
  // @ts-expect-error clear has no body
  defineEndpoint({ id: integerId, clear: { input: decodePet, run: () => {} } }),
  // @ts-expect-error a result that is not sent
  defineEndpoint({ id: integerId, schema: decodePet, upsert: (_id, pet) => pet }),
  // @ts-expect-error an error that is returned
  defineEndpoint({ id: integerId, schema: decodePet, upsert: () => new Error() }),
  // @ts-expect-error upsert needs a schema or an input
  defineEndpoint({ id: integerId, upsert: (id: number) => id > 1 }),
  // @ts-expect-error a reply with a status that output does not have
  defineEndpoint({ id: integerId, schema: decodePet, upsert: { output: { 204: null }, run: () => reply(202, 'later') } }),
];
assert.equal(bad.length, 9);
`;

const PROGRAM = `
const silent = { info: () => {}, error: console.error };
const server = new ApiServer('/v1', { logger: silent });
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: decodePet,
    create: (pet) => pets.set(pets.size + 1, pet).size,
    list: () => [...pets.values()],
    get: (id) => pets.get(id),
    clear: { tool: true, run: () => pets.clear() },
    upsert: {
      tool: true,
      run: (id, pet) => {
        const isNew = !pets.has(id);
        pets.set(id, pet);
        return isNew;
      },
    },
  }),
});
server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));

// Served.
const call = (method: string, path: string, body?: object) => server.fetch('http://localhost' + path, {
  method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
});
for (const [method, path, body, status] of [
  ['PUT', '/v1/pet/7', { name: 'Rex' }, 201],
  ['PUT', '/v1/pet/7', { name: 'Tom' }, 204],
  ['PUT', '/v1/pet/7', {}, 400],
  ['PUT', '/v1/pet/x', { name: 'Rex' }, 400],
  ['DELETE', '/v1/pet', undefined, 204],
  ['GET', '/v1/pet/7', undefined, 404],
  ['PATCH', '/v1/pet', {}, 405],
] as const) {
  const response = await call(method, path, body);
  assert.equal(response.status, status, method + ' ' + path);
  if (status !== 400 && status !== 404 && status !== 405) assert.equal(await response.text(), '');
}
assert.equal((await call('OPTIONS', '/v1/pet')).headers.get('allow'), 'GET, DELETE, POST');
assert.equal((await call('OPTIONS', '/v1/pet/7')).headers.get('allow'), 'GET, PUT');
assert.ok(server.routes.some(({ method, path }) => method === 'DELETE' && path === '/v1/pet'));

// The client.
const at = client<typeof api>('http://localhost/v1', { fetch: server.fetch })('/pet');
const upserted: undefined = await at.upsert(9, { name: 'Rex' });
const cleared: undefined = await at.clear();
assert.deepEqual([upserted, cleared, await at.list()], [undefined, undefined, []]);
const safe = await at.upsert(9, { name: 'Rex' }, { safe: true });
const status: 201 | 204 | false = safe.ok && safe.status;
assert.equal(status, 201);
// @ts-expect-error a body of a different shape
at.upsert(9, { nmae: 'Rex' }).catch(() => {});

// Documented.
const { '/v1/pet': all, '/v1/pet/{id}': item } = openApi(server, { info: { title: 'Pets', version: '1' } }).paths as any;
assert.deepEqual(Object.keys(all).sort(), ['delete', 'get', 'post']);
assert.deepEqual([all.delete.operationId, item.put.operationId], ['petClear', 'petUpsert']);
assert.ok('204' in all.delete.responses && !('201' in all.delete.responses));
assert.ok('204' in item.put.responses && '201' in item.put.responses);

// Tools.
const message = async (method: string, params: object): Promise<any> => {
  const response = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params });
  return ((await response.json()) as any).result;
};
const { tools } = await message('tools/list', {});
assert.deepEqual(tools.map(({ name, annotations }: any) => [name, annotations.readOnlyHint, annotations.idempotentHint]), [['petClear', false, true], ['petUpsert', false, true]]);
await message('tools/call', { name: 'petUpsert', arguments: { id: 3, body: { name: 'Ann' } } });
assert.equal(pets.get(3)?.name, 'Ann');
assert.notEqual((await message('tools/call', { name: 'petClear', arguments: {} })).isError, true);
assert.equal(pets.size, 0);

// Checked. Without a sample for it, nobody's items are removed.
assert.ok(checks(server).some(({ name, isSkipped }) => (
  isSkipped && name.includes('DELETE /v1/pet:') && name.endsWith('no create that makes an item to delete, and no samples.petClear')
)));
const samples = { petClear: {}, petCreate: { body: { name: 'Rex' } }, petUpsert: { body: { name: 'Tom' } } };
const found = checks(server, { samples });
for (const each of found) await each.run();
const names = found.filter(({ isSkipped }) => !isSkipped).map(({ name }) => name);
for (const route of ['DELETE /v1/pet:', 'PUT /v1/pet/:id:']) assert.ok(names.some((name) => name.startsWith(route)), names.join('\\n'));
assert.ok(names.includes('PUT /v1/pet/:id: one with a different body changes GET /v1/pet/:id'), names.join('\\n'));
console.log('done');
`;

async function run(...args: string[]): Promise<string> {
  const child = new Child(args);
  const status = await child.exit();
  return status === 0 ? child.output : `${status}: ${child.output}`;
}

const kinds = suite('two new kinds of operation, by CONTRIBUTING.md');
kinds.before(() => {
  const [, section = ''] = /^## A new kind of operation\n([^]+?)\n## /m.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync('src', join(FOLDER, 'src'), { recursive: true });
  const blocks = [...section.matchAll(/```diff\n([^]+?\n) *```/g)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''));
  const edits = blocks.flatMap(readEdits);
  assert.is(edits.length, 6);
  for (const { file, before, after } of edits) {
    const path = join(FOLDER, file);
    const text = readFileSync(path, 'utf8');
    assert.is(text.split(before).length, 2, `${file} has once:\n${before}`);
    writeFileSync(path, text.replace(before, () => after));
  }
  writeFileSync(join(FOLDER, 'program.ts'), DECLARATION + WRONG + PROGRAM);
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(process.cwd(), 'node_modules'), join(FOLDER, 'node_modules'), 'dir');
  const compilerOptions = { rootDir: '.', outDir: 'out', declaration: false, declarationMap: false, sourceMap: false, isolatedDeclarations: false, noPropertyAccessFromIndexSignature: false };
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['src', 'program.ts'] }));
});
kinds.after(() => rmSync(FOLDER, { recursive: true, force: true }));
kinds('compile, and wrong ones do not', async () => assert.is(await run('node_modules/typescript/bin/tsc', '-p', FOLDER), ''));
kinds('are served, documented, tools, checked, and called by the client', async () => {
  assert.is(await run(join(FOLDER, 'out', 'program.js')), 'done\n');
});
kinds.run();
