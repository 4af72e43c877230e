/** The test runner with tests that uvu alone would pass silently or never end, and the failures that it prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatFailure } from './support/failure.ts';
import { mapSourcePositions } from './support/source-positions.ts';
import { runTests, type TestRun } from './support/tests-run.ts';
import { runTogether } from './support/run-together.ts';
import { assert, suite } from './support/facts.ts';

const GOOD = "const good = SUITE('good'); good('passes', () => {}); good.run();";
const KILLED = "const bad = SUITE('bad'); bad('is killed', () => process.kill(process.pid, 'SIGKILL')); bad.run();";
const NEVER = 'new Promise(() => {})';
const WAITING = `const good = SUITE('good'); good('waits', () => { setInterval(() => console.log('waits'), 10); return ${NEVER}; }); good.run();`;
const SERVING = `import { serve } from '../../tests/support/serve.js';\nimport { send } from '../../tests/support/raw-client.js';
const declare = (server) => server.registerEndpoint('/item', { get: () => { throw new Error('broken'); } });
const ask = async ({ port }) => void await send(port, 'GET /v1/item HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');`;

/** The source of a file with one test. */
const makeTestFile = (body: string): string => `const bad = SUITE('bad'); bad('fails', () => ${body}); bad.run();`;
const OVER_TLS = makeTestFile("assert.is(process.env.RESTPOINT_TRANSPORT, 'tls')");

const runs = suite('the test runner');
const runsTogether = runTogether(runs);

runsTogether('a runner that is killed: its processes end too, and do not report to nobody for ever', async () => {
  const file = join(process.cwd(), 'build', 'runner', 'orphan', '0.test.js');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `import { suite } from 'uvu';\n${WAITING.replaceAll('SUITE', 'suite')}\n`);
  const child = spawn(process.execPath, [join(process.cwd(), 'build', 'tests', 'support', 'run-files.js')]);
  const exited = once(child, 'exit');
  child.stdin.on('error', () => {}).write(`${JSON.stringify({ name: '0.test.js', file })}\n`);
  await once(child.stdout, 'data');
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  assert.equal(await exited, [1, null]);
});
runsTogether('no file: exit 1, and it says where the long ones are', async () => {
  const { code, counts, output } = await runTests('no file', { 'a.long.test.js': GOOD });
  assert.equal([code, counts], [1, '0 passed, 1 failed'], output);
  assert.match(output, /FAIL {2}no test ran\. Files \*\.long\.test\.ts run with --long/);
});
runsTogether('--long, with more files than processes: each long one is run once, and has one line; exit 0', async () => {
  const files = Object.fromEntries(['a.test.js', 'a.long.test.js', 'b.long.test.js', 'c.long.test.js', 'd.long.test.js'].map((name) => [name, GOOD]));
  const { code, counts, output } = await runTests('long', files, ['--long', '--processes', '2', 'b.', 'c.', 'd.']);
  assert.equal([code, counts], [0, '3 passed, 0 failed'], output);
  assert.match(output.split('\n').sort().join('\n'), /^\n\n3 passed.*(\n[bcd]\.long\.test\.js: 1 passed, \d+\.\d s of CPU){3}$/);
});
runsTogether('--tls: the files that do the same over TLS, long ones too', async () => {
  const files = { 'server/framing.test.js': OVER_TLS, 'server/framing.long.test.js': OVER_TLS, 'a.test.js': GOOD };
  const { code, counts, output } = await runTests('tls', files, ['--tls', '--processes', '1']);
  assert.equal([code, counts], [0, '2 passed, 0 failed'], output);
});
runsTogether('--engine: without the files that do not depend on the version of Node', async () => {
  const files = { 'server/a.test.js': GOOD, 'b.test.js': GOOD, 'openapi/schemas/c.test.js': GOOD, 'declaration/d.test.js': GOOD, 'scripts/e.test.js': GOOD };
  const { code, counts, output } = await runTests('engine', files, ['--engine']);
  assert.equal([code, counts], [0, '1 passed, 0 failed'], output);
});
runsTogether('a test that hangs, and one that loops: each is ended, and exit 1', async () => {
  const hanging = makeTestFile(`{ setInterval(() => {}, 9); return ${NEVER}; }`);
  const { code, counts, output } = await runTests('hang', [hanging, makeTestFile('{ for (;;); }')], ['--file-ms', '300']);
  assert.equal([code, counts], [1, '0 passed, 2 failed'], output);
  for (const index of [0, 1]) assert.match(output, new RegExp(`FAIL {2}${index}\\.test\\.js does not end within 300 ms`));
});

