/**
 * Runs the test files that it reads from its standard input, and prints after each how many tests passed and failed. `run.ts` starts
 * it. It fails where uvu alone would pass silently: a file without a suite, a suite without `.run()`, a skipped test, a hook or a test
 * that throws something other than an error, a failure outside of any test, a handle left open.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { formatFailure } from './failure.ts';
import { delay } from './wait.ts';
import type { Outcome, TestFile } from './test-process.ts';

// What uvu keeps to itself. Its own runner loses the error of a hook, and whatever is thrown that is not an error.
type Hook = (state: State) => unknown;

interface State {
  __test__?: string;
}

interface Suite {
  readonly name: string;
  readonly tests: readonly { readonly name: string; readonly handler: Hook }[];
  readonly only: Suite['tests'];
  readonly skips: number;
  readonly before: readonly Hook[];
  readonly after: readonly Hook[];
  readonly bEach: readonly Hook[];
  readonly aEach: readonly Hook[];
  readonly state: State;
}

const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_INDEX: number; UVU_QUEUE: unknown[][] };
uvu.UVU_DEFER = 1;
uvu.UVU_INDEX = 0;

/** The suites whose `run()` is called meanwhile. It only binds uvu's runner to the suite, which nothing else shows. */
async function collectSuites(load: () => Promise<unknown>): Promise<Suite[]> {
  const suites: Suite[] = [];
  const { bind } = Function.prototype;
  Function.prototype.bind = function (this: unknown, ...bound: unknown[]) {
    const [, suite, name] = bound as [unknown, Suite?, string?];
    if (suite?.bEach !== undefined) suites.push({ ...suite, name: String(name) });
    return Reflect.apply(bind, this as () => void, bound);
  } as typeof bind;
  uvu.UVU_QUEUE = [[]];
  try {
    await load();
  } finally {
    Function.prototype.bind = bind;
  }
  return suites;
}

/** Keeps uvu's assertions from computing whole differences, which takes minutes where two strings of 10 KB have nothing in common. */
async function disableDifferences(): Promise<void> {
  const { Diff } = await import('diff' as string) as { readonly Diff: { readonly prototype: { diff(): readonly object[] } } };
  Diff.prototype.diff = () => [{ count: 0, value: '' }];
}

const OPEN_HANDLES_GRACE_MS = 3000;

let passed = 0;
let failed = 0;
let failures: string[] = [];

/** Reports a failure, and shows it among the output of the tests. */
function fail(failure: string): void {
  failed += 1;
  failures.push(failure);
  console.log(`\n${failure}`);
}

function complain(message: string): void {
  fail(`  FAIL  ${message}`);
}

process.on('uncaughtException', (error) => fail(formatFailure('uncaught exception', error)));
process.on('unhandledRejection', (reason) => fail(formatFailure('unhandled rejection', reason)));

async function runFile({ name, file }: TestFile): Promise<void> {
  const suites = await collectSuites(() => import(pathToFileURL(file).href));
  const declared = readFileSync(file, 'utf8').match(/\bsuite\(/g)?.length ?? 0;
  if (declared === 0 || suites.length !== declared) complain(`${name} declares ${declared} suites and runs ${suites.length}`);
  for (const suite of suites) await runSuite(suite);
}

async function runSuite({ name, tests, only, skips, before, bEach, aEach, after: afterAll, state }: Suite): Promise<void> {
  const chosen = only.length > 0 ? only : tests;
  const skipped = skips + (only.length > 0 ? tests.length : 0);
  if (chosen.length === 0) complain(`${name}  has no tests`);
  if (skipped > 0) complain(`${name}  skips ${skipped} of its tests`);
  /** Whether none of them throws. */
  const succeed = async (title: string, ...steps: readonly ((state: object) => unknown)[]): Promise<boolean> => {
    try {
      for (const step of steps) await step(state);
      return true;
    } catch (error) {
      fail(formatFailure(`${name}  ${title}`, error));
      return false;
    }
  };
  if (await succeed(`before its ${chosen.length} tests, which do not run`, ...before)) {
    for (const test of chosen) {
      state.__test__ = test.name;
      const ran = await succeed(`"${test.name}"`, ...bEach, test.handler);
      const cleaned = await succeed(`after "${test.name}"`, ...aEach);
      if (ran && cleaned) passed += 1;
    }
  }
  await succeed('after its tests', ...afterAll);
}

/** Waits until no more handles are open than before. Fails if code outside of any test left one open. */
async function closeHandles(before: number): Promise<void> {
  let open: string[];
  let ran = 0;
  do {
    await delay(5);
    open = process.getActiveResourcesInfo();
    ran += 5;
  } while (open.length > before && ran < OPEN_HANDLES_GRACE_MS);
  if (open.length > before) complain(`handles left open: ${open.slice(before).join(', ')}`);
}

/** The CPU time of this process, and of its children that have ended, where the system tells that. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

/** `cutime` and `cstime` of proc(5), which are in hundredths of a second. */
function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [userTicks = 0, systemTicks = 0] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ').slice(13, 15).map(Number);
  return (userTicks + systemTicks) / 100;
}

await disableDifferences();

// These handles are opened when they are first read. Without a reader the runner has been killed, and reporting that would fail in the same way, for ever.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1));

for await (const line of createInterface({ input: process.stdin })) {
  // The process exits if a test waits for something that can never happen.
  process.stdin.unref();
  const before = process.getActiveResourcesInfo().length;
  const cpuBefore = cpuSeconds();
  const file = JSON.parse(line) as TestFile;
  await runFile(file).catch((error: unknown) => fail(formatFailure(file.name, error)));
  await closeHandles(before);
  // On the same stream as the output of the tests, so that it is printed after that.
  process.stdout.write(`\0${JSON.stringify({ passed, failed, failures, cpuSeconds: cpuSeconds() - cpuBefore } satisfies Outcome)}\n`);
  passed = failed = 0;
  failures = [];
  process.stdin.ref();
}
process.exit();
