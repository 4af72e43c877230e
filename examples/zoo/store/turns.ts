/** Transactions over one connection: one runs at a time, and everything else waits until it has ended. */
import type { MaybePromise } from './store.ts';

export class Turns {
  #last: Promise<void> = Promise.resolve();
  // Those that run or wait.
  #count = 0;

  /** Runs a transaction when all before it have ended. */
  async take<T>(run: () => MaybePromise<T>): Promise<T> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => (end = resolve));
    this.#count += 1;
    await before;
    try {
      return await run();
    } finally {
      this.#count -= 1;
      end();
    }
  }

  /** A table whose methods are called when it is their turn: at once, unless a transaction is open. */
  outside<Table extends object>(table: Table): Table {
    return new Proxy(table, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        const call = (args: readonly unknown[]): unknown => Reflect.apply(method, target, args);
        return (...args: readonly unknown[]) => (this.#count === 0 ? call(args) : this.take(() => call(args)));
      },
    });
  }
}
