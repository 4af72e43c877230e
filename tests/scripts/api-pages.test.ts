/** The pages of the public names: `npm run api:pages` makes them of those that Deno writes, and fails if a name of an entry is missing there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface Name {
  readonly name: string;
  readonly title: string;
  readonly isType: boolean;
  readonly doc: string;
}

interface NamePages {
  readonly withImports: (html: string, imports: ReadonlyMap<string, string>) => string;
  readonly exportedNames: (source: string) => string[];
  readonly namesIn: (searchIndex: string) => ReadonlyMap<string, Name>;
  readonly indexPage: (title: string, entries: readonly { readonly from: string; readonly names: readonly (Name & { readonly url: string })[] }[]) => string;
}

const url = (file: string): string => pathToFileURL(join(process.cwd(), 'scripts', 'api', file)).href;
const { withImports, exportedNames, namesIn, indexPage } = await import(url('name-pages.js')) as NamePages;
const { ENTRIES } = await import(url('entries.js')) as { readonly ENTRIES: readonly { readonly path: string; readonly source: string }[] };
const IMPORTS = new Map([['index.ts', 'restpoint'], ['auth/index.ts', 'restpoint/auth']]);

const imported = suite('the imports in a page');
for (const [what, html, expected] of [
  ['in its text', 'import { a } from &quot;index.ts&quot;;', 'import { a } from &quot;restpoint&quot;;'],
  ['of an entry below', 'import { a } from &quot;auth/index.ts&quot;;', 'import { a } from &quot;restpoint/auth&quot;;'],
  ['that a button copies', '<button data-copy="import { a } from &quot;auth/index.ts&quot;;">',
    '<button data-copy="import { a } from &quot;restpoint/auth&quot;;">'],
  ['in a title', '<title>bearer - auth&#x2F;index.ts</title>', '<title>bearer - restpoint/auth</title>'],
  ['and not in a link', '<a href="../auth/index.ts/~/bearer.html">auth&#x2F;index.ts</a>', '<a href="../auth/index.ts/~/bearer.html">restpoint/auth</a>'],
  ['and not of another file', 'other/index.ts', 'other/index.ts'],
] as const) {
  imported(`have the names that users write: ${what}`, () => assert.is(withImports(html, IMPORTS), expected));
}
imported.run();

const listed = suite('the names of an entry');
listed('are those of its lists: values, types and other names', () => {
  const source = "/** An entry. */\nexport { a, type B, c as d } from './a.ts';\nexport type {\n  E,\n  F,\n} from './e.ts';\n";
  assert.equal(exportedNames(source), ['a', 'B', 'd', 'E', 'F']);
});
for (const { path, source } of ENTRIES) {
  listed(`are all of what ${path} of the package exports`, async () => {
    const text = readFileSync(source, 'utf8');
    const loaded = Object.keys(await import(pathToFileURL(join(process.cwd(), source.replace('src/', 'dist/').replace(/ts$/, 'js'))).href) as object);
    const names = exportedNames(text);
    assert.equal(loaded.filter((name) => !names.includes(name)), []);
    assert.not.match(text, /^export (?!type \{|\{)/m);
  });
}
listed.run();

const index = suite('the page of all names');
const node = (name: string, kind: string, doc?: string): object => ({ name, file: 'index.ts', kind: [{ kind, title: kind }], ...(doc !== undefined && { doc }) });
index('has each name with its import and its first sentence, and no properties', () => {
  const nodes = [node('reply', 'Function', 'Makes a <b> & c. More.'), node('Reply', 'Interface'), node('Reply.status', 'Property', 'Its status.')];
  const known = namesIn(`(function () {\n  window.DENO_DOC_SEARCH_INDEX = ${JSON.stringify({ nodes })};\n})()`);
  assert.equal([...known.keys()], ['reply', 'Reply']);
  const page = indexPage('restpoint', [{ from: 'restpoint/auth', names: [...known.values()].map((name) => ({ ...name, url: `index.ts/~/${name.name}.html` })) }]);
  const rows = page.split('\n').filter((line) => line.startsWith('<tr>'));
  assert.equal(rows, [
    "<tr><td><a href=\"index.ts/~/reply.html\">reply</a><td>Function<td><code>import { reply } from 'restpoint/auth'</code><td>Makes a &lt;b> &amp; c.",
    "<tr><td><a href=\"index.ts/~/Reply.html\">Reply</a><td>Interface<td><code>import type { Reply } from 'restpoint/auth'</code><td>",
  ]);
});
index.run();
