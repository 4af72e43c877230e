/**
 * Bundles the modules that tsc emitted, because Node loads one module several times as fast as many. `npm run bundle` runs it:
 *
 *   node scripts/bundle.js dist
 *
 * Replaces each entry of the package in that folder by a bundle, and its types (`bundle-types.js`), and removes the other modules. Comments are
 * left out, since Node would read them at each start, and so are spaces, except in SMALL. Names stay, so that a stack trace tells where. What
 * several entries have in common is a chunk, so that a class is the same in all of them, and `instanceof` works:
 *
 *   core.js        the declarations, the errors and what is below them. Every entry but SMALL loads it
 *   document.js    the OpenAPI document. DESCRIBING load it
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleTypes } from './bundle-types.js';

const ENTRIES = [
  'index.js', 'auth/index.js', 'checks/index.js', 'formats/index.js', 'interceptors/index.js', 'mcp/index.js', 'openapi/index.js', 'postgres/index.js',
];
const DESCRIBING = ['checks/index.js', 'mcp/index.js', 'openapi/index.js'];
/** These load nothing but themselves, and export no class that the others have. */
const SMALL = ['client/index.js', 'queries/index.js'];
const CORE = /^(?:node|(?:declaration|endpoint|errors|http|router|util)\/.+)\.js$/;
/** Modules that one entry needs, and the server does not. */
const OF_ONE_ENTRY = ['http/cookies.js', 'http/ranges.js'];
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
      const kept = [...modules.filter((name) => CORE.test(name) && !OF_ONE_ENTRY.includes(name)), ...(DESCRIBING.includes(entry) ? [DOCUMENT] : [])];
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
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the line of an error that nobody catches.
  lineLimit: 120,
  write: false,
};
// A page's bundler minifies the client better if this leaves its statements as they are, and `/* @__PURE__ */` goes with the spaces.
const small = await build({ ...OPTIONS, minifySyntax: false, minifyWhitespace: false, entryPoints: SMALL.map((name) => join(folder, name)) });
const others = await build({ ...OPTIONS, entryPoints: ENTRIES.map((name) => join(folder, name)), splitting: true, plugins: [wholeCore] });

/** The chunks by the names that esbuild gives them, with their own. */
const chunkNames = Object.entries(others.metafile.outputs).filter(([path]) => /\/chunk-\w+\.js$/.test(path)).map(([path, { inputs }]) => {
  return [basename(path, '.js'), Object.keys(inputs).some((name) => name.endsWith(DOCUMENT)) ? 'document' : 'core'];
});
if (chunkNames.map(([, name]) => name).sort().join() !== 'core,document') throw new Error(`unexpected chunks: ${JSON.stringify(chunkNames)}`);
const withChunkNames = (text) => chunkNames.reduce((renamed, [from, to]) => renamed.replaceAll(from, to), text);

for (const name of modules) rmSync(join(folder, name));
const outputs = [...small.outputFiles.map(({ path, text }) => [path, withoutDocComments(text)]), ...others.outputFiles.map(({ path, text }) => [path, text])];
for (const [path, text] of outputs) {
  const named = withChunkNames(text);
  writeFileSync(withChunkNames(path), path.endsWith('.js') ? withClassNames(named) : named);
}
bundleTypes(folder, [...ENTRIES, ...SMALL].map((name) => name.replace('.js', '.d.ts')));

/**
 * Restores the names of classes. If a class refers to itself, esbuild writes `var Some = class _Some`, and users would see `_Some`. (esbuild's
 * `keepNames` sets the name of every function: 0.5 µs for each closure, and the module takes a sixth longer to load.)
 */
function withClassNames(code) {
  const renamed = [...code.matchAll(/\b(\w+)\s*=\s*class\s+_\1\b/g)].map(([, name]) => name);
  return renamed.reduce((text, name) => text.replace(new RegExp(`\\b_${name}\\b`, 'g'), name), code);
}

/** Takes out the comments that esbuild leaves where it keeps the spaces. No string of these entries has a line that begins like one. */
function withoutDocComments(code) {
  return code.replaceAll(/^[ \t]*(?:\/\/ .*|\/\*\*(?:(?!\*\/)[^])*\*\/)\n/gm, '').replaceAll('/* @__PURE__ */', '/*@__PURE__*/');
}
