/**
 * How large is what a host installs, and how much work are its types for the compiler?
 *
 *   node parts/size.js
 *
 * The bundle is what esbuild makes of everything that is exported, minified, with node's modules left out. The types
 * are checked for so many endpoints, each with an id, a validated body and five operations, written as each
 * project's documentation does it; what the compiler counts for no endpoint at all is subtracted nowhere.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { runIfMain } from '../measuring.js';
import { TYPED } from '../typed-endpoints.js';

export const title = 'Size and types';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = join(BENCH, '..');
const COUNTS = [50, 100, 200];
// What has to be installed to serve HTTP on node with each.
const PEERS = { fastify: ['fastify'], hono: ['hono', '@hono/node-server'], polka: ['polka'], h3: ['h3'], koa: ['koa', '@koa/router'], express: ['express'] };

const COMPILER = { noEmit: true, strict: true, skipLibCheck: true, target: 'es2023', module: 'node20', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

const isInstalled = (name) => existsSync(join(BENCH, 'node_modules', name, 'package.json'));

async function bundleOf(source) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: BENCH }, bundle: true, minify: true, platform: 'node', format: 'esm', write: false, logLevel: 'silent',
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length };
}

/** Everything below a folder, without what is installed inside of it. */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [statSync(path).size];
    return entry.name === 'node_modules' ? [] : filesIn(path);
  });
}

/** The folders of packages that are there once these are installed: their dependencies, and so on. */
function packagesOf(names, from = BENCH, found = new Set()) {
  for (const name of names) {
    let folder = from;
    while (!existsSync(join(folder, 'node_modules', name, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
    const installed = join(folder, 'node_modules', name);
    if (found.has(installed) || !existsSync(installed)) continue;
    found.add(installed);
    const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    packagesOf(Object.keys(dependencies), installed, found);
  }
  return found;
}

async function sizeOfPeer(name, packages) {
  const folders = [...packagesOf(packages)];
  const files = folders.flatMap(filesIn);
  const source = packages.map((each, index) => `export * as part${index} from '${each}';`).join('\n');
  return { name, packages: folders.length, files: files.length, unpacked: files.reduce((sum, size) => sum + size, 0), ...(await bundleOf(source)) };
}

async function ownSize() {
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const { size, unpackedSize, entryCount } = packed;
  const bundle = await bundleOf(`export * from '../dist/index.js';`);
  return { name: 'restpoint', packages: 1, files: entryCount, packed: size, unpacked: unpackedSize, ...bundle };
}

/** What the compiler says of a source: instantiations, types, and the seconds of its check. Throws when it refuses it. */
function check(folder, source) {
  writeFileSync(join(folder, 'endpoints.ts'), source);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files: ['endpoints.ts'] }));
  const { stdout: text, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the compiler refuses: ${text.slice(0, 1_000)}`);
  const read = (what) => Number(new RegExp(`^${what}:\\s+([\\d.]+)`, 'm').exec(text)?.[1]);
  return { instantiations: read('Instantiations'), types: read('Types'), seconds: read('Check time') };
}

function checkAll(progress) {
  const folder = mkdtempSync(join(BENCH, 'types-'));
  try {
    return Object.entries(TYPED).filter(([, { needs }]) => needs.every(isInstalled)).map(([name, { sourceOf }]) => {
      progress(`${title}: types of ${name}`);
      return { name, counts: Object.fromEntries([0, ...COUNTS].map((count) => [count, check(folder, sourceOf(count))])) };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const kib = (bytes) => (bytes === undefined ? '-' : `${(bytes / 1_024).toFixed(1)} KiB`);

export async function run({ progress }) {
  progress(`${title}: bundles`);
  const sizes = [await ownSize()];
  for (const [name, packages] of Object.entries(PEERS)) if (packages.every(isInstalled)) sizes.push(await sizeOfPeer(name, packages));
  const types = checkAll(progress);
  const typesOf = (wanted) => types.find(({ name }) => name === wanted)?.counts;
  const rows = sizes.map(({ name, packages, files, packed, unpacked, minified, gzipped }) => {
    const counts = typesOf(name);
    const cells = [...COUNTS.map((count) => counts?.[count].instantiations ?? '-'), counts?.[200].types ?? '-', counts === undefined ? '-' : `${counts[200].seconds} s`];
    return [name, packages, files, kib(packed), kib(unpacked), kib(minified), kib(gzipped), ...cells];
  });
  const columns = ['', 'packages', 'files', 'packed', 'unpacked', 'minified', 'gzipped', ...COUNTS.map((count) => `instantiations for ${count} endpoints`), 'types for 200', 'check time for 200'];
  return { columns, rows, notes: notesOf(types), data: { sizes, types } };
}

function notesOf(types) {
  return types.map(({ name, counts }) => {
    const each = (from, to) => ((counts[to].instantiations - counts[from].instantiations) / (to - from)).toFixed(0);
    return `${name}: ${counts[0].instantiations} instantiations for no endpoint; for each of the first 50 ${each(0, 50)}, of the next 50 ${each(50, 100)}, of the last 100 ${each(100, 200)}.`;
  });
}

await runIfMain(import.meta.url, title, run);
