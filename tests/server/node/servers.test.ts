/** The behaviour of Node's servers that the server relies on, shown on plain Node objects, so that a change in Node fails here. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { catchInBind, chooseUpgrades, getConnectionEvent, stopListening } from '../../../src/server/exchange/node/internals/servers.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { getCertificate } from '../../support/transport.ts';
import { assert, message, suite, waitUntil } from '../../support/facts.ts';

const GET = message('GET', '/');

const servers = suite('a server');
servers('whose listening socket is closed: its connections stay open, and it closes after they do', async () => {
  await connectToListener((_request, response) => response.end(), async (client, server) => {
    client.send(GET);
    assert.is((await client.response()).status, 200);
    let isClosed = false;
    stopListening(server, () => (isClosed = true));
    assert.is(server.listening, false);
    client.send(GET);
    assert.is((await client.response()).status, 200);
    assert.is(isClosed, false);
    client.destroy();
    await waitUntil(() => isClosed, 'the end of the server');
  });
});
servers('that asks shouldUpgradeCallback, as since Node 22.21: chooseUpgrades replaces it', () => {
  const wants = (): boolean => true;
  const server = Object.assign(createServer(), { shouldUpgradeCallback: (): boolean => false });
  chooseUpgrades(server, [], wants);
  assert.is(server.shouldUpgradeCallback, wants);
});
servers('that throws when it binds: catchInBind catches it', async () => {
  const server = createServer();
  const error = new Error('no permission');
  Reflect.set(server, '_listen2', () => {
    throw error;
  });
  const caught = new Promise((resolve) => catchInBind(server, resolve));
  server.listen(0, 'localhost');
  assert.is(await caught, error);
});
servers('binds by _listen2', async () => {
  const server = createServer();
  let failed: unknown;
  catchInBind(server, (thrown) => (failed = thrown));
  const bind = Reflect.get(server, '_listen2') as unknown;
  let bound = 0;
  Reflect.set(server, '_listen2', (...values: unknown[]) => {
    bound += 1;
    Reflect.apply(bind as () => void, server, values);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.close();
  assert.equal([bound, failed], [1, undefined]);
});
for (const [what, server, event] of [
  ['http', createServer(), 'connection'],
  ['https', createHttpsServer(getCertificate()), 'secureConnection'],
] as const) {
  servers(`of ${what} emits its sockets with ${event}`, () => assert.is(getConnectionEvent(server), event));
}
