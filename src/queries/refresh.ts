/** Refreshing what changes and events have made stale. */
import type { QueryClientLike } from './query-client.ts';

type IsStale = (queryKey: readonly unknown[]) => boolean;

/** By cache and endpoint, since a component makes options at each rendering. */
const refreshes = new WeakMap<QueryClientLike, Map<string, Refresh>>();

/** The refreshing of an endpoint's stale queries in a cache. */
export function refreshOf(cache: QueryClientLike, url: string): Refresh {
  const ofCache = refreshes.get(cache) ?? new Map<string, Refresh>();
  refreshes.set(cache, ofCache);
  const refresh = ofCache.get(url) ?? new Refresh(cache);
  ofCache.set(url, refresh);
  return refresh;
}

/**
 * Refreshes after the last of several changes: the responses before it would not show the others. One refresh at a time: each would cancel
 * the requests of the one before, and under steady events nothing would ever be read.
 */
export class Refresh {
  readonly #cache: QueryClientLike;
  /** What is stale, by a name, so that a burst of events at a place is one. */
  readonly #stale = new Map<string, IsStale>();
  // `isMutating` of the cache still counts changes that have ended.
  #changes = 0;
  #isRunning = false;

  constructor(cache: QueryClientLike) {
    this.#cache = cache;
  }

  /** Runs a change. What it makes stale is refreshed even if it fails, since its response may be lost. */
  async after<T>(change: () => Promise<T>, name: string, isStale: IsStale): Promise<T> {
    this.#changes += 1;
    try {
      return await change();
    } finally {
      this.#changes -= 1;
      this.add(name, isStale);
    }
  }

  /** Refreshes as soon as no change and no refresh is on its way. */
  add(name: string, isStale: IsStale): void {
    this.#stale.set(name, isStale);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#stale.size > 0 && this.#changes === 0) {
        const all = [...this.#stale.values()];
        this.#stale.clear();
        await this.#cache.invalidateQueries({ predicate: ({ queryKey }) => all.some((isStale) => isStale(queryKey)) });
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
