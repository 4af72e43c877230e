/** Limits how many requests are served at the same time: `limits.inFlight`. */
import { makeRejection } from '../../errors/problem.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Settings } from '../settings/server-options.ts';

// Seconds (RFC 9110 section 10.2.3). Most requests take milliseconds.
const RETRY_SOON = ['Retry-After', '1'];
const TOO_BUSY = makeRejection(503, 'The server has too many requests in progress.', RETRY_SOON);

export class Concurrency {
  readonly #maxInFlight: number;
  #inFlight = 0;

  private constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** `undefined` without limits, so that requests need not be counted. */
  static of({ limits: { inFlight } }: Settings): Concurrency | undefined {
    return inFlight === Infinity ? undefined : new Concurrency(inFlight);
  }

  /**
   * Counts a request until its response closes. A stream can stay open for hours, so it counts only until its head is sent.
   * Over a limit, sends a 503. Returns whether the request may go on.
   */
  admit(exchange: Exchange): boolean {
    if (this.#inFlight >= this.#maxInFlight) {
      exchange.sendError(TOO_BUSY);
      return false;
    }
    this.#inFlight += 1;
    let isStream = false;
    exchange.beginStream = () => {
      isStream = true;
      this.#inFlight -= 1;
    };
    // Before the next request of the connection begins.
    exchange.onClose(() => {
      if (!isStream) this.#inFlight -= 1;
    }, true);
    return true;
  }
}
