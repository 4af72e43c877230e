/** Undocumented behaviour of Node's servers that this server depends on. */
import type { IncomingMessage, Server } from 'node:http';
import type { ListenOptions, Server as NetServer, Socket } from 'node:net';
import { net } from '../../../../node.ts';

/** The event with the sockets that requests arrive on. A server with TLS first emits `connection` with the underlying socket. */
export function getConnectionEvent(server: Server): 'connection' | 'secureConnection' {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}

/**
 * Closes the listening socket, but no connections: Node's `http.Server.close` would also destroy connections before their last response
 * is flushed. Bun's http server is not a `net.Server`, and its `close` closes no connections. Calls `closed` when all connections are
 * closed.
 */
export function stopListening(server: Server, closed: () => void): void {
  const { close }: NetServer = net.Server.prototype.isPrototypeOf(server) ? net.Server.prototype : server;
  close.call(server, closed);
}

/**
 * Catches an error that is thrown when the socket is bound, after the lookup of the host name. `_listen2` then runs in a callback of
 * Node's, where nothing catches the error. Node 26 without `--allow-net` throws there, and so does Deno.
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

/** Starts to listen. Any failure rejects the promise, however the engine reports it. */
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
 * Lets a function decide which requests with an upgrade are emitted as `upgrade`. The others are ordinary requests. Node calls
 * `shouldUpgradeCallback`. Node 20 has none: there, the parser's callback of each open and each new connection decides.
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
  const { parser } = socket as { readonly parser?: ServerParser | null };
  if (parser?.onIncoming == null) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    if (request.upgrade && request.method !== 'CONNECT' && !wants(request)) request.upgrade = false;
    return onIncoming(request, keepAlive);
  };
}

interface ServerParser {
  onIncoming: ((request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number) | null;
}
