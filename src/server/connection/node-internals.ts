/**
 * What depends on undocumented behaviour of `node:http` and `node:net`. All of it is here and in `incoming.ts`. Each function says
 * what it depends on, and has a test that fails when Node changes that.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { http, net } from '../../node.ts';

/**
 * Whether a response may be written now. Node gives a response its socket when the one before it has been sent, and then sets it to
 * `null` again. A response of a request that came over no connection has no member `socket`.
 */
export function hasTurn({ socket }: ServerResponse): boolean {
  return socket !== null;
}

/** Calls a function when a response gets its socket, and Node is done with the response before. The event is not documented. */
export function onTurn(response: ServerResponse, call: () => void): void {
  response.once('socket', () => process.nextTick(call));
}

/** The socket of a request. A destroyed request loses it, so that of its response is used. `null` while neither has one. */
export function socketOf({ socket }: IncomingMessage, response: ServerResponse): Socket | null {
  return (socket as Socket | null) ?? response.socket;
}

/** Whether a socket is one. That of an injected request may be no stream. */
export function isStream(socket: Partial<Socket> | null): socket is Socket {
  return typeof socket?.isPaused === 'function';
}

/** Whether `writeHead` was called, even if it threw: it sets `statusMessage` first. */
export function hasHead({ statusMessage }: ServerResponse): boolean {
  return (statusMessage as string | undefined) !== undefined;
}

/** Calls a function when a response closes, before any other listener for that, Node's own included. */
export function beforeClose(response: ServerResponse, call: () => void): void {
  response.prependOnceListener('close', call);
}

/** Replaces how Node closes a socket after a last reply: Node calls `destroySoon` for that. */
export function onCloseByNode(socket: Socket, close: (this: Socket) => void): void {
  socket.destroySoon = close;
}

/** Takes back `onCloseByNode`. */
export function closeAsNodeDoes(socket: Socket): void {
  Reflect.deleteProperty(socket, 'destroySoon');
}

type WantsUpgrade = (request: IncomingMessage) => boolean;

/**
 * Lets a function decide which requests with an upgrade become `upgrade` events. The others are requests, as they are without a
 * listener for that event. Node asks `shouldUpgradeCallback`. Node 20 has none: there, its parser's callback decides before Node does,
 * for the connections that are open and those that come. Returns a function that lets Node decide again, for those that come.
 */
export function chooseUpgrades(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): () => void {
  if (!('shouldUpgradeCallback' in server)) return chooseInParsers(server, open, wants);
  const { shouldUpgradeCallback } = server;
  server.shouldUpgradeCallback = wants;
  return () => (server.shouldUpgradeCallback = shouldUpgradeCallback);
}

/** Lets nobody but the host emit `close` of a request. A stream does that when it was read to its end, and when it is destroyed. */
export function leaveCloseToHost(request: IncomingMessage): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.emitClose = false;
}

/** The event with the sockets that have requests. Before it, a server with TLS emits `connection` with those that carry them. */
export function connectionEventOf(server: Server): 'connection' | 'secureConnection' {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}

/** Whether a value is a server of HTTP/1, with TLS or without. One of HTTP/2 has some of its methods. */
export function isHttpServer(value: unknown): boolean {
  const { closeAllConnections, emit, updateSettings } = Object(value) as Record<string, unknown>;
  return typeof closeAllConnections === 'function' && typeof emit === 'function' && updateSettings === undefined;
}

/**
 * Sets limits that Node takes when it makes a server. It keeps them as properties, and reads the first at each connection and the
 * second when the server begins to listen. As `http.createServer` does, lets clients end their side first.
 */
export function setCreationLimits(server: Server, maxHeaderSize: number, connectionsCheckingInterval: number): void {
  Object.assign(server, { maxHeaderSize, connectionsCheckingInterval, allowHalfOpen: true });
}

function chooseInParsers(server: Server, open: Iterable<Socket>, wants: WantsUpgrade): () => void {
  const choose = (socket: Socket): void => chooseInParser(socket, wants);
  const event = connectionEventOf(server);
  for (const socket of open) choose(socket);
  server.on(event, choose);
  return () => server.off(event, choose);
}

