/** The rules that checks name are those of docs/http.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksOf } from './pet-server.ts';

const page = readFileSync(join('docs', 'http.md'), 'utf8');
const ids = new Set([...page.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = '']) => id));
const sources = readdirSync(join('src', 'checks')).map((name) => readFileSync(join('src', 'checks', name), 'utf8')).join('\n');
/** The ids in the rows of the source, as `rules: 'V4 V13'` and `['B4', …`. */
const named = [...sources.matchAll(/(?:\brules: |^  \[)'([^']+)'/gm)].flatMap(([, rules = '']) => rules.split(' '));

const rules = suite('the rules of a check');
rules('exist', () => {
  assert.ok(named.length > 20, named.join());
  assert.equal(named.filter((id) => !ids.has(id)), []);
});
rules('are there for each check', () => {
  const all = checksOf(() => {});
  assert.equal(all.filter((check) => check.rules.length === 0 || check.rules.some((id) => !named.includes(id))).map(({ name }) => name), []);
  assert.equal(all.find(({ name }) => name.startsWith('PUT /v1/pet/:id: If-Match with a different version'))?.rules, ['V4', 'V13']);
});
rules('are all of section "Your operations"', () => assert.equal([...ids].filter((id) => id.startsWith('Y') && !named.includes(id)), []));
rules.run();
