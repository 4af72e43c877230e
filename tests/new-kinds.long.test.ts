/**
 * The code in CONTRIBUTING.md adds three kinds of operation to a copy of the sources, under names that the sources will never have, since one
 * of the three may be added one day. They compile, reject wrong results, have the conditions and the cross-origin rules of their rows, and are served, documented, called as tools, checked, and called by the client.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';

const FOLDER = join(process.cwd(), 'build', 'new-kinds');

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const DECLARATION = `
 import assert from 'node:assert/strict';
 import { checks } from './src/checks/index.ts';
 import { client } from './src/client/index.ts';
 import { ApiServer, defineEndpoint, integerId, reply } from './src/index.ts';
 import { idempotent, memoryIdempotencyStore, pages } from './src/interceptors/index.ts';
 import { mcpHandler } from './src/mcp/index.ts';
 import { openApi } from './src/openapi/index.ts';
interface Pet { readonly name: string }
const decodePet = (json: unknown): Pet => {
  if (typeof Object(json).name !== 'string') throw new Error('a pet has a name');
  return { name: Object(json).name };
};
const decodePets = (json: unknown): readonly Pet[] => (json as readonly unknown[]).map(decodePet);
const pets = new Map<number, Pet>();
`;

const WRONG = `
const bad = [
  // @ts-expect-error a result that is not sent
  defineEndpoint({ id: integerId, sampleClear: () => ({ removed: 3 }) }),
  // @ts-expect-error the same of a promise
  defineEndpoint({ id: integerId, sampleClear: { run: async () => ({ removed: 3 }) } }),
  // @ts-expect-error an error that is returned
  defineEndpoint({ id: integerId, sampleClear: () => new Error() }),
  // @ts-expect-error sampleClear needs an id
  defineEndpoint({ sampleClear: () => pets.clear() }),
  // @ts-expect-error sampleClear has no body
  defineEndpoint({ id: integerId, sampleClear: { input: decodePet, run: () => {} } }),
  // @ts-expect-error a result that is not sent
  defineEndpoint({ id: integerId, schema: decodePet, sampleUpsert: (_id, pet) => pet }),
  // @ts-expect-error an error that is returned
  defineEndpoint({ id: integerId, schema: decodePet, sampleUpsert: () => new Error() }),
  // @ts-expect-error sampleUpsert needs a schema or an input
  defineEndpoint({ id: integerId, sampleUpsert: (id: number) => id > 1 }),
  // @ts-expect-error a reply with a status that output does not have
  defineEndpoint({ id: integerId, schema: decodePet, sampleUpsert: { output: { 204: null }, run: () => reply(202, 'later') } }),
  // @ts-expect-error sampleReplaceAll needs its own decoder
  defineEndpoint({ id: integerId, schema: decodePet, sampleReplaceAll: () => {} }),
  // @ts-expect-error a result that is not sent
  defineEndpoint({ id: integerId, sampleReplaceAll: { input: decodePets, run: (all) => all.length } }),
  // @ts-expect-error only kinds that read can be cached
  defineEndpoint({ id: integerId, sampleClear: { cache: { maxAgeSeconds: 1 }, run: () => {} } }),
];
assert.equal(bad.length, 12);
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
    sampleClear: { tool: true, run: () => pets.clear() },
    sampleUpsert: {
      tool: true,
      run: (id, pet) => {
        const isNew = !pets.has(id);
        pets.set(id, pet);
        return isNew;
      },
    },
    sampleReplaceAll: {
      input: decodePets,
      tool: true,
      run: (all) => {
        pets.clear();
        for (const [index, pet] of all.entries()) pets.set(index + 1, pet);
      },
    },
  }),
});
server.mount('/mcp', mcpHandler(server, { info: { name: 'pets', version: '1' } }));

// Served.
const call = (method: string, path: string, body?: object, headers: object = {}) => server.fetch('http://localhost' + path, {
  method, headers: { ...(body && { 'content-type': 'application/json' }), ...headers }, ...(body && { body: JSON.stringify(body) }),
});
for (const [method, path, body, status] of [
  ['PUT', '/v1/pet/7', { name: 'Rex' }, 201],
  ['PUT', '/v1/pet/7', { name: 'Tom' }, 204],
  ['PUT', '/v1/pet/7', {}, 400],
  ['PUT', '/v1/pet/x', { name: 'Rex' }, 400],
  ['DELETE', '/v1/pet', undefined, 204],
  ['GET', '/v1/pet/7', undefined, 404],
  ['PUT', '/v1/pet', [{ name: 'Rex' }, { name: 'Tom' }], 204],
  ['PUT', '/v1/pet', [{}], 400],
  ['GET', '/v1/pet/2', undefined, 200],
  ['PATCH', '/v1/pet', {}, 405],
] as const) {
  const response = await call(method, path, body);
  assert.equal(response.status, status, method + ' ' + path);
  if (method !== 'GET' && status < 300) assert.equal(await response.text(), '');
}
assert.equal((await call('OPTIONS', '/v1/pet')).headers.get('allow'), 'GET, PUT, DELETE, POST');
assert.equal((await call('OPTIONS', '/v1/pet/7')).headers.get('allow'), 'GET, PUT');
assert.ok(server.routes.some(({ method, path }) => method === 'DELETE' && path === '/v1/pet'));

// A body is the whole of what it replaces, in JSON.
for (const [path, body, what] of [['/v1/pet', [{ name: 'Rex' }], 'all items'], ['/v1/pet/7', { name: 'Rex' }, 'the whole item']] as const) {
  const partial = await call('PUT', path, body, { 'content-range': 'bytes 0-1/2' });
  assert.deepEqual([partial.status, (await partial.json() as any).detail], [400, 'A PUT replaces ' + what + ', and must not have a Content-Range.']);
  const typed = await call('PUT', path, body, { 'content-type': 'text/plain' });
  assert.deepEqual([typed.status, typed.headers.get('accept')], [415, 'application/json']);
}

// Interceptors know them by their rows.
for (const [kind, use, message] of [
  ['sampleClear', idempotent(memoryIdempotencyStore()),
    /^endpoint.sampleClear must not use idempotent\\(…\\): only create, custom \\(POST\\), itemCustom \\(POST\\) and patch can$/],
  ['sampleUpsert', idempotent(memoryIdempotencyStore()), /^endpoint.sampleUpsert must not use idempotent/],
  ['sampleReplaceAll', idempotent(memoryIdempotencyStore()), /^endpoint.sampleReplaceAll must not use idempotent/],
  ['sampleClear', pages({ cursor: () => 1 }), /^endpoint.sampleClear must not have pages: only custom \\(GET\\), itemCustom \\(GET\\) and list can have them$/],
] as const) {
  const declared = { id: integerId, [kind]: { input: kind === 'sampleClear' ? undefined : decodePet, use, run: () => {} } };
  assert.throws(() => server.registerEndpoint('/other', declared as never), { name: 'TypeError', message });
}

// Pages of a different origin: a preflight for each, which the server grants to the origins that it lists.
const open = new ApiServer('', { logger: silent, cors: { origins: ['https://app.example'] } });
open.registerEndpoint('/pet', { id: integerId, schema: decodePet, sampleClear: () => {}, sampleUpsert: () => {} });
open.registerEndpoint('/list', { id: integerId, sampleReplaceAll: { input: decodePets, run: () => {} } });
for (const [method, path, methods, headers] of [
  ['DELETE', '/pet', 'DELETE, OPTIONS', ['If-Match', 'If-None-Match']],
  ['PUT', '/pet/1', 'PUT, OPTIONS', ['Content-Type', 'If-Match', 'If-None-Match']],
  ['PUT', '/list', 'PUT, OPTIONS', ['Content-Type', 'If-Match', 'If-None-Match']],
] as const) {
  const asks = { origin: 'https://app.example', 'access-control-request-method': method };
  const granted = (await open.fetch('http://localhost' + path, { method: 'OPTIONS', headers: asks })).headers;
  assert.equal(granted.get('access-control-allow-methods'), methods);
  const allowed = granted.get('access-control-allow-headers')?.split(', ') ?? [];
  for (const name of headers) assert.ok(allowed.includes(name), path + ' allows ' + allowed.join());
}
// Browsers send no PUT and no DELETE without a preflight, so none is taken for a form.
assert.equal((await call('DELETE', '/v1/pet', undefined, { 'sec-fetch-site': 'cross-site' })).status, 204);

// Their conditions: all items together have no version.
const cats = new Map([[1, { name: 'Tom' }]]);
server.registerEndpoint('/cat', defineEndpoint({
  id: integerId,
  schema: decodePet,
  version: () => 1,
  requireIfMatch: true,
  get: (id) => cats.get(id),
  sampleClear: () => cats.clear(),
  sampleUpsert: (id, cat) => !cats.has(id) && !!cats.set(id, cat),
  sampleReplaceAll: { input: decodePets, run: () => {} },
}));
for (const [method, path, tag, status] of [
  ['DELETE', '/v1/cat', undefined, 428],
  ['DELETE', '/v1/cat', '"1"', 412],
  ['PUT', '/v1/cat/1', undefined, 428],
  ['PUT', '/v1/cat/1', '"2"', 412],
  ['PUT', '/v1/cat/1', '"1"', 204],
  ['PUT', '/v1/cat', undefined, 428],
  ['PUT', '/v1/cat', '"1"', 412],
  ['PUT', '/v1/cat', '*', 204],
  ['DELETE', '/v1/cat', '*', 204],
] as const) {
  assert.equal(cats.size, 1, method + ' ' + path);
  const body = path === '/v1/cat' ? [{ name: 'Tom' }] : { name: 'Tom' };
  const response = await call(method, path, method === 'PUT' ? body : undefined, tag && { 'if-match': tag });
  assert.equal(response.status, status, method + ' ' + path + ' ' + tag);
}
assert.equal(cats.size, 0);
// Without a version, a change of an item that must be new, and of the list that exists.
for (const [path, condition, status] of [['/v1/pet/1', '*', 201], ['/v1/pet/1', '*', 412], ['/v1/pet', '*', 412], ['/v1/pet', '"1"', 204]] as const) {
  const response = await call('PUT', path, path === '/v1/pet' ? [] : { name: 'Rex' }, { 'if-none-match': condition });
  assert.equal(response.status, status, path + ' ' + condition);
}

// The client.
const at = client<typeof api>('http://localhost/v1', { fetch: server.fetch })('/pet');
const upserted: undefined = await at.sampleUpsert(9, { name: 'Rex' });
const cleared: undefined = await at.sampleClear();
assert.deepEqual([upserted, cleared, await at.list()], [undefined, undefined, []]);
const replaced: undefined = await at.sampleReplaceAll([{ name: 'Rex' }], { ifMatch: '*' });
assert.deepEqual([replaced, await at.list()], [undefined, [{ name: 'Rex' }]]);
assert.equal((await at.sampleClear({ ifMatch: '"1"', safe: true })).status, 412);
await at.sampleClear();
const safe = await at.sampleUpsert(9, { name: 'Rex' }, { safe: true });
const status: 201 | 204 | false = safe.ok && safe.status;
assert.equal(status, 201);
// @ts-expect-error a body of a different shape
at.sampleUpsert(9, { nmae: 'Rex' }).catch(() => {});
// They are sent again after a 503.
let sent = 0;
const busy = async () => new Response(null, { status: ++sent % 2 === 1 ? 503 : 204, headers: { 'retry-after': '0' } });
const again = client<typeof api>('http://localhost/v1', { fetch: busy, retries: 1 })('/pet');
for (const each of [() => again.sampleClear(), () => again.sampleUpsert(1, { name: 'Rex' }), () => again.sampleReplaceAll([])]) await each();
assert.equal(sent, 6);

// Documented.
const { '/v1/pet': all, '/v1/pet/{id}': item } = openApi(server, { info: { title: 'Pets', version: '1' } }).paths as any;
assert.deepEqual(Object.keys(all).sort(), ['delete', 'get', 'post', 'put']);
assert.deepEqual([all.delete.operationId, item.put.operationId, all.put.operationId], ['petSampleClear', 'petSampleUpsert', 'petSampleReplaceAll']);
assert.ok('requestBody' in all.put && '204' in all.put.responses && !('201' in all.put.responses));
assert.ok('204' in all.delete.responses && !('201' in all.delete.responses));
assert.ok('204' in item.put.responses && '201' in item.put.responses);

// Tools.
const message = async (method: string, params: object): Promise<any> => {
  const response = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method, params });
  return ((await response.json()) as any).result;
};
const { tools } = await message('tools/list', {});
const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };
assert.deepEqual(tools.map(({ name, annotations }: any) => [name, annotations]),
  ['petSampleClear', 'petSampleReplaceAll', 'petSampleUpsert'].map((name) => [name, hints]));
await message('tools/call', { name: 'petSampleUpsert', arguments: { id: 3, body: { name: 'Ann' } } });
assert.equal(pets.get(3)?.name, 'Ann');
assert.notEqual((await message('tools/call', { name: 'petSampleClear', arguments: {} })).isError, true);
assert.equal(pets.size, 0);

// Checked. Without a sample for it, nobody's items are removed.
assert.ok(checks(server).some(({ name, isSkipped }) => (
  isSkipped && name.includes('DELETE /v1/pet:') && name.endsWith('no create that makes an item to delete, and no samples.petSampleClear')
)));
assert.ok(checks(server).some(({ name, isSkipped }) => (
  isSkipped && name.includes('PUT /v1/pet:') && name.endsWith('no samples.petSampleReplaceAll.body')
)));
const samples = { petSampleClear: {}, petCreate: { body: { name: 'Rex' } }, petSampleUpsert: { body: { name: 'Tom' } }, petSampleReplaceAll: { body: [{ name: 'Ann' }] } };
const found = checks(server, { samples });
for (const each of found) await each.run();
const names = found.filter(({ isSkipped }) => !isSkipped).map(({ name }) => name);
for (const route of ['DELETE /v1/pet:', 'PUT /v1/pet:', 'PUT /v1/pet/:id:']) assert.ok(names.some((name) => name.startsWith(route)), names.join('\\n'));
assert.ok(names.includes('PUT /v1/pet/:id: one with a different body changes GET /v1/pet/:id'), names.join('\\n'));
console.log('done');
`;

/** Runs Node. Throws what it printed if it fails: for the compiler, its errors. */
async function run(...args: string[]): Promise<string> {
  const child = new Child(args);
  const status = await child.exit();
  if (status !== 0) throw new Error(`exit ${status}:\n${child.output}`);
  return child.output;
}

