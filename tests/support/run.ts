/**
 * Runs the compiled test files in a few processes at the same time, since most tests wait. Prints the output of each file, then all failures
 * once more, then a count. Fails where uvu alone would pass silently: see `run-files.ts`. Tests of drain, limits and closing run once more
 * over TLS.
 *
 *   node build/tests/support/run.js [--coverage <folder> | --fast] [text in a file's name] [another folder] [milliseconds for a file]
 *
 * `--coverage` also measures how much of `src` the tests over TCP run, writes that into a folder, and fails where it is too little. `--fast`
 * leaves out the files that serve or start processes.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'uvu/parse';
import { NEEDS_NETWORK } from './in-memory.ts';
import { OVER_TLS } from './over-tls.ts';
import { withSourcePositions } from './source-positions.ts';
import { WORKS, workOf } from './test-files.ts';
import { TestProcess, type TestFile } from './test-process.ts';
import { IS_IN_MEMORY } from './transport.ts';

const PROCESSES = 4;
const TLS_PROCESSES = 2;
const FILE_MS = 180_000;
const C8 = 'node_modules/c8/bin/c8.js';

const options = { coverage: { type: 'string' }, fast: { type: 'boolean', default: false } } as const;
const { values: { coverage, fast }, positionals } = parseArgs({ allowPositionals: true, options });
const [filter = '', folder = fileURLToPath(new URL('..', import.meta.url)), fileMs = FILE_MS] = positionals;
const { suites } = await parse(folder, '\\.test\\.js$');
const files = suites
  .filter(({ name }) => name.includes(filter) && !(IS_IN_MEMORY && NEEDS_NETWORK.test(name)))
  .map(({ name, file }) => ({ name, file, work: workOf(file) }))
  .filter(({ work }) => !fast || work === 'computes')
  .sort((a, b) => WORKS.indexOf(a.work) - WORKS.indexOf(b.work) || a.name.localeCompare(b.name));
const isOne = files.length === 1;
const overTls = files.filter(({ name }) => !IS_IN_MEMORY && OVER_TLS.test(name));
let passed = 0;
let failed = 0;
const failures: string[] = [];

/** Runs one file after the other in a process. Starts a new process if that one ends. */
async function takeFiles(files: TestFile[], environment: Readonly<Record<string, string>>, title: string): Promise<void> {
  while (files.length > 0) {
    const child = new TestProcess(environment);
    for (let file = files.shift(); file !== undefined; file = child.isClosed ? undefined : files.shift()) {
      const result = await child.run(file, Number(fileMs));
      passed += result.passed;
      failed += result.failed;
      console.log(`${file.name}${title}\n${withSourcePositions(result.output)}`);
      if (result.failed > 0) failures.push(`${file.name}${title}\n${result.failures.map(withSourcePositions).join('\n')}`);
    }
    await child.end();
  }
}

/** Prints the coverage of the tests. Returns whether it is sufficient. */
function coversEnough(folder: string): boolean {
  const folders = ['--reports-dir', folder, '--temp-directory', join(folder, 'tmp')];
  return spawnSync(process.execPath, [C8, 'report', ...folders], { stdio: 'inherit' }).status === 0;
}

const measured = coverage === undefined ? {} : { NODE_V8_COVERAGE: join(coverage, 'tmp') };
if (coverage !== undefined) rmSync(join(coverage, 'tmp'), { recursive: true, force: true });
await Promise.all([
  ...Array.from({ length: PROCESSES }, () => takeFiles(files, measured, '')),
  ...Array.from({ length: TLS_PROCESSES }, async () => {
    await takeFiles(overTls, { RESTPOINT_TRANSPORT: 'tls' }, ', over TLS');
    await takeFiles(files, measured, '');
  }),
]);
if (passed + failed === 0) {
  failed += 1;
  failures.push('  FAIL  no test ran');
}
const isCovered = coverage === undefined || coversEnough(coverage);
if (failures.length > 0 && !isOne) console.log(`\nThe failures, once more:\n\n${failures.join('\n')}`);
if (!isCovered) console.log('\nThe tests do not cover enough of src: see above.');
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && isCovered ? 0 : 1;
