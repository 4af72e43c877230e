/**
 * What a query of the cache shows: what the server has said, and over it the changes that it may not have said yet, in their order:
 *
 *   base      { id: 1, meals: 5 }
 *   changes   meals + 1, meals + 1         two optimistic changes that are on their way
 *   data      { id: 1, meals: 7 }          what is in the cache
 *
 * A response is the new base. Nobody knows whether it has such a change already, so what it says of that item does not count.
 */
import { changeItem, type ItemChange } from './items.ts';
import type { CachedQuery, QueryClientLike } from './query-client.ts';

export interface Overlay {
  readonly base: unknown;
  readonly changes: readonly ItemChange[];
}

/** Of the queries that show changes. */
export const overlays: WeakMap<CachedQuery, Overlay> = new WeakMap();

/** Writes what a query shows. `data` is the base with the changes, if it is known. */
function write(
  cache: QueryClientLike, query: CachedQuery, base: unknown, changes: readonly ItemChange[],
  data: unknown = changes.reduce((changed, change) => changeItem(query, change, changed), base),
): void {
  cache.setQueryData(query.queryKey, data);
  // After it, since `watch` deletes them whenever something is written.
  overlays.set(query, { base, changes });
}

/** Shows a change over all others, in the queries that have its item. With `isFailed`, it is taken back, as if it had never been. */
export function show(cache: QueryClientLike, change: ItemChange, isFailed?: boolean): void {
  const { url, place, apply } = change;
  const mayHaveItem = ({ queryKey: [base, kind, where], state }: CachedQuery): boolean => {
    return state.data !== undefined && base === url && (kind === 'get' ? where === place : kind === 'list' || kind === 'pages');
  };
  for (const query of apply ? cache.getQueryCache().findAll({ predicate: mayHaveItem }) : []) {
    const { data } = query.state;
    const { base, changes } = overlays.get(query) ?? { base: data, changes: [] };
    if (isFailed) {
      write(cache, query, base, changes);
      continue;
    }
    const changed = changeItem(query, change, data);
    // The server has said what an event has, so it replaces the changes of its item.
    const kept = change.isDone ? changes.filter((earlier) => earlier.place !== place) : changes;
    write(cache, query, change.isDone ? changeItem(query, change, base) : base, [...kept, change], changed);
  }
}

/** Shows the response that a query has just got. A stale one was asked for before a change was made, so that it may lack it. */
export function receive(cache: QueryClientLike, query: CachedQuery, isStale: boolean): void {
  const { base, changes } = overlays.get(query) ?? { changes: [] };
  overlays.delete(query);
  // Those of an item stay, in their order, while one of them is on its way.
  const kept = changes.filter(({ place }) => isStale || changes.some((change) => change.place === place && !change.isDone));
  const response = kept.reduce((data, change) => {
    let item: unknown;
    changeItem(query, change, base, (before) => (item = before));
    return changeItem(query, change, data, (row) => item ?? row);
  }, query.state.data);
  if (kept[0]) write(cache, query, response, kept);
}
