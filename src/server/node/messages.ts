/** The parts of Node's requests and responses that the server relies on beyond their documentation. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../../node.ts';

/** The socket of a request. A destroyed request loses it, so that of its response is used. `null` while neither has one. */
export function findSocket({ socket }: IncomingMessage, response: ServerResponse): Socket | null {
  return (socket as Socket | null) ?? response.socket;
}

/** Whether a request came over no connection: a serverless adapter gives it no socket. A destroyed request has lost its own. */
export function isInjected({ socket, destroyed }: IncomingMessage): boolean {
  return (socket as Socket | null | undefined) == null && !destroyed;
}

/** Gives a request its header lines, names and values in turn, as Node's parser does: Node makes `headers` of as many as it was told of. */
export function setHeaderLines(request: IncomingMessage, lines: string[]): void {
  request.rawHeaders = lines;
  (request as { _addHeaderLines?: (lines: string[], count: number) => void })._addHeaderLines?.(lines, lines.length);
}

/** Lets a request buffer so many unread bytes before Node pauses reading. A stream has no public way to change that. */
export function bufferUnread(request: IncomingMessage, bytes: number): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.highWaterMark = Math.max(state.highWaterMark, bytes);
}

/** Lets nobody but the server emit `close` of a request. A stream does that when it was read to its end, and when it is destroyed. */
export function emitNoClose(request: IncomingMessage): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.emitClose = false;
}

interface ReadableState {
  highWaterMark: number;
  emitClose: boolean;
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

/** Whether `writeHead` was called, even if it threw: it sets `statusMessage` first. */
export function hasHead({ statusMessage }: ServerResponse): boolean {
  return (statusMessage as string | undefined) !== undefined;
}

/**
 * Whether Node closes the connection after a response: the client or the response has asked for it, or only the end of the connection ends the
 * body. Node knows the last two when the head is written, and then sets `_last`.
 */
export function isLast(response: ServerResponse): boolean {
  return !response.shouldKeepAlive || (response as { readonly _last?: boolean })._last === true;
}

/** Calls a function when a response closes, before any other listener for that, Node's own included. */
export function onBeforeClose(response: ServerResponse, call: () => void): void {
  response.prependOnceListener('close', call);
}

const { end, writeHead } = http.ServerResponse.prototype;

/** Whether no code of the host has set a header field of a response, or replaced its `writeHead` or its `end`. Tracers do both. */
export function isUntouched(response: ServerResponse): boolean {
  return response.writeHead === writeHead && response.end === end && response.getHeaderNames().length === 0;
}

/**
 * Makes some requests and responses before the first real ones. V8 decides at the seventh object of a class how many properties each
 * has room for, by the objects that are alive. After a garbage collection just before it, there is hardly any room. Node sets many
 * properties by symbols, and V8 then makes each such object a dictionary: requests take twice as long until the process ends.
 */
export function settleShapes(makeRequest: () => IncomingMessage): void {
  try {
    Array.from({ length: 10 }, () => {
      const request = makeRequest();
      request.httpVersionMajor = 1;
      request.httpVersionMinor = 1;
      return new http.ServerResponse(request);
    });
  } catch {
    // Other engines have other constructors.
  }
}
