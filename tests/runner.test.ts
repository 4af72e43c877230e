/** The test runner, with tests that uvu alone would pass silently or never end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Child } from './support/child.ts';
import { withSourcePositions } from './support/source-positions.ts';
import { workOf } from './support/test-files.ts';
import { together } from './support/together.ts';

// Inside the package, so that `uvu` resolves.
const folder = join(process.cwd(), 'build', 'runner');
const tests = join(process.cwd(), 'build', 'tests');
const runner = join(tests, 'support', 'run.js');

// `SUITE` stands for `suite`, of which the runner counts those that this file declares.
const GOOD = "const good = SUITE('good'); good('passes', () => {}); good.run();";
const WAITING = "const good = SUITE('good'); good('waits', () => new Promise(() => setInterval(() => console.log('waits'), 10))); good.run();";
const KILLED = "const bad = SUITE('bad'); bad('is killed', () => process.kill(process.pid, 'SIGKILL')); bad.run();";
const SERVING = `import { serving } from '../../tests/support/serving.js';\nimport { rawRequest } from '../../tests/support/raw-client.js';\nconst declare = (server) => server.registerEndpoint('/item', { get: () => { throw new Error('broken'); } });
const ask = async ({ port }) => void await rawRequest(port, 'GET /v1/item HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');`;
const FILE_MS = 100_000;
const NEVER = 'new Promise(() => {})';

interface Run {
  readonly code: number | null;
  /** The last line of the output. */
  readonly counts: string | undefined;
  readonly output: string;
}

