/** The monorepo of docs/client.md: its files are built by two compilers, and its front end calls its server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { Program } from './program.js';
import { withScratch } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const PAGE = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
const COMPILERS = ['../../node_modules/typescript/bin/tsc', 'node_modules/typescript/bin/tsc'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const [, SECTION = ''] = PAGE.split('\n## A monorepo\n');
const FILES = [/`(\S+)`:\n\n```json\n(.*?)^```$/gms, /^```ts\n\/\/ (\S+)\n(.*?)^```$/gms]
  .flatMap((block) => [...SECTION.matchAll(block)].map(([, name, code]) => ({ name, code })));
const NO_TYPES_OF_NODE = "Cannot find name 'process'";

/** Programs that must not compile, where they stand, and what the compiler says. */
const WRONG = [
  ['web/src/wrong.ts', 'export const { pid } = process;', NO_TYPES_OF_NODE],
  ['web/src/wrong.ts', "import { server } from '@pets/server';\nexport default server;", 'Cannot find module'],
  ['web/src/wrong.ts', "import type { Api } from '@pets/server/api';\nimport { client } from 'restpoint/client';\nawait client<Api>('/v1')('/pet').create({ name: 'Rex' });", "'legs' is missing"],
];

function write(folder, name, code) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), code);
}

/** Resolves to what the compiler says. */
function build(compiler, folder) {
  return promisify(execFile)(process.execPath, [compiler, '--build'], { cwd: folder, timeout: PATIENCE_MS }).then(({ stdout }) => stdout, ({ stdout }) => stdout);
}

await checking('a monorepo', async (check) => {
  await check('it has the files of the page', () => assert.ok(FILES.length >= 10, FILES.map(({ name }) => name).join()));
  for (const compiler of COMPILERS) {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', `file://${compiler}`), 'utf8'));
    await withScratch(async (folder) => {
      const port = await findFreePort();
      for (const { name, code } of FILES) write(folder, name, code.replaceAll('8080', port));
      // What npm makes of workspaces.
      mkdirSync(join(folder, 'node_modules/@pets'));
      for (const name of ['server', 'web']) symlinkSync(join(folder, name), join(folder, 'node_modules/@pets', name));
      await check(`TypeScript ${version}: it is built`, async () => assert.equal(await build(compiler, folder), ''));
      await check(`TypeScript ${version}: the front end calls the server`, async () => {
        const server = new Program(process.execPath, ['server/build/main.js'], { cwd: folder });
        try {
          await server.responds(`http://127.0.0.1:${port}`);
          const { addPet } = await import(`${folder}/web/build/pets.js`);
          assert.deepEqual(await addPet(`http://127.0.0.1:${port}/v1`, 'Asp'), { name: 'Asp', legs: 4 });
        } finally {
          server.kill();
        }
      });
      for (const [name, code, message] of WRONG) {
        await check(`TypeScript ${version}: ${name} does not compile: ${code.split('\n').at(-1)}`, async () => {
          write(folder, name, code);
          const printed = await build(compiler, folder);
          rmSync(join(folder, name));
          assert.ok(printed.includes(message), printed);
          assert.equal(printed.trim().split('\n').length < 6, true, printed);
        });
      }
      await check(`TypeScript ${version}: a property that the server renames`, async () => {
        const { code } = FILES.find(({ name }) => name === 'server/src/api.ts');
        write(folder, 'server/src/api.ts', code.replaceAll('legs:', 'feet:'));
        assert.match(await build(compiler, folder), /^web\/src\/pets\.ts\(\d+,\d+\): error .*'legs' does not exist/m);
      });
    });
  }
});
