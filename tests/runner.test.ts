/** The runner of these tests, on tests that uvu by itself would let pass in silence, or never end. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';

// Inside the package, so that `uvu` resolves.
const folder = join(process.cwd(), 'build', 'runner');
const runner = join(process.cwd(), 'build', 'tests', 'support', 'run.js');

// `SUITE` stands for `suite`, of which the runner counts those that this file declares.
const GOOD = "const good = SUITE('good'); good('passes', () => {}); good.run();";

/** Runs a test file with this source; `undefined` stands for none. Gives the exit code and the line that counts. */
async function run(source: string | undefined): Promise<{ code: number | null; counts: string | undefined; output: string }> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (source !== undefined) await writeFile(join(folder, 'some.test.js'), `import { suite } from 'uvu';\n${source.replaceAll('SUITE', 'suite')}\n`);
  const child = new Child([runner, '', folder], { NODE_V8_COVERAGE: '' });
  const code = await child.exit();
  return { code, counts: /^\d+ passed, \d+ failed$/m.exec(child.output)?.[0], output: child.output };
}

const runs = suite('the runner of the tests');

runs('a test that passes: exit 0', async () => {
  const { code, counts } = await run(GOOD);
  assert.equal([code, counts], [0, '1 passed, 0 failed']);
});

for (const [source, why] of [
  [undefined, 'no file'],
  ['', 'a file without a suite'],
  ["SUITE('empty').run();", 'a suite without a test'],
  ["const bad = SUITE('bad'); bad('fails', () => { throw new Error('no'); }); bad.run();", 'a test that fails'],
  ["const bad = SUITE('bad'); bad('throws', () => { throw 'text'; }); bad.run();", 'a test that throws text'],
  ["const bad = SUITE('bad'); bad.before(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();", 'a before hook that throws'],
  [`${GOOD} const bad = SUITE('bad'); bad('never runs', () => {});`, 'a forgotten run()'],
  ["const bad = SUITE('bad'); bad('passes', () => {}); bad.skip('skipped', () => {}); bad.run();", 'a test that is skipped'],
  ["const bad = SUITE('bad'); bad.only('passes', () => {}); bad('left out', () => {}); bad.run();", 'a test that is run alone'],
  [`${GOOD} setTimeout(() => { throw new Error('late'); });`, 'an error outside of any test'],
  [`${GOOD} void Promise.reject(new Error('late'));`, 'a rejection that nobody handles'],
  [`${GOOD} setInterval(() => {}, 1000);`, 'a handle that is left open'],
] as const) {
  runs(`${why}: exit 1, and the count says so`, async () => {
    const { code, counts = '', output } = await run(source);
    assert.is(code, 1, output);
    assert.match(counts, /^\d+ passed, [1-9]\d* failed$/, output);
  });
}
runs.run();
