/** The test runner, with tests that uvu alone would pass silently or never end. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { together } from './support/together.ts';

// Inside the package, so that `uvu` resolves.
const folder = join(process.cwd(), 'build', 'runner');
const runner = join(process.cwd(), 'build', 'tests', 'support', 'run.js');

// `SUITE` stands for `suite`, of which the runner counts those that this file declares.
const GOOD = "const good = SUITE('good'); good('passes', () => {}); good.run();";
const KILLED = "const bad = SUITE('bad'); bad('is killed', () => process.kill(process.pid, 'SIGKILL')); bad.run();";
const FILE_MS = 100_000;
const NEVER = 'new Promise(() => {})';

interface Run {
  readonly code: number | null;
  /** The last line of the output. */
  readonly counts: string | undefined;
  readonly output: string;
}

/** Runs test files with these sources, in a folder of their own. */
async function run(name: string, sources: readonly string[], fileMs: number = FILE_MS): Promise<Run> {
  const own = join(folder, name);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  await Promise.all(sources.map((source, index) => {
    return writeFile(join(own, `${index}.test.js`), `import { suite } from 'uvu';\n${source.replaceAll('SUITE', 'suite')}\n`);
  }));
  const child = new Child([runner, '', own, String(fileMs)]);
  const code = await child.exit();
  return { code, counts: child.output.trimEnd().split('\n').at(-1), output: child.output };
}

const runs = suite('the test runner');
const runsTogether = together(runs);

runsTogether('a test that passes: exit 0', async () => {
  const { code, counts, output } = await run('good', [GOOD]);
  assert.equal([code, counts], [0, '1 passed, 0 failed'], output);
});
runsTogether('more files than processes: each is run once', async () => {
  const { code, counts, output } = await run('many', Array.from({ length: 9 }, () => GOOD));
  assert.equal([code, counts], [0, '9 passed, 0 failed'], output);
  assert.equal(output.match(/^\d\.test\.js$/gm)?.sort(), Array.from({ length: 9 }, (_, index) => `${index}.test.js`));
});
runsTogether('processes that are killed: one failure each, and the other files are run', async () => {
  const { code, counts, output } = await run('killed', [...Array.from({ length: 6 }, () => KILLED), GOOD, GOOD]);
  assert.equal([code, counts], [1, '2 passed, 6 failed'], output);
});

const ENDED = /0\.test\.js does not end within 1000 ms/;

for (const [source, why, failure = /FAIL/, fileMs = FILE_MS] of [
  [undefined, 'no file', /no test ran/],
  ['', 'a file without a suite', /declares 0 suites/],
  ['throw new Error("no");', 'a file that throws', /Error: no/],
  ["SUITE('empty').run();", 'a suite without a test', /has 0 tests/],
  ["const bad = SUITE('bad'); bad('fails', () => { throw new Error('no'); }); bad.run();", 'a test that fails'],
  ["const bad = SUITE('bad'); bad('throws', () => { throw 'text'; }); bad.run();", 'a test that throws text'],
  ["const bad = SUITE('bad'); bad.before(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();", 'a before hook that throws'],
  [`${GOOD} const bad = SUITE('bad'); bad('never runs', () => {});`, 'a forgotten run()', /declares 2 suites and runs 1/],
  ["const bad = SUITE('bad'); bad('passes', () => {}); bad.skip('skipped', () => {}); bad.run();", 'a test that is skipped', /skips 1/],
  ["const bad = SUITE('bad'); bad.only('passes', () => {}); bad('left out', () => {}); bad.run();", 'a test that is run alone', /skips 1/],
  [`${GOOD} setTimeout(() => { throw new Error('late'); });`, 'an error outside of any test', /uncaught exception: Error: late/],
  [`${GOOD} void Promise.reject(new Error('late'));`, 'an unhandled rejection', /unhandled rejection: Error: late/],
  [`${GOOD} setInterval(() => {}, 1000);`, 'a handle that is left open', /handles left open: Timeout/],
  [KILLED, 'a process that is killed', /0\.test\.js ended its process: SIGKILL/],
  [`${GOOD} process.exit();`, 'a process that ends early', /0\.test\.js ended its process: exit 0/],
  [`const bad = SUITE('bad'); bad('waits', () => ${NEVER}); bad.run();`, 'a test that never settles', /0\.test\.js ended its process: exit 13/],
  [`const bad = SUITE('bad'); bad('hangs', () => { setInterval(() => {}, 9); return ${NEVER}; }); bad.run();`, 'a test that hangs', ENDED, 1000],
  ["const bad = SUITE('bad'); bad('loops', () => { for (;;); }); bad.run();", 'a test that loops', ENDED, 1000],
] as const) {
  runsTogether(`${why}: exit 1, a failure is counted, and its reason is printed`, async () => {
    const { code, counts = '', output } = await run(why, source === undefined ? [] : [source], fileMs);
    assert.is(code, 1, output);
    assert.match(counts, /^\d+ passed, [1-9]\d* failed$/, output);
    assert.match(output, failure);
  });
}
runs.run();
