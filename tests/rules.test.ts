/** Each rule of the wire has a test that names it, and each rule that a test names is there. */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const PAGES = ['docs/http.md', 'docs/http-authentication.md'];
// 'V8 V9: changes', the title of a suite or of a test, or the first line of a file.
const NAMED = /(?:\(['"`]|^\/\*\* |^\/\/ Rules: )((?:[A-Z]\d+ ?)+)(?=:|$)/gm;

const read = (file: string): string => readFileSync(file, 'utf8');
const rules = PAGES.flatMap((page) => [...read(page).matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = '']) => id));
// The packages of `compat` have tests too.
const folders = readdirSync('tests', { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== 'compat').map(({ name }) => name);
const files = folders.flatMap((folder) => readdirSync(`tests/${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`));
const named = new Set(files.filter((file) => file.endsWith('.ts')).flatMap((file) => [...read(`tests/${file}`).matchAll(NAMED)].flatMap(([, ids = '']) => ids.trim().split(' '))));

const wire = suite('the rules of the wire');
wire('have an id each', () => {
  assert.ok(rules.length > 250, `${rules.length} rules`);
  assert.equal(rules.filter((id, at) => rules.indexOf(id) !== at), []);
});
wire('have a test each, which names them', () => assert.equal(rules.filter((id) => !named.has(id)), []));
wire('are all that tests name', () => assert.equal([...named].filter((id) => !rules.includes(id)), []));
wire.run();
