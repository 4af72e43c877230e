/** The client, in each engine: its calls to the example, and to a server with the operations that it lacks. `browser.js` makes them in a page. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { startClientApi, startZooForPages } from './client-api.js';
import { RULES, zooCalls } from './client-zoo-calls.js';
import { TOKEN } from './zoo-server.js';
import { PATIENCE_MS } from './until.js';

const run = promisify(execFile);
const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const PROGRAM = fileURLToPath(new URL('client-program.js', import.meta.url));

await checking('client', async (check) => {
  await check('each rule is shown by a call', () => {
    assert.deepEqual([...new Set(zooCalls.map(([rule]) => rule))], RULES);
  });
  for (const [engine, program, options] of [
    ['Node', process.execPath, []],
    ['Bun', bin('bun'), ['run', '--no-install']],
    ['Deno', bin('deno'), ['run', '--quiet', '--no-prompt', '--no-config', '--allow-net=127.0.0.1']],
  ]) {
    await check(`every kind of call, in ${engine}`, async () => {
      const servers = [await startZooForPages(), await startClientApi()];
      const [zoo, api] = servers.map(({ url }) => url);
      try {
        const { stdout } = await run(program, [...options, PROGRAM, zoo, TOKEN, api], { timeout: PATIENCE_MS });
        assert.equal(stdout.trim(), 'wrong: []');
      } finally {
        for (const server of servers) await server.stop();
      }
    });
  }
});
