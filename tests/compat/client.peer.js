/** The client, in each engine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { startClientApi } from './client-api.js';

const run = promisify(execFile);
const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const PROGRAM = fileURLToPath(new URL('client-program.js', import.meta.url));
const TIMEOUT_MS = 60_000;

await checking('client', async (check) => {
  for (const [engine, program, options] of [
    ['Node', process.execPath, []],
    ['Bun', bin('bun'), ['run', '--no-install']],
    ['Deno', bin('deno'), ['run', '--quiet', '--no-prompt', '--no-config', '--allow-net=127.0.0.1']],
  ]) {
    await check(`every kind of call, in ${engine}`, async () => {
      const api = await startClientApi();
      try {
        const { stdout } = await run(program, [...options, PROGRAM, api.url], { timeout: TIMEOUT_MS });
        assert.equal(stdout.trim(), 'wrong: []');
      } finally {
        await api.stop();
      }
    });
  }
});
