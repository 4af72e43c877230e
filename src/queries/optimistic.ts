/** Showing an item before it is read again: in its own query, and in the lists of its endpoint. */
import type { Places } from './keys.ts';
import type { QueryClientLike } from './query-client.ts';

/** The item as a change leaves it. `undefined` removes it from lists. */
export type Apply = (item: any, ...args: any[]) => unknown;

/**
 * Shows a change before its response. Returns a function that takes it back. Requests that are on their way would show the item as it was:
 * they are cancelled, except for first loads, which show nothing yet.
 */
export async function showEarly(cache: QueryClientLike, places: Places, place: string, apply: (item: unknown) => unknown): Promise<() => void> {
  await cache.cancelQueries({ predicate: ({ queryKey, state }) => state.data !== undefined && hasItem(places, place, queryKey) });
  return show(cache, places, place, apply);
}

/** Puts a changed item into its query and into lists. Returns a function that takes it back where nobody has written since. */
export function show(cache: QueryClientLike, places: Places, place: string, apply: (item: unknown) => unknown): () => void {
  const changeRow = (row: unknown): unknown => (places.findRow(row) === place ? apply(row) : row);
  // If the function throws, nothing is written.
  const written = cache.getQueriesData({ predicate: ({ queryKey }) => hasItem(places, place, queryKey) }).map(([key, before]) => {
    const after = before === undefined ? undefined : key[1] === 'get' ? apply(before) : changeRows(before, changeRow);
    return { key, before, after };
  }).filter(({ after }) => after !== undefined).map(({ key, before, after }) => {
    cache.setQueryData(key, after);
    return { key, before, shown: cache.getQueryData(key) };
  });
  return () => {
    for (const { key, before, shown } of written) if (cache.getQueryData(key) === shown) cache.setQueryData(key, before);
  };
}

function hasItem({ url }: Places, place: string, [endpoint, kind, where]: readonly unknown[]): boolean {
  return endpoint === url && (kind === 'get' ? where === place : kind === 'list' || kind === 'pages');
}

/** Changes the rows of a list, of an envelope with `items`, or of pages. A row that becomes `undefined` is left out. */
function changeRows(data: any, change: (row: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map(change).filter((row) => row !== undefined);
  if (Array.isArray(data?.pages)) return { ...data, pages: data.pages.map((page: unknown) => changeRows(page, change)) };
  return Array.isArray(data?.items) ? { ...data, items: changeRows(data.items, change) } : data;
}

/** The item as a PUT or a PATCH with this body leaves it, as far as it is known before the response. A form is not shown. */
export function applyBody(item: any, body: any): unknown {
  const [was, is] = [item, body].map((value) => ({}).toString.call(value));
  return was !== is ? item : is === '[object Object]' ? { ...item, ...body } : body;
}

/** The item as `edit` leaves it. Its function is called again with the newest item, and only then may it reject or take time. */
export function applyEdit(item: unknown, change: (item: unknown) => any): unknown {
  try {
    const changed = change(item);
    return typeof changed?.then === 'function' ? item : changed ?? item;
  } catch {
    return item;
  }
}
