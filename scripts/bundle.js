/**
 * Bundles the modules that tsc emitted, because Node loads one module several times as fast as many. `npm run bundle` runs it:
 *
 *   node scripts/bundle.js dist
 *
 * Replaces each entry of the package in that folder by a bundle, removes the other modules, and keeps the types. The source maps
 * point to `src`, which is in the package.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = [
  'index.js', 'auth/index.js', 'checks/index.js', 'client/index.js', 'codecs/index.js', 'formats/index.js', 'interceptors/index.js', 'mcp/index.js',
  'observers/index.js', 'openapi/index.js',
];
const [, , folder = ''] = process.argv;

/** Lets an entry import `ApiError` from the core's bundle: of a copy of the class, `instanceof` would know nothing. */
const sharedErrors = {
  name: 'shared-errors',
  setup: ({ onResolve }) => onResolve({ filter: /\/api-error\.js$/ }, () => ({ path: '../index.js', external: true })),
};

const bundles = await Promise.all(ENTRIES.map((name) => build({
  entryPoints: [join(folder, name)],
  outfile: join(folder, name),
  plugins: name === 'index.js' ? [] : [sharedErrors],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  write: false,
})));

const modules = readdirSync(folder, { recursive: true }).filter((name) => /\.js(?:\.map)?$/.test(name));
for (const name of modules) rmSync(join(folder, name));
for (const { path, text } of bundles.flatMap(({ outputFiles }) => outputFiles)) writeFileSync(path, path.endsWith('.js') ? withClassNames(text) : text);

/**
 * Restores the names of classes. If a class refers to itself, esbuild writes `var Some = class _Some`, and hosts would see
 * `_Some`. A space instead of `_` keeps the columns of the source map. (esbuild's `keepNames` sets the name of every
 * function: 0.5 µs for each closure, and the module takes a sixth longer to load.)
 */
function withClassNames(code) {
  const renamed = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), ` ${name}`), code);
}
