/** The queries of a cache: what is stale is read again, what is known is shown. Each waits only for its own read, and none is cancelled. */
import type { ItemChange } from './items.ts';
import { isBelow, type QueriedEndpoint } from './keys.ts';
import type { CachedQuery, QueryClientLike } from './query-client.ts';
import { overlays, receive, show } from './shown.ts';

const watchedCaches = new WeakSet<QueryClientLike>();
/** The queries to read once more after the read that is on its way: its response may be older than a change. */
const staleReads = new WeakSet<CachedQuery>();

/** Follows from then on what becomes of the queries of a cache. */
function watch(cache: QueryClientLike): void {
  if (watchedCaches.has(cache)) return;
  watchedCaches.add(cache);
  // Asynchronous, so that what a function of the user throws does not become the error of the read.
  cache.getQueryCache().subscribe(async ({ query, action: { type, manual, meta } = {} }) => {
    // Who has written has seen what is shown.
    if (manual) overlays.delete(query);
    else if (type) {
      // A fetch of a next page cancels the read that was to refresh the query.
      if (meta && query.state.isInvalidated) staleReads.add(query);
      if (type === 'success') receive(cache, query, staleReads.has(query));
      if (query.state.fetchStatus === 'idle' && staleReads.delete(query)) void readAgain(cache, (stale) => stale === query);
    }
  });
}

/**
 * Marks queries as stale, and reads those that are shown. One that is being read is read after that: to cancel its read could lose a next
 * page. Rejects if a function of the user throws, such as `enabled`.
 */
async function readAgain(cache: QueryClientLike, isStale: (query: CachedQuery) => boolean): Promise<void> {
  watch(cache);
  // Notes a query that is being read, and leaves it out.
  const mayBeRead = (query: CachedQuery): boolean => query.state.fetchStatus === 'idle' || !staleReads.add(query);
  await cache.invalidateQueries({ predicate: (query) => isStale(query) && mayBeRead(query) });
}

/**
 * Refreshes what a change makes stale: the queries at its place, above it, and below it. Without a place, those of the endpoint. Nobody
 * waits for it: it would end with the slowest.
 */
export function refresh(cache: QueryClientLike, { also, url, place = url }: QueriedEndpoint & Partial<ItemChange>): void {
  void readAgain(cache, ({ queryKey: [base, , where] }) => {
    return where === place || isBelow(place, where) || isBelow(where, place)
      || (typeof base === 'string' && also.some((pattern) => pattern.test(base)));
  });
}

/** Removes the queries of a deleted item, since to read them again would be a 404. */
export function remove(cache: QueryClientLike, { url, place }: ItemChange): void {
  // The id of a wildcard can begin with a different item's.
  cache.removeQueries({ predicate: ({ queryKey: [base, , where] }) => (base === url ? where === place : isBelow(where, place)) });
}

/** Runs a change, and shows it before its response. Refreshes even if it fails, since it may have been made. */
export async function run(
  cache: QueryClientLike, change: ItemChange, send: () => PromiseLike<unknown>, isDelete: boolean,
): Promise<unknown> {
  watch(cache);
  try {
    show(cache, change);
    const value = await send();
    if (isDelete) remove(cache, change);
    return value;
  } catch (error) {
    change.apply &&= (item) => item;
    show(cache, change, true);
    throw error;
  } finally {
    change.isDone = true;
    refresh(cache, change);
  }
}
