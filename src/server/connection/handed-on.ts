/**
 * Accepts requests that a host's own listener passes on. A request that the listener has destroyed has lost its socket. Requests of
 * `light-my-request`, and of Fastify's `inject`, came over no connection: their socket has an address, but is no stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asyncHooks, net } from '../../node.ts';
import type { Connections } from './connections.ts';
import { acceptRequest, type Exchange } from './exchange.ts';
import { onTurn, socketOf } from './node-internals.ts';

/** Passes a request to its connection, now or when its response gets a socket. */
export function acceptHandedOn(connections: Connections<Exchange>, request: IncomingMessage, response: ServerResponse): void {
  const socket = socketOf(request, response);
  if (socket !== null) {
    acceptRequest(connections, request, response, false, isStream(socket) ? socket : standInFor(response));
    return;
  }
  // Node calls this in the async context of the request before.
  const accept = asyncHooks.AsyncResource.bind(() => acceptHandedOn(connections, request, response));
  onTurn(response, accept);
}

function isStream(socket: Partial<Socket>): socket is Socket {
  return typeof socket.isPaused === 'function';
}

/** A socket without a connection. It closes with the response. */
function standInFor(response: ServerResponse): Socket {
  const socket = new net.Socket();
  // A write to it fails and closes it.
  socket.on('error', () => {});
  // Without it, the code that injected the request would not learn that there is no reply.
  socket.once('close', () => response.destroy());
  response.once('close', () => socket.destroy());
  return socket;
}