const BAD = [
  ['', 'a file without a suite', /declares 0 suites/],
  ['throw new Error("no");', 'a file that throws', /FAIL {2}1\.test\.js\n {4}no\n {4}at .*1\.test\.js/],
  ["SUITE('empty').run();", 'a suite without a test', /FAIL {2}empty {2}has no tests/],
  [makeTestFile("{ throw new Error('no'); }"), 'a test that fails', /FAIL {2}bad {2}"fails"\n {4}no\n {4}at .*\/3\.test\.js:\d+:\d+\)?\n/],
  [makeTestFile("{ throw 'text'; }"), 'a test that throws text', /"fails"\n {4}threw something other than an error: 'text'/],
  [makeTestFile('{ throw undefined; }'), 'a test that throws nothing', /"fails"\n {4}threw something other than an error: undefined/],
  [`const bad = SUITE('bad'); bad.before(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();`, 'a before hook that throws',
    /FAIL {2}bad {2}before its 1 tests, which do not run\n {4}no\n {4}at .*6\.test\.js/],
  [`const bad = SUITE('bad'); bad.after(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();`, 'an after hook that throws',
    /FAIL {2}bad {2}after its tests\n {4}no\n {4}at .*7\.test\.js/],
  [`const bad = SUITE('bad'); bad.before.each(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();`,
    'a hook before a test that throws', /FAIL {2}bad {2}"passes"\n {4}no\n {4}at .*8\.test\.js/],
  [`const bad = SUITE('bad'); bad.after.each(() => { throw new Error('no'); }); bad('passes', () => {}); bad.run();`,
    'a hook after a test that throws', /FAIL {2}bad {2}after "passes"\n {4}no\n {4}at .*9\.test\.js/],
  [`${GOOD} const bad = SUITE('bad'); bad('never runs', () => {});`, 'a forgotten run()', /declares 2 suites and runs 1/],
  ["const bad = SUITE('bad'); bad('passes', () => {}); bad.skip('skipped', () => {}); bad.run();", 'a test that is skipped', /skips 1/],
  ["const bad = SUITE('bad'); bad.only('passes', () => {}); bad('left out', () => {}); bad.run();", 'a test that is run alone', /skips 1/],
  [`${GOOD} setTimeout(() => { throw new Error('late'); });`, 'an error outside of any test', /FAIL {2}uncaught exception\n {4}late\n {4}at/],
  [`${GOOD} void Promise.reject(new Error('late'));`, 'an unhandled rejection', /FAIL {2}unhandled rejection\n {4}late\n {4}at/],
  [`${GOOD} setInterval(() => {}, 1000);`, 'a handle that is left open', /handles left open: Timeout/],
  [KILLED, 'a process that is killed', /ended its process: SIGKILL/],
  [`${GOOD} process.exit();`, 'a process that ends early', /ended its process: exit 0/],
  [makeTestFile(NEVER), 'a test that never settles', /ended its process: exit 13/],
  [`const text = () => Array.from({ length: 10_000 }, () => Math.random()).join('');\n${makeTestFile('assert.is(text(), text())')}`,
    'long strings that have nothing in common', /the first difference is in line 1 \(- actual, \+ expected\)\n {8}- 0\..{198} … \d+ characters\n/],
  [`${SERVING} ${makeTestFile('serve(declare, ask)')}`, 'an error that a server logs and its test does not expect',
    /logged an error that the test does not expect[^]*#1 > GET \/v1\/item HTTP\/1\.1\\r\\n\n[^]*logged: Error: GET \/v1\/item: Internal error: broken[^]*#1 < HTTP\/1\.1 500/],
  [`import { parsePattern } from '../../src/router/pattern.js';\n${makeTestFile("parsePattern('a')")}`,
    'an error of a file in TypeScript', /pattern must begin with "\/": "a"\n +at checkPath \(src\/router\/pattern\.ts:\d+:\d+\)/],
] as const;

const shown = suite('the failures that the test runner prints once more');
let all: Promise<TestRun> | undefined;
BAD.forEach(([, why, failure], index) => {
  shown(`${why}: there, with its reason`, async () => {
    const { code, counts = '', output } = await (all ??= runTests('bad', BAD.map(([source]) => source), ['--processes', '2']));
    assert.is(code, 1, output);
    const [ran = '', once = ''] = output.split('\nThe failures, once more:\n');
    assert.match(ran, failure);
    const [, ofFile = ''] = once.split(`\n${index}.test.js: `);
    assert.match(ofFile.split(/\n\d+\.test\.js: /)[0] ?? '', failure);
    assert.is(once.match(/^\d+\.test\.js: /gm)?.length, BAD.length);
    assert.match(counts, new RegExp(`^\\d+ passed, ${BAD.length} failed$`));
  });
});