function chooseInParser(socket: Socket, wants: WantsUpgrade): void {
  const { parser } = socket as { readonly parser?: Parser | null };
  if (parser?.onIncoming == null) return;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    if (request.upgrade && request.method !== 'CONNECT' && !wants(request)) request.upgrade = false;
    return onIncoming(request, keepAlive);
  };
}

interface Parser {
  onIncoming: ((request: IncomingMessage & { upgrade: boolean }, keepAlive: boolean) => number) | null;
}

/** Stops reading from a socket, as if nobody had begun to. A later listener for its data begins again, which `pause` would prevent. */
export function stopReading(socket: Socket): void {
  socket.pause();
  Reflect.set(socket, 'readableFlowing', null);
}

/** Lets a request buffer so many unread bytes before Node pauses reading. A stream has no public way to change that. */
export function bufferUnread(request: IncomingMessage, bytes: number): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
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
  emitClose: boolean;
}

/**
 * Reads and discards input, so that the server sees when the client leaves. The input is not parsed: Node keeps each parsed request
 * until it is answered, and those after a last reply never are. A listener for its data takes a socket away from the parser.
 */
export function discardInput(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => {}).resume();
  // A socket that was paused inside a parser callback has `reading` still set, and would not read again. This clears it.
  socket.push('');
}

/**
 * Makes some requests and responses before the first real ones. V8 decides at the seventh object of a class how many properties each
 * has room for, by the objects that are alive. After a garbage collection just before it, there is hardly any room. Node sets many
 * properties by symbols, and V8 then makes each such object a dictionary: requests take twice as long until the process ends.
 */
export function settleShapes(Request: typeof IncomingMessage): void {
  try {
    Array.from({ length: 10 }, () => {
      const request = new Request(undefined as unknown as Socket);
      request.httpVersionMajor = 1;
      request.httpVersionMinor = 1;
      return new http.ServerResponse(request);
    });
  } catch {
    // Other engines have other constructors.
  }
}

/**
 * Closes the listening socket, and no connection. Node's `http.Server.close` would also destroy connections whose last reply is not
 * flushed. Bun's http server is no `net.Server`, and its `close` closes no connection.
 */
export function closeListeningSocket(server: Server, closed: () => void): void {
  const { close }: NetServer = net.Server.prototype.isPrototypeOf(server) ? net.Server.prototype : server;
  close.call(server, closed);
}

/**
 * The same for a server that its host may have closed already. To close it again would emit `close` again. `closed` is called when its
 * connections are closed too.
 */
export function closeHostServer(server: Server, closed: () => void): void {
  if (server.listening) {
    closeListeningSocket(server, closed);
    return;
  }
  server.getConnections((_error, count) => {
    if (count > 0) server.once('close', closed);
    else closed();
  });
}

/**
 * Catches what binding throws after a host name was looked up. `_listen2` then runs in a callback of Node's, where nobody catches
 * the error. Node 26 without `--allow-net` throws there, and so does Deno.
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

/** The socket that carries the bytes of a TLS socket. Node keeps it as `_parent`. Any other socket carries its own. */
export function transportOf(socket: Socket): Socket {
  const { _parent: transport } = socket as { readonly _parent?: Socket | null };
  return transport ?? socket;
}

/**
 * Lets a TLS socket pass its input to the parser by `data` events. Otherwise the parser reads from the handle. While reading is paused
 * the handle still passes on what it has decrypted, the paused parser refuses that with `HPE_PAUSED`, and requests are lost.
 */
export function parseByEvents(socket: Socket): void {
  // A listener for its data takes a socket away from the parser. Node's own listener passes the data on.
  socket.on('data', () => {});
}

/**
 * How many bytes the system has taken from a socket. Only the handle knows: the socket counts a write as unsent until all of it is
 * taken, and may count text in characters. Other engines have no such handle.
 */
export function bytesTaken(socket: Socket): number {
  const { _handle: handle } = transportOf(socket) as { readonly _handle?: Handle | null };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}

interface Handle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}
