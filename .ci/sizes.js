/**
 * Throws when an entry of a package is larger than its budget, minified and gzipped, and when the client imports anything. A bundler leaves out
 * what a program does not import.
 *
 *   npm --prefix scripts ci && node .ci/sizes.js <the unpacked package>
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

// `browser` rejects Node's modules. docs/client.md has the figures of the client.
const BUDGETS = [
  { entry: 'client/index.js', names: '{ client, ProblemError, toFormData }', platform: 'browser', maxBytes: 4640 },
  { entry: 'client/index.js', names: '*', platform: 'browser', maxBytes: 5680 },
  { entry: 'index.js', names: '*', platform: 'node', maxBytes: 74_400 },
  { entry: 'queries/index.js', names: '*', platform: 'browser', maxBytes: 2640 },
  { entry: 'postgres/index.js', names: '*', platform: 'node', maxBytes: 21_400 },
];
const [, , folder = ''] = process.argv;
const { buildSync } = createRequire(new URL('../scripts/package.json', import.meta.url))('esbuild');

for (const { entry, names, platform, maxBytes } of BUDGETS) {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: `export ${names} from ${JSON.stringify(resolve(folder, 'dist', entry))};`, resolveDir: '.' },
    bundle: true, minify: true, format: 'esm', platform, write: false, metafile: true,
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (imported.length > 0) throw new Error(`${entry} imports ${imported.join(', ')}`);
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  const size = `${names} of ${entry} has ${bytes} bytes, minified and gzipped`;
  console.log(size);
  if (bytes > maxBytes) throw new Error(`${size}: more than ${maxBytes}`);
}
