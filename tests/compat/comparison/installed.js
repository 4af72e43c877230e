/** Facts about the packages of the comparison: their versions, how many npm installs for them, and the size of their clients. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', import.meta.url), 'utf8'));

/** `5.12`: a patch release changes no row of the page, or the tests say so. */
export function findVersion(name) {
  if (name === 'restpoint') return 'this one';
  return packages[`node_modules/${name}`].version.split('.').slice(0, 2).join('.');
}

/** Where a package finds another: in its own `node_modules`, or in that of a folder above. */
function keyOf(from, name) {
  const key = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[key] !== undefined || from === '') return key;
  const [, parent] = /^(.*?)\/?node_modules\/(?:@[^/]+\/)?[^/]+$/.exec(from);
  return keyOf(parent, name);
}

/** How many packages `npm install` installs for these in an empty folder, besides TypeScript. It leaves out optional peers. */
export function countOf(names) {
  // It is not in the lock. .ci/run checks that it depends on nothing.
  if (names[0] === 'restpoint') return 1;
  const counted = new Set();
  const visit = (from, name) => {
    if (name === 'typescript') return;
    const key = keyOf(from, name);
    if (counted.has(key)) return;
    counted.add(key);
    if (packages[key] === undefined) throw new Error(`${key} is not in the lock`);
    const { dependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[key];
    for (const dependency of Object.keys(dependencies ?? {})) visit(key, dependency);
    for (const peer of Object.keys(peerDependencies)) if (!peerDependenciesMeta[peer]?.optional) visit(key, peer);
  };
  for (const name of names) visit('', name);
  return counted.size;
}

/** The KiB that a page loads for a client, minified and gzipped. */
export function measureKib(module) {
  const args = ['--bundle', '--minify', '--format=esm', '--platform=browser', '--log-level=error'];
  const bundle = execFileSync(join(FOLDER, 'node_modules/.bin/esbuild'), args, { input: module, cwd: FOLDER });
  return gzipSync(bundle, { level: 9 }).length / 1024;
}
