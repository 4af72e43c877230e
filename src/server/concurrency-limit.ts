/** How many requests are in work at once, over all connections. */
import type { Exchange } from './connection/exchange.ts';

export class ConcurrencyLimit {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a request until its answer is out, or nearly so, or its client gone. Gives `false`, and counts nothing, when that is one too many. */
  enter(exchange: Exchange): boolean {
    if (this.#most === Infinity) return true;
    if (this.#count >= this.#most) return false;
    this.#count += 1;
    exchange.onRelease(() => (this.#count -= 1));
    // Before the next one of the connection is begun, which waits for the same event.
    exchange.response.prependOnceListener('close', () => exchange.release());
    return true;
  }
}
