/** The programs of the RealWorld API: their size, and the programs themselves, compiled. */
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '@hono/node-server';
import * as prettier from 'prettier';
import ts from 'typescript';
import { COMPILERS, compileProject } from './generated-clients.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const SOURCES = join(FOLDER, 'realworld');
const LAYOUT = { parser: 'typescript', printWidth: 110, singleQuote: true, objectWrap: 'collapse' };
const COMPILER_OPTIONS = {
  strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, verbatimModuleSyntax: true,
  skipLibCheck: true, target: 'es2023', module: 'nodenext', types: ['node'], rootDir: '.', outDir: 'built',
};

const textOf = (name) => readFile(join(SOURCES, `${name}.ts`), 'utf8');

/** Whether a program is formatted as all of them are. */
export async function isFormatted(name) {
  return prettier.check(await textOf(name), LAYOUT);
}

/** The tokens of a program, and its lines that have any. */
export async function measureSize(name) {
  const source = ts.createSourceFile('program.ts', await textOf(name), ts.ScriptTarget.Latest, true);
  const tokens = tokensOf(source, source).filter((token) => token.getWidth(source) > 0);
  const positions = tokens.flatMap((token) => [token.getStart(source), token.getEnd()]);
  const lines = new Set(positions.map((position) => source.getLineAndCharacterOfPosition(position).line));
  return { lines: lines.size, tokens: tokens.length };
}

function tokensOf(node, source) {
  if (ts.isTokenKind(node.kind)) return [node];
  const children = node.getChildren(source).filter(({ kind }) => kind !== ts.SyntaxKind.JSDoc);
  return children.flatMap((child) => tokensOf(child, source));
}

/** Calls a function with a folder of the programs, and the complaints of each compiler about them. */
export async function withCompiled(use) {
  const folder = await mkdtemp(join(FOLDER, '.realworld-'));
  try {
    await cp(SOURCES, folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await symlink(ROOT, join(folder, 'node_modules/restpoint'), 'dir');
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'), 'dir');
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['*.ts'] }));
    const found = [];
    for (const compiler of COMPILERS) found.push({ name: compiler.name, messages: await compileProject(folder, compiler) });
    return await use((file) => import(pathToFileURL(join(folder, 'built', `${file}.js`))), found);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How each program listens: with its URL, and a function that closes it. */
export const LISTENERS = {
  restpoint: async ({ server }) => {
    const { url } = await server.start('127.0.0.1:0');
    return { url, close: () => server.stop() };
  },
  hono: async ({ app }) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => closed(server) };
  },
  fastify: async ({ app }) => {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return { url, close: () => closed(app.server) };
  },
};

function closed(server) {
  server.close();
  server.closeAllConnections();
  return once(server, 'close');
}
