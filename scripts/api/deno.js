/** Runs Deno, which is installed here, on a copy of the sources. Beside `package.json` and `tsconfig.json` it would follow those. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './entries.js';

const COMMAND = fileURLToPath(new URL('node_modules/.bin/deno', import.meta.url));
const FILES = ['jsr.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'src'];

/** Throws if the command fails. */
export function deno(...args) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-'));
  try {
    for (const file of FILES) cpSync(`${ROOT}${file}`, join(folder, file), { recursive: true });
    execFileSync(COMMAND, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
