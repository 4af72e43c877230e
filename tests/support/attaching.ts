/** A host's server with an attached `ApiServer`, for the duration of one test. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { ApiServer, defineEndpoint, stringId, type ApiServerOptions } from '../../src/index.ts';
import { Gate } from './gate.ts';
import { listening } from './hosting.ts';
import { RawClient } from './raw-client.ts';
import { ServerLog } from './server-log.ts';

export interface Attached {
  readonly api: ApiServer;
  readonly server: Server;
  readonly port: number;
  readonly gate: Gate;
  /** A test that does not read them fails if there are any. */
  readonly errors: readonly Error[];
  /** The pets that an operation was asked for. */
  readonly asked: readonly string[];
}

export interface AttachedOptions extends ApiServerOptions {
  /** The listener of the host, made for the server that is attached. */
  readonly host?: (api: ApiServer) => RequestListener;
  readonly declare?: (api: ApiServer) => void;
  readonly isLate?: boolean;
}

export const JSON_TYPE = ['Content-Type: application/json'];

/** A server of the host's, with an attached one that has pets. The pet `slow` waits for the gate. */
export async function attaching(use: (attached: Attached) => Promise<void>, options: AttachedOptions = {}): Promise<void> {
  const { host, declare = () => {}, isLate = false, ...others } = options;
  const log = new ServerLog();
  const asked: string[] = [];
  const gate = new Gate();
  const api = new ApiServer('/v1', { logger: log.logger, stopGraceMs: 1000, ...others });
  api.registerEndpoint('/pet', defineEndpoint({
    id: stringId,
    schema: String,
    create: (name) => name,
    get: async (name) => {
      asked.push(name);
      if (name === 'slow') await gate.passed;
      return name;
    },
  }));
  declare(api);
  const server = createServer();
  if (host !== undefined) server.on('request', host(api));
  if (!isLate) api.attach(server);
  const port = await listening(server);
  if (isLate) api.attach(server);
  await log.during(port, async () => {
    try {
      await use({ api, server, port, gate, asked, get errors() { return log.errors; } });
    } finally {
      gate.open();
      await api.stop();
      for (const client of clients.splice(0)) client.destroy();
    }
  });
}

const clients: RawClient[] = [];

/** A client that is destroyed at the end of its test. */
export async function connected(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  clients.push(client);
  return client;
}

/** A host that answers every request itself, except those below `/v1`. */
export const withPages = (api: ApiServer): RequestListener => (request, response) => {
  api.requestListener(request, response, () => response.end(`page ${request.url}`));
};
