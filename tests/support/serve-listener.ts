/** A user's server, on a free port for the duration of one test. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Transcript } from './transcript.ts';
import { destroyClients } from './transport.ts';

/** Serves with a listener of the user. Every connection is closed at the end. */
export async function serveListener(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  use: (port: number, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  const port = await listenOnFreePort(server);
  await new Transcript().during(port, async () => {
    try {
      await use(port, server);
    } finally {
      destroyClients(port);
      server.closeAllConnections();
      server.close();
    }
  });
}

/** Lets a server listen on a free port, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
