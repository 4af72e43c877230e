/** What mounts and middleware have in common: a listener of the host gets Node's own request and response. */
import { adopt, isThenable } from '../errors/thenable.ts';
import type { ErrorResponse } from '../http/error-response.ts';
import { holdToLength } from './connection/declared-length.ts';
import type { Exchange } from './connection/exchange.ts';
import { Incoming } from './connection/incoming.ts';
import { hasHead } from './connection/node-internals.ts';
import { replyUnwritten } from './connection/reply.ts';

type OnError = (thrown: unknown) => void;

/**
 * Calls a listener. `onError` gets what it throws, or rejects with. `onMismatch` gets the error when the body has not the length
 * that its head declares; it replaces that of the listener before.
 */
export function callListener(exchange: Exchange, listener: () => unknown, onError: OnError, onMismatch: OnError): void {
  if (!exchange.isShared) share(exchange);
  exchange.onMismatch = onMismatch;
  try {
    const result = listener();
    if (isThenable(result)) adopt(result).catch(onError);
  } catch (thrown) {
    onError(thrown);
  }
}

/** Prepares the streams for code that may do anything with them. */
function share(exchange: Exchange): void {
  const { request, response, connection } = exchange;
  if (request instanceof Incoming) request.share();
  // The listener may destroy either stream, and an `error` event without a listener would end the process.
  request.on('error', ignore);
  response.on('error', ignore);
  if (connection.closesNext) response.setHeader('Connection', 'close');
  holdToLength(response, (thrown) => exchange.onMismatch?.(thrown));
  response.once('close', () => connection.replied(exchange));
}

/**
 * Replies for a listener that failed. If `writeHead` has thrown, or `reply` does, `fallback` goes to the socket directly. If
 * a part of a reply was sent, the connection is destroyed.
 */
export function replyFailure(exchange: Exchange, reply: () => void, fallback?: ErrorResponse): void {
  // A `writeHead` that threw has already changed how the response would frame a body.
  if (!exchange.isOpen || hasHead(exchange.response)) {
    replyUnwritten(exchange, fallback);
    return;
  }
  try {
    reply();
  } catch {
    replyUnwritten(exchange, fallback);
  }
}

function ignore(): void {}
