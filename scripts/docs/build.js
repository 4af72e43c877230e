/**
 * Builds the site of the documents, as `npm run docs` does: `scripts/docs/site`. Copies the pages to `scripts/docs/pages`, where links to files
 * that are no pages lead to the repository.
 *
 *   node scripts/docs/build.js [https://github.com/owner/name]
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PAGES = join(FOLDER, 'pages');
const CHART = 'bench/chart.svg';
// Without a repository, as in a checkout of a release on no host, such a link leads to the top of its page.
const [, , repository] = process.argv;

const pages = ['README.md', 'SECURITY.md', 'STABILITY.md', 'CHANGELOG.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

/** A page, with links to pages as they are in the site. */
function withLinks(page) {
  return readFileSync(join(ROOT, page), 'utf8').replaceAll(/(\[[^\]]*\])\(([^()\s#:]+)(#[^()\s]+)?(?=[)\s])/g, (link, text, path, anchor = '') => {
    const target = posix.join(posix.dirname(page), path);
    if (target === 'README.md') return `${text}(/${anchor}`;
    if (target === CHART || pages.includes(target)) return link;
    return `${text}(${repository === undefined ? '#' : `${repository}/blob/main/${target}${anchor}`}`;
  });
}

rmSync(PAGES, { recursive: true, force: true });
for (const page of pages) {
  const copy = join(PAGES, page === 'README.md' ? 'index.md' : page);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, withLinks(page));
}
cpSync(join(ROOT, CHART), join(PAGES, CHART));
await build(FOLDER);
