/** What the benchmarks measure of the modules of `src`: nothing else loads them before the benchmarks run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const IMPORTED = /\{ (.*) \} from '\.\.\/build\/modules\/(.*)'/g;

const modules = suite('bench/library.js');
modules('names what the modules export', async () => {
  const imports = [...readFileSync(join('bench', 'library.js'), 'utf8').matchAll(IMPORTED)];
  assert.is(imports.length, 4);
  for (const [, names = '', path = ''] of imports) {
    const exported = Object.keys(await import(new URL(`../../src/${path}`, import.meta.url).href) as object);
    assert.equal(names.split(', ').filter((name) => !exported.includes(name)), [], path);
  }
});
modules.run();
