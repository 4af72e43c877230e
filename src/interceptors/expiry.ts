/** Lists of what expires: their oldest item is found in constant time. */

/** An item of a `List`. It can be in one list at a time. */
export interface Linked<T> {
  older: T | undefined;
  newer: T | undefined;
}

/** A linked list: any item is removed in constant time. A `Map` is ordered too, but iterates over the slots of its deleted keys. */
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

/** A queue. */
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
    // Only when half of the array is taken, so that each item is copied about once.
    if (this.#taken * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#taken);
    this.#taken = 0;
  }
}
