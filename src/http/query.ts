/**
 * The query of a target, as an object for a decoder. Read as HTML forms are, except that nothing is replaced in silence:
 *
 *   ?tag=a&tag=b&limit=10   ->   { tag: ['a', 'b'], limit: '10' }
 */
import { decodeFailure, type ErrorAnswer } from '../errors/problem.ts';

const MAX_PAIRS = 1000;
const TOO_MANY = decodeFailure('the query has more than 1,000 parameters');
const NOT_ENCODED = decodeFailure('the query is not percent-encoded UTF-8');
const PROTO = decodeFailure('the query has a parameter named "__proto__"');

/** Parses a query without its `?`. A name in `lists` has a list, however often it comes. Returns an `ErrorAnswer` for a malformed query. */
export function parseQuery(query: string, lists: readonly string[]): ErrorAnswer | Record<string, string | string[]> {
  const pairs = query.split('&', MAX_PAIRS + 1);
  if (pairs.length > MAX_PAIRS) return TOO_MANY;
  const values: Record<string, string | string[]> = Object.fromEntries(lists.map((name) => [name, []]));
  for (const pair of pairs) {
    const failure = pair === '' ? undefined : addPair(values, pair);
    if (failure !== undefined) return failure;
  }
  return values;
}

function addPair(values: Record<string, string | string[]>, pair: string): ErrorAnswer | undefined {
  const end = pair.indexOf('=');
  const name = decodeText(end === -1 ? pair : pair.slice(0, end));
  const value = end === -1 ? '' : decodeText(pair.slice(end + 1));
  if (name === undefined || value === undefined) return NOT_ENCODED;
  // An assignment would set the prototype.
  if (name === '__proto__') return PROTO;
  const before = Object.hasOwn(values, name) ? values[name] : undefined;
  if (Array.isArray(before)) before.push(value);
  else values[name] = before === undefined ? value : [before, value];
  return undefined;
}

function decodeText(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
