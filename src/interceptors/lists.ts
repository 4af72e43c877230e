/** Lists from which the oldest item is taken at once, however many were removed before. A `Map` has an order too, but passes over deleted keys. */

/** An item of a `List`: of one at a time. */
export interface Linked<T> {
  older: T | undefined;
  newer: T | undefined;
}

/** A list in which any item can be removed at once. */
export class List<T extends Linked<T>> {
  oldest: T | undefined;
  #newest: T | undefined;

  add(item: T): void {
    item.older = this.#newest;
    if (this.#newest === undefined) this.oldest = item;
    else this.#newest.newer = item;
    this.#newest = item;
  }

  remove(item: T): void {
    const { older, newer } = item;
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    item.older = item.newer = undefined;
  }
}

/** A list of which only the oldest item is taken. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get size(): number {
    return this.#items.length - this.#taken;
  }

  get oldest(): T | undefined {
    return this.#items[this.#taken];
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): void {
    this.#taken += 1;
    // Half of the list at least, so that each item is moved once on average.
    if (this.#taken * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#taken);
    this.#taken = 0;
  }
}
