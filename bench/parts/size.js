/**
 * The size of a bundle, and the work that the types are for the compiler.
 *
 * The bundle is what esbuild makes of all exports, minified, without Node's own modules. The types are checked for 200
 * endpoints, each with an id, a checked body and five operations, written as each project's documentation does it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { published } from '../library.js';
import { TYPED } from '../typed-endpoints.js';

export const title = 'Size and types';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = join(BENCH, '..');
const ENDPOINTS = 200;
// What a host imports to serve HTTP on Node with each.
const MODULES = { restpoint: [fileURLToPath(published())], fastify: ['fastify'], hono: ['hono', '@hono/node-server'], polka: ['polka'] };
const COMPILER = { noEmit: true, strict: true, skipLibCheck: true, target: 'es2023', module: 'node20', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

export async function run({ progress }) {
  progress('bundles');
  const data = {};
  for (const [name, modules] of Object.entries(MODULES)) data[name] = await bundleOf(modules);
  const folder = mkdtempSync(join(BENCH, 'types-'));
  try {
    for (const [name, sourceOf] of Object.entries(TYPED)) {
      progress(`types of ${name}`);
      Object.assign(data[name], check(folder, sourceOf(ENDPOINTS)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return data;
}

async function bundleOf(modules) {
  const contents = modules.map((module, index) => `export * as part${index} from ${JSON.stringify(module)};`).join('\n');
  const { outputFiles: [{ contents: bytes }] } = await build({
    stdin: { contents, resolveDir: BENCH }, bundle: true, minify: true, platform: 'node', format: 'esm', write: false, logLevel: 'silent',
  });
  return { minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length };
}

/** What the compiler reports of a source. Throws where it refuses it. */
function check(folder, source) {
  writeFileSync(join(folder, 'endpoints.ts'), source);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER, files: ['endpoints.ts'] }));
  const { stdout, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the compiler refuses: ${stdout.slice(0, 1_000)}`);
  const read = (what) => Number(new RegExp(`^${what}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return { instantiations: read('Instantiations'), checkSeconds: read('Check time') };
}

export function tableOf(data) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  return {
    notes: `Bundles of all exports. Instantiations and check time of TypeScript are for ${ENDPOINTS} endpoints; Polka has no types of its own.`,
    columns: ['', 'minified', 'gzipped', 'type instantiations', 'check time'],
    rows: Object.entries(data).map(([name, { minified, gzipped, instantiations, checkSeconds }]) => {
      const types = instantiations === undefined ? ['', ''] : [instantiations.toLocaleString('en'), `${checkSeconds.toFixed(2)} s`];
      return [name, kib(minified), kib(gzipped), ...types];
    }),
  };
}
