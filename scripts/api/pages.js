/**
 * Writes the reference of the public names as pages, from the docstrings: `pages/index.html`.
 *
 *   node pages.js
 */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deno } from './deno.js';
import { ENTRIES, MANIFEST } from './entries.js';

const PAGES = fileURLToPath(new URL('pages/', import.meta.url));

rmSync(PAGES, { recursive: true, force: true });
deno('doc', '--quiet', '--html', `--name=${MANIFEST.name}`, `--output=${PAGES}`, ...ENTRIES.map(({ source }) => source));
