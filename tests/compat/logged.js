/** The lines that a logger of docs/logging.md writes for failures. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PATIENCE_MS } from './until.js';

const PROGRAM = fileURLToPath(new URL('./failing.js', import.meta.url));

/** Runs `failing.js` with the recipe of a logger. Resolves to its parsed output: a line for each route and two failures. */
export async function runLogged(heading) {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, heading], { timeout: PATIENCE_MS });
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}
