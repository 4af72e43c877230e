/**
 * Requests that a listener of the host's own hands on. It may have broken off reading one, and then Node has taken its socket
 * from it. `light-my-request`, and Fastify's `inject` with it, makes requests that came over no connection: their socket has an
 * address, and is no stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asyncHooks, net } from '../../node.ts';
import type { Connections } from './connections.ts';
import { acceptRequest, type Exchange } from './exchange.ts';

/** Hands a request to its connection, when it is known which that is. */
export function acceptHandedOn(connections: Connections<Exchange>, request: IncomingMessage, response: ServerResponse): void {
  const socket = socketOf(request, response);
  if (socket !== null) {
    acceptRequest(connections, request, response, false, isStream(socket) ? socket : standInFor(response));
    return;
  }
  // It comes with the request's turn, in the async context of the request before it.
  const accept = asyncHooks.AsyncResource.bind(() => acceptHandedOn(connections, request, response));
  response.once('socket', () => process.nextTick(accept));
}

/** The socket of a request; `null` where it was taken from it, and its turn to be answered has not come. */
export function socketOf(request: IncomingMessage, response: ServerResponse): Socket | null {
  // Node's types say that a request always has one.
  const { socket }: { readonly socket: Socket | null } = request;
  return socket ?? response.socket;
}

function isStream(socket: Partial<Socket>): socket is Socket {
  return typeof socket.isPaused === 'function';
}

/** A socket that is not connected, and that is closed when the response is. */
function standInFor(response: ServerResponse): Socket {
  const socket = new net.Socket();
  // Written to, it fails, and is closed.
  socket.on('error', () => {});
  // Who injected the request has no other way to learn that no answer comes.
  socket.once('close', () => response.destroy());
  response.once('close', () => socket.destroy());
  return socket;
}
