/** The site of the documents. Its search needs no other host. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

// As GitHub makes them, which the links of the documents follow.
const slugify = (heading) => heading.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-');
const INDEX = new URL('../../../docs/recipes.md', import.meta.url);

/** The pages of docs/recipes.md, by its headings. A link to a part of a page is no entry. */
function sidebarFrom(index) {
  return index.split(/^## /m).slice(1).map((group) => {
    const links = [...group.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)];
    return { text: group.split('\n')[0], items: links.map(([, text, path]) => ({ text, link: linkTo(path) })) };
  });
}

function linkTo(path) {
  if (path === '../README') return '/';
  return path.startsWith('../') ? path.slice(2) : `/docs/${path}`;
}

// docs/recipes.md has no link to this page, which is not in the repository.
const OPTIONS = { text: 'Every option', link: '/docs/options' };
const [start, ...groups] = sidebarFrom(readFileSync(INDEX, 'utf8'));
const sidebar = [
  { ...start, items: [...start.items, { text: 'Find a page', link: '/docs/recipes' }] },
  ...groups.map(({ text, items }) => ({ text, items: text === 'Reference' ? [...items, OPTIONS] : items })),
];

export default defineConfig({
  title: 'restpoint',
  description: 'A typed REST endpoint server on node:http.',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: 'pages',
  outDir: 'site',
  cacheDir: 'cache',
  base: process.env.DOCS_BASE ?? '/',
  // A page names its own server.
  ignoreDeadLinks: 'localhostLinks',
  markdown: { anchor: { slugify } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
