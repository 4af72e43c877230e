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
import { compileExporting, EXPORTING, makeExportingProject, removeExportingProject } from './support/exported-values.ts';

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
emitted.run();

const exported = suite('what a program exports');
const project = await makeExportingProject();
for (const name of Object.keys(EXPORTING)) exported(`of ${name} can be named by what the entries of the package export`, () => assert.is(compileExporting(project, name, COMPILER), ''));
exported.after(() => removeExportingProject(project));
exported.run();
