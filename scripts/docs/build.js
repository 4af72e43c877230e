/**
 * Builds the site of the documents, as `npm run docs` does: `scripts/docs/site`. Copies the pages to `scripts/docs/pages`, where links to files
 * that are not pages lead to the repository, or name the files if no repository is given.
 *
 *   node scripts/docs/build.js [https://github.com/owner/name]
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { withLinks } from '../packed-links.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PAGES = join(FOLDER, 'pages');
const CHART = 'bench/chart.svg';
const [, , repository] = process.argv;
const place = repository === undefined ? undefined : { repository, tag: 'main' };

const pages = ['README.md', 'SECURITY.md', 'STABILITY.md', 'CHANGELOG.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

/** A page, with links as they are in the site: the README is its home, and the page of all options is there. */
function inSite(page) {
  const text = withLinks(page, readFileSync(join(ROOT, page), 'utf8'), (target) => target === CHART || pages.includes(target), place);
  return text.replaceAll(/\]\((?:\.\.\/)?README\.md(?=[#)])/g, '](/').replaceAll(/(?<=\]\((?:docs\/)?)reference\.md#every-option(?=\))/g, 'options.md');
}

rmSync(PAGES, { recursive: true, force: true });
for (const page of pages) {
  const copy = join(PAGES, page === 'README.md' ? 'index.md' : page);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, inSite(page));
}
cpSync(join(ROOT, CHART), join(PAGES, CHART));
await build(FOLDER);
