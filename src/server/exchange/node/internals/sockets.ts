/** Undocumented behaviour of Node's sockets and of their parsers that this server depends on. */
import type { IncomingMessage } from 'node:http';
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

/**
 * Whether the other side has reset the connection. While reading is paused, no event shows that, and later all bytes that came before the
 * reset are read first. But the system forgets the peer's address at once. Other engines, and pipes, cannot tell.
 */
export function isReset(socket: Socket): boolean {
  const { _handle: handle } = getTransport(socket) as { readonly _handle?: Handle | null };
  // The code of an error is negative. `socket.remoteAddress` would be the address that Node has kept.
  return (handle?.getpeername?.({}) ?? 0) < 0;
}

interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
  readonly getpeername?: (address: object) => number;
}

/** Whether the socket of a request is a stream. An injected request may have a socket with only an address. */
export function isRealSocket(socket: Partial<Socket> | null): socket is Socket {
  return typeof socket?.isPaused === 'function';
}

/** The code of the `clientError` of a parser that has stopped. `rawPacket` from `bytesParsed` on is its unparsed input. */
export const STOPPED = 'HPE_PAUSED';

/** The parser of a connection, once `stopParser` has been called. */
export interface StoppableParser {
  /** Lets the parser parse again. The unparsed input must be passed to it. */
  readonly resume: () => void;
  /** Whether it still parses the input of the socket. After an upgrade it does not. */
  readonly isParsing: () => boolean;
}

/**
 * Makes the parser of a connection stop after the head of a request if `isFull` returns `true`. A parser stops if its callback for heads
 * returns the error code `HPE_PAUSED`. Returns `undefined` if the engine has a different parser.
 */
export function stopParser(socket: Socket, isFull: () => boolean): StoppableParser | undefined {
  const { parser } = socket as ParsedSocket;
  if (parser?.onIncoming == null || typeof parser.resume !== 'function') return undefined;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    const result = onIncoming(request, keepAlive);
    return result === 0 && isFull() ? HPE_PAUSED : result;
  };
  return { resume: () => parser.resume(), isParsing: () => (socket as ParsedSocket).parser === parser };
}

const HPE_PAUSED = 21;

interface ParsedSocket {
  readonly parser?: Parser | null;
}

interface Parser {
  onIncoming: ((request: IncomingMessage, keepAlive: boolean) => number) | null;
  resume(): void;
}
