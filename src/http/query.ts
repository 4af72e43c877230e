/**
 * Parses the query of a target, as HTML forms are, except that nothing is silently replaced:
 *
 *   ?tag=a&tag=b&limit=10   ->   { tag: ['a', 'b'], limit: '10' }
 */
import { makeDecodeRejection, makeDecodeRejectionAt, type Rejection } from '../errors/problem.ts';

const MAX_PAIRS = 1000;
const TOO_MANY = notQuery('the query has more than 1,000 parameters');
const NOT_ENCODED = notQuery('the query is not percent-encoded UTF-8');
const PROTO = makeDecodeRejectionAt({ parameter: '__proto__' }, 'the query has a parameter named "__proto__"', ['__proto__'], 'query');

function notQuery(message: string): Rejection {
  return makeDecodeRejection(message, [{ detail: message }], 400, undefined, 'query');
}

/**
 * The names whose values are lists, even of one. `true`: a list that is not sent is empty, and not missing. A string is the name of the
 * list that gets the values.
 */
export type Lists = ReadonlyMap<string, boolean | string>;

/** Parses a query without its `?`. Returns a `Rejection` for a malformed query. */
export function parseQuery(query: string, lists: Lists): Rejection | Record<string, string | string[]> {
  // Counted before anything is decoded. A shorter query cannot have as many.
  if (query.length >= MAX_PAIRS && query.split('&', MAX_PAIRS + 1).length > MAX_PAIRS) return TOO_MANY;
  const values: Record<string, string | string[]> = {};
  if (lists.size > 0) addEmptyLists(values, lists);
  const isEncoded = query.includes('%') || query.includes('+');
  for (let start = 0, end = 0; start < query.length; start = end + 1) {
    const separator = query.indexOf('&', start);
    end = separator === -1 ? query.length : separator;
    const failure = end === start ? undefined : addPair(values, query.slice(start, end), isEncoded, lists);
    if (failure !== undefined) return failure;
  }
  return values;
}

function addPair(values: Record<string, string | string[]>, pair: string, isEncoded: boolean, lists: Lists): Rejection | undefined {
  const equals = pair.indexOf('=');
  const encodedName = equals === -1 ? pair : pair.slice(0, equals);
  const encodedValue = equals === -1 ? '' : pair.slice(equals + 1);
  const sent = isEncoded ? decodeString(encodedName) : encodedName;
  const value = isEncoded ? decodeString(encodedValue) : encodedValue;
  if (sent === undefined || value === undefined) return NOT_ENCODED;
  const name = findListName(sent, lists);
  // An assignment would set the prototype.
  if (name === '__proto__') return PROTO;
  addValue(values, name, value, lists);
  return undefined;
}

/** Returns the name under which a value is added: `tag` for `tag[]`, if `tag` is a list. */
export function findListName(sent: string, lists: Lists): string {
  const list = lists.get(sent);
  return typeof list === 'string' ? list : sent;
}

/** Adds a value. A repeated name gets a list, and so does one of `lists`. */
export function addValue(values: Record<string, unknown>, name: string, value: unknown, lists: Lists): void {
  const before = Object.hasOwn(values, name) ? values[name] : undefined;
  if (Array.isArray(before)) before.push(value);
  else if (before !== undefined) values[name] = [before, value];
  else values[name] = lists.has(name) ? [value] : value;
}

/** Adds the lists that are not missing if they are not sent. */
export function addEmptyLists(values: Record<string, unknown>, lists: Lists): void {
  for (const [name, isRequired] of lists) if (isRequired === true) values[name] = [];
}

/** Decodes percent-encoded UTF-8, with `+` for a space. `undefined` if it is malformed. */
export function decodeString(encoded: string): string | undefined {
  const spaced = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
