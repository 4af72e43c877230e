/** Runs the programs that a document shows: blocks of `js` or `ts` whose first line is the name of a file. They listen at port 8080 there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { until } from './until.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const DIST = new URL('../../dist/', import.meta.url).href;
const DEADLINE_MS = 20_000;

/** The programs of a document by their names, each with the commands that follow it, and their output. */
export function programsOf(document) {
  const markdown = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');
  const shown = markdown.matchAll(/```[jt]s\n\/\/ (\S+)\n(.*?)```\n(?:\n```console\n(.*?)```)?/gs);
  return new Map([...shown].map(([, name, code, terminal = '']) => [name, { code, commands: commandsOf(terminal) }]));
}

function commandsOf(terminal) {
  return terminal.split(/^\$ /m).slice(1).map((step) => {
    const [command, ...printed] = step.split('\n');
    return { command, printed: printed.join('\n').trimEnd() };
  });
}

/** Calls `use` with a folder from which the packages of this one are found. */
export async function inScratch(use) {
  const folder = mkdtempSync(join(FOLDER, '.shown-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a program, and calls `use` when it listens. `dist` stands for the package. */
export async function whileRunning(code, folder, use) {
  const port = await freePort();
  const child = start(code, folder, port);
  try {
    await reached(port, child);
    return await use({ port, pid: child.pid });
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs a program that ends. Resolves to its exit status and its output. */
export async function run(code, folder) {
  const child = start(code, folder, 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
  const [status] = await once(child, 'close');
  clearTimeout(timer);
  return { status, output };
}

function start(code, folder, port) {
  // Types are removed from a program without any too.
  const file = join(folder, process.features.typescript ? 'program.mts' : 'program.mjs');
  const runnable = code
    .replaceAll(/'restpoint(?:\/(\w+))?'/g, (_, entry) => `'${DIST}${entry ? `${entry}/` : ''}index.js'`)
    .replaceAll('8080', port);
  writeFileSync(file, runnable);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.resume();
  return child;
}

async function reached(port, child) {
  await until(() => {
    if (child.exitCode !== null) throw new Error('the program has ended');
    return fetch(`http://127.0.0.1:${port}`).then((response) => response.text()).then(() => true, () => false);
  }, () => `a program that listens at port ${port}`, DEADLINE_MS);
}
