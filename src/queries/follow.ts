/** Following a stream of events: each says which item has changed. */
import type { Places } from './keys.ts';
import { show } from './optimistic.ts';
import type { QueryClientLike } from './query-client.ts';
import type { ChangedItem } from './types.ts';

export interface Following {
  readonly cache: QueryClientLike;
  readonly places: Places;
  /** Refreshes what is stale after a change of an item, or of everything. */
  readonly refresh: (place: string) => void;
  /** Removes the queries of a deleted item. */
  readonly remove: (place: string) => void;
}

/**
 * Refreshes by the events of a stream, until it ends or its signal aborts. Rejects if the stream fails, or if `read` throws. An item that an
 * event has is shown at once, and read again: the event may be older than what is shown.
 */
export async function follow(
  { cache, places, refresh, remove }: Following,
  open: (options: object) => AsyncIterable<unknown>,
  read: (event: unknown) => ChangedItem<unknown, unknown>,
  options: { readonly signal?: AbortSignal; readonly onResponse?: (response: Response) => unknown } = {},
): Promise<void> {
  let connections = 0;
  let id: unknown;
  const onResponse = (response: Response): unknown => {
    connections += 1;
    // Events that were missed while the connection was lost are only sent if they have ids.
    if (connections > 1 && id === undefined) refresh(places.url);
    return options.onResponse?.(response);
  };
  try {
    for await (const event of open({ ...options, onResponse })) {
      ({ id } = Object(event) as { id?: unknown });
      const changed = read(event);
      if (changed === null) continue;
      const place = changed === undefined || !places.hasId ? places.url : places.placeOf(changed.id);
      if (changed?.item === null) remove(place);
      if (changed?.item !== undefined) show(cache, places, place, () => changed.item ?? undefined);
      refresh(place);
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  }
}
