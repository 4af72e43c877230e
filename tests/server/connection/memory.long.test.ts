/** C20: The memory of a thousand clients that send a lot. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Forked } from '../../support/forked.ts';
import { waitUntil } from '../../support/wait.ts';
import { message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import type { SlowState } from '../../support/slow-instance.ts';

const pipelined = suite('a thousand connections with 64 KiB of pipelined requests each, the first of which does not end');
for (const [what, request] of [
  ['without a body', message('GET', '/v1/slow/1')],
  ['with a short body', message('POST', '/v1/slow', '1')],
] as const) {
  pipelined(`${what}: take less than 300 MB in all`, async () => {
    const server = new Forked(new URL('../../support/slow-instance.js', import.meta.url), [], ['--max-old-space-size=128']);
    const clients: RawClient[] = [];
    try {
      const { port } = await server.ask('state') as SlowState;
      const bytes = Buffer.from(request.repeat(Math.ceil(2 ** 16 / request.length)));
      while (clients.length < 1000) {
        const client = await RawClient.connect(port, true, false);
        clients.push(client);
        client.send(bytes);
      }
      await waitUntil(async () => (await server.ask('state') as SlowState).begun === clients.length, 'all connections', 600_000);
      await waitUntil(() => clients.every(({ socket }) => socket.writableLength === 0), 'all to be sent', 600_000);
      const { mostMemory } = await server.ask('state') as SlowState;
      assert.ok(mostMemory < 300e6, `${mostMemory} bytes`);
    } finally {
      for (const client of clients) client.destroy();
      await server.end();
    }
  });
}
pipelined.run();
