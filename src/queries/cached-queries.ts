/** The queries of an endpoint in a cache: what is stale is read again, and what is known is shown. */
import { findPlace, isBelow, type QueriedEndpoint } from './keys.ts';
import { changeRows } from './optimistic.ts';
import type { CachedQuery, QueryClientLike } from './query-client.ts';

export interface CachedQueries {
  /** Runs a change, and shows it before its response if `apply` is given. Refreshes even if it fails, since it may have been made. */
  readonly change: (kind: string, place: string, apply: ((item: unknown) => unknown) | false | undefined, send: () => PromiseLike<unknown>) => Promise<unknown>;
  /** Refreshes what a change at a place makes stale: the queries there, above it, and below it. */
  readonly refresh: (place: string) => unknown;
  /** Removes the queries of a deleted item, since to read them again would be a 404. */
  readonly remove: (place: string) => void;
  /** Puts a changed item into its query and into lists. */
  readonly show: (place: string, apply: (item: unknown) => unknown) => unknown;
}

/** What a change has written to a query. */
interface Layer {
  readonly key: readonly unknown[];
  before: unknown;
  shown: unknown;
}

// By cache and endpoint, since a component makes options at each rendering.
const known = new WeakMap<QueryClientLike, Map<string, CachedQueries>>();

export function findCached(cache: QueryClientLike, endpoint: QueriedEndpoint): CachedQueries {
  const byUrl = known.get(cache) ?? new Map<string, CachedQueries>();
  const found = byUrl.get(endpoint.url) ?? makeCached(cache, endpoint);
  known.set(cache, byUrl.set(endpoint.url, found));
  return found;
}

function makeCached(cache: QueryClientLike, endpoint: QueriedEndpoint): CachedQueries {
  const { url, idOf, others } = endpoint;
  const stale = new Set<string>();
  // What optimistic changes have written that have not ended. `isMutating` of the cache still counts those that have.
  const pending = new Set<Layer[]>();
  let isRefreshing = false;

  /**
   * Refreshes after the last of several optimistic changes, since a response before it would not show the others, and one time after the
   * other: each would cancel the requests of the one before, and under steady events nothing would ever be read.
   */
  const refresh = async (place: string): Promise<void> => {
    stale.add(place);
    if (isRefreshing) return;
    isRefreshing = true;
    try {
      while (stale.size > 0 && pending.size === 0) {
        const places = [...stale];
        stale.clear();
        const predicate = ({ queryKey: [base, , where] }: CachedQuery): boolean => places.some((each) => {
          return where === each || isBelow(each, where) || isBelow(where, each) || (typeof base === 'string' && others.some((other) => other.test(base)));
        });
        // An invalidation alone would let a first load end, though it may have been read before the change.
        void cache.cancelQueries({ type: 'active', predicate }, { silent: true });
        await cache.invalidateQueries({ predicate });
      }
    } finally {
      // A function of the user that the cache calls may throw, such as `enabled`.
      isRefreshing = false;
    }
  };

  // The id of a wildcard can begin with a different item's.
  const remove = (place: string): unknown => cache.removeQueries({
    predicate: ({ queryKey: [base, , where] }) => (base === url ? where === place : isBelow(where, place)),
  });

  const showing = (place: string) => ({
    predicate: ({ queryKey: [base, kind, where], state }: CachedQuery): boolean => {
      return state.data !== undefined && base === url && (kind === 'get' ? where === place : kind === 'list' || kind === 'pages');
    },
  });
  const show = (place: string, apply: (item: unknown) => unknown): readonly Layer[] => {
    const changeRow = (row: unknown): unknown => (row && findPlace(endpoint, idOf(row)) === place ? apply(row) : row);
    const change = (kind: unknown, data: any): unknown => {
      return kind === 'get' ? apply(data) ?? data
        : kind === 'list' ? changeRows(data, changeRow)
        : { ...data, pages: data.pages.map((page: unknown) => changeRows(page, changeRow)) };
    };
    // Nothing is written if `apply` throws.
    const changed = cache.getQueriesData(showing(place)).map(([key, before]) => [key, before, change(key[1], before)] as const);
    return changed.map(([key, before, after]) => ({ key, before, shown: cache.setQueryData(key, after) }));
  };

  /** Takes back what a failed change has shown, where nobody else has written since. A change after it then leads back to what was before both. */
  const takeBack = ({ key, before, shown }: Layer): void => {
    const now = cache.getQueryData(key) === shown && cache.setQueryData(key, before);
    for (const layer of [...pending].flat()) {
      if (layer.before === shown) layer.before = before;
      if (now && layer.shown === before) layer.shown = now;
    }
  };

  const change: CachedQueries['change'] = async (kind, place, apply, send) => {
    const mine: Layer[] = [];
    try {
      if (apply) {
        pending.add(mine);
        // Requests that are on their way would show the item as it was.
        await cache.cancelQueries(showing(place));
        mine.push(...show(place, apply));
      }
      const value = await send();
      if (kind === 'delete') remove(place);
      return value;
    } catch (error) {
      mine.forEach(takeBack);
      throw error;
    } finally {
      pending.delete(mine);
      void refresh(place);
    }
  };
  return { change, refresh, remove, show };
}
