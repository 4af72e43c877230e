/** The API that needs credentials, with the default logger: `node credentials-process.js <variants as JSON>`. Prints the port of each. */
import type { AddressInfo } from 'node:net';
import { ApiServer } from '../../src/index.ts';
import { declare, optionsOf, type Variant } from './credentials-api.ts';

const [, , variants = ''] = process.argv;
for (const variant of JSON.parse(variants) as readonly Variant[]) {
  const server = new ApiServer('/v1', optionsOf(variant));
  declare(server);
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  console.log(`port: ${(started.address as AddressInfo).port};`);
  process.once('SIGTERM', () => void server.stop());
}
