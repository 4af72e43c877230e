/** Where an item is in the data of queries: in its `get`, and in the rows of each `list` and `pages`. */
import { findPlace, type QueriedEndpoint } from './keys.ts';
import type { CachedQuery } from './query-client.ts';

/** A change of an item, of its endpoint as the call has it: `idOf` and `also` may be different for other calls. */
export interface ItemChange extends QueriedEndpoint {
  readonly place: string;
  readonly id: unknown;
  /** Returns the item as the change leaves it. `undefined` removes it. Without it, the change is not shown. */
  apply?: ((item: any) => unknown) | undefined;
  /** Whether the server has made it, or rejected it. Only the response to a read that began before can lack it. */
  isDone?: boolean;
}

/** The data of a query with the item changed. A row that becomes `undefined` is left out; an item stays until its query is removed. */
export function changeItem(
  { queryKey: [, kind] }: CachedQuery, change: ItemChange, data: any, apply: ItemChange['apply'] = change.apply,
): unknown {
  const { url, place, id } = change;
  // As JSON has it, a date is a string, and a bigint is one or a number, which its codec may reject. `NaN` is no row's.
  const isItem = (rowId: unknown): boolean => {
    return findPlace(change, rowId) === place || `${url}/${rowId}` === place
      || rowId === ((id as Partial<Date> | undefined)?.toJSON?.() ?? NaN);
  };
  const changeRows = (list: any): unknown => {
    if (Array.isArray(list)) {
      return list.map((row) => (row && isItem(change.idOf(row)) ? apply!(row) : row)).filter((row) => row !== undefined);
    }
    return list?.items ? { ...list, items: changeRows(list.items) } : list;
  };
  return kind === 'get' ? apply!(data) ?? data : kind === 'list' ? changeRows(data) : { ...data, pages: data.pages.map(changeRows) };
}
