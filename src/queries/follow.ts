/** Following a stream of events: each says which item has changed. */
import type { RequestOptions } from '../client/options.ts';
import type { CachedQueries } from './cached-queries.ts';
import type { QueriedEndpoint } from './keys.ts';
import type { ChangedItem } from './types.ts';

/**
 * Refreshes by the events of a stream, until it ends or its signal aborts. An item that an event has is shown at once, and read again: the
 * event may be older than what is shown.
 */
export async function follow(
  cached: CachedQueries, { url, placeOf }: QueriedEndpoint, open: (options: RequestOptions) => AsyncIterable<unknown>,
  read: (event: unknown) => ChangedItem<unknown, unknown>, options: RequestOptions = {},
): Promise<void> {
  // `null` before the first connection.
  let id: unknown = null;
  const onResponse = (response: Response): unknown => {
    // Events that were missed while the connection was lost are only sent if they have ids.
    if (id === undefined) cached.refresh(url);
    id ??= undefined;
    return options.onResponse?.(response);
  };
  try {
    for await (const event of open({ ...options, onResponse })) {
      ({ id } = Object(event) as { id?: unknown });
      const changed = read(event);
      if (changed === null) continue;
      const place = changed ? placeOf(changed.id) : url;
      const item = changed?.item;
      if (item === null) cached.remove(place);
      if (item !== undefined) cached.show(place, () => item ?? undefined);
      cached.refresh(place);
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  }
}
