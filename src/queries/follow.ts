/** Following a stream of events: each says which item has changed. */
import type { RequestOptions } from '../client/options.ts';
import { refresh, remove } from './cached-queries.ts';
import type { QueriedEndpoint } from './keys.ts';
import type { QueryClientLike } from './query-client.ts';
import { show } from './shown.ts';
import type { ChangedItem, FollowOptions } from './types.ts';

/**
 * Refreshes by the events of a stream, until it ends or its signal aborts. An item that an event has is shown at once, and read again: the
 * event may be older than what is shown. If the server does not know the id of the last event any more (410), all is read again, and a new
 * stream begins now.
 */
export async function follow(
  cache: QueryClientLike, endpoint: QueriedEndpoint, open: (options: RequestOptions) => AsyncIterable<unknown>,
  read: (event: unknown) => ChangedItem<unknown, unknown>, given: FollowOptions<any> = {},
): Promise<void> {
  const { version, ...options } = given;
  let id: unknown;
  const onResponse = (response: Response): unknown => {
    // What has changed before this connection was open is only sent after an id.
    if (id === undefined) refresh(cache, endpoint);
    return options.onResponse?.(response);
  };
  try {
    for await (const event of open({ ...options, onResponse })) {
      ({ id } = Object(event) as { id?: unknown });
      const changed = read(event);
      if (changed) {
        const { item } = changed;
        const apply = (current: unknown): unknown => {
          return version && item && current && version(current) > version(item) ? current : item ?? undefined;
        };
        const change = { ...endpoint, place: endpoint.placeOf(changed.id), id: changed.id, apply, isDone: true };
        if (item === null) remove(cache, change);
        if (item !== undefined) show(cache, change);
        refresh(cache, change);
      } else if (changed === undefined) refresh(cache, endpoint);
    }
  } catch (error) {
    if (options.signal?.aborted) return;
    if (id === undefined || Object(error).status !== 410) throw error;
    return follow(cache, endpoint, open, read, given);
  }
}
