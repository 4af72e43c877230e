/**
 * Closes a connection whose client may still send. To destroy its socket at once would reset the connection, and the client could
 * lose responses that it has not read (RFC 9112 section 9.6). So our side is ended first, and input is discarded for a while.
 */
import type { Socket } from 'node:net';
import { discardInput, getTransport } from '../node/sockets.ts';

// A client that is silent for one period, or has sent for `MAX_PERIODS`, is cut off.
const PERIOD_MS = 500;
const MAX_PERIODS = 20;
// How long a client that sends may delay `stop` when it has all its responses.
const GRACE_MS = 50;

/** Ends our side. Destroys the socket when the client has been silent for a while, or has sent for too long. */
export function lingeringClose(socket: Socket): void {
  socket.end();
  // We may be inside a parser callback.
  process.nextTick(() => discardInput(socket));
  // A TLS socket counts only whole records.
  const transport = getTransport(socket);
  let seen = transport.bytesRead;
  let periods = 0;
  const check = (): void => {
    periods += 1;
    if (transport.bytesRead === seen || periods === MAX_PERIODS) socket.destroy();
    seen = transport.bytesRead;
  };
  // Between a timer and an immediate, the event loop reads input that has arrived. After a block of the process, there may be some.
  const timer = setInterval(() => setImmediate(check), PERIOD_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Closes a connection with nothing in flight: at once, or a moment later if the client has sent something. */
export function closeIdle(socket: Socket): void {
  lingeringClose(socket);
  closeSoon(socket);
}

/** Destroys a socket whose side we have ended: at once, or a moment later if the client has sent something. */
export function closeSoon(socket: Socket): void {
  const transport = getTransport(socket);
  const seen = transport.bytesRead;
  // Between the two, the event loop reads input that has arrived. With unread input, the client could lose the last response.
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
