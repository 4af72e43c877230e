/**
 * Attaches an `ApiServer` to a host's server, which then has its limits, its handling of connections, and its `stop`. The
 * host's listeners get the requests, and hand those for the `ApiServer` back to its `requestListener`.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Exchange } from '../server/connection/exchange.ts';
import { type Receiver, RunningServer } from '../server/connection/running-server.ts';
import type { AcceptedRequests } from '../server/request-listener.ts';
import type { Settings } from '../server/options.ts';
import { HostServer } from './host-server.ts';

/** Receives the requests of an attached server. */
export interface AttachedReceiver extends Receiver {
  /** Called with each request of a server for which the host has no listener. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Gets each request in its turn, before the host does. */
  readonly accepted: AcceptedRequests;
}

/** Attaches a server. Throws `TypeError` when it is not one of HTTP/1, or is attached already. */
export function attachTo(server: Server | HttpsServer, settings: Settings, receiver: AttachedReceiver): RunningServer {
  const { serve, accepted } = receiver;
  const host = new HostServer(server, settings, serve);
  const dispatch = (exchange: Exchange): void => {
    accepted.add(exchange);
    host.dispatch(exchange, () => accepted.isTaken(exchange));
  };
  const running = new RunningServer(settings, { ...receiver, dispatcher: { dispatch } }, host);
  running.serveUpgrades();
  return running;
}