/** Lines that belong at the end of what is called `name` in a file, or of the file itself. */
interface Insertion {
  readonly file: string;
  readonly name: string | undefined;
  readonly lines: string;
}

/** Renames the kinds: `sampleClear` for `clear`. */
function renameKinds(code: string): string {
  return code.replaceAll(/\b([Cc]lear|[Uu]psert|[Rr]eplaceAll)\b/g, ([first = '', ...rest]: string) => `sample${first.toUpperCase()}${rest.join('')}`);
}

function readInsertions(block: string): Insertion[] {
  return block.split(/^(?=\/\/ src\/)/m).map((part) => {
    const [line, file, name] = /^\/\/ (src\/[\w/-]+\.ts)(?:, (\w+)\b.*)?\n/.exec(part) ?? [];
    if (line === undefined || file === undefined) throw new Error(`CONTRIBUTING.md has code without a file:\n${part}`);
    return { file, name, lines: part.slice(line.length).trimEnd() };
  });
}

/** Inserts lines at the end of a list, an interface, a type, or the object that a function returns, whatever is in it and around it. */
function insert(text: string, { file, name, lines }: Insertion): string {
  if (name === undefined) return `${text}\n${lines}\n`;
  // A type that is not an object ends with a semicolon, all others with a bracket below their first letter.
  const listed = `(?:(?:const|interface) ${name}\\b|type ${name}\\b.* = \\{\n)[^]*?\n(?=[\\]}])`;
  const returned = `function ${name}\\b[^]*?\n  return \\{\n[^]*?\n(?=  \\})`;
  const pattern = `^(?:export )?(?:${listed}|${returned}|type ${name}\\b[^]*?(?=;\n(?! )))`;
  const [found, ...others] = text.matchAll(new RegExp(pattern, 'gm'));
  if (found === undefined || others.length > 0) throw new Error(`CONTRIBUTING.md inserts at the end of ${name}, which ${file} does not have once`);
  const end = found.index + found[0].length;
  return text.slice(0, end) + (found[0].endsWith('\n') ? `${lines}\n` : `\n${lines}`) + text.slice(end);
}

