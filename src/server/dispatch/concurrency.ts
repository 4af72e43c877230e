/** Limits how many requests are served at the same time: `limits.inFlight`. */
import { makeRejection } from '../../errors/problem.ts';
import type { Exchange } from '../exchange/exchange.ts';

// Seconds (RFC 9110 section 10.2.3). Most requests take milliseconds.
const RETRY_SOON = ['Retry-After', '1'];
const TOO_BUSY = makeRejection('busy', 'The server has too many requests in progress.', RETRY_SOON);

/**
 * Makes a function that counts a request until its response closes. A stream can stay open for hours, so it counts only until its head is
 * sent. Over the limit, the function sends a 503. It returns whether the request may go on.
 */
export function makeConcurrencyLimit(maxInFlight: number): (exchange: Exchange) => boolean {
  let inFlight = 0;
  return (exchange) => {
    if (inFlight >= maxInFlight) {
      exchange.sendError(TOO_BUSY);
      return false;
    }
    inFlight += 1;
    let isStream = false;
    exchange.beginStream = () => {
      isStream = true;
      inFlight -= 1;
    };
    // Before the next request of the connection begins.
    exchange.onClose(() => {
      if (!isStream) inFlight -= 1;
    }, true);
    return true;
  };
}
