/**
 * Prepares a checkout for `npm publish`. npm compares the repository in a package's manifest with the one that has built it, so the
 * workflow that publishes writes it: a fork publishes under its own.
 *
 *   node scripts/release.js v1.2.3 https://github.com/owner/name
 *
 * Throws unless `package.json`, `jsr.json` and the changelog have the version of the tag.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [, , tag = '', repository = ''] = process.argv;
const read = (file) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json'));

const version = tag.replace(/^v/, '');
if (!/^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(repository)) throw new Error(`not the address of a repository: "${repository}"`);
if (manifest.version !== version) throw new Error(`the tag is ${tag}, and package.json has version ${manifest.version}`);
if (JSON.parse(read('jsr.json')).version !== version) throw new Error(`the tag is ${tag}, and jsr.json has another version`);
if (!read('CHANGELOG.md').includes(`\n## [${version}] - `)) throw new Error(`the changelog has no section [${version}]`);

writeFileSync('package.json', `${JSON.stringify({
  ...manifest,
  homepage: `${repository}#readme`,
  bugs: `${repository}/issues`,
  repository: { type: 'git', url: `git+${repository}.git` },
}, undefined, 2)}\n`);
