/** Limits how many requests are in work at once, over all connections. */
import type { Exchange } from './connection/exchange.ts';

export class ConcurrencyLimit {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a request until it is released or its response closes. Gives `false`, without counting it, at the limit. */
  enter(exchange: Exchange): boolean {
    if (this.#max === Infinity) return true;
    if (this.#count >= this.#max) return false;
    this.#count += 1;
    exchange.onRelease(() => (this.#count -= 1));
    // First of the listeners: another one begins the connection's next request, which must not be refused because of this one.
    exchange.response.prependOnceListener('close', () => exchange.release());
    return true;
  }
}
