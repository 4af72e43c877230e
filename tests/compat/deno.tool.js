/**
 * Deno, with only the permissions that a server needs. One known limitation: `stop()` drops a mount's response that the client has not
 * received yet if the mount wrote it by `response.end(text)` alone, because Deno reports at once that it has been sent.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { checkEngine, Engine, withEngine } from './engine.js';
import { checkTls } from './engine-tls.js';

const DENO = fileURLToPath(new URL('node_modules/.bin/deno', import.meta.url));
const OPTIONS = ['run', '--quiet', '--no-prompt', '--no-config'];
const environment = { DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };

function deno(...permissions) {
  return new Engine(DENO, [...OPTIONS, ...permissions], environment);
}

await checking('Deno', async (check) => {
  await checkEngine(check, () => deno('--allow-net=127.0.0.1'));
  await checkTls(check, (served) => new Engine(DENO, [...OPTIONS, '--allow-net=127.0.0.1'], environment, served), /^renewed$/m);
  await check('without a permission to listen, start() resolves to an error', () => withEngine(deno, async (engine) => {
    await engine.printed(/^not started: .*net access/m);
    assert.equal(await engine.ended(), 0);
  }));
});
