/** The files that `npm run generate` writes are as it writes them now. */
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeGenerated } from './support/generated.ts';
import { listParameters } from './support/import-tables.ts';

const generated = suite('the generated files');
const files = await makeGenerated();
generated('are several', () => assert.ok(files.length > 10, `${files.length} files`));
for (const [file, text] of files) {
  generated(`${file} is up to date`, () => {
    const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
    assert.fixture(written, text, `${file} is out of date: run npm run generate`);
  });
}
for (const [list, names] of [
  ['()', ''], ['(a: string)', 'a'], ['(a: A<B, C>, b?: (c: D) => E)', 'a, b'], ['(\n  ...ways: Ways\n)', '...ways'], ["(a = 1)", ''],
  ['(base: string, options: Options = {})', 'base, options'], ['(api: Api, { storage }: Options = {})', 'api, options'],
] as const) {
  generated(`name the parameters of ${list}`, () => assert.is(listParameters(list), names));
}
generated.run();
