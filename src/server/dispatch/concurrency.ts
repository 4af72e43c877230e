/** Limits how many requests are served at the same time: `limits.inFlight` and `limits.streams`. */
import { makeRejection } from '../../errors/problem.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Settings } from '../settings/options.ts';

// Seconds (RFC 9110 section 10.2.3). Most requests take milliseconds.
const RETRY_SOON = ['Retry-After', '1'];
const TOO_BUSY = makeRejection(503, 'The server has too many requests in progress.', RETRY_SOON);
const TOO_MANY_STREAMS = makeRejection(503, 'The server has too many open streams.', RETRY_SOON);

export class Concurrency {
  readonly #maxInFlight: number;
  readonly #maxStreams: number;
  #inFlight = 0;
  #streams = 0;

  private constructor({ inFlight, streams }: Settings['limits']) {
    this.#maxInFlight = inFlight;
    this.#maxStreams = streams;
  }

  /** `undefined` without limits, so that requests need not be counted. */
  static of({ limits }: Settings): Concurrency | undefined {
    return limits.inFlight === Infinity && limits.streams === Infinity ? undefined : new Concurrency(limits);
  }

  /**
   * Counts a request until its response closes. A stream can stay open for hours, so once its head is sent it counts only as a stream.
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
      if (this.#streams >= this.#maxStreams) {
        exchange.sendError(TOO_MANY_STREAMS);
        return false;
      }
      isStream = true;
      this.#inFlight -= 1;
      this.#streams += 1;
      return true;
    };
    // Before the next request of the connection begins.
    exchange.onClose(() => {
      if (isStream) this.#streams -= 1;
      else this.#inFlight -= 1;
    }, true);
    return true;
  }
}
