/** What the server relies on of Node's requests. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The socket of a request. A destroyed request loses it, so that of its response is used. `null` while neither has one. */
export function socketOf({ socket }: IncomingMessage, response: ServerResponse): Socket | null {
  return (socket as Socket | null) ?? response.socket;
}

/** Lets a request buffer so many unread bytes before Node pauses reading. A stream has no public way to change that. */
export function bufferUnread(request: IncomingMessage, bytes: number): void {
  const { _readableState: state } = request as { readonly _readableState?: ReadableState };
  if (state !== undefined) state.highWaterMark = Math.max(state.highWaterMark, bytes);
}

interface ReadableState {
  highWaterMark: number;
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
