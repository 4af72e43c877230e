/** Node itself, so that what the other engines are asked for is known to be right. */
import { checking } from './checks.js';
import { checkEngine, Engine } from './engine.js';

await checking('Node', (check) => checkEngine(check, () => new Engine(process.execPath, [])));
