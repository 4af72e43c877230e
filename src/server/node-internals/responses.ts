/** What the server relies on of Node's responses. */
import type { ServerResponse } from 'node:http';

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

/** Calls a function when a response closes, before any other listener for that, Node's own included. */
export function beforeClose(response: ServerResponse, call: () => void): void {
  response.prependOnceListener('close', call);
}
