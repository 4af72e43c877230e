/**
 * Keys of queries. They have places, which are URLs below the base of the client, so that a server and its page have the same ones:
 *
 *   q('/pet').get(7)                         ->   ['/pet', 'get', '/pet/7', '']
 *   q('/pet').list({ query: { legs: 4 } })   ->   ['/pet', 'list', '/pet', '?legs=4']
 *   q('/pet').itemCustom.visits.get(7)       ->   ['/pet', 'itemCustom', '/pet/7', 'visits']
 *   q('/pet').search({ near: 'Utrecht' })    ->   ['/pet', 'search', '/pet', '', { near: 'Utrecht' }]
 *
 * What a change makes stale follows from them.
 */
import type { QueryParameters } from '../client/options.ts';

/** The calls of an endpoint, as the client makes them. */
export interface EndpointCallsByName {
  readonly ' internal': readonly [
    url: string, options: object, hasId: boolean, makeUrl: (isOnItem: boolean, id: unknown) => string, formatQuery: (query?: QueryParameters) => string,
  ];
  readonly [kind: string]: any;
}

/** The places of an endpoint. */
export interface Places {
  /** The endpoint's own. */
  readonly url: string;
  readonly hasId: boolean;
  /** The place of an item. Throws `TypeError` for an id that no path can have. */
  readonly placeOf: (id: unknown) => string;
  /** The place of the item in a row of a list, if the row has an id. */
  readonly findRow: (row: unknown) => string | undefined;
  /** Formats a query. The order of its names does not count. */
  readonly formatSorted: (query: QueryParameters | undefined) => string;
}

export function makePlaces({ ' internal': [fullUrl, , hasId, makeUrl, formatQuery] }: EndpointCallsByName, root: string, name: string, idOf: (row: any) => unknown): Places {
  const toPlace = (full: string): string => name + full.slice(root.length);
  const placeOf = (id: unknown): string => toPlace(makeUrl(true, id));
  return {
    url: toPlace(fullUrl), hasId, placeOf,
    findRow: (row) => (hasId ? findPlace(placeOf, idOf(row)) : undefined),
    formatSorted: (query) => {
      const search = new URLSearchParams(formatQuery(query));
      search.sort();
      return `?${search}`.replace(/^.$/, '');
    },
  };
}

/** The place of an item, or `undefined` if no path can have its id. */
export function findPlace(placeOf: Places['placeOf'], id: unknown): string | undefined {
  try {
    return placeOf(id);
  } catch {
    return undefined;
  }
}

/** Whether a change at a place makes a query stale: one there, above, or below. Nothing is below a new item. */
export function isStaleAfter(place: string, isNew: boolean, [, , where]: readonly unknown[]): boolean {
  return where === place || isBelow(place, where) || !isNew && isBelow(where, place);
}

/** Whether a deletion of an item removes a query: one of the item, or below it. Items of a wildcard have ids that begin with other ids. */
export function isGoneWith(place: string, url: string, [endpoint, , where]: readonly unknown[]): boolean {
  return endpoint === url ? where === place : isBelow(where, place);
}

function isBelow(place: unknown, other: unknown): boolean {
  return typeof place === 'string' && place.startsWith(`${other as string}/`);
}

/** Matches the URLs that a path can have: `/zoo/:zoo/pet` has `/zoo/3/pet`. */
export function makeUrlPattern(path: string): RegExp {
  const escaped = path.replace(/[.?+^$()[\]{}|\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\/:[^/]+/g, '/[^/]+').replace(/\/\*[^/]+/g, '/.+')}$`);
}
