/** How Node decides which requests become `upgrade` events, shown on plain Node objects, so that a change in Node fails here. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { chooseUpgrades } from '../../../src/server/exchange/node/internals/servers.ts';
import { connectToListener } from '../../support/connect-to-listener.ts';
import { assert, message, RawClient, suite } from '../../support/facts.ts';

const GET = message('GET', '/');
const upgradeTo = (protocol: string): string => message('GET', '/', '', ['Connection: upgrade', `Upgrade: ${protocol}`]);

/** Counts the requests with an upgrade that a response or an event gets. */
class Seen {
  readonly responded: string[] = [];
  readonly handedOver: string[] = [];

  readonly respond = (request: IncomingMessage, response: ServerResponse): void => {
    this.responded.push(String(request.headers.upgrade));
    response.end();
  };

  choose(server: Server, open: Iterable<Socket>): void {
    server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      this.handedOver.push(String(request.headers.upgrade));
      socket.resume().end();
    });
    chooseUpgrades(server, open, ({ headers: { upgrade } }) => upgrade === 'wanted');
  }
}

const chosen = suite('a server whose upgrades are chosen');
chosen('responds to those that are not wanted, and hands over the others', async () => {
  const seen = new Seen();
  await connectToListener(seen.respond, async (_client, server) => {
    seen.choose(server, []);
    const { port } = server.address() as { readonly port: number };
    const client = await RawClient.send(port, upgradeTo('other'));
    assert.is((await client.response()).status, 200);
    client.send(GET);
    assert.is((await client.response()).status, 200);
    client.send(upgradeTo('wanted'));
    await once(client.socket, 'end');
    client.destroy();
    assert.equal([seen.responded, seen.handedOver], [['other', 'undefined'], ['wanted']]);
  });
});
chosen('does so on a connection that was open before', async () => {
  const seen = new Seen();
  const open: Socket[] = [];
  await connectToListener((request, response) => {
    if (request.headers.upgrade === undefined) open.push(request.socket);
    seen.respond(request, response);
  }, async (client, server) => {
    client.send(GET);
    await client.response();
    seen.choose(server, open);
    client.send(upgradeTo('other'));
    assert.is((await client.response()).status, 200);
    client.send(upgradeTo('wanted'));
    await once(client.socket, 'end');
    assert.equal(seen.handedOver, ['wanted']);
  });
});