const places = suite('the place of an insertion');
const SOURCE = 'const A = [\n  [1],\n] as const;\n\nexport function b() {\n  return {\n    c: {\n    },\n  };\n}\n\nexport interface D<T> {\n  /** } */\n  d: T;\n}\ntype E =\n  & D;\ntype F = 1;\n';
for (const [name, end] of [['A', ']'], ['b', '  };'], ['D', '}\ntype'], [undefined, '']] as const) {
  places(`${name ?? 'without a name'} is its end`, () => {
    const text = insert(SOURCE, { file: 'a.ts', name, lines: 'new' });
    assert.is(text.replace(/^\n?new\n/m, ''), SOURCE);
    assert.ok(text.includes(`new\n${end}`), text);
  });
}
places('E is before the semicolon of the type', () => assert.ok(insert(SOURCE, { file: 'a.ts', name: 'E', lines: '& new' }).includes('\n  & D\n& new;\n')));
for (const [why, name] of [['that is not there', 'G'], ['that is there twice', 'c']] as const) {
  places(`of a name ${why} is not found`, () => {
    assert.throws(() => insert(`${SOURCE}const c = {\n};\nconst c = {\n};\n`, { file: 'a.ts', name, lines: '' }),
      new RegExp(`end of ${name}, which a.ts does not have once`));
  });
}
places.run();

