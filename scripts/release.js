/**
 * Prepares a checkout for `npm publish`. npm compares the repository in a package's manifest with the one that has built it, so the
 * workflow that publishes writes it: a fork publishes under its own. Links of the documents to files that are not in the package become
 * links to the repository.
 *
 *   node scripts/release.js v1.2.3 https://github.com/owner/name
 *
 * Throws unless `package.json`, `create/package.json`, `jsr.json` and the changelog have the version of the tag.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { packedDocuments } from './packed-links.js';

const [, , tag = '', repository = ''] = process.argv;
const read = (file) => readFileSync(file, 'utf8');
const MANIFESTS = ['package.json', 'create/package.json'];

const version = tag.replace(/^v/, '');
if (!/^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(repository)) throw new Error(`not the address of a repository: "${repository}"`);
for (const file of [...MANIFESTS, 'jsr.json']) {
  const found = JSON.parse(read(file)).version;
  if (found !== version) throw new Error(`the tag is ${tag}, and ${file} has version ${found}`);
}
if (!read('CHANGELOG.md').includes(`\n## [${version}] - `)) throw new Error(`the changelog has no section [${version}]`);

for (const file of MANIFESTS) {
  writeFileSync(file, `${JSON.stringify({
    ...JSON.parse(read(file)),
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git` },
  }, undefined, 2)}\n`);
}

for (const { document, inPackage } of packedDocuments()) writeFileSync(document, inPackage);
