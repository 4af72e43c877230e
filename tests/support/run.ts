/**
 * Runs the compiled test files in a few processes at the same time, since most tests wait. Prints a line for each file, all failures once
 * more at the end, then a count. Fails where uvu alone would pass silently: see `run-files.ts`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'uvu/parse';
import { IS_IN_MEMORY, NEEDS_NETWORK } from './in-memory.ts';
import { OVER_TLS } from './over-tls.ts';
import { mapSourcePositions } from './source-positions.ts';
import { TestProcess, type FileResult, type TestFile } from './test-process.ts';

const PROCESSES = 4;
// Only a file that hangs takes so long, however busy the machine is.
const FILE_MS = 300_000;
const HELP = `Runs the compiled test files that have one of these texts in their names, or all.

  node build/tests/support/run.js [options] [text …]

  --long               the files *.long.test.ts, which take long, instead of the others
  --tls                the files of stopping, limits and closing, over TLS
  --engine             leaves out the files of types, texts and tools, which do not depend on the version of Node
  --coverage <folder>  also measures how much of src they run, writes that into the folder, and fails where it is too little
  --folder <folder>    the test files of another folder
  --processes <n>      how many processes run at the same time, ${PROCESSES} by default
  --file-ms <ms>       how long a file may take, ${FILE_MS} by default
  --help               prints this`;
const C8 = 'node_modules/c8/bin/c8.js';
// Comments, and exports without a value or of another file.
const NO_CODE = /\/\*[^]*?\*\/|\/\/.*|export (?:\*|\{[^}]*\})(?: from '[^']+')?;/g;
const HAS_CODE = /\S/;
const IS_LONG = /\.long\.test\.js$/;
// What these files test is data, text or a program of this repository, by plain functions of the language.
const NEEDS_NO_ENGINE = /^(?:[^/]+\.test|scripts\/|openapi\/|declaration\/|types\/)/;

const { values: options, positionals: texts } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    tls: { type: 'boolean', default: false },
    engine: { type: 'boolean', default: false },
    coverage: { type: 'string' },
    folder: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    processes: { type: 'string', default: String(PROCESSES) },
    'file-ms': { type: 'string', default: String(FILE_MS) },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}
const { suites } = await parse(options.folder, '\\.test\\.js$');
const files = suites
  .filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)))
  .filter(({ name }) => (options.tls ? OVER_TLS.test(name) : IS_LONG.test(name) === options.long))
  .filter(({ name }) => !(options.engine && NEEDS_NO_ENGINE.test(name)))
  .filter(({ name }) => !(IS_IN_MEMORY && NEEDS_NETWORK.test(name)))
  .sort((a, b) => a.name.localeCompare(b.name));
const isOne = files.length === 1;
const environment = {
  ...(options.tls && { RESTPOINT_TRANSPORT: 'tls' }),
  ...(options.coverage !== undefined && { NODE_V8_COVERAGE: join(options.coverage, 'tmp') }),
};
let passed = 0;
let failed = 0;
const failures: string[] = [];

/** Runs one file after the other in a process. Starts a new process if that one ends. */
async function runFiles(): Promise<void> {
  while (files.length > 0) {
    const child = new TestProcess(environment);
    for (let file = files.shift(); file !== undefined; file = child.isClosed ? undefined : files.shift()) {
      const result = await child.run(file, Number(options['file-ms']));
      passed += result.passed;
      failed += result.failed;
      const line = describe(file, result);
      console.log(result.failed > 0 || isOne ? `${line}\n${mapSourcePositions(result.output)}` : line);
      if (result.failed > 0) failures.push(`${line}\n${mapSourcePositions(result.failures.join('\n\n'))}`);
    }
    await child.end();
  }
}

/** `server/drain.test.js: 33 passed, 1 failed, 4.6 s of CPU` */
function describe({ name }: TestFile, result: FileResult): string {
  return [
    `${name}: ${result.passed} passed`,
    ...(result.failed > 0 ? [`${result.failed} failed`] : []),
    ...(result.cpuSeconds === undefined ? [] : [`${result.cpuSeconds.toFixed(1)} s of CPU`]),
  ].join(', ');
}

/** Prints the coverage of the tests. Returns whether it is sufficient. */
function coversEnough(folder: string): boolean {
  const folders = ['--reports-dir', folder, '--temp-directory', join(folder, 'tmp')];
  const excluded = ['**/*.d.ts', ...findFilesWithoutCode()].map((file) => `--exclude=${file}`);
  return spawnSync(process.execPath, [C8, 'report', ...folders, ...excluded], { stdio: 'inherit' }).status === 0;
}

/** Finds the files of src that have types and exports of other files only: no test can run a line of them. */
function findFilesWithoutCode(): readonly string[] {
  const compiled = fileURLToPath(new URL('../../src/', import.meta.url));
  return readdirSync(compiled, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !HAS_CODE.test(readFileSync(join(compiled, file), 'utf8').replace(NO_CODE, '')))
    .map((file) => `src/${file.replaceAll('\\', '/').replace(/\.js$/, '.ts')}`);
}

if (options.coverage !== undefined) rmSync(join(options.coverage, 'tmp'), { recursive: true, force: true });
await Promise.all(Array.from({ length: Number(options.processes) }, runFiles));
if (passed + failed === 0) {
  failed += 1;
  failures.push(`  FAIL  no test ran${options.long ? '' : '. Files *.long.test.ts run with --long'}`);
}
const isCovered = options.coverage === undefined || coversEnough(options.coverage);
if (failures.length > 0 && !isOne) console.log(`\nThe failures, once more:\n\n${failures.join('\n\n')}`);
if (!isCovered) console.log('\nThe tests do not cover enough of src: see above.');
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && isCovered ? 0 : 1;
