/** docs/works-with.md has the versions that are installed. */
import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

async function manifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(`${folder}/package.json`, 'utf8')) as Manifest;
}

/** The packages in code style, each with the version behind it: `zod` | 4.6.7, or `pg` 8.23.1. Each once, sorted. */
function shownIn(markdown: string): string[] {
  const shown = markdown.matchAll(/`([@\w./-]+)`(?: \| | )(\d+\.\d+\.\d+(?:-[\w.]+)?)/g);
  return [...new Set(Array.from(shown, ([, name = '', version = '']) => `${name} ${version}`))].sort();
}

/** The packages of a manifest. One that is installed in two versions has an alias for the second: `npm:express@4.22.3`. */
function installed(dependencies: Readonly<Record<string, string>>): string[] {
  return Object.entries(dependencies).map(([name, version]) => /^npm:(.+)@(.+)$/.exec(version)?.slice(1).join(' ') ?? `${name} ${version}`).sort();
}

const page = await readFile('docs/works-with.md', 'utf8');

const versions = suite('the versions in docs/works-with.md');

versions('are those of the packages that the compatibility tests install, without exception', async () => {
  const { dependencies = {} } = await manifest('tests/compat');
  assert.equal(shownIn(page), installed(dependencies));
});

versions('of TypeScript are those that check the types of the package', async () => {
  const { devDependencies = {} } = await manifest('tests/consumer');
  const checked = Object.entries(devDependencies).filter(([name]) => name.startsWith('typescript')).map(([, version]) => version.replace(/^.*@/, ''));
  const [, shown = ''] = /^\| TypeScript \| ([\d., ]+) \|/m.exec(page) ?? [];
  assert.equal(shown.split(', '), checked.sort());
});

versions('of Node are those of .ci/run', async () => {
  const [, others = ''] = /^OTHER_NODES=\((.*)\)$/m.exec(await readFile('.ci/run', 'utf8')) ?? [];
  const [, oldest = ''] = /node-version: (\d+)/.exec(await readFile('.github/workflows/ci.yml', 'utf8')) ?? [];
  assert.ok(page.includes(`| Node | ${[oldest, ...others.split(' ')].join(', ')}, `));
});

versions.run();
