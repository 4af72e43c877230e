/** The files in docs/client.md compile, run, and print the output that the document shows. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'client-docs');
const markdown = await readFile(join('docs', 'client.md'), 'utf8');
// `tests/compat/recipes.from-22.peer.js` runs that for a Unix socket, which needs undici, and `tests/compat/monorepo.tool.js` those in folders.
const isElsewhere = (name: string): boolean => name === 'socket.test.ts' || name.includes('/');
const shown = [...markdown.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name = '', code = '']) => ({ name, code }));
const files = shown.filter(({ name }) => !isElsewhere(name));
const [shownByTest, shownByStreams] = [...markdown.matchAll(/prints\n\n```text\n(.*?)```/gs)].map(([, text]) => text);

const docs = suite('the files of docs/client.md');
docs('all compile: the page with the types of the DOM', async () => {
  assert.equal(files.map(({ name }) => name), ['pets.ts', 'page.ts', 'pets.test.ts', 'streams.ts']);
  assert.is(markdown.match(/```ts\n/g)?.length, shown.length);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const lib = ['es2023', 'es2024.string', 'dom', 'dom.iterable'];
  const compilerOptions = { rootDir: '.', outDir: 'out', lib, skipLibCheck: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../examples/tsconfig.json', compilerOptions, include: ['*.ts'] }));
  await Promise.all(files.map(({ name, code }) => writeFile(join(folder, name), code)));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
});
for (const [name, printed] of [['pets.test.js', shownByTest], ['streams.js', shownByStreams]] as const) {
  docs(`${name} prints the shown output, and ends`, async () => {
    const child = new Child([join(folder, 'out', name)]);
    assert.is(await child.exit(), 0, child.output);
    assert.is(child.output, printed);
  });
}
docs.run();
