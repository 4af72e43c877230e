/** What a store of `rateLimit` must do, so that it can be kept in a database. */
import type { MaybePromise } from '../endpoint/decoder.ts';

/**
 * Counts what is taken of quotas: in memory, or in a database that several processes share.
 *
 * @example
 * ```ts
 * interface Database { take(key: string, cost: number, limit: number, windowSeconds: number): Promise<RateTaken> }
 *
 * const makeStore = (database: Database): RateStore => ({
 *   take: (key, { cost, limit, windowSeconds }) => database.take(key, cost, limit, windowSeconds),
 * });
 * ```
 */
export interface RateStore {
  /**
   * Takes `policy.cost` of the quota of a key, or nothing if there is less. This must be one atomic step: of two calls at once, the second
   * finds what the first has left. A cost of 0 only reads. `key` has up to 300 characters of printable ASCII.
   */
  take(key: string, policy: RatePolicy): MaybePromise<RateTaken>;
}

/** How much a key may take. */
export interface RatePolicy {
  /** The whole quota. */
  readonly limit: number;
  /** The seconds in which an empty quota is whole again. It grows steadily. */
  readonly windowSeconds: number;
  /** How much is to be taken: from 0 to `limit`. */
  readonly cost: number;
}

/** What was taken. */
export interface RateTaken {
  /** Whether there was enough. */
  readonly isAllowed: boolean;
  /** The milliseconds until the quota is whole again, after this call. */
  readonly fullMs: number;
}
