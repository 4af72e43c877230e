/** The page of docs/react.md: its two files, compiled and bundled in a project of strict TypeScript. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { COMPILERS, compileProject } from './generated-clients.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// Below this folder, the packages are found.
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const COMPILER_OPTIONS = {
  strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noPropertyAccessFromIndexSignature: true, noUnusedLocals: true,
  verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true, skipLibCheck: true, target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'],
  jsx: 'react-jsx', module: 'nodenext', types: ['node'], rootDir: '.', outDir: 'built',
};
const HTML = '<!doctype html><meta charset="utf-8"><title>Pets</title><main></main><script type="module" src="/page/page.js"></script>';

/** Calls a function with the project. */
export async function withProject(use) {
  const folder = await mkdtemp(join(FOLDER, '.tanstack-'));
  try {
    await cp(join(FOLDER, 'tanstack'), folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/restpoint'), 'dir');
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'), 'dir');
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['pets.ts', 'page.tsx'] }));
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

/** The messages of the newest compiler if the server has a different name for a property. The page is as it was. */
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

/** The server, as it was compiled, with the page at `/page`. */
export async function serverOf(folder) {
  const { server } = await import(pathToFileURL(join(folder, 'built/pets.js')));
  const script = await bundleProgram(join(folder, 'page.tsx'));
  server.mount('/page', ({ url }, response) => {
    if (url === '/page.js') response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(HTML);
  });
  return server;
}

/** A program as one file for browsers. */
export async function bundleProgram(file) {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [file], bundle: true, write: false, format: 'iife', target: 'es2023', jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return text;
}
