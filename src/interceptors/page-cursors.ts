/**
 * Cursors of lists that clients can sort: the sort, then the id and the key of an item, each as a string.
 *
 *   ["-born","5","2024"]   ->   WyItYm9ybiIsIjUiLCIyMDI0Il0
 *
 * Clients can send anything as a cursor. Only the spelling that `formatCursor` makes is read.
 */

/** The start of a page: after the item with this id. `key` is `undefined` in a list that is not sorted. */
export interface Position {
  readonly id: string;
  readonly key: string | undefined;
}

// Proxies and browsers accept URLs of 8,000 characters.
const MAX_LENGTH = 4096;
const CURSOR = /^[\w-]+$/;

/** Makes the cursor of an item. `sort` is as in the query; empty without one. Throws `TypeError` if the key is too long for a URL. */
export function formatCursor(sort: string, { id, key }: Position): string {
  const cursor = encode(key === undefined ? [sort, id] : [sort, id, key]);
  if (cursor.length <= MAX_LENGTH) return cursor;
  throw new TypeError('a sort key is too long for a URL: limit the length of the stored property');
}

/** Returns `undefined` for a string that is not a cursor of this sort. */
export function parseCursor(sort: string, cursor: string): Position | undefined {
  if (cursor.length > MAX_LENGTH || !CURSOR.test(cursor)) return undefined;
  const parts = parseJson(Buffer.from(cursor, 'base64url').toString());
  if (!isStrings(parts) || parts.length !== (sort === '' ? 2 : 3) || parts[0] !== sort || encode(parts) !== cursor) return undefined;
  const [, id = '', key] = parts;
  return { id, key };
}

function encode(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/**
 * Reads and writes keys that are dates, for the option `sort` of `pages`. They have milliseconds: in PostgreSQL, use `timestamptz(3)`,
 * since its own microseconds are lost in a `Date`, and a page would begin with items of the page before. Years are those from 1 to 9999.
 *
 * @example
 * ```ts
 * interface Visit { readonly id: string; readonly begun: Date }
 * const byDate = pages({ cursor: (visit: Visit) => visit.id, sort: { begun: dateKey } });
 * ```
 */
export const dateKey: { readonly parse: (text: string) => Date; readonly format: (key: Date) => string } = {
  parse: (text) => {
    const date = new Date(text);
    if (date.toISOString() === text && DATE.test(text)) return date;
    throw new TypeError(NOT_A_DATE);
  },
  format: (key) => {
    const text = key.toISOString();
    if (DATE.test(text)) return text;
    throw new TypeError(NOT_A_DATE);
  },
};

// No year that a database lacks, or that a driver writes in a way that its database does not read.
const DATE = /^(?!0000)\d{4}-/;
const NOT_A_DATE = 'expected a date in ISO 8601, in UTC, with milliseconds, from the year 1 to 9999';
