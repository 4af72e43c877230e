/**
 * Runs the test files that it reads from its standard input, and prints after each how many tests passed and failed. `run.ts` starts
 * it. It fails where uvu alone would pass silently: a file without a suite, a suite without `.run()`, a skipped test, a hook or a test
 * that throws something other than an error, a failure outside of any test, a handle left open.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { after } from './gate.ts';
import type { Outcome, TestFile } from './test-process.ts';

/** A suite's result from uvu's queue: its errors as text, then the numbers of passed, skipped, and all tests. */
type QueuedSuite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;

const OPEN_HANDLES_GRACE_MS = 3000;

const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: QueuedSuite[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_INDEX = 0;

let passed = 0;
let failed = 0;
let failures: string[] = [];

function complain(message: string): void {
  failed += 1;
  show(`\n  FAIL  ${message}`);
}

function show(failure: string): void {
  failures.push(failure);
  console.log(failure);
}

process.on('uncaughtException', (error) => complain(`uncaught exception: ${error?.stack ?? String(error)}`));
process.on('unhandledRejection', (reason) => complain(`unhandled rejection: ${String((reason as Error)?.stack ?? reason)}`));

async function runFile({ name, file }: TestFile): Promise<void> {
  const queued: QueuedSuite[] = [];
  uvu.UVU_QUEUE = [queued];
  await import(pathToFileURL(file).href);
  const declared = readFileSync(file, 'utf8').match(/\bsuite\(/g)?.length ?? 0;
  if (declared === 0 || queued.length !== declared) complain(`${name} declares ${declared} suites and runs ${queued.length}`);
  for (const runSuite of queued) {
    const [errors, ran, skipped, total] = await runSuite();
    passed += ran;
    failed += total - ran;
    if (errors !== true) show(errors);
    else if (ran < total) show(`\n  FAIL  a suite of ${name} has ${total} tests and runs ${ran}: a hook threw, or a test threw something other than an error`);
    if (total === 0 || skipped > 0) complain(`a suite of ${name} has ${total} tests and skips ${skipped}`);
  }
}

/** Waits until no more handles are open than before. Fails if code outside of any test left one open. */
async function closeHandles(before: number): Promise<void> {
  let open: string[];
  let ran = 0;
  do {
    await after(5);
    open = process.getActiveResourcesInfo();
    ran += 5;
  } while (open.length > before && ran < OPEN_HANDLES_GRACE_MS);
  if (open.length > before) complain(`handles left open: ${open.slice(before).join(', ')}`);
}

// These handles are opened when they are first read. Without a reader the runner has been killed, and reporting that would fail in the same way, for ever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));

for await (const line of createInterface({ input: process.stdin })) {
  // The process exits if a test waits for something that can never happen.
  process.stdin.unref();
  const before = process.getActiveResourcesInfo().length;
  await runFile(JSON.parse(line)).catch((error) => complain(`${error?.stack ?? error}`));
  await closeHandles(before);
  // On the same stream as the output of the tests, so that it is printed after that.
  process.stdout.write(`\0${JSON.stringify({ passed, failed, failures } satisfies Outcome)}\n`);
  passed = failed = 0;
  failures = [];
  process.stdin.ref();
}
process.exit();
