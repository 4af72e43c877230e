/** Undocumented behaviour of Node's sockets that this server depends on. */
import type { Socket } from 'node:net';

/** Replaces how Node closes a socket after the last response: Node calls `destroySoon`. */
export function onCloseByNode(socket: Socket, close: (this: Socket) => void): void {
  socket.destroySoon = close;
}

/** Undoes `onCloseByNode`. */
export function closeAsNodeDoes(socket: Socket): void {
  Reflect.deleteProperty(socket, 'destroySoon');
}

/** Stops reading from a socket, until a listener for `data` is added. After `pause`, a listener would not resume it. */
export function stopReading(socket: Socket): void {
  socket.pause();
  Reflect.set(socket, 'readableFlowing', null);
}

/**
 * Reads and discards input, so that the server notices when the client leaves. The input is not parsed: Node keeps each parsed request
 * until it has a response, and after the last response there are none. A listener for `data` takes a socket away from the parser.
 */
export function discardInput(socket: Socket): void {
  // While `_paused` is set, Node pauses the socket again after `resume`. A new listener clears it only if there is a handle.
  Reflect.set(socket, '_paused', false);
  socket.removeAllListeners('data').on('data', () => {}).resume();
  readFromHandle(socket);
}

/**
 * Lets a socket read that was just taken away from the parser. If it was paused while the parser read from its handle, its `reading` is
 * still set, and it would not read again. An empty `push` clears that.
 */
export function readFromHandle(socket: Socket): void {
  socket.push('');
}

/** Returns the socket below a TLS socket, which Node keeps as `_parent`. Returns any other socket itself. */
export function getTransport(socket: Socket): Socket {
  const { _parent: transport } = socket as { readonly _parent?: Socket | null };
  return transport ?? socket;
}

/**
 * Makes a TLS socket pass its input to the parser by `data` events. Otherwise the parser reads from the handle, which passes on decrypted
 * bytes even while reading is paused. The paused parser rejects them with `HPE_PAUSED`, and requests are lost.
 */
export function parseByEvents(socket: Socket): void {
  // A listener for `data` takes a socket away from the parser. Node's own listener still passes the data on.
  socket.on('data', () => {});
}

/**
 * Counts the bytes that the system has taken from a socket. Only the handle knows the number: the socket counts a write as unsent until
 * all of it is taken, and may count a string in characters. Other engines have no such handle.
 */
export function countTakenBytes(socket: Socket): number {
  const { _handle: handle } = getTransport(socket) as { readonly _handle?: Handle | null };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}

interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** Whether the socket of a request is a stream. An injected request may have a socket with only an address. */
export function isRealSocket(socket: Partial<Socket> | null): socket is Socket {
  return typeof socket?.isPaused === 'function';
}
