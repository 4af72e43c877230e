/**
 * Writes the reference of the public names as pages, from the docstrings. `pages/index.html` has all names, with their imports. Fails if one is
 * not there.
 *
 *   node pages.js
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deno } from './deno.js';
import { ENTRIES, MANIFEST, ROOT } from './entries.js';
import { exportedNames, indexPage, namesIn, withImports } from './name-pages.js';

const PAGES = fileURLToPath(new URL('pages/', import.meta.url));
const SEARCH = `${PAGES}search_index.js`;

rmSync(PAGES, { recursive: true, force: true });
deno('doc', '--quiet', '--html', `--name=${MANIFEST.name}`, `--output=${PAGES}`, ...ENTRIES.map(({ source }) => source));

const known = namesIn(readFileSync(SEARCH, 'utf8'));
const entries = ENTRIES.map(({ source, path }) => {
  const folder = source.slice('src/'.length);
  const names = exportedNames(readFileSync(ROOT + source, 'utf8')).map((name) => {
    const url = `${folder}/~/${name}.html`;
    if (!known.has(name) || !existsSync(PAGES + url)) throw new Error(`the pages have no ${name} of ${source}`);
    return { ...known.get(name), url };
  });
  return { folder, from: MANIFEST.name + path.slice('.'.length), names };
});
const imports = new Map(entries.map(({ folder, from }) => [folder, from]));

for (const name of readdirSync(PAGES, { recursive: true })) {
  const file = join(PAGES, name);
  if (name.endsWith('.html')) writeFileSync(file, withImports(readFileSync(file, 'utf8'), imports));
}
writeFileSync(`${PAGES}index.html`, indexPage(MANIFEST.name, entries));
