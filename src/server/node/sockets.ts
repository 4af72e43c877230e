/** The behaviour of Node's sockets that this server depends on. */
import type { Socket } from 'node:net';

/** Replaces how Node closes a socket after a last reply: Node calls `destroySoon` for that. */
export function onCloseByNode(socket: Socket, close: (this: Socket) => void): void {
  socket.destroySoon = close;
}

/** Takes back `onCloseByNode`. */
export function closeAsNodeDoes(socket: Socket): void {
  Reflect.deleteProperty(socket, 'destroySoon');
}

/** Stops reading from a socket, as if nobody had begun to. A later listener for its data begins again, which `pause` would prevent. */
export function stopReading(socket: Socket): void {
  socket.pause();
  Reflect.set(socket, 'readableFlowing', null);
}

/**
 * Reads and discards input, so that the server sees when the client leaves. The input is not parsed: Node keeps each parsed request
 * until it is answered, and those after a last reply never are. A listener for its data takes a socket away from the parser.
 */
export function discardInput(socket: Socket): void {
  // While this is set, Node pauses again what is resumed. For the listener below, it gives that up only on sockets with a handle.
  Reflect.set(socket, '_paused', false);
  socket.removeAllListeners('data').on('data', () => {}).resume();
  readFromHandle(socket);
}

/**
 * Lets a socket read that was just taken away from the parser. If it was paused while the parser read from its handle, it has `reading` still
 * set, and would not read again. This clears it.
 */
export function readFromHandle(socket: Socket): void {
  socket.push('');
}

/** The socket that carries the bytes of a TLS socket. Node keeps it as `_parent`. Any other socket carries its own. */
export function getTransport(socket: Socket): Socket {
  const { _parent: transport } = socket as { readonly _parent?: Socket | null };
  return transport ?? socket;
}

/**
 * Lets a TLS socket pass its input to the parser by `data` events. Otherwise the parser reads from the handle. While reading is paused
 * the handle still passes on decrypted bytes, the paused parser refuses that with `HPE_PAUSED`, and requests are lost.
 */
export function parseByEvents(socket: Socket): void {
  // A listener for its data takes a socket away from the parser. Node's own listener passes the data on.
  socket.on('data', () => {});
}

/**
 * How many bytes the system has taken from a socket. Only the handle knows: the socket counts a write as unsent until all of it is
 * taken, and may count text in characters. Other engines have no such handle.
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

/** Whether the socket of a request is a stream. That of an injected request may have an address and nothing else. */
export function isRealSocket(socket: Partial<Socket> | null): socket is Socket {
  return typeof socket?.isPaused === 'function';
}
