/** docs/about.md has the versions that are installed. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
}

/** The packages in code style, each with the version behind it: `zod` | 4.6.7, or `pg` 8.23.1. Each once, sorted. */
function shownIn(markdown: string): string[] {
  const shown = markdown.matchAll(/`([@\w./-]+)`(?: \| | )(\d+\.\d+\.\d+(?:-[\w.]+)?)/g);
  return [...new Set(Array.from(shown, ([, name = '', version = '']) => `${name} ${version}`))].sort();
}

/** The packages of a manifest. One that is installed in two versions has an alias for the second: `npm:express@4.22.3`. */
function listInstalled(dependencies: Readonly<Record<string, string>>): string[] {
  return Object.entries(dependencies).map(([name, version]) => /^npm:(.+)@(.+)$/.exec(version)?.slice(1).join(' ') ?? `${name} ${version}`).sort();
}

const page = readFileSync('docs/about.md', 'utf8');

const versions = suite('the versions in docs/about.md');

versions('are those of the packages that the compatibility tests install, without exception', () => {
  const { dependencies = {} } = manifest('tests/compat');
  assert.equal(shownIn(page), listInstalled(dependencies));
});

versions('of TypeScript are those that check the types of the package', () => {
  const { devDependencies = {} } = manifest('tests/consumer');
  const checked = Object.entries(devDependencies).filter(([name]) => name.startsWith('typescript')).map(([, version]) => version.replace(/^.*@/, ''));
  const [, shown = ''] = /^\| TypeScript \| ([\d., ]+) \|/m.exec(page) ?? [];
  assert.equal(shown.split(', '), checked.sort());
});

versions('of Node are those of .ci/run', () => {
  const [, others = ''] = /^OTHER_NODES=\((.*)\)$/m.exec(readFileSync('.ci/run', 'utf8')) ?? [];
  const [, oldest = ''] = /node-version: (\d+)/.exec(readFileSync('.github/workflows/ci.yml', 'utf8')) ?? [];
  assert.ok(page.includes(`| Node | ${[oldest, ...others.split(' ')].join(', ')}, `));
});

versions.run();
