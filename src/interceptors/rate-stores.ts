/** Stores of `rateLimit`: the interface, which can be kept in a database, and a store in memory. */
import type { MaybePromise } from '../declaration/decoder.ts';
import { readClock } from './clock.ts';
import { type Checked, integer, shape, type Shape } from '../util/options.ts';

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

/**
 * The options of `memoryRates`.
 *
 * @example
 * ```ts
 * const options: MemoryRatesOptions = { max: 10_000 };
 * rateLimit({ limit: 100, windowSeconds: 60, store: memoryRates(options) });
 * ```
 */
export interface MemoryRatesOptions {
  /**
   * Maximum keys. At the maximum, a further key looks at 16 others in turn, and takes the room of the one whose quota is whole again
   * soonest, if some of it is left. If none of them has any left, it shares one quota with all further keys, so that nobody gets rid of a
   * limit by many addresses.
   *
   * @default 100_000
   */
  readonly max?: number;
}

/** `memoryRates(options)`: {@link MemoryRatesOptions}. */
export const MEMORY_RATES_OPTIONS: Shape<Checked<MemoryRatesOptions, 'max'>> = shape({ max: integer(1, Number.MAX_SAFE_INTEGER, 100_000) });

/**
 * Counts requests in memory: for one process, until it ends.
 *
 * @example
 * ```ts
 * rateLimit({ limit: 100, windowSeconds: 60, store: memoryRates({ max: 10_000 }) });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function memoryRates(options: MemoryRatesOptions = {}): RateStore {
  return new MemoryRates(MEMORY_RATES_OPTIONS.check(options, 'options').max);
}

/** The quota of a key. */
class Quota {
  readonly #limit: number;
  readonly #windowMs: number;
  #missing = 0;
  #at = 0;
  /** The time at which the quota is whole again. */
  fullAt = 0;

  constructor({ limit, windowSeconds }: RatePolicy) {
    this.#limit = limit;
    this.#windowMs = windowSeconds * 1000;
  }

  take(cost: number, now: number): RateTaken {
    const missing = this.#missingAt(now);
    const wanted = missing + cost * this.#windowMs;
    const isAllowed = wanted <= this.#limit * this.#windowMs;
    this.#missing = isAllowed ? wanted : missing;
    this.#at = now;
    const fullMs = this.#missing / this.#limit;
    this.fullAt = now + fullMs;
    return { isAllowed, fullMs };
  }

  /** Whether less than one request is left now. */
  isSpent(now: number): boolean {
    return this.#missingAt(now) + this.#windowMs > this.#limit * this.#windowMs;
  }

  #missingAt(now: number): number {
    return Math.max(0, this.#missing - (now - this.#at) * this.#limit);
  }
}

/** How many keys are looked at for each new key, so that none is kept for long after its quota is whole again. */
const LOOKS = 2;
/** How many are looked at while the store is full. */
const LOOKS_IF_FULL = 16;

/**
 * Counts rates in memory (GCRA). For each key, it stores how much of the quota is missing:
 *
 *   missing, in quota × milliseconds   ->   less `limit` in each millisecond, more `cost` × `windowMs` with each call
 *
 * These are whole numbers, so that nothing is lost to rounding.
 *
 * A new key looks at a few others, in turn:
 *
 *   a quota is whole again    ->   the key is removed
 *   the store is still full   ->   the one that is whole again soonest makes room, if some of it is left
 *   all of these are spent    ->   the new key shares one quota with all others for which there is no room
 */
class MemoryRates implements RateStore {
  readonly #max: number;
  readonly #quotas = new Map<string, Quota>();
  /** The keys that are looked at next. */
  #turn = this.#quotas.entries();
  /** The quotas of keys for which there is no room. All keys with the same policy share one. */
  readonly #shared = new Map<string, Quota>();

  constructor(max: number) {
    this.#max = max;
  }

  take(key: string, policy: RatePolicy): RateTaken {
    const now = Math.floor(readClock());
    return (this.#quotas.get(key) ?? this.#add(key, policy, now)).take(policy.cost, now);
  }

  #add(key: string, policy: RatePolicy, now: number): Quota {
    const quota = new Quota(policy);
    // A cost of 0 only reads, so there is nothing to store.
    if (policy.cost === 0) return quota;
    if (!this.#makeRoom(now)) return this.#share(policy);
    this.#quotas.set(key, quota);
    return quota;
  }

  /** Returns whether there is room for one more key. */
  #makeRoom(now: number): boolean {
    const looks = this.#quotas.size < this.#max ? LOOKS : LOOKS_IF_FULL;
    let soonest: string | undefined;
    let soonestAt = Infinity;
    for (let look = 0; look < looks && this.#quotas.size > 0; look += 1) {
      const [key, quota] = this.#next();
      if (quota.fullAt <= now) {
        this.#quotas.delete(key);
      } else if (quota.fullAt < soonestAt && !quota.isSpent(now)) {
        soonest = key;
        soonestAt = quota.fullAt;
      }
    }
    if (this.#quotas.size >= this.#max && soonest !== undefined) this.#quotas.delete(soonest);
    return this.#quotas.size < this.#max;
  }

  /** The key whose turn it is, of at least one. */
  #next(): [key: string, quota: Quota] {
    let { value } = this.#turn.next();
    if (value === undefined) {
      this.#turn = this.#quotas.entries();
      ({ value } = this.#turn.next());
    }
    return value as [string, Quota];
  }

  #share(policy: RatePolicy): Quota {
    const name = `${policy.limit}/${policy.windowSeconds}`;
    const shared = this.#shared.get(name) ?? new Quota(policy);
    this.#shared.set(name, shared);
    return shared;
  }
}
