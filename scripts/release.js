/**
 * Prepares a checkout for `npm publish`. npm compares the repository in a package's manifest with the one that has built it, so the
 * workflow that publishes writes it: a fork publishes under its own. Links of the documents to files that are not in the package become
 * links to the repository.
 *
 *   node scripts/release.js v1.2.3 https://github.com/owner/name
 *
 * Throws unless `package.json`, `create/package.json`, `jsr.json` and the changelog have the version of the tag.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

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

/** What is in the package: files, and folders with all that is in them. */
const packed = ['README.md', 'LICENSE', ...JSON.parse(read('package.json')).files];
const isPacked = (path) => packed.some((name) => path === name || path.startsWith(`${name}/`));
const inFolders = ['docs', 'skills'].filter((folder) => existsSync(folder)).flatMap((folder) => (
  readdirSync(folder, { recursive: true }).map((name) => posix.join(folder, name.replaceAll('\\', '/')))
));
for (const document of [...packed, ...inFolders].filter((name) => /\.(?:md|txt)$/.test(name) && existsSync(name))) {
  writeFileSync(document, read(document).replaceAll(/(!?)\[([^\]]*)\]\(([^()\s#:]+)(?=[)#\s])/g, (link, image, text, path) => {
    const target = posix.join(posix.dirname(document), path);
    return isPacked(target) ? link : `${image}[${text}](${repository}/${image ? 'raw' : 'blob'}/${tag}/${target}`;
  }));
}
