/**
 * The TypeScript programs of the pages of docs compile, if they need no other package. `npm run test:compat` compiles the others too, and runs all
 * programs.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { readFences } from './support/markdown.ts';
import { PAGES } from './support/pages.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'recipes');
// The steps of the guide are parts of one program: tests/guide.test.ts.
const pages = PAGES.filter((name) => !name.startsWith('guide'));
const documents = await Promise.all(pages.map((page) => readFile(join('docs', page), 'utf8')));
const programs = documents.flatMap(readFences).filter(({ language, text }) => language === 'ts' && /^\/\/ \S+\n/.test(text) && importsOnlyOurs(text) && !isForPages(text));

function importsOnlyOurs(code: string): boolean {
  return [...code.matchAll(/ from '([^']+)'/g)].every(([, name = '']) => /^(?:node:|restpoint(?:\/|$))/.test(name));
}

/** Whether a program runs in browsers: `npm run test:compat` compiles it with their types. */
function isForPages(code: string): boolean {
  return /\bdocument\./.test(code);
}

async function compileCodes(codes: readonly string[]): Promise<{ readonly status: number | null; readonly output: string }> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [at, code] of codes.entries()) await writeFile(join(folder, `recipe-${at}.ts`), code);
  const config = { extends: '../../examples/tsconfig.json', compilerOptions: { rootDir: '.', noEmit: true, skipLibCheck: true }, include: ['*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  return { status: await compiler.exit(), output: compiler.output };
}

const recipes = suite('the programs in TypeScript of the recipes');
recipes('compile', async () => {
  assert.ok(programs.length > 5, String(programs.length));
  const { status, output } = await compileCodes(programs.map(({ text }) => text));
  assert.is(status, 0, output);
});
recipes('do not compile where the context is a different one', async () => {
  const wrong = programs.map(({ text }) => text.replace('apiKey(', 'apiKey<number>(').replace('callers.get(key)', '7'));
  const { status, output } = await compileCodes(wrong);
  assert.is.not(status, 0);
  assert.match(output, 'use needs request.context, which is missing here or has a different type');
});
recipes('that are shown in part are files of examples/docs, to which the page links', async () => {
  const parts = documents.flatMap((page) => readFences(page).flatMap(({ text }) => {
    const [line = '', name] = /^\/\/ in (\S+)\n/.exec(text) ?? [];
    return name === undefined ? [] : text.slice(line.length).split(/^ *…\n/m).map((part) => ({ page, name, part: part.trim() }));
  }));
  assert.ok(parts.length > 5, String(parts.length));
  for (const { page, name, part } of parts) {
    assert.ok(page.includes(`](../examples/docs/${name})`), `no link to ${name}`);
    assert.ok((await readFile(join('examples', 'docs', name), 'utf8')).includes(part), `${name} has no\n${part}`);
  }
});
recipes.run();
