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
   * Maximum keys. At the maximum, a further key takes the room of the key whose quota is whole again soonest, if that has some quota
   * left. If it has none, all further keys share one quota, so that nobody gets rid of a limit by many addresses.
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
  readonly key: string;
  readonly #limit: number;
  readonly #windowMs: number;
  #missing = 0;
  #at = 0;
  /** The time at which the quota is whole again. */
  fullAt = 0;
  /** `fullAt` as it was when the heap was last sorted. It can only be later now. */
  sortedAs = 0;

  constructor(key: string, { limit, windowSeconds }: RatePolicy) {
    this.key = key;
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

/**
 * Counts rates in memory (GCRA). For each key, it stores how much of the quota is missing:
 *
 *   missing, in quota × milliseconds   ->   less `limit` in each millisecond, more `cost` × `windowMs` with each call
 *
 * These are whole numbers, so that nothing is lost to rounding.
 */
class MemoryRates implements RateStore {
  readonly #max: number;
  readonly #quotas = new Map<string, Quota>();
  /** A heap: the quota at index n is whole again no sooner than the one at n / 2. It begins at index 1. */
  readonly #sorted: (Quota | undefined)[] = [undefined];
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
    // Removes two for each one that is added, so that none is kept for long after it is whole again.
    for (let removed = 0; removed < 2 && this.#first !== undefined && this.#first.fullAt <= now; removed += 1) this.#removeFirst();
    const quota = new Quota(key, policy);
    // A cost of 0 only reads, so there is nothing to store.
    if (policy.cost === 0) return quota;
    if (this.#quotas.size >= this.#max) {
      if (this.#first?.isSpent(now) === true) return this.#share(policy);
      this.#removeFirst();
    }
    quota.sortedAs = now;
    this.#quotas.set(key, quota);
    this.#sorted.push(quota);
    this.#rise(this.#sorted.length - 1);
    return quota;
  }

  #share(policy: RatePolicy): Quota {
    const name = `${policy.limit}/${policy.windowSeconds}`;
    const shared = this.#shared.get(name) ?? new Quota('', policy);
    this.#shared.set(name, shared);
    return shared;
  }

  /** The quota that is whole again soonest. Sorts the first again while its time is later than when it was sorted. */
  get #first(): Quota | undefined {
    for (;;) {
      const first = this.#sorted[1];
      if (first === undefined || first.sortedAs === first.fullAt) return first;
      first.sortedAs = first.fullAt;
      this.#sink();
    }
  }

  #removeFirst(): void {
    const first = this.#sorted[1];
    const last = this.#sorted.pop();
    if (first === undefined) return;
    this.#quotas.delete(first.key);
    if (last === first) return;
    this.#sorted[1] = last;
    this.#sink();
  }

  #sink(): void {
    let at = 1;
    let least = this.#findLeastBelow(at);
    while (this.#timeAt(least) < this.#timeAt(at)) {
      this.#swap(at, least);
      at = least;
      least = this.#findLeastBelow(at);
    }
  }

  /** Finds which of the two below is whole again sooner. */
  #findLeastBelow(index: number): number {
    const left = 2 * index;
    return this.#timeAt(left + 1) < this.#timeAt(left) ? left + 1 : left;
  }

  #rise(from: number): void {
    for (let at = from; at > 1 && this.#timeAt(at) < this.#timeAt(at >> 1); at >>= 1) this.#swap(at, at >> 1);
  }

  #timeAt(index: number): number {
    return this.#sorted[index]?.sortedAs ?? Infinity;
  }

  #swap(one: number, other: number): void {
    const quota = this.#sorted[one];
    this.#sorted[one] = this.#sorted[other];
    this.#sorted[other] = quota;
  }
}
