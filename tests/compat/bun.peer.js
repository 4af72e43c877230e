/**
 * Bun. Known misses: `stop()` cuts off an answer that was given before it and that the client has not taken yet, as Bun's `close` does,
 * and there is no other way to stop listening; and `start({ fd })` listens on a free port of every interface, since Bun ignores `fd`.
 */
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { checkEngine, Engine } from './engine.js';

const BUN = fileURLToPath(new URL('node_modules/.bin/bun', import.meta.url));

await checking('Bun', (check) => checkEngine(check, () => new Engine(BUN, ['run', '--no-install'], { NO_COLOR: '1', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' })));
