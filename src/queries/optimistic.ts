/** The item as a change leaves it, as far as it is known before the response. */

/** Changes the rows of a list, or of an envelope with `items`. A row that becomes `undefined` is left out. */
export function changeRows(list: any, change: (row: unknown) => unknown): unknown {
  if (Array.isArray(list)) return list.map(change).filter((row) => row !== undefined);
  return list?.items ? { ...list, items: changeRows(list.items, change) } : list;
}

/** The item as a PUT or a PATCH with this body leaves it. A form or a list is not shown. */
export function applyBody(item: any, body: unknown): unknown {
  return ({}).toString.call(body) === '[object Object]' ? { ...item, ...body as object } : item;
}

/** The item as `edit` leaves it. Its function is called again with the newest item, and only then may it reject or take time. */
export function applyEdit(item: unknown, change: (item: unknown) => any): unknown {
  try {
    const changed = change(item) ?? item;
    // The error of a promise is left to the request, which calls the function again.
    return changed.then?.(undefined, () => {}) ? item : changed;
  } catch {
    return item;
  }
}
