/**
 * Requests that came over no connection. `light-my-request`, and Fastify's `inject` with it, calls a listener with a request of its own
 * making: its socket has an address, and is no stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** The socket of a request; where that is no stream, one that is not connected, and that is closed when the response is. */
export function socketOf(request: IncomingMessage, response: ServerResponse): Socket {
  return typeof request.socket.isPaused === 'function' ? request.socket : standInFor(response);
}

function standInFor(response: ServerResponse): Socket {
  const socket = new Socket();
  // Written to, it fails, and is closed.
  socket.on('error', () => {});
  // Who injected the request has no other way to learn that no answer comes.
  socket.once('close', () => response.destroy());
  response.once('close', () => socket.destroy());
  return socket;
}
