/** Every TypeScript block of the README is compiled as a program of its own, run, and does what the text around it says. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'readme');
const readme = await readFile('README.md', 'utf8');
const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);

/** What a block that serves must answer: method, path, body, then status and text. */
type Case = readonly [method: string, path: string, body: string | undefined, status: number, answer: RegExp];

const SERVED: Readonly<Record<number, { readonly title: string; readonly cases: readonly Case[] }>> = {
  0: {
    title: 'a first endpoint',
    cases: [
      ['GET', '/v1/pet/1', undefined, 200, /^\{"name":"Rex","legs":4\}$/],
      ['GET', '/v1/pet/2', undefined, 404, /Not found\./],
      ['GET', '/v1/pet/one', undefined, 400, /expected a decimal integer/],
      ['POST', '/v1/pet', '{}', 405, /^$/],
      ['DELETE', '/v1/pet/1', undefined, 204, /^$/],
    ],
  },
  1: {
    title: 'an endpoint with a schema',
    cases: [
      ['POST', '/v1/note', '{"text":"buy milk"}', 201, /^[0-9a-f-]{36}$/],
      ['POST', '/v1/note', '{"text":7}', 400, /Bad arguments: text: expected a string/],
      ['POST', '/v1/note/count', undefined, 200, /^\{"notes":1\}$/],
      ['POST', '/v1/note/search', '"milk"', 200, /^\[\{"text":"buy milk"\}\]$/],
      ['PUT', '/v1/note/123e4567-e89b-12d3-a456-426614174000', '{"text":"call home"}', 204, /^$/],
    ],
  },
  3: { title: 'signals', cases: [['GET', '/v1/animal/ant', undefined, 200, /"lethal":false/]] },
  4: {
    title: 'options',
    cases: [
      ['GET', '/ant', undefined, 200, /^\{"name":"ant"\}$/],
      ['GET', '/', undefined, 405, /^$/],
    ],
  },
  5: { title: 'a mounted handler', cases: [['GET', '/health/db?full=1', undefined, 200, /"below":"\/db\?full=1","whole":"\/health\/db\?full=1"/]] },
};

const compiled = suite('the blocks of the README');

compiled('compile', async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  // A port that is free, in place of the one that a reader will want.
  await Promise.all(blocks.map((code, index) => writeFile(join(folder, `${index}.ts`), code.replace('127.0.0.1:8080', '127.0.0.1:0'))));
  const config = { extends: '../../examples/tsconfig.json', compilerOptions: { rootDir: '.', outDir: 'out' }, include: ['*.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
});

for (const [index, { title, cases }] of Object.entries(SERVED)) {
  compiled(`${title}: serves what the text says, and ends on SIGTERM`, async () => {
    const child = new Child([join(folder, 'out', `${index}.js`)]);
    try {
      const [, url = ''] = await child.printed(/listening on (\S+)/);
      for (const [method, path, body, status, answer] of cases) {
        const headers = { 'Content-Type': 'application/json' };
        const response = await fetch(url + path, body === undefined ? { method } : { method, body, headers });
        assert.is(response.status, status, `${method} ${path}`);
        assert.match(await response.text(), answer);
      }
    } finally {
      await child.end();
    }
  });
}

compiled('errors: prints what the README shows', async () => {
  const [, shown = ''] = /prints\n\n```text\n(.*?)```/s.exec(readme) ?? [];
  const child = new Child([join(folder, 'out', '2.js')]);
  assert.is(await child.exit(), 0);
  assert.is(child.output, shown);
});

compiled('signals: SIGINT and SIGTERM end the program with 0', async () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const child = new Child([join(folder, 'out', '3.js')]);
    await child.printed(/listening on/);
    assert.is(await child.end(signal), 0);
  }
});

compiled('testing without a port: prints the answer and ends', async () => {
  const child = new Child([join(folder, 'out', '6.js')]);
  assert.is(await child.exit(), 0);
  assert.is(child.output, '200 {"name":"ant","legs":4,"lethal":false}\n');
});

compiled('are all named here', () => {
  assert.is(blocks.length, 7);
});

compiled('name both commands, which package.json has', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  const commands = [...readme.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command]) => command);
  assert.equal(commands, ['npm install && npm start', 'npm install && npm test']);
  assert.ok('start' in scripts && 'test' in scripts);
});
compiled.run();
