/** The behaviour of Node's servers that this server depends on. */
import type { IncomingMessage, Server } from 'node:http';
import type { ListenOptions, Server as NetServer, Socket } from 'node:net';
import { net } from '../../node.ts';

/** Whether a server has TLS. */
export function hasTls(server: Server): boolean {
  return 'setSecureContext' in server;
}

/** The event with the sockets that have requests. Before it, a server with TLS emits `connection` with those that carry them. */
export function getConnectionEvent(server: Server): 'connection' | 'secureConnection' {
  return hasTls(server) ? 'secureConnection' : 'connection';
}

/** Whether a value is a server of HTTP/1, with TLS or without. One of HTTP/2 has some of its methods. */
export function isHttpServer(value: unknown): value is Server {
  const { closeAllConnections, emit, updateSettings } = Object(value) as Record<string, unknown>;
  return typeof closeAllConnections === 'function' && typeof emit === 'function' && updateSettings === undefined;
}

/**
 * Closes the listening socket, and no connection: Node's `http.Server.close` would also destroy connections whose last response is not
 * flushed. Bun's http server is not a `net.Server`, and its `close` closes no connection. `closed` is called when all connections have
 * closed.
 */
export function stopListening(server: Server, closed: () => void): void {
  if (server.listening) {
    const { close }: NetServer = net.Server.prototype.isPrototypeOf(server) ? net.Server.prototype : server;
    close.call(server, closed);
    return;
  }
  // The user has closed it. To close it again would emit `close` again.
  server.getConnections((_error, count) => {
    if (count > 0) server.once('close', closed);
    else closed();
  });
}

/** Ends the timer of a server after `stopListening`. `isClosed`: whether it has emitted `close`, which this would repeat. */
export function endTimer(server: Server, isClosed: boolean, ended: () => void): void {
  if (isClosed) server.removeAllListeners('close');
  server.close(() => ended());
}

/**
 * Catches an error of binding that is thrown after the host name was looked up. `_listen2` then runs in a callback of Node's, where nobody
 * catches the error. Node 26 without `--allow-net` throws there, and so does Deno.
 */
export function catchInBind(server: Server, fail: (error: unknown) => void): void {
  const bind = Reflect.get(server, '_listen2');
  Reflect.set(server, '_listen2', (...values: unknown[]) => {
    try {
      Reflect.apply(bind, server, values);
    } catch (error) {
      fail(error);
    }
  });
}

/** Starts to listen. Every failure rejects the promise, however the engine reports it. */
export function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    catchInBind(server, reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

type WantsUpgrade = (request: IncomingMessage) => boolean;

/**
 * Lets a function decide which requests with an upgrade become `upgrade` events. The others are requests, as they are without a
 * listener for that event. Node asks `shouldUpgradeCallback`. Node 20 does not: there, the callback of its parser decides before Node does,
 * for the connections that are open and those that come.
 */
export function chooseUpgrades(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): void {
  if ('shouldUpgradeCallback' in server) {
    server.shouldUpgradeCallback = wants;
    return;
  }
  for (const socket of open) chooseInParser(socket, wants);
  server.on(getConnectionEvent(server), (socket: Socket) => chooseInParser(socket, wants));
}

function chooseInParser(socket: Socket, wants: WantsUpgrade): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser?.onIncoming == null) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    if (request.upgrade && request.method !== 'CONNECT' && !wants(request)) request.upgrade = false;
    return onIncoming(request, keepAlive);
  };
}

interface Parser {
  onIncoming: ((request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number) | null;
}
