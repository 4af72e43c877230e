/** An `ApiServer` whose server `createServer` makes, for the duration of one test. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { ApiServer, defineEndpoint, stringId, type ApiServerOptions, type CreateServer } from '../../src/index.ts';
import { Gate } from './wait.ts';
import { ServerLog } from './server-log.ts';
import { destroyClients } from './transport.ts';

export interface CreatedServer {
  readonly api: ApiServer;
  /** What `createServer` has returned. */
  readonly server: Server;
  readonly port: number;
  readonly gate: Gate;
  /** A test that does not read them fails if there are any. */
  readonly errors: readonly Error[];
  /** The pets that an operation was asked for. */
  readonly requested: readonly string[];
}

export interface CreatedServerOptions extends ApiServerOptions {
  /** The listener that the server is made with, instead of the one that `createServer` gets. */
  readonly app?: (api: ApiServer) => RequestListener;
  /** Called with the server, before `createServer` returns it. */
  readonly prepare?: (server: Server) => unknown;
  readonly declare?: (api: ApiServer) => void;
}

export const JSON_TYPE = ['Content-Type: application/json'];

/** A server of `createServer`, with pets. The pet `slow` waits for the gate. Its clients are destroyed after it has stopped. */
export async function serveCreatedServer(use: (created: CreatedServer) => Promise<void>, options: CreatedServerOptions = {}): Promise<void> {
  const { app, prepare, declare = () => {}, createServer: make = plainServer, ...others } = options;
  const log = new ServerLog();
  const asked: string[] = [];
  const gate = new Gate();
  let server: Server | undefined;
  const api: ApiServer = new ApiServer('/v1', {
    logger: log.logger,
    stopGraceMs: 1000,
    createServer: (listener, serverOptions) => {
      server = make(app?.(api) ?? listener, serverOptions);
      prepare?.(server);
      return server;
    },
    ...others,
  });
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
  const started = await api.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  const port = Number(new URL(started.url).port);
  await log.during(port, async () => {
    try {
      await use({ api, server: server as Server, port, gate, requested: asked, get errors() { return log.errors; } });
    } finally {
      gate.open();
      await api.stop();
      destroyClients(port);
    }
  });
}

const plainServer: CreateServer = (listener, options) => createServer(options, listener);

/** An app that responds to every request itself, except those below `/v1`. */
export const makePagesListener = (api: ApiServer): RequestListener => (request, response) => {
  api.requestListener(request, response, () => response.end(`page ${request.url}`));
};
