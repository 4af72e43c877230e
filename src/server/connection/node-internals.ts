/**
 * What leans on how `node:http` and `node:net` behave inside, beyond their documentation: all of it is here and in `incoming.ts`.
 * Each function says what it relies on, and has a test that fails when Node changes that.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { net } from '../../node.ts';

/**
 * Whether a response may be written now. Node gives a response its socket when the one before it has been sent, and takes it away
 * afterwards. A response of a request that came over no connection has no `socket` at all.
 */
export function hasTurn({ socket }: ServerResponse): boolean {
  return socket !== null;
}

/** Calls a function when a response gets its socket. The event is not documented. The tick lets Node finish with the one before. */
export function onTurn(response: ServerResponse, call: () => void): void {
  response.once('socket', () => process.nextTick(call));
}

/** The socket of a request; `null` while neither the request nor its response has one. A destroyed request loses it. */
export function socketOf({ socket }: IncomingMessage, response: ServerResponse): Socket | null {
  return (socket as Socket | null) ?? response.socket;
}

/** Whether `writeHead` has run, even if it threw afterwards: it sets `statusMessage` first, and leaves other traces. */
export function hasHead({ statusMessage }: ServerResponse): boolean {
  return (statusMessage as string | undefined) !== undefined;
}

/** Calls a function before any other listener that hears of a response's end, Node's own included. */
export function beforeClose(response: ServerResponse, call: () => void): void {
  response.prependOnceListener('close', call);
}

/** Calls a function where Node would close a socket after a last reply: it calls `destroySoon` for that. */
export function onCloseByNode(socket: Socket, close: (this: Socket) => void): void {
  socket.destroySoon = close;
}

/** Lets a request buffer this much that nobody reads, before Node pauses reading. A stream has no public way to change that. */
export function bufferUnread({ _readableState: state }: IncomingMessage & { readonly _readableState?: ReadableState }, bytes: number): void {
  if (state !== undefined) state.highWaterMark = Math.max(state.highWaterMark, bytes);
}

/** Calls a function when somebody begins to read from a request: a stream calls `_read` then, from Node's inside too. */
export function onFirstRead(request: IncomingMessage, call: () => void): void {
  const { _read: read } = request;
  request._read = (size) => {
    request._read = read;
    call();
    request._read(size);
  };
}

interface ReadableState {
  highWaterMark: number;
}

/**
 * Reads and discards input, so that the client's leaving is seen. Node keeps each request that it parses until it is answered,
 * and those after a last reply never are. With a listener for its data, a socket is taken from the parser.
 */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {}).resume();
  // A socket that was paused inside a parser callback still believes that it is reading.
  socket.push('');
}

/**
 * Closes the listening socket alone. Node's `http.Server.close` would also destroy connections whose last reply is not flushed.
 * Bun's http server is no `net.Server`, and its `close` leaves connections alone.
 */
export function closeListeningSocket(server: Server, closed: () => void): void {
  const { close }: NetServer = net.Server.prototype.isPrototypeOf(server) ? net.Server.prototype : server;
  close.call(server, closed);
}

/**
 * Catches what binding throws after a host name was looked up: `_listen2` runs in a turn of its own then, and the error would be
 * uncaught. Node 26 without `--allow-net` throws there, and so does Deno.
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

/**
 * How many bytes the system has taken from a socket. Only the handle knows: the socket counts a write as unsent until all of it is
 * taken, and counts text in characters or in bytes. Other engines have no such handle.
 */
export function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: Handle | null };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}

interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}
