/**
 * Throws when the published client imports anything, or is larger than the README says.
 *
 *   npm --prefix scripts ci && node .ci/client-size.js dist/client/index.js
 */
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = 4096;
const [, , entry = ''] = process.argv;
const { buildSync } = createRequire(new URL('../scripts/package.json', import.meta.url))('esbuild');

// `browser` rejects Node's modules.
const { outputFiles, metafile } = buildSync({
  entryPoints: [entry], bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, metafile: true,
});
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
if (imported.length > 0) throw new Error(`the client imports ${imported.join(', ')}`);
const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
console.log(`the client has ${bytes} bytes, minified and gzipped`);
if (bytes > MAX_BYTES) throw new Error(`the client has ${bytes} bytes, minified and gzipped: more than ${MAX_BYTES}`);
