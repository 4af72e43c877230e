/**
 * Bun. Two known limitations. `stop()` drops responses that the client has not received yet, because Bun's `close` does so and there is
 * no other way to stop listening. `start({ fd })` listens on a free port of every interface, because Bun ignores `fd`.
 */
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { checkEngine, Engine } from './engine.js';

const BUN = fileURLToPath(new URL('node_modules/.bin/bun', import.meta.url));

await checking('Bun', (check) => checkEngine(check, () => new Engine(BUN, ['run', '--no-install'], { NO_COLOR: '1', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' })));
