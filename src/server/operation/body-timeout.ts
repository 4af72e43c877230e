/** The time that an operation sets for the bodies of its requests, in place of the server's. */
import type { Exchange } from '../connection/exchange.ts';
import { rawErrorOf, REQUEST_TIMEOUT } from '../reply/error-reply.ts';
import type { Operation } from './served-endpoint.ts';

/** If the rest of the body does not arrive in the operation's own time, replies 408 and closes the connection. */
export function limitBodyTime(exchange: Exchange, { requestMs, endpoint }: Operation): void {
  if (requestMs === undefined || exchange.isReceived) return;
  const { connection, request, response } = exchange;
  exchange.hasOwnTimeout = true;
  const timeout = setTimeout(() => {
    if (!exchange.isReceived) connection.fail(() => rawErrorOf(REQUEST_TIMEOUT, exchange, endpoint.settings.formatProblem), false);
  }, requestMs).unref();
  response.once('close', () => {
    // After an early reply, the limit holds for the rest of the body.
    if (exchange.isReceived || request.destroyed) clearTimeout(timeout);
  });
}
