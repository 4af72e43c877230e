import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, suite } from '../support/facts.ts';

const SCRIPT = join(process.cwd(), 'scripts/release.js');
const REPOSITORY = 'https://example.com/owner/restpoint';

interface Checkout {
  readonly manifest: string;
  readonly create: string;
  readonly jsr: string;
  readonly changelog: string;
}

const READY: Checkout = { manifest: '1.2.3', create: '1.2.3', jsr: '1.2.3', changelog: '1.2.3' };

async function writeCheckout(folder: string, { manifest, create, jsr, changelog }: Checkout): Promise<void> {
  await mkdir(join(folder, 'create'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'restpoint', version: manifest, files: ['docs'] }));
  await writeFile(join(folder, 'create', 'package.json'), JSON.stringify({ name: 'create-restpoint', version: create }));
  await writeFile(join(folder, 'jsr.json'), JSON.stringify({ version: jsr }));
  await writeFile(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## [Unreleased]\n\n## [${changelog}] - 2026-01-02\n`);
}

function run(folder: string, tag: string, repository: string): void {
  execFileSync(process.execPath, [SCRIPT, tag, repository], { cwd: folder, stdio: 'pipe' });
}

/** Runs the script in a checkout with these versions. Returns the manifests that it writes. */
async function release(checkout: Checkout, tag: string, repository: string): Promise<unknown[]> {
  let written: unknown[] = [];
  await withTemporaryFolder(async (folder) => {
    await writeCheckout(folder, checkout);
    run(folder, tag, repository);
    const files = ['package.json', join('create', 'package.json')];
    written = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as unknown));
  });
  return written;
}

const releases = suite('a release');

releases('names the repository that it is built in', async () => {
  assert.equal(await release(READY, 'v1.2.3', REPOSITORY), ['restpoint', 'create-restpoint'].map((name) => ({
    name,
    version: '1.2.3',
    ...(name === 'restpoint' ? { files: ['docs'] } : {}),
    homepage: `${REPOSITORY}#readme`,
    bugs: `${REPOSITORY}/issues`,
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
  })));
});

for (const [file, link, expected] of [
  ['README.md', '[a](docs/b.md#c)', '[a](docs/b.md#c)'],
  ['README.md', '![a](bench/b.svg)', `![a](${REPOSITORY}/raw/v1.2.3/bench/b.svg)`],
  ['README.md', '[a](https://b.example/c)', '[a](https://b.example/c)'],
  ['README.md', '[a](#b)', '[a](#b)'],
  ['docs/a.md', '[b](c.md)', '[b](c.md)'],
  ['docs/a.md', '[b](../LICENSE)', '[b](../LICENSE)'],
  ['docs/a.md', '[b](../tests/c.test.ts "d e")', `[b](${REPOSITORY}/blob/v1.2.3/tests/c.test.ts "d e")`],
] as const) {
  releases(`has, in ${file}, ${link} as ${expected}`, () => withTemporaryFolder(async (folder) => {
    await writeCheckout(folder, READY);
    await mkdir(join(folder, 'docs'));
    await writeFile(join(folder, file), link);
    run(folder, 'v1.2.3', REPOSITORY);
    assert.is(await readFile(join(folder, file), 'utf8'), expected);
  }));
}

for (const [what, checkout, tag, repository, message] of [
  ['a wrong version in package.json', { ...READY, manifest: '1.2.4' }, 'v1.2.3', REPOSITORY, 'package.json has version 1.2.4'],
  ['a wrong version in create/package.json', { ...READY, create: '1.2.2' }, 'v1.2.3', REPOSITORY, 'create/package.json has version 1.2.2'],
  ['a wrong version in jsr.json', { ...READY, jsr: '1.2.2' }, 'v1.2.3', REPOSITORY, 'jsr.json has version 1.2.2'],
  ['no section in the changelog', { ...READY, changelog: '1.2.2' }, 'v1.2.3', REPOSITORY, 'the changelog has no section [1.2.3]'],
  ['no repository', READY, 'v1.2.3', '', 'not the address of a repository: ""'],
] as const) {
  releases(`is rejected with ${what}`, async () => {
    try {
      await release(checkout, tag, repository);
    } catch (error) {
      assert.match(String(error), message);
      return;
    }
    assert.unreachable('it was not rejected');
  });
}
