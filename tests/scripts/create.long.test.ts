/** The program behind `npm create restpoint`: what it makes and prints. `tests/create/run.js` installs and runs what it has made. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../support/child.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, suite } from '../support/facts.ts';

const MADE = ['.gitignore', 'Dockerfile', 'README.md', 'package.json', 'src', 'tsconfig.json'];
const USAGE = /^Usage: npm create restpoint \[folder\]$/m;

interface Created {
  readonly code: number | null;
  readonly output: string;
  /** The names of all that is there afterwards. */
  readonly files: readonly string[];
}

/** Runs a copy of the program, packed as for a release, in a folder with one file. */
async function create(args: readonly string[], look: (folder: string) => Promise<void> = async () => {}): Promise<Created> {
  let created: Created | undefined;
  await withTemporaryFolder(async (root) => {
    for (const name of ['create/main.js', 'create/prepare.js', 'create/package.json', 'examples/starter', 'package.json']) {
      await cp(name, join(root, name), { recursive: true, filter: (source) => !source.includes('node_modules') });
    }
    assert.is(await new Child([join(root, 'create/prepare.js')]).exit(), 0);
    const folder = join(root, 'work');
    await mkdir(join(folder, 'full'), { recursive: true });
    await writeFile(join(folder, 'full', 'my file'), '');
    const child = new Child([join(root, 'create/main.js'), ...args], { npm_config_user_agent: '' }, folder);
    created = { code: await child.exit(), output: child.output, files: await readdir(folder) };
    await look(folder);
  });
  assert.ok(created !== undefined);
  return created;
}

const made = suite('npm create restpoint');
for (const args of [['--help'], ['-h'], ['my-api', '--help']]) {
  made(`${args.join(' ')} -> the usage, and nothing is made`, async () => {
    const { code, output, files } = await create(args);
    assert.is(code, 0, output);
    assert.match(output, USAGE);
    assert.equal(files, ['full']);
  });
}
for (const [args, message] of [
  [['--typescript'], /^Unknown option '--typescript'/],
  [['My', 'API'], /^One folder is needed, and these are 2: My API\n/],
] as const) {
  made(`${args.join(' ')} -> what is wrong and the usage, and nothing is made`, async () => {
    const { code, output, files } = await create(args);
    assert.is(code, 1, output);
    assert.match(output, message);
    assert.match(output, USAGE);
    assert.equal(files, ['full']);
  });
}
for (const [folder, shown] of [
  ['my-api', 'my-api'],
  ['My API', "'My API'"],
  ["a'b", "'a'\\''b'"],
] as const) {
  made(`${folder} -> a project, with the next command, which enters ${shown}`, async () => {
    const { code, output } = await create([folder], async (root) => {
      assert.equal((await readdir(join(root, folder))).sort(), MADE);
    });
    assert.is(code, 0, output);
    const start = 'typescript' in process.features ? 'dev' : 'start';
    assert.ok(output.includes(`. Next:\n\n  cd ${shown} && npm install && npm run ${start}\n`), output);
  });
}
made('full -> the folder in quotes where a shell needs them, and nothing is made', async () => {
  const { code, output } = await create(['full'], async (root) => assert.equal(await readdir(join(root, 'full')), ['my file']));
  assert.is(code, 1);
  assert.match(output, /full is not empty: it has 'my file'\. Name a new folder: npm create restpoint my-api\n/);
});
made('in a clone -> that it must be packed first, and nothing is made', () => withTemporaryFolder(async (root) => {
  await cp('create/main.js', join(root, 'main.mjs'));
  const child = new Child([join(root, 'main.mjs'), 'my-api'], {}, root);
  assert.is(await child.exit(), 1);
  assert.is(child.output, 'The starter is not in this clone of restpoint. Pack it first: npm pack ./create\n');
  assert.equal(await readdir(root), ['main.mjs']);
}));
made('-> a project whose client has the type of its API', async () => {
  const { output } = await create(['notes'], async (root) => {
    const source = join(root, 'notes', 'src');
    const [server, client, test] = await Promise.all(['server.ts', 'client.ts', 'server.test.ts'].map((name) => readFile(join(source, name), 'utf8')));
    assert.match(server ?? '', /server\.registerEndpoints\(\{[^]+\nexport interface Api extends /);
    for (const text of [client ?? '', test ?? '']) assert.match(text, /client<Api>\(/);
  });
  assert.match(output, /A server of notes is in notes\./);
});
