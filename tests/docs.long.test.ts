/** The links of the documents: each leads to a file, and the title of a link to a test is the name of a suite in it, and stands where the file has several. */
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OPTIONS_PAGE } from '../scripts/options-page.ts';
import { PAGES } from './support/pages.ts';

interface Link {
  readonly path: string;
  readonly title: string | undefined;
}

const documents = [
  'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'STABILITY.md', 'llms.txt', ...PAGES.map((name) => join('docs', name)),
];

function linksOf(markdown: string): Link[] {
  const links = markdown.matchAll(/\]\(([^()\s#]+)(?: "([^"]*)")?\)/g);
  return [...links].map(([, path = '', title]) => ({ path, title })).filter(({ path }) => !/^https?:/.test(path));
}

/** The names of suites, without the rules that they begin with. */
function suitesOf(source: string): string[] {
  return [...source.matchAll(/\bsuite\((['"`])(?:(?:[A-Z]\d+ ?)+: )?(.*?)(?<!\\)\1/g)].map(([, , name = '']) => name.replaceAll("\\'", "'"));
}

const links = suite('the links of the documents');

links('are parsed with their titles', () => {
  assert.equal(linksOf('[a](b.md) [c](d/e.ts "f g") [h](https://i.example)'), [
    { path: 'b.md', title: undefined },
    { path: 'd/e.ts', title: 'f g' },
  ]);
});

for (const document of documents) {
  links(`${document} links to existing files, and names existing suites`, async () => {
    for (const { path, title } of linksOf(await readFile(document, 'utf8'))) {
      const file = join(dirname(document), path);
      await access(file);
      if (!path.endsWith('.test.ts') || path.includes('examples/')) continue;
      const suites = suitesOf(await readFile(file, 'utf8'));
      assert.ok(title === undefined ? suites.length === 1 : suites.includes(title), `${file} has no suite "${title}"`);
    }
  });
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) => heading.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'));
}

for (const document of documents) {
  links(`${document} links to existing headings`, async () => {
    const markdown = await readFile(document, 'utf8');
    for (const [, path = '', anchor = ''] of markdown.matchAll(/\]\(([^()\s#:]*)#([^()\s]+)\)/g)) {
      const file = path === '' ? document : join(dirname(document), path);
      assert.ok(anchorsOf(await readFile(file, 'utf8')).includes(anchor), `${file} has no heading #${anchor}`);
    }
  });
}

links('llms.txt links to every page of docs', async () => {
  const linked = linksOf(await readFile('llms.txt', 'utf8')).map(({ path }) => path);
  assert.equal(PAGES.map((name) => `docs/${name}`).filter((path) => !linked.includes(path)), []);
});
// Nobody reads the lists of messages, rules and options from their beginning to their end.
for (const document of documents.filter((name) => name.startsWith('docs') && !/\/(?:messages|http)\.md$/.test(name))) {
  links(`${document} has at most 3,400 words`, async () => {
    const { length } = (await readFile(document, 'utf8')).trim().split(/\s+/);
    assert.ok(length <= 3400, `${length} words`);
  });
}
links('the skill names existing files', async () => {
  const skill = await readFile(join('skills', 'restpoint', 'SKILL.md'), 'utf8');
  const named = [...skill.matchAll(/`((?:docs\/)?[\w-]+\.(?:md|txt))`/g)].map(([, path = '']) => path);
  assert.ok(named.length >= 5, named.join(', '));
  for (const path of named.filter((name) => name !== OPTIONS_PAGE)) await access(path);
});
links('docs/reference.md has each property of the call that an interceptor gets', async () => {
  const source = await readFile(join('src', 'declaration', 'interceptor.ts'), 'utf8');
  const [, section = ''] = (await readFile(join('docs', 'reference.md'), 'utf8')).split(/^## (?=Interceptors$)/m);
  const documented = [...section.split(/^## /m)[0]?.matchAll(/^\| (`[^|]+) \|/gm) ?? []].flatMap(([, names = '']) => names.match(/\w+(?=`|\()/g) ?? []);
  const [, body = ''] = /^export interface InterceptedCall<[^]+?\{\n([^]+?)^\}/m.exec(source) ?? [];
  const properties = [...body.matchAll(/^  (?:readonly )?(\w+)\??[:(]/gm)].map(([, property = '']) => property);
  assert.ok(properties.length > 6);
  assert.equal(properties.filter((property) => !documented.includes(property)), []);
});
links('the table of README.md has rows of docs/about.md', async () => {
  const [, table = ''] = /^(\| \| restpoint \| Fastify [^]*?)\n\n/m.exec(await readFile('README.md', 'utf8')) ?? [];
  const rows = table.split('\n').slice(2);
  const compared = (await readFile(join('docs', 'about.md'), 'utf8')).split('\n');
  assert.ok(rows.length > 5, `${rows.length} rows`);
  for (const row of rows) assert.ok(compared.some((line) => line.startsWith(row)), row);
});
const index = await readFile(join('docs', 'recipes.md'), 'utf8');
links('docs/recipes.md, from which the sidebar of the site is made, has each page once', async () => {
  const linked = linksOf(index).map(({ path }) => join('docs', path));
  const pages = ['README.md', 'SECURITY.md', 'STABILITY.md', 'CHANGELOG.md', ...documents.filter((name) => name.startsWith('docs') && !name.endsWith('recipes.md'))];
  assert.equal(linked.toSorted(), pages.toSorted());
});
for (const [document, max] of [['README.md', 850], ['CONTRIBUTING.md', 1500]] as const) {
  links(`${document} has at most ${max} words`, async () => {
    const { length } = (await readFile(document, 'utf8')).trim().split(/\s+/);
    assert.ok(length <= max, `${length} words`);
  });
}
links('README.md links to docs/recipes.md', async () => assert.ok(linksOf(await readFile('README.md', 'utf8')).some(({ path }) => path === 'docs/recipes.md')));
links('STABILITY.md has the end of each line of Node in docs/about.md, and support for six months more', async () => {
  const [, lines = ''] = /^\| Node \| ([\d, ]+),/m.exec(await readFile(join('docs', 'about.md'), 'utf8')) ?? [];
  const rows = [...(await readFile('STABILITY.md', 'utf8')).matchAll(/^\| (\d+)\b.* \| (\d{4})-(\d{2})-(\d{2}) \| (\S+) \|$/gm)];
  assert.equal(rows.map(([, line]) => line), lines.split(', '));
  for (const [, , year, month, day, until] of rows) assert.is(until, `${year}-${Number(month) + 6}-${day}`);
});
links.run();