const PAGE = Array.from({ length: 700 }, (_, index) => `line ${index + 1}`);
const page = PAGE.join('\n');
const lines = (first: number, last: number): string => PAGE.slice(first - 1, last).map((line) => `          ${line}\n`).join('');

const failures = suite('a failure that the test runner prints');
for (const [why, fail, text] of [
  ['a line of a page: it, with ten lines around it', () => assert.is(page, PAGE.with(399, 'other').join('\n')), `    Expected values to be strictly equal:
      the first difference is in line 400 (- actual, + expected)
${lines(390, 399)}        - line 400
        + other
${lines(401, 410)}`],
  ['a line that one of two pages lacks', () => assert.fixture(page, PAGE.toSpliced(399, 1).join('\n')), `    Expected value to match fixture:
      the first difference is in line 400 (- actual, + expected)
${lines(390, 399)}        - line 400
${lines(401, 410)}`],
  ['pages with nothing in common: ten lines of each', () => assert.equal(PAGE, Array.from({ length: 700 }, () => 0)), `    Expected values to be deeply equal:
      the first difference is in line 2 (- actual, + expected)
          [
${PAGE.slice(0, 10).map((line) => `        -   '${line}',\n`).join('')}${'        +   0,\n'.repeat(10)}`],
  ['a property, though their order differs', () => assert.equal({ b: 1, a: [{ c: 2 }] }, { a: [{ c: 3 }], b: 1 }), `    Expected values to be deeply equal:
      the first difference is in line 4 (- actual, + expected)
          {
            a: [
              {
        -       c: 2
        +       c: 3
              }
            ],
            b: 1
          }
`],
  ['bytes: printable, and those around the first that differs', () => assert.is('\0'.repeat(500), `${'\0'.repeat(400)}\x1b\x80`),
    `    Expected values to be strictly equal:
      the first difference is in line 1 (- actual, + expected)
        - … 300 characters … ${'\\u0000'.repeat(200)}
        + … 300 characters … ${'\\u0000'.repeat(100)}\\u001b\\u0080
`],
  ['a pattern that a page does not match: the first and the last lines', () => assert.match(page, /never/), `    Expected value to match \`/never/\` pattern
      actual:
${lines(1, 10).replaceAll(/^ {2}/gm, '')}        … 680 lines …
${lines(691, 700).replaceAll(/^ {2}/gm, '')}`],
  ['a page as the message of an assertion: its first and last lines, then the difference', () => assert.is(1, 2, page), `${lines(1, 10).replaceAll(/^ {6}/gm, '')}    … 680 lines …
${lines(691, 700).replaceAll(/^ {6}/gm, '')}      the first difference is in line 1 (- actual, + expected)
        - 1
        + 2
`],
  ['values that look the same', () => assert.equal([() => 1], [() => 1]), `    Expected values to be deeply equal:
      no difference is visible:
          [
            [Function (anonymous)]
          ]
`],
  ['a negated assertion: no difference', () => assert.is.not(1, 1), '    Expected values not to be strictly equal\n'],
  ['an error and its cause', () => { throw new TypeError('outer', { cause: new Error('inner') }); }, '    TypeError: outer\n'],
] as const) {
  failures(`shows ${why}`, () => {
    let thrown: unknown;
    try {
      fail();
    } catch (error) {
      thrown = error;
    }
    const [shown = '', stack] = formatFailure('a  "b"', thrown).split(/(?<=\n)(?= {4}at )/);
    assert.is(shown, `  FAIL  a  "b"\n${text}`);
    assert.match(mapSourcePositions(stack ?? ''), /^ {4}at .*tests\/runner\.test\.ts:/);
  });
}
failures('shows the cause with its own stack', () => {
  assert.match(formatFailure('a', new Error('outer', { cause: new Error('inner') })),
    /^ {2}FAIL {2}a\n {4}outer\n( {4}at .*\n)+ {4}caused by: inner\n( {4}at .*\n?)+$/);
});

const positions = suite('positions that the test runner shows');
positions('a position in a file without a source map stays as it is', () => {
  assert.is(mapSourcePositions('at a (file:///nowhere/a.js:1:2)'), 'at a (file:///nowhere/a.js:1:2)');
});
positions('a position in this file is that in its source', () => {
  assert.match(mapSourcePositions(String(new Error('here').stack)),
    /^Error: here\n {4}at \S+ \(tests\/runner\.test\.ts:\d+:\d+\)\n|at tests\/runner\.test\.ts:\d+:\d+/);
});
