/** The files in docs/client.md compile, run, and print the output that the document shows. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'client-docs');
const markdown = await readFile(join('docs', 'client.md'), 'utf8');
// `tests/compat/recipes.from-22.peer.js` runs that for a Unix socket, which needs undici.
const files = [...markdown.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name = '', code = '']) => ({ name, code })).filter(({ name }) => name !== 'socket.test.ts');
const [shownByTest, shownByStreams] = [...markdown.matchAll(/prints\n\n```text\n(.*?)```/gs)].map(([, text]) => text);

const docs = suite('the files of docs/client.md');
docs('all compile: the page with the types of the DOM', async () => {
  assert.equal(files.map(({ name }) => name), ['pets.ts', 'page.ts', 'tool.ts', 'pets.test.ts', 'streams.ts']);
  assert.is(markdown.match(/```ts\n/g)?.length, files.length + 1);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const lib = ['es2023', 'es2024.string', 'dom', 'dom.iterable'];
  const compilerOptions = { rootDir: '.', outDir: 'out', lib, skipLibCheck: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../examples/tsconfig.json', compilerOptions, include: ['*.ts'] }));
  await writeFile(join(folder, 'serve.ts'), `import { makeServer } from './pets.ts';
const { server } = makeServer();
const started = await server.start('127.0.0.1:0');
console.log(started.ok ? \`listening on \${started.url}\` : started.error);
`);
  await Promise.all(files.map(({ name, code }) => writeFile(join(folder, name), code)));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
});
for (const [name, shown] of [['pets.test.js', shownByTest], ['streams.js', shownByStreams]] as const) {
  docs(`${name} prints the shown output, and ends`, async () => {
    const child = new Child([join(folder, 'out', name)]);
    assert.is(await child.exit(), 0, child.output);
    assert.is(child.output, shown);
  });
}
docs('the tool lists pets, and prints the problem of a wrong token', async () => {
  const server = new Child([join(folder, 'out', 'serve.js')]);
  try {
    const [, url = ''] = await server.waitForOutput(/listening on (\S+)/);
    for (const name of ['Rex', 'Asp']) {
      const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer secret' };
      await fetch(`${url}/v1/pet`, { method: 'POST', headers, body: JSON.stringify({ name, born: '2020-02-02' }) });
    }
    for (const [token, args, code, printed] of [
      ['secret', [], 0, 'Rex 2020-02-02T00:00:00.000Z\nAsp 2020-02-02T00:00:00.000Z\n'],
      ['secret', ['Asp'], 0, 'Asp 2020-02-02T00:00:00.000Z\n'],
      ['wrong', [], 1, '401 The token is not valid.\n'],
    ] as const) {
      const tool = new Child([join(folder, 'out', 'tool.js'), url, ...args], { TOKEN: token });
      assert.equal([await tool.exit(), tool.output], [code, printed]);
    }
  } finally {
    await server.end();
  }
});
docs.run();
