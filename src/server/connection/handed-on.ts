/**
 * Accepts requests that a host's own listener passes on. A request that the listener has destroyed has lost its socket. Requests of
 * `light-my-request`, and of Fastify's `inject`, came over no connection: their socket has an address, but is no stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { mountPrefixOf } from '../../http/target.ts';
import { asyncHooks, net } from '../../node.ts';
import { socketOf } from '../node-internals/requests.ts';
import { hasTurn, onTurn } from '../node-internals/responses.ts';
import { isStream } from '../node-internals/sockets.ts';
import type { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';

/** Passes a request to its connection, now or when its response gets a socket. */
export function acceptHandedOn(connections: Connections<Exchange>, request: IncomingMessage, response: ServerResponse): void {
  const socket = socketOf(request, response);
  if (socket === null) {
    inTurn(response, () => acceptHandedOn(connections, request, response));
    return;
  }
  const connection = connections.of(isStream(socket) ? socket : standInFor(response));
  const exchange = new Exchange(request, response, connection, false);
  exchange.mountPrefix = mountPrefixOf(request);
  connection.accept(exchange);
}

/** Passes a request on to the host's next listener, when all replies before it have been sent (RFC 9112 section 9.3.2). */
export function passOn(response: ServerResponse, next: () => void): void {
  if (hasTurn(response)) next();
  else inTurn(response, () => next());
}

/** Node would call this in the async context of the request before. */
function inTurn(response: ServerResponse, call: () => void): void {
  onTurn(response, asyncHooks.AsyncResource.bind(call));
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
