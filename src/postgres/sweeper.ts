/**
 * Removes what has expired, a few rows at a time, while a store is used. Nothing waits for it, and what fails is tried again: no request
 * fails because of it.
 */
import type { PostgresPool } from './pool.ts';

const PAUSE_MS = 1000;
const MIN_ROWS = 100;
// A short statement, even if it was not used for long.
const MAX_ROWS = 1000;

export class Sweeper {
  readonly #pool: PostgresPool;
  /** Its first parameter is the maximum of rows that it removes. */
  readonly #statement: string;
  #added = 0;
  #dueAt = -Infinity;

  constructor(pool: PostgresPool, statement: string) {
    this.#pool = pool;
    this.#statement = statement;
  }

  /** Called when a row was added. `values` are the further parameters of the statement. */
  added(...values: readonly unknown[]): void {
    // A shared connection has one transaction at a time: requests would wait for the removal.
    if (!('connect' in this.#pool)) return;
    this.#added += 1;
    const now = performance.now();
    if (now < this.#dueAt) return;
    this.#dueAt = now + PAUSE_MS;
    // Twice as many as were added, so that none is kept for long.
    const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, 2 * this.#added));
    this.#added = 0;
    this.#pool.query(this.#statement, [rows, ...values]).catch(() => {});
  }
}
