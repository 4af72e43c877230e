/** Node itself, which shows that the checks of the other engines are right. */
import { checking } from './checks.js';
import { checkEngine, Engine } from './engine.js';

await checking('Node', (check) => checkEngine(check, () => new Engine(process.execPath, [])));
