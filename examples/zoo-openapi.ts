/** Writes the OpenAPI document of the zoo to `examples/zoo.openapi.json`: `npm run openapi`. */
import { writeFileSync } from 'node:fs';
import { openApi } from 'restpoint/openapi';
import { DOCUMENT } from './zoo/document.ts';
import { zooServer } from './zoo/server.ts';
import { MemoryStore } from './zoo/store/memory-store.ts';

// From `build/examples`, where this file is compiled to.
const FILE = new URL('../../examples/zoo.openapi.json', import.meta.url);

const logger = { info: () => {}, error: console.error };
const server = zooServer(new MemoryStore(), 'a-token-that-nobody-has', { logger });
writeFileSync(FILE, `${JSON.stringify(openApi(server, DOCUMENT), undefined, 2)}\n`);
