/**
 * Throws when a package holds a file that does not belong there, or lacks one that does.
 *
 *   npm pack --dry-run --json > pack.json && node .ci/packed-files.js pack.json
 */
import { readFileSync } from 'node:fs';

const [, , report = ''] = process.argv;
const [{ files }] = Object.values(JSON.parse(readFileSync(report, 'utf8')));
const packed = new Set(files.map(({ path }) => path));

const ALLOWED = /^(?:dist\/(?:core\.js|document\.js|(?:(?:auth|checks|client|codecs|formats|interceptors|mcp|observers|openapi)\/)?index\.js|.+\.d\.ts)(?:\.map)?|src\/.+\.ts|docs\/[\w-]+\.md|skills\/restpoint\/SKILL\.md|llms\.txt|(?:README|CHANGELOG|SECURITY|STABILITY)\.md|LICENSE|package\.json)$/;
const stray = [...packed].filter((path) => !ALLOWED.test(path));
if (stray.length > 0) throw new Error(`does not belong in the package: ${stray.join(', ')}`);

// npm warns of a package that runs a script where it is installed. `prepare` runs there too, if it is installed from Git.
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const installing = ['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts);
if (installing.length > 0) throw new Error(`the manifest has scripts of an installation: ${installing.join(', ')}`);

const sources = [...packed].filter((path) => path.startsWith('src/'));
const types = sources.flatMap((path) => ['.d.ts', '.d.ts.map'].map((end) => path.replace(/^src/, 'dist').replace(/\.ts$/, end)));
const bundles = ['', 'auth/', 'checks/', 'client/', 'codecs/', 'formats/', 'interceptors/', 'mcp/', 'observers/', 'openapi/'].map((folder) => `dist/${folder}index.js`).concat('dist/core.js', 'dist/document.js').flatMap((path) => [path, `${path}.map`]);
const missing = ['package.json', 'LICENSE', 'llms.txt', 'docs/messages.md', 'src/index.ts', ...bundles, ...types].filter((path) => !packed.has(path));
if (missing.length > 0) throw new Error(`missing from the package: ${missing.join(', ')}`);
