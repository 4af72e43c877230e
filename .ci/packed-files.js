/**
 * Throws when a package holds a file that does not belong there, lacks one that does, or is larger than it may be.
 *
 *   npm pack --dry-run --json > pack.json && node .ci/packed-files.js pack.json
 */
import { readFileSync } from 'node:fs';

const [, , report = ''] = process.argv;
const [{ files, unpackedSize }] = Object.values(JSON.parse(readFileSync(report, 'utf8')));
const packed = new Set(files.map(({ path }) => path));

const MAX_FILES = 250;
const MAX_BYTES = 2_500_000;
if (files.length > MAX_FILES || unpackedSize > MAX_BYTES) throw new Error(`${files.length} files of ${unpackedSize} bytes`);

const ALLOWED = /^(?:dist\/(?:(?:core|document)\.js|(?:core|common)\.d\.ts|(?:(?:auth|checks|client|formats|interceptors|mcp|openapi|postgres|queries)\/)?index\.(?:js|d\.ts))|docs\/[\w-]+\.md|examples\/docs\/[\w.-]+\.[jt]s|skills\/restpoint\/SKILL\.md|llms\.txt|(?:README|CHANGELOG|SECURITY|STABILITY)\.md|LICENSE|package\.json)$/;
const stray = [...packed].filter((path) => !ALLOWED.test(path));
if (stray.length > 0) throw new Error(`does not belong in the package: ${stray.join(', ')}`);

// npm warns of a package that runs a script where it is installed. `prepare` runs there too, if it is installed from Git.
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const installing = ['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts);
if (installing.length > 0) throw new Error(`the manifest has scripts of an installation: ${installing.join(', ')}`);

const entries = ['', 'auth/', 'checks/', 'client/', 'formats/', 'interceptors/', 'mcp/', 'openapi/', 'postgres/', 'queries/'];
const modules = entries.flatMap((folder) => [`dist/${folder}index.js`, `dist/${folder}index.d.ts`]).concat('dist/core.js', 'dist/document.js', 'dist/core.d.ts', 'dist/common.d.ts');
const missing = ['package.json', 'LICENSE', 'llms.txt', 'docs/messages.md', 'docs/options.md', ...modules].filter((path) => !packed.has(path));
if (missing.length > 0) throw new Error(`missing from the package: ${missing.join(', ')}`);
