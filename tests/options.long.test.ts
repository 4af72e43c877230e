/** The page `docs/options.md` as it is made, and the docstrings that it is made of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_NAMES, readEntry } from '../scripts/docstrings.ts';
import { isCalled, makeOptionsPage, readOptionTables } from '../scripts/options-page.ts';
import { assert, suite } from './support/facts.ts';

const options = suite('the page with options');
options('has every option of every table of src', async () => {
  const page = await makeOptionsPage();
  const tables = await readOptionTables();
  assert.ok(tables.filter(({ call }) => call !== undefined).length > 25, `${tables.length} tables`);
  for (const table of tables) {
    const section = table.call === undefined ? page : page.split(/^## /m).find((each) => each.startsWith(`\`${table.call}\``)) ?? '';
    assert.equal(table.options.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(section)).map(({ name }) => name), [], table.name);
  }
});
options('says what every option means, and has an example of each call', async () => {
  const page = await makeOptionsPage();
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  assert.ok(rows.length > 150, `${rows.length} options`);
  assert.equal(rows.filter((row) => / \|  \|$/.test(row)), []);
  const sections = page.split(/^## `(.+)`$/m).slice(1);
  const calls = sections.flatMap((call, at) => (at % 2 === 0 ? [{ call, text: sections[at + 1] ?? '' }] : []));
  assert.equal(calls.filter(({ call, text }) => !text.includes('```ts') || !isCalled(call, text.split('```ts')[1] ?? '')).map(({ call }) => call), []);
});
options('has the limits of a server as docs/reference.md does', async () => {
  const limits = (page: string): string[] => {
    const [, section = ''] = page.split(/^(?=## )/m).filter((each) => /^## (?:Options\n|`new ApiServer\()/.test(each)).join('').split('|---|---|---|---|\n');
    return section.split('\n').filter((line) => /^\| `(?:limits\.|stop)/.test(line)).map((line) => line.split(' | ').slice(0, 3).join(' | '));
  };
  const made = limits(await makeOptionsPage());
  assert.ok(made.length >= 10, `${made.length} limits`);
  assert.equal(limits(readFileSync(join('docs', 'reference.md'), 'utf8')), made);
});

const names = suite('the docstrings of public names');
names('say what every name and property means', () => {
  const all = ENTRY_NAMES.flatMap((entry) => readEntry(entry)).flatMap(({ name, doc, properties }) => {
    return [{ name, doc }, ...properties.map((property) => ({ name: `${name}.${property.name}`, doc: property.doc }))];
  });
  assert.ok(all.length > 600, `${all.length} names`);
  assert.equal(all.filter(({ doc }) => doc === '').map(({ name }) => name), []);
});
for (const entry of ENTRY_NAMES) {
  names(`are read for every name and property in the API report of ${entry === '' ? 'restpoint' : entry}`, () => {
    const text = readFileSync(join('scripts', 'api', 'reports', `${entry === '' ? 'restpoint' : entry}.api.md`), 'utf8');
    // Types in the head of a declaration have no properties of its own.
    const report = text.replaceAll(/\{\n(?: {4}.*\n)+\}(?=[>[,])/g, '');
    const shown = new Set(readEntry(entry).flatMap(({ name, properties }) => [name, ...properties.map((property) => `${name}.${property.name}`)]));
    const reported = [...report.matchAll(/^export (?:declare )?(?:abstract )?(class|function|interface|type|const) (\w+)[^\n]*\n((?:(?: {4}.*|)\n)*)/gm)];
    assert.ok(reported.length > 0);
    const expected = reported.flatMap(([, kind, name = '', body = '']) => {
      if (kind !== 'interface' && kind !== 'class') return [name];
      const properties = [...body.matchAll(/^ {4}(?:(?:readonly|get|static|abstract) )*([A-Za-z]\w*)(?:<.*>)?\??[(:]/gm)].map(([, property = '']) => property);
      return [name, ...properties.filter((property) => property !== 'constructor' && property !== 'private').map((property) => `${name}.${property}`)];
    });
    assert.equal(expected.filter((name) => !shown.has(name)), []);
  });
}
