import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporaryFolder } from '../support/temporary.ts';

const SCRIPT = join(process.cwd(), 'scripts/release.js');
const REPOSITORY = 'https://example.com/owner/restpoint';

interface Checkout {
  readonly manifest: string;
  readonly create: string;
  readonly jsr: string;
  readonly changelog: string;
}

const READY: Checkout = { manifest: '1.2.3', create: '1.2.3', jsr: '1.2.3', changelog: '1.2.3' };

/** Runs the script in a checkout with these versions. Returns the manifests that it writes. */
async function release({ manifest, create, jsr, changelog }: Checkout, tag: string, repository: string): Promise<unknown[]> {
  let written: unknown[] = [];
  await inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'restpoint', version: manifest }));
    await mkdir(join(folder, 'create'));
    await writeFile(join(folder, 'create', 'package.json'), JSON.stringify({ name: 'create-restpoint', version: create }));
    await writeFile(join(folder, 'jsr.json'), JSON.stringify({ version: jsr }));
    await writeFile(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## [Unreleased]\n\n## [${changelog}] - 2026-01-02\n`);
    execFileSync(process.execPath, [SCRIPT, tag, repository], { cwd: folder, stdio: 'pipe' });
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
    homepage: `${REPOSITORY}#readme`,
    bugs: `${REPOSITORY}/issues`,
    repository: { type: 'git', url: `git+${REPOSITORY}.git` },
  })));
});

for (const [what, checkout, tag, repository, message] of [
  ['another version in package.json', { ...READY, manifest: '1.2.4' }, 'v1.2.3', REPOSITORY, 'package.json has version 1.2.4'],
  ['another version in create/package.json', { ...READY, create: '1.2.2' }, 'v1.2.3', REPOSITORY, 'create/package.json has version 1.2.2'],
  ['another version in jsr.json', { ...READY, jsr: '1.2.2' }, 'v1.2.3', REPOSITORY, 'jsr.json has version 1.2.2'],
  ['no section in the changelog', { ...READY, changelog: '1.2.2' }, 'v1.2.3', REPOSITORY, 'the changelog has no section [1.2.3]'],
  ['no repository', READY, 'v1.2.3', '', 'not the address of a repository: ""'],
] as const) {
  releases(`is refused with ${what}`, async () => {
    try {
      await release(checkout, tag, repository);
    } catch (error) {
      assert.match(String(error), message);
      return;
    }
    assert.unreachable('it was not refused');
  });
}

releases.run();
