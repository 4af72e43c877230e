/** Undocumented behaviour of Node's requests and responses that this server depends on. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../../../../node.ts';
import { nextTick } from '../../../../util/timers.ts';

/** Finds the socket of a request. A destroyed request has lost it, so its response is searched too. `null` while neither has one. */
export function findSocket({ socket }: IncomingMessage, response: ServerResponse): Socket | null {
  return (socket as Socket | null) ?? response.socket;
}

/** Sets the header lines of a request, names and values alternating, as Node's parser does. Node makes `headers` of them. */
export function setHeaderLines(request: IncomingMessage, lines: string[]): void {
  request.rawHeaders = lines;
  (request as { _addHeaderLines?: (lines: string[], count: number) => void })._addHeaderLines?.(lines, lines.length);
}

/** Lets a request buffer more unread bytes before Node pauses reading. Streams have no public way to change that. */
export function bufferUnread(request: IncomingMessage, bytes: number): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.highWaterMark = Math.max(state.highWaterMark, bytes);
}

/**
 * Frees the unread body of a request that was destroyed. Destroying it does not do that, and a pending operation keeps the request in
 * memory.
 */
export function dropUnread(request: IncomingMessage): void {
  // Node 26 returns the buffer in several pieces.
  while (request.destroyed && request.read() !== null);
}

/** Makes a request not emit `close` by itself, as streams do after their end and when they are destroyed. */
export function emitNoClose(request: IncomingMessage): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.emitClose = false;
}

interface ReadableState {
  highWaterMark: number;
  emitClose: boolean;
}

/** Calls a function before the first read from a request: a stream calls `_read` then, even for Node's own reads. */
export function onFirstRead(request: IncomingMessage, call: () => void): void {
  const { _read: read } = request;
  request._read = (size) => {
    request._read = read;
    call();
    request._read(size);
  };
}

/**
 * Whether a response may be written now. Node gives a response its socket when the previous response has been sent, and sets `socket` to
 * `null` after the response. For a request without a connection, `socket` is `undefined`.
 */
export function hasTurn({ socket }: ServerResponse): boolean {
  return socket !== null;
}

/** Calls a function when a response gets its socket and Node has finished the previous response. The event is not documented. */
export function onTurn(response: ServerResponse, call: () => void): void {
  response.once('socket', () => nextTick(call));
}

/** Whether `writeHead` was called, even if it threw: it sets `statusMessage` first. */
export function hasHead({ statusMessage }: ServerResponse): boolean {
  return (statusMessage as string | undefined) !== undefined;
}

/**
 * Whether Node closes the connection after a response: the client or the response has asked for it, or the end of the connection marks
 * the end of the body. Node knows the last two when the head is written, and then sets `_last`.
 */
export function isLast(response: ServerResponse): boolean {
  return !response.shouldKeepAlive || (response as { readonly _last?: boolean })._last === true;
}

/** Calls a function when a response closes, before all other listeners, including Node's own. */
export function onBeforeClose(response: ServerResponse, call: () => void): void {
  response.prependOnceListener('close', call);
}

const { end, writeHead } = http.ServerResponse.prototype;

/** Whether the user's code has neither set a header of a response nor replaced its `writeHead` or `end`, as tracers do. */
export function isUntouched(response: ServerResponse): boolean {
  return response.writeHead === writeHead && response.end === end && response.getHeaderNames().length === 0;
}

/**
 * Creates some requests and responses before the first real ones. V8 sizes all objects of a class when it creates the seventh, by the
 * properties of those that are alive. After a garbage collection just before that, it reserves hardly any room, and then makes every
 * request a dictionary, because Node adds many properties: a Get takes 1.7 times as long until the process ends on Node 20, and 1.4 times
 * on Node 26 (CPU time).
 */
export function settleShapes(makeRequest: () => IncomingMessage): void {
  try {
    Array.from({ length: 10 }, () => {
      const request = makeRequest();
      request.httpVersionMajor = 1;
      request.httpVersionMinor = 1;
      // Node adds these after the constructor, and one more with a name that only it can use. Outside of the object they take more memory.
      const added = { statusCode: 200, statusMessage: '', _maxRequestsPerSocket: 0, _reserved: undefined };
      return Object.assign(new http.ServerResponse(request), added);
    });
  } catch {
    // Other engines have other constructors.
  }
}
