/** The example `zoo-page.js` as a program, on a free port and with an empty store. Its page is taken from this folder's `node_modules`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Program } from './program.js';

const PROGRAM = fileURLToPath(new URL('../../build/examples/zoo-page.js', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

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
  const program = new Program(process.execPath, [PROGRAM], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [, url] = await program.printed(/^The page is at (\S+)\/docs$/m);
    await use(new Zoo(url));
    const status = await program.end('SIGTERM');
    if (status !== 0) throw new Error(`the zoo ended with ${status}`);
  } finally {
    await program.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
