/** F11: The programs of docs/files.md, under load: no response is torn, and an upload that fails leaves nothing behind. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { waitUntil } from './support/wait.ts';
import { readFences } from './support/markdown.ts';
import { head, message } from './support/messages.ts';
import { RawClient } from './support/raw-client.ts';
import { withTemporaryFolder } from './support/temporary-folder.ts';

// Inside the package, so that `restpoint` resolves to the package itself.
const folder = join(process.cwd(), 'build', 'recipes-files');
const START = "const started = await server.start('127.0.0.1:8080');";
const LISTEN = "const started = await server.start('127.0.0.1:0');\nif (started.ok) console.log(`port ${new URL(started.url).port}`);\n";

/** To open a file takes longer than it takes a body to fail. */
const SLOW = `
const fs = require('node:fs');
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const { open, promises } = fs;
const { open: openPromised } = promises;
fs.open = (...args) => setTimeout(() => open(...args), 50);
promises.open = async (...args) => (await wait(50), openPromised(...args));
require('node:module').syncBuiltinESMExports();
`;

/** Compiles the program of a recipe, by the comment in its first line, and starts it at any port. `use` gets its port, and the folder of its files. */
async function runRecipe(name: string, options: readonly string[], use: (port: number, files: string) => Promise<void>): Promise<void> {
  const code = readFences(await readFile(join('docs', 'files.md'), 'utf8')).find(({ text }) => text.startsWith(`// ${name}\n`))?.text ?? '';
  assert.ok(code.includes(START), name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), code.replace(START, LISTEN));
  await writeFile(join(folder, 'slow.cjs'), SLOW);
  const config = { extends: '../../examples/tsconfig.json', compilerOptions: { rootDir: '.', outDir: 'out', allowJs: true, skipLibCheck: true, checkJs: false }, include: [name] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = new Child(['node_modules/typescript/bin/tsc', '-p', folder]);
  assert.is(await compiler.exit(), 0, compiler.output);
  await withTemporaryFolder(async (temporary) => {
    const program = new Child([...options, join(folder, 'out', name.replace(/ts$/, 'js'))], { TMPDIR: temporary });
    try {
      const [, port] = await program.waitForOutput(/^port (\d+)$/m);
      const [files = ''] = await readdir(temporary);
      await use(Number(port), join(temporary, files));
    } finally {
      await program.end();
    }
  });
}

const PATH = '/v1/file/a/b.txt';
// Each is one letter, repeated. The lengths differ, so that a prefix of one can be taken for another.
const CONTENTS = [['a', 300_000], ['b', 200_000], ['c', 120_000], ['d', 300_000]] as const;
const ROUNDS = 60;

/** What is wrong with the body of a response; `undefined` if it is of one file. */
function describeTorn(body: string, etag: string | undefined, known: Map<string, string>): string | undefined {
  const [letter = ''] = body;
  if (body !== letter.repeat(body.length)) return `bytes of several files: ${[...new Set(body)].join('')}`;
  const before = known.get(etag ?? '');
  known.set(etag ?? '', letter);
  return before === undefined || before === letter ? undefined : `one ETag of ${before} and ${letter}`;
}

const files = suite('the files of the recipe');
files('under concurrent PUTs and GETs: no 200 and no 206 has bytes of two files, or the length of another', () => runRecipe('files.ts', [], async (port) => {
  const known = new Map<string, string>();
  const torn: string[] = [];
  let whole = 0;
  let parts = 0;
  let isOver = false;
  const put = async (first: number): Promise<void> => {
    const client = await RawClient.connect(port);
    for (let at = first; !isOver; at += 1) {
      const [letter, length] = CONTENTS[at % CONTENTS.length] ?? ['', 0];
      client.send(message('PUT', PATH, letter.repeat(length), ['Content-Type: text/plain']));
      assert.is((await client.response()).status, 204);
    }
    client.destroy();
  };
  const read = async (): Promise<void> => {
    const client = await RawClient.connect(port);
    for (let round = 0; round < ROUNDS; round += 1) {
      client.send(message('GET', PATH));
      const { status, headers, body } = await client.response();
      assert.is(status, 200);
      whole += 1;
      const etag = headers.get('etag') ?? '';
      const length = CONTENTS.find(([letter]) => letter === body[0])?.[1];
      const wrong = describeTorn(body, etag, known) ?? (body.length === length ? undefined : `${body.length} bytes of ${body[0]}`);
      if (wrong !== undefined) torn.push(wrong);
      client.send(message('GET', PATH, '', ['Range: bytes=1000-', `If-Range: ${etag}`]));
      const rest = await client.response();
      if (rest.status === 206) parts += 1;
      const changed = rest.status === 206 && rest.body[0] !== body[0] ? 'a part of another file' : describeTorn(rest.body, rest.headers.get('etag'), known);
      if (changed !== undefined) torn.push(changed);
    }
    client.destroy();
  };
  await putOnce(port);
  const reading = Promise.all([0, 1, 2, 3].map(read)).finally(() => (isOver = true));
  await Promise.all([reading, ...[0, 1, 2].map(put)]);
  assert.equal(torn, []);
  assert.is(whole, 4 * ROUNDS);
  assert.ok(parts > 0);
}));

async function putOnce(port: number): Promise<void> {
  const client = await RawClient.connect(port);
  client.send(message('PUT', PATH, 'a'.repeat(300_000), ['Content-Type: text/plain']));
  assert.is((await client.response()).status, 204);
  client.destroy();
}

for (const [name, path] of [['files.ts', PATH], ['uploads.ts', '/v1/upload/00000000-0000-4000-8000-000000000001']] as const) {
  files(`${name}: an upload that fails, however early, leaves no part behind`, () => runRecipe(name, ['--require', join(folder, 'slow.cjs')], async (port, stored) => {
    const chunked = head('PUT', path, ['Content-Type: text/plain', 'Transfer-Encoding: chunked']);
    const lengthy = head('PUT', path, ['Content-Type: text/plain', 'Content-Length: 1000']);
    for (let count = 0; count < 5; count += 1) {
      const clients = await Promise.all([0, 1, 2, 3].map(() => RawClient.connect(port)));
      for (const [at, bytes] of [`${chunked}nonsense\r\n`, `${chunked}1\r\nx\r\nnonsense\r\n`, lengthy, `${lengthy}x`].entries()) clients[at]?.send(bytes);
      assert.is((await clients[0]?.response())?.status, 400);
      for (const client of clients) client.destroy();
    }
    // Requests that came before it have ended when this one has.
    const last = await RawClient.connect(port);
    last.send(message('PUT', path, 'whole', ['Content-Type: text/plain']));
    assert.ok((await last.response()).status < 300);
    last.destroy();
    await waitUntil(async () => (await readdir(stored)).length === 1, 'the parts to be removed');
  }));
}
files.run();