/** Runs test files with these sources, in a separate folder. */
async function run(name: string, sources: readonly string[], fileMs: number = FILE_MS, options: readonly string[] = []): Promise<Run> {
  const own = join(folder, name);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  await Promise.all(sources.map((source, index) => {
    return writeFile(join(own, `${index}.test.js`), `import { suite } from 'uvu';\n${source.replaceAll('SUITE', 'suite')}\n`);
  }));
  const child = new Child([runner, ...options, '', own, String(fileMs)]);
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
runsTogether('a runner that is killed: its processes end too, and do not report to nobody for ever', async () => {
  const own = join(folder, 'orphan');
  await mkdir(own, { recursive: true });
  const file = join(own, '0.test.js');
  await writeFile(file, `import { suite } from 'uvu';\n${WAITING.replaceAll('SUITE', 'suite')}\n`);
  const child = spawn(process.execPath, [join(tests, 'support', 'run-files.js')]);
  const exited = once(child, 'exit');
  child.stdin.on('error', () => {}).write(`${JSON.stringify({ name: '0.test.js', file })}\n`);
  await once(child.stdout, 'data');
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  assert.equal(await exited, [1, null]);
});
runsTogether('no file: exit 1', async () => {
  const { code, counts, output } = await run('no file', []);
  assert.equal([code, counts], [1, '0 passed, 1 failed'], output);
  assert.match(output, /FAIL {2}no test ran/);
});
runsTogether('--fast: files that serve or start processes are left out', async () => {
  const others = ["import 'node:net';", "import { spawn } from 'node:child_process';", "void (() => fetch(''));", SERVING];
  const { code, counts, output } = await run('fast', [GOOD, ...others.map((other) => `${other}\n${GOOD}`)], FILE_MS, ['--fast']);
  assert.equal([code, counts], [0, '1 passed, 0 failed'], output);
});
runsTogether('--coverage: tests that cover too little of src -> exit 1, though all pass', async () => {
  const { code, counts, output } = await run('coverage', [GOOD], FILE_MS, ['--coverage', join(folder, 'coverage-report')]);
  assert.equal([code, counts], [1, '1 passed, 0 failed'], output);
  assert.match(output, /ERROR: Coverage for lines[^]*\nThe tests do not cover enough of src: see above\.\n/);
});
for (const [why, body] of [
  ['hangs', `{ setInterval(() => {}, 9); return ${NEVER}; }`],
  ['loops', '{ for (;;); }'],
] as const) {
  runsTogether(`a test that ${why}: it is ended, and exit 1`, async () => {
    const { code, counts, output } = await run(why, [`const bad = SUITE('bad'); bad('${why}', () => ${body}); bad.run();`], 1000);
    assert.equal([code, counts], [1, '0 passed, 1 failed'], output);
    assert.match(output, /FAIL {2}0\.test\.js does not end within 1000 ms/);
  });
}
runs.run();

const NOT_AN_ERROR = /a suite of \d\.test\.js has 1 tests and runs 0: a hook threw, or a test threw something other than an error/;
const BAD = [
  ['', 'a file without a suite', /declares 0 suites/],
  ['throw new Error("no");', 'a file that throws', /Error: no/],
  ["SUITE('empty').run();", 'a suite without a test', /has 0 tests/],
  ["const bad = SUITE('bad'); bad('fails', () => { throw new Error('no'); }); bad.run();", 'a test that fails', /"fails"\n {4}no\n/],
  ["const bad = SUITE('bad'); bad('throws', () => { throw 'text'; }); bad.run();", 'a test that throws text', NOT_AN_ERROR],
  ["const bad = SUITE('bad'); bad.before(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();", 'a before hook that throws', NOT_AN_ERROR],
  [`${GOOD} const bad = SUITE('bad'); bad('never runs', () => {});`, 'a forgotten run()', /declares 2 suites and runs 1/],
  ["const bad = SUITE('bad'); bad('passes', () => {}); bad.skip('skipped', () => {}); bad.run();", 'a test that is skipped', /skips 1/],
  ["const bad = SUITE('bad'); bad.only('passes', () => {}); bad('left out', () => {}); bad.run();", 'a test that is run alone', /skips 1/],
  [`${GOOD} setTimeout(() => { throw new Error('late'); });`, 'an error outside of any test', /uncaught exception: Error: late/],
  [`${GOOD} void Promise.reject(new Error('late'));`, 'an unhandled rejection', /unhandled rejection: Error: late/],
  [`${GOOD} setInterval(() => {}, 1000);`, 'a handle that is left open', /handles left open: Timeout/],
  [KILLED, 'a process that is killed', /ended its process: SIGKILL/],
  [`${GOOD} process.exit();`, 'a process that ends early', /ended its process: exit 0/],
  [`const bad = SUITE('bad'); bad('waits', () => ${NEVER}); bad.run();`, 'a test that never settles', /ended its process: exit 13/],
  [`${SERVING} const bad = SUITE('bad'); bad('serves', () => serving(declare, ask)); bad.run();`, 'an error that a server logs and its test does not expect',
    /logged an error that the test does not expect[^]*#1 > GET \/v1\/item HTTP\/1\.1\\r\\n\n[^]*logged: Error: GET \/v1\/item: Internal error: broken[^]*#1 < HTTP\/1\.1 500/],
  [`import { parseCurl } from '../../tests/support/curl.js';\nconst bad = SUITE('bad'); bad('fails', () => parseCurl('wget')); bad.run();`,
    'an error of a file in TypeScript', /no curl command: wget\n+ +at parseCurl \(tests\/support\/curl\.ts:\d+:\d+\)/],
] as const;

const shown = suite('the failures that the test runner prints once more');
let all: Promise<Run> | undefined;
BAD.forEach(([, why, failure], index) => {
  shown(`${why}: there, with its reason`, async () => {
    const { code, counts = '', output } = await (all ??= run('bad', BAD.map(([source]) => source)));
    assert.is(code, 1, output);
    const [ran = '', once = ''] = output.split('\nThe failures, once more:\n');
    assert.match(ran, failure);
    const [, ofFile = ''] = once.split(`\n${index}.test.js\n`);
    assert.match(ofFile.split(/\n\d+\.test\.js\n/)[0] ?? '', failure, output);
    assert.is(once.match(/^\d+\.test\.js$/gm)?.length, BAD.length);
    assert.match(counts, new RegExp(`^\\d+ passed, ${BAD.length} failed$`));
  });
});
shown.run();

const found = suite('the properties of a file that the test runner finds');
for (const [file, work] of [
  ['router/router.test.js', 'computes'],
  ['server/limits.test.js', 'serves'],
  ['documents.test.js', 'starts processes'],
  ['runner.test.js', 'starts processes'],
] as const) {
  found(`${file} ${work}`, () => assert.is(workOf(join(tests, file)), work));
}
found('a position in a file without a source map stays as it is', () => {
  assert.is(withSourcePositions('at a (file:///nowhere/a.js:1:2)'), 'at a (file:///nowhere/a.js:1:2)');
});
found('a position in this file is that in its source', () => {
  assert.match(withSourcePositions(String(new Error('here').stack)), /^Error: here\n {4}at \S+ \(tests\/runner\.test\.ts:\d+:\d+\)\n|at tests\/runner\.test\.ts:\d+:\d+/);
});
found.run();
