/** The pages with options have every option of every table, with its values and its default. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOptions, OPTION_TABLES } from './support/option-tables.ts';
import { ENTRY_NAMES, makeNamesPage, NAMES_PAGE, readNames } from './support/names-page.ts';
import { formatDefault, makeOptionsPage, OPTIONS_PAGE, readExamples } from './support/options-page.ts';
import { SERVER_OPTIONS } from '../src/server/options.ts';

/** Tables that are part of others. */
const PARTS = ['ADDITIONS', 'LIMITS', 'STREAM_LIMITS', 'TOOL_OPTIONS', 'VERSION_OPTIONS'];
/** Defaults of the server that `docs/reference.md` has in other words. */
const IN_WORDS: Readonly<Record<string, string>> = {
  'limits.bodyBytes': '1 MiB', 'limits.headerBytes': '16 KiB', 'limits.unsentBytes': '256 MiB',
  createServer: '`http.createServer`, with `tls` `https.createServer`', allowedHosts: 'any', isNotFound: 'see [Errors](#errors)', stringify: '`JSON.stringify`',
};

const pages = suite('the pages with options');
pages('docs/options.md is as the tables make it: node build/tests/support/options-page.js writes it', () => {
  assert.fixture(readFileSync(OPTIONS_PAGE, 'utf8'), makeOptionsPage());
});
pages('have every table of src', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && !name.startsWith('util'));
  const names = sources.flatMap((name) => [...readFileSync(join('src', name), 'utf8').matchAll(/const ([A-Z_]+)[^;]*? = shape\(/g)]).map(([, name = '']) => name);
  const listed = readFileSync(join('tests', 'support', 'option-tables.ts'), 'utf8');
  assert.ok(names.length > 25, `${names.length} tables`);
  assert.equal(names.filter((name) => !PARTS.includes(name) && !listed.includes(`: ${name},`)), []);
});
pages('have an example of every call, with each of its options: tests/types/option-examples.types.ts', () => {
  const examples = readExamples();
  const missing = Object.entries(OPTION_TABLES).flatMap(([call, shape]) => {
    const names = listOptions(shape).map(({ name }) => name.split('.').at(-1) ?? '');
    return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(examples.get(call) ?? '')).map((name) => `${call}: ${name}`);
  });
  assert.equal(missing, []);
  assert.equal([...examples.keys()].filter((call) => !(call in OPTION_TABLES)), []);
});
pages('say what every option means', () => {
  const rows = makeOptionsPage().split('\n').filter((line) => line.startsWith('| `'));
  assert.ok(rows.length > 150, `${rows.length} options`);
  assert.equal(rows.filter((row) => / \|  \|$/.test(row)), []);
});
pages('docs/names.md is as the docstrings make it: node build/tests/support/names-page.js writes it', () => {
  assert.fixture(readFileSync(NAMES_PAGE, 'utf8'), makeNamesPage());
});
pages('docs/names.md says what every name and property means', () => {
  const rows = makeNamesPage().split('\n').filter((line) => /^\| [`*]/.test(line));
  assert.ok(rows.length > 600, `${rows.length} names`);
  assert.equal(rows.filter((row) => / \|  \|$/.test(row)), []);
});
for (const entry of ENTRY_NAMES) {
  pages(`docs/names.md has every name and property in the API report of ${entry === '' ? 'restpoint' : entry}`, () => {
    const report = readFileSync(join('scripts', 'api', 'reports', `${entry === '' ? 'restpoint' : entry}.api.md`), 'utf8');
    const shown = new Set(readNames(entry).flatMap(({ name, properties }) => [name, ...properties.map((property) => `${name}.${property.name}`)]));
    const names = [...report.matchAll(/^export (?:declare )?(?:abstract )?(class|function|interface|type|const) (\w+)[^\n]*\n((?:(?: {4}.*|)\n)*)/gm)];
    assert.ok(names.length > 0);
    const expected = names.flatMap(([, kind, name = '', body = '']) => {
      if (kind !== 'interface' && kind !== 'class') return [name];
      const properties = [...body.matchAll(/^ {4}(?:(?:readonly|get|static|abstract) )*([A-Za-z]\w*)(?:<.*>)?\??[(:]/gm)].map(([, property = '']) => property);
      return [name, ...properties.filter((property) => property !== 'constructor' && property !== 'private').map((property) => `${name}.${property}`)];
    });
    assert.equal(expected.filter((name) => !shown.has(name)), []);
  });
}
pages('docs/reference.md has every option of the server, with its default', () => {
  const page = readFileSync(join('docs', 'reference.md'), 'utf8');
  const section = page.slice(page.indexOf('\n## Options\n'), page.indexOf('\n## Mounting\n'));
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| (.*?) \|/gm)].map(([, name, byDefault]) => `${name}: ${byDefault}`);
  const expected = listOptions(SERVER_OPTIONS).map((option) => `${option.name}: ${IN_WORDS[option.name] ?? (formatDefault(option) || 'none')}`);
  assert.equal(rows.sort(), expected.sort());
});
pages.run();
