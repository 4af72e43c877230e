/** Writes the document of `openapi-zoo.js` to `openapi-zoo.json`: `npm run build && node tests/compat/openapi-write.js`. */
import { writeFileSync } from 'node:fs';
import { openApi } from '../../dist/openapi/index.js';
import { OPTIONS, zooServer } from './openapi-zoo.js';

writeFileSync(new URL('openapi-zoo.json', import.meta.url), `${JSON.stringify(openApi(zooServer(), OPTIONS), undefined, 2)}\n`);
