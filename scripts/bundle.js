/**
 * Makes one module of those that tsc emitted, because Node loads one several times as fast as many. `prepack` runs it:
 *
 *   node scripts/bundle.js dist
 *
 * The bundle takes the place of the folder's `index.js`, the other modules are removed, and the types stay. The source
 * map leads to `src`, which is in the package.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const [, , folder = ''] = process.argv;
const entry = join(folder, 'index.js');

const { outputFiles } = await build({
  entryPoints: [entry],
  outfile: entry,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  write: false,
});

const modules = readdirSync(folder, { recursive: true }).filter((name) => /\.js(?:\.map)?$/.test(name));
for (const name of modules) rmSync(join(folder, name));
for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.js') ? withClassNames(text) : text);

/**
 * Gives classes their names back. Where a class uses its own name, esbuild writes `var Some = class _Some`, and hosts would
 * see `_Some`. A space in place of `_` keeps the source map true. (esbuild's own `keepNames` defines the name of every
 * function again: 0.5 µs for each closure that is made, and a sixth more time to load.)
 */
function withClassNames(code) {
  const renamed = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), ` ${name}`), code);
}
