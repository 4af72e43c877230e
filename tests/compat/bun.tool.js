/**
 * Bun. Four known limitations. `stop()` drops responses that the client has not received yet, because Bun's `close` does so and there is
 * no other way to stop listening. `start({ fd })` listens on a free port of every interface, because Bun ignores `fd`.
 * `setSecureContext` throws while the server listens, because Bun's servers have no such method. A TLS handshake that does not end delays
 * `stop()` until `stopGraceMs`, because Bun emits no event for it.
 */
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { checkEngine, Engine } from './engine.js';
import { checkTls } from './engine-tls.js';

const BUN = fileURLToPath(new URL('node_modules/.bin/bun', import.meta.url));

function bun(served) {
  return new Engine(BUN, ['run', '--no-install'], { NO_COLOR: '1', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' }, served);
}

await checking('Bun', async (check) => {
  await checkEngine(check, () => bun(), { isV8: false });
  await checkTls(check, bun, /^not renewed: this engine cannot replace a certificate while it listens$/m);
});
