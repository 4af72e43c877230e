/**
 * Runs the compiled test files through uvu's suites, and fails where uvu by itself would pass in silence: no test
 * found, a suite without `.run()`, a test left out, a hook or a test that throws what is no error, a failure outside
 * of any test, a handle left open.
 *
 *   node build/tests/support/run.js [text that a file's name contains] [another folder than the tests']
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'uvu/parse';

/** What uvu queues for a suite: its errors as text, then how many tests passed, were skipped, and there are. */
type QueuedSuite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;

const OPEN_HANDLES_GRACE_MS = 3000;

const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: [name: string, ...QueuedSuite[]][] };
uvu.UVU_DEFER = 1;
uvu.UVU_QUEUE = [];

let passed = 0;
let failed = 0;

function complain(message: string): void {
  failed += 1;
  console.error(`\n  FAIL  ${message}`);
}

process.on('uncaughtException', (error) => complain(`uncaught exception: ${error?.stack ?? String(error)}`));
process.on('unhandledRejection', (reason) => complain(`unhandled rejection: ${String((reason as Error)?.stack ?? reason)}`));
process.on('exit', (code) => {
  if (passed === 0) complain('no test ran');
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0 || code !== 0) process.exitCode = 1;
});

const [, , filter = '', folder = fileURLToPath(new URL('..', import.meta.url))] = process.argv;
const { suites: files } = await parse(folder, '\\.test\\.js$');

for (const file of files.filter(({ name }) => name.includes(filter))) {
  uvu.UVU_INDEX = uvu.UVU_QUEUE.push([file.name]) - 1;
  await import(pathToFileURL(file.file).href);
  const declared = readFileSync(file.file, 'utf8').match(/\bsuite\(/g)?.length ?? 0;
  const queued = (uvu.UVU_QUEUE[uvu.UVU_INDEX]?.length ?? 1) - 1;
  if (declared === 0 || queued !== declared) complain(`${file.name} declares ${declared} suites and runs ${queued}`);
}

for (const [name, ...suites] of uvu.UVU_QUEUE) {
  console.log(name);
  for (const runSuite of suites) {
    const [errors, ran, skipped, total] = await runSuite();
    passed += ran;
    failed += total - ran;
    if (errors !== true) console.error(errors);
    if (total === 0 || skipped > 0) complain(`a suite of ${name} has ${total} tests and skips ${skipped}`);
  }
}

setTimeout(() => {
  complain(`handles left open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, OPEN_HANDLES_GRACE_MS).unref();
