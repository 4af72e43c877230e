/** The pages with options have every option of every table, with its values and its default. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listOptions } from './support/option-tables.ts';
import { formatDefault, makeOptionsPage, OPTIONS_PAGE } from './support/options-page.ts';
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
pages('docs/reference.md has every option of the server, with its default', () => {
  const page = readFileSync(join('docs', 'reference.md'), 'utf8');
  const section = page.slice(page.indexOf('\n## Options\n'), page.indexOf('\n## Mounting\n'));
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| (.*?) \|/gm)].map(([, name, byDefault]) => `${name}: ${byDefault}`);
  const expected = listOptions(SERVER_OPTIONS).map((option) => `${option.name}: ${IN_WORDS[option.name] ?? (formatDefault(option) || 'none')}`);
  assert.equal(rows.sort(), expected.sort());
});
pages.run();
