/**
 * Runs the compiled test files in a few processes at the same time, since most tests wait. Prints the output of each file, then a count.
 * Fails where uvu alone would pass silently: see `run-files.ts`. Tests of drain, limits and closing run once more over TLS.
 *
 *   node build/tests/support/run.js [text in a file's name] [another folder] [milliseconds for a file]
 */
import { fileURLToPath } from 'node:url';
import { parse } from 'uvu/parse';
import { OVER_TLS } from './over-tls.ts';
import { TestProcess, type TestFile } from './test-process.ts';

const PROCESSES = 4;
const TLS_PROCESSES = 2;
const FILE_MS = 180_000;

const [, , filter = '', folder = fileURLToPath(new URL('..', import.meta.url)), fileMs = FILE_MS] = process.argv;
const { suites } = await parse(folder, '\\.test\\.js$');
const files = suites.filter(({ name }) => name.includes(filter));
let passed = 0;
let failed = 0;

/** Runs one file after the other in a process. Starts a new process if that one ends. */
async function takeFiles(files: TestFile[], environment: Readonly<Record<string, string>>, title: string): Promise<void> {
  while (files.length > 0) {
    const child = new TestProcess(environment);
    for (let file = files.shift(); file !== undefined; file = child.isClosed ? undefined : files.shift()) {
      const result = await child.run(file, Number(fileMs));
      passed += result.passed;
      failed += result.failed;
      console.log(`${file.name}${title}\n${result.output}`);
    }
    child.end();
  }
}

const overTls = files.filter(({ name }) => OVER_TLS.test(name));
await Promise.all([
  ...Array.from({ length: PROCESSES }, () => takeFiles(files, {}, '')),
  ...Array.from({ length: TLS_PROCESSES }, () => takeFiles(overTls, { RESTPOINT_TRANSPORT: 'tls' }, ', over TLS')),
]);
if (passed === 0) {
  failed += 1;
  console.log('  FAIL  no test ran');
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
