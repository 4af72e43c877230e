/** A plain server of Node, for tests of Node's behaviour. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RawClient } from './raw-client.ts';
import { Transcript } from './transcript.ts';
import { destroyClients } from './transport.ts';

/** Runs a plain `http.Server` with one client. */
export async function connectToListener(listener: RequestListener, run: (client: RawClient, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Transcript().during(port, async () => {
    const client = await RawClient.connect(port);
    try {
      await run(client, server);
    } finally {
      destroyClients(port);
      server.close();
      server.closeAllConnections();
    }
  });
}
