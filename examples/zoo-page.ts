/**
 * The zoo, with a page for its API at `/docs`.
 *
 *   npm run page
 *
 * HOST, PORT, ZOO_DB and ZOO_TOKEN are as for `zoo.ts`. The package swagger-ui-dist is in the `node_modules` of the folder that is its argument,
 * or else of the working folder.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { swaggerUiHandler } from 'restpoint/openapi';
import { zooServer } from './zoo/server.ts';
import { openStore } from './zoo/store/open-store.ts';

const assets = join(process.argv[2] ?? '.', 'node_modules', 'swagger-ui-dist');
const page = swaggerUiHandler({ url: '/openapi.json', assets });

const { HOST, PORT, ZOO_DB, ZOO_TOKEN } = process.env;
const { store } = await openStore(ZOO_DB || 'zoo.db');
// A pet needs a zoo.
if ((await store.zoos.list({ take: 1 })).length === 0) await store.zoos.insert({ name: 'The zoo', city: 'Utrecht' });

const token = ZOO_TOKEN || randomBytes(18).toString('base64url');
const server = zooServer(store, token);
server.mount('/docs', page);

const started = await server.start({ host: HOST || '127.0.0.1', port: Number(PORT || 8080) });
if (started.ok) {
  let closing: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (closing ??= server.stop().then(() => store.close())));
  console.log(`\nThe page is at ${started.url}/docs`);
  console.log(`token, to paste under Authorize: ${ZOO_TOKEN ? 'the one in ZOO_TOKEN' : token}`);
} else {
  console.error(started.error);
  process.exitCode = 1;
  await store.close();
}
