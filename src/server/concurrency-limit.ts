/** Limits how many requests are served at once, over all connections. */
import type { Exchange } from './connection/exchange.ts';
import { beforeClose } from './node-internals/responses.ts';

export class ConcurrencyLimit {
  readonly #max: number;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a request until its response closes. Returns `false`, and does not count it, if the limit is reached. */
  enter({ response }: Exchange): boolean {
    if (this.#max === Infinity) return true;
    if (this.#count >= this.#max) return false;
    this.#count += 1;
    // Before the next request of the connection begins.
    beforeClose(response, () => (this.#count -= 1));
    return true;
  }
}
