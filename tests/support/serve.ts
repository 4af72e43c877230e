/** A server on a free port for the duration of one test, which fails if the server logs an error that the test does not look at. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Socket } from 'node:net';
import { ServerLog } from './server-log.ts';
import { getCertificate, destroyClients, IS_TLS } from './transport.ts';
import { ApiServer, type ApiServerOptions } from '../../src/index.ts';

/** The channel on which Node publishes each request whose head it has read. */
const REQUEST_START = 'http.server.request.start';

export interface TestServer {
  readonly server: ApiServer;
  readonly port: number;
  /** The base URL, without the root prefix. */
  readonly url: string;
  /** The server's log. */
  readonly infos: readonly string[];
  /** A test that does not read them fails if there are any. */
  readonly errors: readonly Error[];
  /** How many requests Node has read the heads of. */
  received(): number;
}

export interface ServeOptions extends ApiServerOptions {
  /** The root prefix, `/v1` by default. */
  readonly root?: string;
}

/** Declares, starts, uses and stops a server. Its clients are destroyed before it stops. */
export async function serve(
  declare: (server: ApiServer) => void,
  use: (served: TestServer) => Promise<void>,
  { root = '/v1', ...options }: ServeOptions = {},
): Promise<void> {
  const log = new ServerLog();
  const server = new ApiServer(root, { logger: log.logger, stopGraceMs: 1000, ...(IS_TLS && { tls: getCertificate() }), ...options });
  declare(server);
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  const { port } = started.address as AddressInfo;
  let received = 0;
  const count = (published: unknown): void => {
    if ((published as { socket: Socket }).socket.localPort === port) received += 1;
  };
  await log.during(port, async () => {
    subscribe(REQUEST_START, count);
    try {
      await use({ server, port, url: started.url, infos: log.infos, get errors() { return log.errors; }, received: () => received });
    } finally {
      unsubscribe(REQUEST_START, count);
      destroyClients(port);
      await server.stop();
    }
  });
}
