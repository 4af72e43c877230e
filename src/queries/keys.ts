/**
 * Keys of queries. They have places, which are URLs below the base of the client, so that a server and its page have the same ones:
 *
 *   q('/pet').get(7)                         ->   ['/pet', 'get', '/pet/7', '']
 *   q('/pet').list({ query: { legs: 4 } })   ->   ['/pet', 'list', '/pet', '?legs=4']
 *   q('/pet').itemCustom.visits.get(7)       ->   ['/pet', 'itemCustom', '/pet/7', 'visits']
 *
 * What a change makes stale follows from them.
 */
import type { QueryParameters } from '../client/options.ts';

export interface QueriedEndpoint {
  /** Its place. */
  readonly url: string;
  /** How many ids the arguments of its calls begin with: 0 or 1. */
  readonly idCount: number;
  /** Returns the place of an item; of a singleton, its own. Throws `TypeError` for an id that no path can have. */
  readonly placeOf: (id: unknown) => string;
  readonly idOf: (row: any) => unknown;
  readonly formatQuery: (query?: QueryParameters) => string;
  /** Match the URLs of the endpoints that have the same rows. */
  readonly also: readonly RegExp[];
}

/** The place of an item, or `undefined` if no path can have its id. */
export function findPlace({ placeOf }: QueriedEndpoint, id: unknown): string | undefined {
  try {
    return placeOf(id);
  } catch {
    return undefined;
  }
}

/** The query of a key. The order of its names does not count. */
export function formatSorted({ formatQuery }: QueriedEndpoint, query: QueryParameters | undefined): string {
  const search = new URLSearchParams(formatQuery(query));
  search.sort();
  const sorted = search.toString();
  return sorted && `?${sorted}`;
}

/** Whether one place is below the other. Keys of other programs have anything there. */
export function isBelow(place: unknown, other: unknown): boolean {
  return typeof place === 'string' && typeof other === 'string' && place.startsWith(`${other}/`);
}

/** Matches the URLs that a path can have: `/zoo/:zoo/pet` has `/zoo/3/pet`. A wildcard has several segments. */
export function makeUrlPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[^\w/:*]/g, '\\$&').replace(/\/[:*][^/]+/g, '/.+')}$`);
}
