/**
 * Publishes the package on JSR, which takes the sources.
 *
 *   node jsr.js --dry-run      checks that it could be published
 *   node jsr.js                publishes it
 */
import { readFileSync } from 'node:fs';
import { deno } from './deno.js';
import { ENTRIES, MANIFEST, ROOT } from './entries.js';

const { version, exports } = JSON.parse(readFileSync(`${ROOT}jsr.json`, 'utf8'));
const expected = Object.fromEntries(ENTRIES.map(({ path, source }) => [path, `./${source}`]));
if (version !== MANIFEST.version) throw new Error(`jsr.json has version ${version}, package.json ${MANIFEST.version}`);
if (JSON.stringify(exports) !== JSON.stringify(expected)) throw new Error(`the exports of jsr.json should be ${JSON.stringify(expected)}`);

deno('publish', '--quiet', '--allow-dirty', ...process.argv.slice(2));
