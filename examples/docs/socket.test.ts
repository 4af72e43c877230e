import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { client } from 'restpoint/client';
import { Agent, fetch as fetchOver } from 'undici';

const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const api = server.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, get: (id) => (id === 1 ? 'Rex' : undefined) }) });

test('a client calls a server at a Unix socket', async () => {
  const path = join(tmpdir(), `pets-${process.pid}.sock`);
  const started = await server.start({ path });
  if (!started.ok) throw new Error(started.error);
  const dispatcher = new Agent({ connect: { socketPath: path } });
  // The types of undici differ from the global `fetch`.
  const fetch = ((url: string, init: object) => fetchOver(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;
  assert.equal(await client<typeof api>('http://localhost/v1', { fetch })('/pet').get(1), 'Rex');
  await dispatcher.close();
  await server.stop();
});
