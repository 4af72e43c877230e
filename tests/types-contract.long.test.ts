/**
 * The declaration of an API, as the compiler emits it: it stands for itself. A client needs no more of the server's types than the package has,
 * and the types of rows need no export.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMPILER } from './support/compiled-cases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = `${ROOT}build/types-contract`;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const SERVER = {
  'library.ts': `
interface Schema<Out> { readonly '~standard': { readonly version: 1; readonly vendor: 'x'; readonly validate: (value: unknown) => { value: Out }; readonly types?: { input: Out; output: Out } } }
export declare function object<Out>(shape: { readonly [Name in keyof Out]: Schema<Out[Name]> }): Schema<Out> & { readonly shape: object };
export declare const string: Schema<string>;`,
  'rows.ts': `
interface Row { readonly id: number; readonly name: string; readonly born: Date; readonly owner: Owner | null; readonly kind: 'cat' | 'dog' }
interface Owner { readonly name: string; readonly tags: readonly string[] }
export declare const rows: Map<number, Row>;`,
  'api.ts': `
 import { ApiServer, defineEndpoint, integerId, reply } from 'restpoint';
 import { object, string } from './library.ts';
 import { rows } from './rows.ts';
const server = new ApiServer('/v1');
export const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: object({ name: string }),
    create: { run: (pet) => pet.name.length, errors: { 409: object({ current: string }) } },
    list: { query: object({ name: string }), run: () => [...rows.values()] },
    get: (id) => reply(200, rows.get(id)!),
  }),
});`,
};
const PAGE = {
  'page.ts': `
 import { client, type ResultOf } from 'restpoint/client';
 import type { api } from '../emitted/api.js';
const pets = client<typeof api>('/v1')('/pet');
export const id: string = await pets.create({ name: 'Rex' });
export const born: string | undefined = (await pets.list({ query: { name: 'Rex' } }))[0]?.born;
export const tags: string[] | undefined = (await pets.get(id)).owner?.tags;
export const kind: 'cat' | 'dog' = ({} as ResultOf<typeof api, '/pet', 'get'>).kind;
// @ts-expect-error a property that the item does not have
export const missing = (await pets.get(1)).wings;
// @ts-expect-error a body of a different shape
await pets.create({ name: 1 });`,
};

const EXPORTS = {
  'exports.ts': `
 import { ApiServer, bytes, created, defineEndpoint, defineFormat, endpointWith, integerId, problem, reply, stringId, wildcardId } from 'restpoint';
 import { anyone, apiKey, bearer, firstOf } from 'restpoint/auth';
 import { client } from 'restpoint/client';
 import { events, form, mergePatch, ndjson, ranges } from 'restpoint/formats';
 import { idempotent, memoryIdempotencyStore, memoryRates, pages, rateLimit } from 'restpoint/interceptors';
 import { openApiHandler } from 'restpoint/openapi';
const decode = (json: unknown): { readonly name: string } => json as { name: string };
export const server = new ApiServer('/v1');
export const { requestListener, fetch, routes } = server;
export const started = server.start('127.0.0.1:0');
export const ids = { integerId, stringId, wildcardId };
export const contexts = { anyone, byToken: bearer(() => 1, { getScopes: () => ['a'] as const }), byAny: firstOf(apiKey('X-Key', () => 1), anyone) };
export const formats = {
  bytes: bytes(), own: defineFormat({ encode: String }), events: events(decode), named: events({ a: decode }), form: form(decode), ndjson: ndjson(decode), patch: mergePatch(decode),
};
export const replies = { a: reply(200, { a: 1 }), b: created(1, 'a'), c: problem(404), d: reply(200, ranges({ size: 1, read: () => new Uint8Array(1) })) };
export const stores = { keys: memoryIdempotencyStore(), rates: memoryRates() };
export const interceptors = { pages: pages({ cursor: () => 1 }), limit: rateLimit({ limit: 1, windowSeconds: 1 }), once: idempotent(stores.keys) };
export const below = endpointWith({ params: { zoo: stringId }, context: contexts.byToken, use: interceptors.limit });
export const pet = below({ id: integerId, get: (id, { params, context }) => ({ id, zoo: params.zoo, context }), itemCustom: { feed: (_id, request) => request.context } });
export const other = defineEndpoint({ custom: { feed: (request) => request.route } });
export const documents = openApiHandler(server, { info: { title: 'a', version: '1' } });
export const api = server.registerEndpoints({ '/zoo/:zoo/pet': pet });
export const calls = client<typeof api>('/v1');`,
};

/** Compiles files with the package, and returns what the compiler says. */
function compileFiles(folder: string, files: Readonly<Record<string, string>>, options: object, references: readonly object[] = []): string {
  const compilerOptions = {
    strict: true, exactOptionalPropertyTypes: true, target: 'es2023', module: 'nodenext', skipLibCheck: false, types: ['node'],
    paths: { restpoint: [`${ROOT}dist/index.d.ts`], 'restpoint/*': [`${ROOT}dist/*/index.d.ts`] }, ...options,
  };
  mkdirSync(`${FOLDER}/${folder}`, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${FOLDER}/${folder}/${name}`, text);
  writeFileSync(`${FOLDER}/${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: Object.keys(files), references }));
  return spawnSync(process.execPath, [COMPILER, '-p', `${FOLDER}/${folder}`, '--pretty', 'false'], { encoding: 'utf8' }).stdout;
}

const emitted = suite('the emitted declaration of an API');
emitted.before(() => rmSync(FOLDER, { recursive: true, force: true }));
emitted.after(() => rmSync(FOLDER, { recursive: true, force: true }));
emitted('names neither the schema library nor the types of rows, which need no export', () => {
  const message = compileFiles('server', SERVER, {
    composite: true, emitDeclarationOnly: true, outDir: '../emitted', rootDir: '.', rewriteRelativeImportExtensions: true,
  });
  assert.is(message, '');
  const text = readFileSync(`${FOLDER}/emitted/api.d.ts`, 'utf8');
  assert.not.match(text, /library|rows|\bany\b|\bRow\b|\bOwner\b|Schema/);
  assert.match(text, /kind: '?"?cat/);
});
emitted('is all that a client needs', () => {
  for (const name of ['library', 'rows']) rmSync(`${FOLDER}/emitted/${name}.d.ts`);
  assert.is(compileFiles('page', PAGE, { noEmit: true }), '');
});
emitted('is what a project reads that imports the API of a project that it references', () => {
  rmSync(`${FOLDER}/server/rows.ts`);
  const page = PAGE['page.ts'].replace('../emitted/api.js', '../server/api.ts');
  assert.is(compileFiles('client', { 'page.ts': page }, { noEmit: true, allowImportingTsExtensions: true }, [{ path: '../server' }]), '');
});
emitted('names only what the entries of the package export', () => {
  const options = { declaration: true, emitDeclarationOnly: true, outDir: '../emitted-exports', rootDir: '.' };
  assert.is(compileFiles('exports', EXPORTS, options), '');
  assert.equal(readFileSync(`${FOLDER}/emitted-exports/exports.d.ts`, 'utf8').match(/import\("\.[^"]*"\)\.\w+/g) ?? [], []);
});
emitted.run();
