/** The page of docs/react.md and its server, with the upload of docs/files.md, in a project of strict TypeScript. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { findFreePort } from './free-port.js';
import { COMPILERS, compileProject } from './generated-clients.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// Below this folder, the packages are found.
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const COMPILER_OPTIONS = {
  strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true, noUnusedLocals: true,
  verbatimModuleSyntax: true, allowImportingTsExtensions: true, skipLibCheck: true, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'],
  jsx: 'react-jsx', module: 'nodenext', types: ['node'], noEmit: true,
};

const readDocument = (path) => readFile(join(ROOT, path), 'utf8');

/** The program of a page of docs. */
async function findProgram(page, name) {
  const [, code] = (await readDocument(`docs/${page}`)).split(`\n// ${name}\n`);
  return code.slice(0, code.indexOf('\n```') + 1);
}

/** Calls a function with the project. */
export async function withProject(use) {
  const folder = await mkdtemp(join(FOLDER, '.tanstack-'));
  try {
    await cp(join(FOLDER, 'tanstack'), folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/restpoint'), 'dir');
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'), 'dir');
    for (const [name, text] of [
      ['pets.ts', await readDocument('examples/docs/pets.ts')],
      ['page.tsx', await findProgram('react.md', 'page.tsx')],
      ['progress.ts', await findProgram('files.md', 'progress.ts')],
      ['package.json', '{ "type": "module" }'],
      ['tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts', '*.tsx'] })],
    ]) await writeFile(join(folder, name), text);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The messages of each compiler, by its name. */
export async function compileByEach(folder) {
  const found = {};
  for (const compiler of COMPILERS) found[compiler.name] = await compileProject(folder, compiler);
  return found;
}

/** The messages of the newest compiler if the server has a different name for a property. All else is as it was. */
export async function compileRenamed(folder, name, other) {
  const file = join(folder, 'pets.ts');
  const text = await readFile(file, 'utf8');
  try {
    await writeFile(file, text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), other));
    return await compileProject(folder, COMPILERS.at(-1));
  } finally {
    await writeFile(file, text);
  }
}

/** Starts the server, with the page that the command of the docs bundles. */
export async function startServer(folder) {
  const [, command] = /npx esbuild ([^`]+)`/.exec(await readDocument('docs/react.md'));
  await promisify(execFile)(join(FOLDER, 'node_modules/esbuild/bin/esbuild'), command.split(' '), { cwd: folder });
  const [{ text }] = (await build({ entryPoints: [join(folder, 'pets.ts')], write: false })).outputFiles;
  const port = await findFreePort();
  await writeFile(join(folder, 'pets.js'), text.replace('8080', port));
  const { server } = await import(pathToFileURL(join(folder, 'pets.js')));
  return { server, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

/** A program as one file for browsers. */
export async function bundleProgram(file) {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [file], bundle: true, write: false, format: 'iife', target: 'es2023', jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return text;
}
