/** The example `zoo-page.js` as a program, on a free port and with an empty store. Its page is taken from this folder's `node_modules`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../build/examples/zoo-page.js', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const TIMEOUT_MS = 20_000;

export const TOKEN = 'a-token-of-the-page';

/** The address that it listens on, and the contents of its store. */
export class Zoo {
  constructor(url) {
    this.url = url;
  }

  async json(path) {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`GET ${path} -> ${response.status}`);
    return response.json();
  }
}

/** Starts the zoo, uses it, and ends it. Throws if it does not exit with 0 on SIGTERM. */
export async function withZoo(use) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-page-'));
  const env = { ...process.env, HOST: '', PORT: '0', ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: TOKEN };
  const child = spawn(process.execPath, [PROGRAM], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  try {
    await use(new Zoo(await printedUrl(child)));
    child.kill('SIGTERM');
    const [status, signal] = await Promise.race([ended, late('did not end')]);
    if (status !== 0) throw new Error(`the zoo ended with ${status ?? signal}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function printedUrl(child) {
  let output = '';
  const opened = new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, url] = /^The page is at (\S+)\/docs$/m.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => reject(new Error('the zoo did not open')));
  });
  return Promise.race([opened, late('did not open')]);
}

function late(what) {
  return new Promise((_resolve, reject) => setTimeout(() => reject(new Error(`the zoo ${what} in time`)), TIMEOUT_MS).unref());
}
