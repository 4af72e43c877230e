/**
 * Ending a connection from our side. To destroy a socket while its client sends would reset the connection, and take
 * from the client the answers that it has not read yet: so our side is ended, and what still comes is swallowed.
 */
import type { Socket } from 'node:net';

// How long a client that was hung up on may be quiet before it is cut off, and how often it may go on sending.
const QUIET_MS = 500;
const MAX_LINGERS = 20;
// How long an idle client that is still sending holds `stop()` up.
const UNREAD_MS = 50;

/** Ends our side, and lets the client go on until it closes, or is quiet for a while, or has been long about it. */
export function hangUp(socket: Socket): void {
  socket.end();
  // The parser may be at work just now.
  process.nextTick(() => discardInput(socket));
  let seen = socket.bytesRead;
  let left = MAX_LINGERS;
  const timer = setInterval(() => {
    left -= 1;
    if (socket.bytesRead === seen || left === 0) socket.destroy();
    seen = socket.bytesRead;
  }, QUIET_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Ends a connection on which nothing is in flight: at once, or a moment later where something lies there unread. */
export function hangUpIdle(socket: Socket): void {
  const seen = socket.bytesRead;
  hangUp(socket);
  // What lies there is read between the one and the other.
  setImmediate(() => setImmediate(() => {
    if (socket.bytesRead === seen) socket.destroy();
    else setTimeout(() => socket.destroy(), UNREAD_MS).unref();
  }));
}

/** Waits for a client that was hung up on no longer than until the last answer is out. */
export function cutShort(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}

/**
 * Reads on without looking at what comes, so that the client's leaving is seen. Node keeps every request that its parser
 * finds until it is answered, which those behind a last answer never are, and a client can send millions of them.
 */
export function discardInput(socket: Socket): void {
  // Node takes a socket from its parser when that gets a listener for its data.
  socket.removeAllListeners('data').on('data', () => {}).resume();
  // If it was held just then, the stream still takes itself to be reading.
  socket.push('');
}
