/**
 * Clients that tools generate from the document of the zoo. Each is made in a separate folder, which is a project of strict TypeScript,
 * and compiled together with a program that calls it.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openApi } from '../../dist/openapi/index.js';
import { OPTIONS, zooServer } from './openapi-zoo.js';
import { PATIENCE_MS } from './until.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

const STRICT = {
  strict: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noUnusedLocals: true,
  noUnusedParameters: true, verbatimModuleSyntax: true, skipLibCheck: false, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], types: [],
  module: 'nodenext', rootDir: '.', outDir: 'built',
};
/** That of the tools, and that of restpoint. */
export const COMPILERS = ['node_modules/typescript', '../../node_modules/typescript'].map((folder) => {
  const { version } = JSON.parse(readFileSync(here(`${folder}/package.json`), 'utf8'));
  return { name: `TypeScript ${version}`, path: here(`${folder}/bin/tsc`) };
});

/** The command of a tool in the document, and the program there, which only has to compile. */
export function findDocumented(heading, tool) {
  const markdown = readFileSync(here('../../docs/openapi.md'), 'utf8');
  const [, section = ''] = markdown.split(`\n### ${heading}\n`);
  const [, words] = new RegExp(`^npx .* ${tool} (.*)$`, 'm').exec(section);
  const [, example] = /^```typescript\n(.*?)^```$/ms.exec(section);
  return { words, example };
}

/** Uses a folder with `openapi.json`, the packages of this folder, a program as `program.ts`, another one, and compiler options. */
export async function withProject(program, example, options, use) {
  const folder = await mkdtemp(join(tmpdir(), 'restpoint-generated-'));
  try {
    const compilerOptions = { ...STRICT, ...options };
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(openApi(zooServer(), OPTIONS)));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts', 'example.ts'] }));
    await writeFile(join(folder, 'example.ts'), example);
    await copyFile(here(program), join(folder, 'program.ts'));
    await symlink(here('node_modules'), join(folder, 'node_modules'), 'dir');
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a tool of this folder's packages in a project, with words split as in a shell. */
export async function generate(folder, tool, words) {
  await run(process.execPath, [here(`node_modules/${tool}`), ...words.split(' ')], { cwd: folder, timeout: PATIENCE_MS });
}

/** The compiler's messages for a project. Its output is in `built`. */
export async function compileProject(folder, { path }) {
  const compiling = run(process.execPath, [path, '-p', folder, '--pretty', 'false'], { cwd: folder, timeout: PATIENCE_MS });
  const { stdout } = await compiling.catch((error) => error);
  return stdout.split('\n').filter((line) => line !== '');
}

/** The results of the program's calls to a zoo that is running. */
export async function runCalls(folder) {
  const { calls } = await import(pathToFileURL(join(folder, 'built/program.js')));
  const server = zooServer();
  const { url } = await server.start('127.0.0.1:0');
  try {
    return await calls(url);
  } finally {
    await server.stop();
  }
}

/** The results of every program's calls: a Create, a List with a query, a Patch with each of its responses, and so on. */
export const EXPECTED = {
  created: [201, '1', '/v1/zoo/berlin/pet/1'],
  listed: [200, [['Rex', 4, 'dog', '2026-01-02T03:04:05.000Z']]],
  patched: [200, 'Asp'],
  accepted: [202],
  deleted: [204],
  invalid: [400, ['#/name', '#/kind/lives']],
  unauthorized: [401, 'Bearer realm="api"', 'Unauthorized'],
  unpaid: [402, 3],
  picture: [200, 'image/png', 'pixels'],
  keeper: [200, '2026-01-02T03:04:05.000Z', 'Bob'],
  ticket: [200, 3, '2026-01-02T03:04:05.000Z'],
  bought: [[409, 'taken', '4'], [409, 'closed', '2026-01-02T03:04:05.000Z'], [200, 3, 4]],
  edited: [409, 'A1'],
  pages: [2, '?limit=2&after=2', [3], undefined],
  near: 2,
  view: ['A1', 6],
  sales: [200, 'event: sold'],
};
