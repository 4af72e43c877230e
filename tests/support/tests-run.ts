/** Runs of the test runner over files that a test writes. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Child } from './child.ts';

// Inside the package, so that `uvu` resolves.
const FOLDER = join(process.cwd(), 'build', 'runner');
const RUNNER = join(process.cwd(), 'build', 'tests', 'support', 'run.js');

export interface TestRun {
  readonly code: number | null;
  /** The last line of the output. */
  readonly counts: string | undefined;
  readonly output: string;
}

/**
 * Runs test files with these sources, in a separate folder. `SUITE` in a source stands for `suite`, of which the runner counts those that
 * the file of a test declares.
 */
export async function runTests(
  folder: string,
  sources: readonly string[] | Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<TestRun> {
  const own = join(FOLDER, folder);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  const files = Array.isArray(sources) ? sources.map((source: string, index) => [`${index}.test.js`, source] as const) : Object.entries(sources);
  await Promise.all(files.map(async ([name, source]) => {
    const file = join(own, name);
    await mkdir(dirname(file), { recursive: true });
    const imports = "import { suite } from 'uvu';\nimport * as assert from 'uvu/assert';\n";
    await writeFile(file, `${imports}${source.replaceAll('SUITE', 'suite')}\n`);
  }));
  const child = new Child([RUNNER, '--folder', own, ...options]);
  const code = await child.exit();
  return { code, counts: child.output.trimEnd().split('\n').at(-1), output: child.output };
}
