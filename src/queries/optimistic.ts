/** The item as a change leaves it, as far as it is known before the response. Forms, lists and bytes say nothing of its properties. */
import { isObject } from './json.ts';

/**
 * As a PUT or a PATCH leaves it. What the body leaves out stays, since the server may have made it. `null` is a value; with `'merge'` it
 * removes, as in RFC 7396.
 */
export function applyBody(item: any, body: unknown, optimistic: unknown): unknown {
  if (!isObject(body)) return item;
  const changed = { ...isObject(item) && item };
  for (const [name, value] of Object.entries(body)) {
    if (value === null && optimistic === 'merge') delete changed[name];
    else if (value !== undefined) changed[name] = isObject(value) ? applyBody(changed[name], value, optimistic) : value;
  }
  return changed;
}

/** As `edit` leaves it. Its function is called again with the newest item, and only then may it reject or take time. */
export function applyEdit(item: unknown, change: (item: unknown) => any): unknown {
  try {
    const changed = change(item) ?? item;
    // The error of a promise is left to the request, which calls the function again.
    return changed.then?.(undefined, () => {}) ? item : changed;
  } catch {
    return item;
  }
}
