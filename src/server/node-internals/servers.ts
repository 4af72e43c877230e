/** What the server relies on of Node's servers. */
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { net } from '../../node.ts';

/** The event with the sockets that have requests. Before it, a server with TLS emits `connection` with those that carry them. */
export function connectionEventOf(server: Server): 'connection' | 'secureConnection' {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}

/** Whether a value is a server of HTTP/1, with TLS or without. One of HTTP/2 has some of its methods. */
export function isHttpServer(value: unknown): boolean {
  const { closeAllConnections, emit, updateSettings } = Object(value) as Record<string, unknown>;
  return typeof closeAllConnections === 'function' && typeof emit === 'function' && updateSettings === undefined;
}

/**
 * Sets limits that Node takes when it makes a server. It keeps them as properties, and reads the first at each connection and the
 * second when the server begins to listen. As `http.createServer` does, lets clients end their side first.
 */
export function setCreationLimits(server: Server, maxHeaderSize: number, connectionsCheckingInterval: number): void {
  Object.assign(server, { maxHeaderSize, connectionsCheckingInterval, allowHalfOpen: true });
}

/**
 * Closes the listening socket, and no connection. Node's `http.Server.close` would also destroy connections whose last reply is not
 * flushed. Bun's http server is no `net.Server`, and its `close` closes no connection.
 */
export function closeListeningSocket(server: Server, closed: () => void): void {
  const { close }: NetServer = net.Server.prototype.isPrototypeOf(server) ? net.Server.prototype : server;
  close.call(server, closed);
}

/**
 * Catches what binding throws after a host name was looked up. `_listen2` then runs in a callback of Node's, where nobody catches
 * the error. Node 26 without `--allow-net` throws there, and so does Deno.
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
