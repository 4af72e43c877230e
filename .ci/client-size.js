/**
 * Throws when the published client imports anything, or is larger than docs/client.md says: `client`, and all of the entry. A bundler leaves
 * out what a program does not import.
 *
 *   npm --prefix scripts ci && node .ci/client-size.js dist/client/index.js
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const MAX_BYTES = [
  ['{ client, ProblemError, toFormData }', 4096],
  ['*', 4608],
];
const [, , entry = ''] = process.argv;
const { buildSync } = createRequire(new URL('../scripts/package.json', import.meta.url))('esbuild');

for (const [names, maxBytes] of MAX_BYTES) {
  // `browser` rejects Node's modules.
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: `export ${names} from ${JSON.stringify(resolve(entry))};`, resolveDir: '.' },
    bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, metafile: true,
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (imported.length > 0) throw new Error(`the client imports ${imported.join(', ')}`);
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`${names} of the client has ${bytes} bytes, minified and gzipped`);
  if (bytes > maxBytes) throw new Error(`${names} of the client has ${bytes} bytes, minified and gzipped: more than ${maxBytes}`);
}
