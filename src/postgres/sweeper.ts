/**
 * Removes what has expired, a few rows at a time, while a store is used. Nothing waits for it, and what fails is tried again: no request
 * fails because of it.
 */
import { formatError } from '../util/promises.ts';
import { isConflict, isTemporary } from './failures.ts';
import { qualified } from './names.ts';
import type { PostgresPool, PostgresQueries } from './pool.ts';

const PAUSE_MS = 1000;
const MIN_ROWS = 100;
// A short statement, even if it was not used for long.
const MAX_ROWS = 1000;
// The keys of each are counted, which takes a millisecond where there are many. The others have their turn the next time.
const MAX_CALLERS = 20;
const MAX_WAITING = 10_000;

export class Sweeper {
  readonly #pool: PostgresPool;
  readonly #queries: PostgresQueries;
  readonly #statement: string;
  readonly #values: (callers: readonly string[]) => readonly unknown[];
  /** Who has added rows since they were swept, first come, first served. */
  readonly #callers = new Set<string>();
  #added = 0;
  #dueAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  /**
   * The first parameter of the statement is the maximum of rows that it removes; it returns a row for each. `values` makes the further
   * ones.
   */
  constructor(pool: PostgresPool, statement: string, values: (callers: readonly string[]) => readonly unknown[] = () => []) {
    this.#pool = pool;
    this.#queries = qualified(pool);
    this.#statement = statement;
    this.#values = values;
  }

  /** Called when a row was added, with the caller whose rows are counted. */
  added(caller?: string): void {
    // A shared connection has one transaction at a time: requests would wait for the removal.
    if (!('connect' in this.#pool)) return;
    this.#added += 1;
    if (caller !== undefined && this.#callers.size < MAX_WAITING) this.#callers.add(caller);
    this.#plan();
  }

  /** Sweeps now, or after the pause, even if nothing is added until then. */
  #plan(): void {
    if (this.#timer !== undefined) return;
    const waitMs = this.#dueAt - performance.now();
    if (waitMs <= 0) void this.#sweep();
    else this.#timer = setTimeout(() => void this.#sweep(), waitMs).unref();
  }

  /** Never rejects. */
  async #sweep(): Promise<void> {
    this.#timer = undefined;
    this.#dueAt = performance.now() + PAUSE_MS;
    // Twice as many as were added, so that none is kept for long.
    const max = Math.min(MAX_ROWS, Math.max(MIN_ROWS, 2 * this.#added));
    const callers = [...this.#callers].slice(0, MAX_CALLERS);
    this.#added = 0;
    for (const caller of callers) this.#callers.delete(caller);
    try {
      const { rows } = await this.#queries.query(this.#statement, [max, ...this.#values(callers)]);
      // There may be more: at once, since a burst can add more in a second than a statement removes.
      if (rows.length >= max) {
        this.#dueAt = -Infinity;
        this.#added += max;
        for (const caller of callers) this.#callers.add(caller);
      }
    } catch (error) {
      this.#warn(error);
    }
    if (this.#added > 0 || this.#callers.size > 0) this.#plan();
  }

  /** Warns of what the user has to change, such as a right that is missing: nobody else would notice. */
  #warn(error: unknown): void {
    const { ending } = this.#pool as { readonly ending?: unknown };
    if (this.#hasWarned || ending === true || isTemporary(error) || isConflict(error)) return;
    this.#hasWarned = true;
    process.emitWarning(`restpoint/postgres cannot remove what has expired: ${formatError(error)}`);
  }
}