const kinds = suite('three new kinds of operation, by CONTRIBUTING.md');
kinds('compile, reject wrong programs, and are served, documented, tools, checked, and called by the client', async () => {
  const [, block = ''] = /^## A new kind of operation\n[^]+?^```ts\n([^]+?)^```/m.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync('src', join(FOLDER, 'src'), { recursive: true });
  const insertions = readInsertions(renameKinds(block));
  assert.is(insertions.length, 4);
  for (const each of insertions) {
    const path = join(FOLDER, each.file);
    writeFileSync(path, insert(readFileSync(path, 'utf8'), each));
  }
  writeFileSync(join(FOLDER, 'program.ts'), DECLARATION + WRONG + PROGRAM);
  writeFileSync(join(FOLDER, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(process.cwd(), 'node_modules'), join(FOLDER, 'node_modules'), 'dir');
  const compilerOptions = { rootDir: '.', outDir: 'out', declaration: false, declarationMap: false, sourceMap: false, isolatedDeclarations: false, noPropertyAccessFromIndexSignature: false };
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['src', 'program.ts'] }));
  assert.is(await run('node_modules/typescript/bin/tsc', '-p', FOLDER), '');
  assert.is(await run(join(FOLDER, 'out', 'program.js')), 'done\n');
});
kinds.after(() => rmSync(FOLDER, { recursive: true, force: true }));
kinds.run();
