/**
 * Closes a connection while the client may still be sending. Destroying the socket at once would reset the connection, and the client
 * could lose responses that it has not read yet (RFC 9112 section 9.6). So our side is ended first, and input is discarded for a while.
 */
import type { Socket } from 'node:net';
import { clearInterval, nextTick, setImmediate, setInterval, setTimeout } from '../../../util/timers.ts';
import { discardInput, getTransport } from './internals/sockets.ts';

// The socket is destroyed when the client sends nothing for one period, and after `MAX_PERIODS` in any case.
const PERIOD_MS = 500;
const MAX_PERIODS = 20;
// How long a client that still sends can delay `stop` after its last response.
const GRACE_MS = 50;

/** Ends our side. Destroys the socket when the client sends nothing for a while, or sends for too long. */
export function lingeringClose(socket: Socket): void {
  socket.end();
  // This may run inside a parser callback.
  nextTick(() => discardInput(socket));
  // A TLS socket counts only complete records.
  const transport = getTransport(socket);
  let seen = transport.bytesRead;
  let periods = 0;
  const check = (): void => {
    periods += 1;
    if (transport.bytesRead === seen || periods === MAX_PERIODS) socket.destroy();
    seen = transport.bytesRead;
  };
  // The process may have been blocked. Before the immediate callback, the event loop reads input that has arrived in the meantime.
  const timer = setInterval(() => setImmediate(check), PERIOD_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Destroys a socket after our side was ended: at once, or a moment later if the client is sending. */
export function closeSoon(socket: Socket): void {
  const transport = getTransport(socket);
  const seen = transport.bytesRead;
  // Between the two callbacks, the event loop reads input that has arrived. Destroying a socket that has unread input resets the
  // connection, and the client could lose the last response.
  setImmediate(() => setImmediate(() => {
    if (transport.bytesRead === seen) destroyWhenFlushed(socket);
    else setTimeout(() => destroyWhenFlushed(socket), GRACE_MS).unref();
  }));
}

/** Destroys the socket when all written bytes are flushed. */
export function destroyWhenFlushed(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
