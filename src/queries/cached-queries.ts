/** The queries of an endpoint in a cache: what is stale is read again, and what is known is shown. */
import { findPlace, isBelow, type QueriedEndpoint } from './keys.ts';
import { changeRows } from './optimistic.ts';
import type { CachedQuery, QueryClientLike } from './query-client.ts';

export interface CachedQueries {
  /** Runs a change, and shows it before its response if `apply` is given. Refreshes even if it fails, since it may have been made. */
  readonly change: (kind: string, place: string, apply: ((item: unknown) => unknown) | false | undefined, send: () => PromiseLike<unknown>) => Promise<unknown>;
  /** Refreshes what a change at a place makes stale: the queries there, above it, and below it. */
  readonly refresh: (place: string) => void;
  /** Removes the queries of a deleted item, since to read them again would be a 404. */
  readonly remove: (place: string) => void;
  /** Puts a changed item into its query and into lists. Returns a function that takes it back where nobody has written since. */
  readonly show: (place: string, apply: (item: unknown) => unknown) => () => void;
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
  // `isMutating` of the cache still counts changes that have ended.
  let changes = 0;
  let isRefreshing = false;

  const isStale = (place: string, [base, , where]: readonly unknown[]): boolean => {
    return where === place || isBelow(place, where) || isBelow(where, place) || others.some((other) => other.test(`${base}`));
  };

  /**
   * Refreshes after the last of several changes, since a response before it would not show the others, and one time after the other: each
   * would cancel the requests of the one before, and under steady events nothing would ever be read.
   */
  const refreshAll = async (): Promise<void> => {
    isRefreshing = true;
    while (stale.size > 0 && changes === 0) {
      const places = [...stale];
      stale.clear();
      const predicate = ({ queryKey }: CachedQuery): boolean => places.some((place) => isStale(place, queryKey));
      // An invalidation alone would let a first load end, though it may have been read before the change.
      void cache.cancelQueries({ type: 'active', predicate }, { silent: true });
      await cache.invalidateQueries({ predicate });
    }
    isRefreshing = false;
  };
  const refresh = (place: string): void => {
    stale.add(place);
    if (!isRefreshing) void refreshAll();
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
  const show = (place: string, apply: (item: unknown) => unknown): () => void => {
    const changeRow = (row: unknown): unknown => (Object(row) === row && findPlace(endpoint, idOf(row)) === place ? apply(row) : row);
    const change = (kind: unknown, data: any): unknown => {
      return kind === 'get' ? apply(data) ?? data
        : kind === 'list' ? changeRows(data, changeRow)
        : { ...data, pages: data.pages.map((page: unknown) => changeRows(page, changeRow)) };
    };
    // Nothing is written if `apply` throws.
    const changed = cache.getQueriesData(showing(place)).map(([key, before]) => [key, before, change(key[1], before)] as const);
    const written = changed.map(([key, before, after]) => {
      cache.setQueryData(key, after);
      return [key, before, cache.getQueryData(key)] as const;
    });
    return () => {
      for (const [key, before, shown] of written) if (cache.getQueryData(key) === shown) cache.setQueryData(key, before);
    };
  };

  const change: CachedQueries['change'] = async (kind, place, apply, send) => {
    let undo: (() => void) | undefined;
    changes += 1;
    try {
      if (apply) {
        // Requests that are on their way would show the item as it was.
        await cache.cancelQueries(showing(place));
        undo = show(place, apply);
      }
      const value = await send();
      if (kind === 'delete') remove(place);
      return value;
    } catch (error) {
      undo?.();
      throw error;
    } finally {
      changes -= 1;
      refresh(place);
    }
  };
  return { change, refresh, remove, show };
}
