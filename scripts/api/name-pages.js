/** The names of the package as users import them, for the pages that Deno has written: those name source files. */

/** Writes imports instead of source files, such as `restpoint/auth` for `auth/index.ts`: in the text of a page, and in what it copies. Links stay. */
export function withImports(html, imports) {
  const named = (file) => imports.get(file.replace('&#x2F;', '/')) ?? file;
  return html
    .replaceAll(/(?<=from &quot;)[^&]+(?=&quot;)/g, named)
    .replaceAll(/<[^>]*>|(?:\w+(?:&#x2F;|\/))?index\.ts/g, named);
}

/** The names that an entry exports, in the order of its source. It only re-exports. */
export function exportedNames(source) {
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from /gm)].flatMap(([, list]) => list.split(','));
  return lists.map((name) => name.trim().replace(/^type |.* as /, '')).filter((name) => name !== '');
}

/** What the search index that Deno writes says about public names. A name that two entries export is there once. */
export function namesIn(searchIndex) {
  const [, json] = /DENO_DOC_SEARCH_INDEX = (.*);\n/.exec(searchIndex);
  const names = JSON.parse(json).nodes.filter(({ name }) => !name.includes('.'));
  return new Map(names.map(({ name, kind: [{ kind, title }], doc = '' }) => [name, { name, title, isType: TYPES.includes(kind), doc }]));
}

const TYPES = ['Interface', 'TypeAlias'];

/** A page of all names, by entry. Each entry has its import, such as `restpoint/auth`, and its names. */
export function indexPage(title, entries) {
  const sections = entries.map(({ from, names }) => `<h2><code>${from}</code></h2>\n<table>\n${names.map((name) => row(name, from)).join('\n')}\n</table>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}: all names</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% }
  td { padding: .25rem 1rem .25rem 0; vertical-align: top; border-top: 1px solid #8884 }
</style>
<h1>${title}: all names</h1>
<p><a href="all_symbols.html">Search</a></p>
${sections.join('\n')}
</html>
`;
}

function row({ name, url, title, isType, doc }, from) {
  const [sentence] = /^.*?\.(?=\s|[A-Z]|$)/s.exec(doc) ?? [doc];
  return `<tr><td><a href="${url}">${name}</a><td>${title}<td><code>import ${isType ? 'type ' : ''}{ ${name} } from '${from}'</code><td>${escaped(sentence)}`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
