/** Limits the time in which a body must arrive, where Node's own limit does not apply. */
import { REQUEST_TIMEOUT } from './client-errors.ts';
import type { Exchange } from './exchange.ts';

/** If the rest of the body does not arrive within this time, responds 408 and closes the connection. */
export function limitBodyTime(exchange: Exchange, requestMs: number): void {
  const { connection, request, response } = exchange;
  if (exchange.isReceived || request.destroyed) return;
  exchange.isNodeTimeoutOff = true;
  const timeout = setTimeout(() => {
    if (!exchange.isReceived) connection.fail(REQUEST_TIMEOUT, false);
  }, requestMs).unref();
  const clear = (): void => clearTimeout(timeout);
  const clearAtEnd = (): void => {
    // When a client leaves, the response closes before the request does.
    if (exchange.isReceived || request.destroyed || connection.socket.destroyed) clear();
    // After an early response, the limit holds for the rest of the body.
    else request.once('end', clear).once('close', clear);
  };
  if (response.closed) clearAtEnd();
  else response.once('close', clearAtEnd);
}
