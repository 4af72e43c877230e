/**
 * The size of a bundle, and the work that the types are for the compiler.
 *
 * The bundle is what esbuild makes of all exports, minified, without Node's own modules. The types are checked for 200
 * endpoints, each with an id, a checked body and five operations, written as each project's documentation does it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export const title = 'Size and types';

const ENDPOINTS = 200;
const BENCH = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = `${ROOT}dist/index.js`;
// What a program imports to serve HTTP on Node with each.
const MODULES = { restpoint: [LIBRARY], fastify: ['fastify'], hono: ['hono', '@hono/node-server'], polka: ['polka'] };
const TYPED = ['restpoint', 'fastify', 'hono'];
const COMPILER = {
  noEmit: true, strict: true, skipLibCheck: true, target: 'es2023', module: 'node20',
  types: ['node'], typeRoots: [`${ROOT}node_modules/@types`], paths: { restpoint: [`${ROOT}dist/index.d.ts`] },
};

export async function run() {
  const data = {};
  for (const [name, modules] of Object.entries(MODULES)) {
    console.error(`size: ${name}`);
    data[name] = { ...(await bundleOf(modules)), ...(TYPED.includes(name) && check(name)) };
  }
  return data;
}

async function bundleOf(modules) {
  const contents = modules.map((module, index) => `export * as part${index} from ${JSON.stringify(module)};`).join('\n');
  const options = { bundle: true, minify: true, platform: 'node', format: 'esm', write: false, logLevel: 'silent' };
  const { outputFiles: [{ contents: bytes }] } = await build({ stdin: { contents, resolveDir: BENCH }, ...options });
  return { minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
}

/** What the compiler reports of the source in `typed/`, with many endpoints instead of one. Throws where it rejects it. */
function check(name) {
  const repeated = (_, lines) => Array.from({ length: ENDPOINTS }, (_each, index) => lines.replaceAll('_N', index)).join('');
  const source = readFileSync(`${BENCH}typed/${name}.ts`, 'utf8').replace(/\/\/ each\n([^]*?)\/\/ end\n/g, repeated);
  // From here the compiler finds the packages of the bench.
  const folder = `${BENCH}node_modules/.typed`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/endpoints.ts`, source);
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions: COMPILER, files: ['endpoints.ts'] }));
  const compiler = `${ROOT}node_modules/.bin/tsc`;
  const { stdout, status } = spawnSync(compiler, ['-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the compiler rejects: ${stdout.slice(0, 1_000)}`);
  const read = (what) => Number(new RegExp(`^${what}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return { instantiations: read('Instantiations'), checkSeconds: read('Check time') };
}

export function makeTable(data) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  return {
    notes: `Bundles of all exports. Instantiations and check time of TypeScript are for ${ENDPOINTS} endpoints; `
      + 'Polka has no types.',
    columns: ['', 'minified', 'gzipped', 'type instantiations', 'check time'],
    rows: Object.entries(data).map(([name, { minified, gzipped, instantiations: count, checkSeconds }]) => {
      const types = count === undefined ? ['', ''] : [count.toLocaleString('en'), `${checkSeconds.toFixed(2)} s`];
      return [name, kib(minified), kib(gzipped), ...types];
    }),
  };
}
