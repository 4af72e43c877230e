/**
 * Bundles the modules that tsc emitted, because Node loads one module several times as fast as many. `npm run bundle` runs it:
 *
 *   node scripts/bundle.js dist
 *
 * Replaces each entry of the package in that folder by a bundle, removes the other modules, and keeps the types. The source maps
 * point to `src`, which is in the package. What several entries have in common is a chunk, so that a class is the same in all of
 * them, and `instanceof` works:
 *
 *   core.js        the declarations, the errors and what is below them. Every entry but SMALL loads it
 *   document.js    the OpenAPI document. DESCRIBING load it
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = [
  'index.js', 'auth/index.js', 'checks/index.js', 'formats/index.js', 'interceptors/index.js', 'mcp/index.js', 'openapi/index.js',
];
const DESCRIBING = ['checks/index.js', 'mcp/index.js', 'openapi/index.js'];
/** These load nothing but themselves, and export no class that the others have. */
const SMALL = ['client/index.js', 'codecs/index.js', 'observers/index.js'];
const CORE = /^(?:node|(?:endpoint|errors|http|router|util)\/.+)\.js$/;
const DOCUMENT = 'openapi/open-api.js';

const [, , given = ''] = process.argv;
const folder = resolve(given);
const modules = readdirSync(folder, { recursive: true }).filter((name) => /\.js(?:\.map)?$/.test(name));

/**
 * Makes each entry load the whole core. Otherwise esbuild makes a chunk for each set of entries that have modules in common: fifteen, which
 * take 2 ms longer to load.
 */
const wholeCore = {
  name: 'whole-core',
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /\/index\.js$/ }, ({ path }) => {
      const entry = ENTRIES.find((name) => join(folder, name) === path);
      if (entry === undefined) return undefined;
      const kept = [...modules.filter((name) => CORE.test(name)), ...(DESCRIBING.includes(entry) ? [DOCUMENT] : [])];
      return { contents: [readFileSync(path, 'utf8'), ...kept.map((name) => `import 'kept:${name}';`)].join('\n') };
    });
    onResolve({ filter: /^kept:/ }, ({ path }) => ({ path: join(folder, path.replace('kept:', '')), sideEffects: true }));
  },
};

const OPTIONS = {
  outdir: folder,
  outbase: folder,
  bundle: true,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  write: false,
};
const small = await build({ ...OPTIONS, entryPoints: SMALL.map((name) => join(folder, name)) });
const others = await build({ ...OPTIONS, entryPoints: ENTRIES.map((name) => join(folder, name)), splitting: true, plugins: [wholeCore] });

/** The chunks by the names that esbuild gives them, with their own. */
const chunkNames = Object.entries(others.metafile.outputs).filter(([path]) => /\/chunk-\w+\.js$/.test(path)).map(([path, { inputs }]) => {
  return [basename(path, '.js'), Object.keys(inputs).some((name) => name.endsWith(DOCUMENT)) ? 'document' : 'core'];
});
if (chunkNames.map(([, name]) => name).sort().join() !== 'core,document') throw new Error(`unexpected chunks: ${JSON.stringify(chunkNames)}`);
const withChunkNames = (text) => chunkNames.reduce((renamed, [from, to]) => renamed.replaceAll(from, to), text);

for (const name of modules) rmSync(join(folder, name));
for (const { path, text } of [...small.outputFiles, ...others.outputFiles]) {
  const named = withChunkNames(text);
  writeFileSync(withChunkNames(path), path.endsWith('.js') ? withClassNames(named) : named);
}

/**
 * Restores the names of classes. If a class refers to itself, esbuild writes `var Some = class _Some`, and users would see
 * `_Some`. A space instead of `_` keeps the columns of the source map. (esbuild's `keepNames` sets the name of every
 * function: 0.5 µs for each closure, and the module takes a sixth longer to load.)
 */
function withClassNames(code) {
  const renamed = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), ` ${name}`), code);
}
