/**
 * Options for TanStack Query from a client:
 *
 *   const q = queries(api);
 *   useQuery(q('/pet').get(7));                          ->   GET /v1/pet/7, with the key ['/pet', 'get', '/pet/7', '']
 *   useMutation(q('/pet').delete({ optimistic: true }))  ->   mutate([7]): DELETE /v1/pet/7; its lists and what is above them are stale
 */
import type { QueryParameters } from '../client/options.ts';
import type { AnyClient } from '../client/paths.ts';
import { follow } from './follow.ts';
import { type EndpointCallsByName, findPlace, isGoneWith, isStaleAfter, makePlaces, makeUrlPattern, type Places } from './keys.ts';
import { type Apply, applyBody, applyEdit, showEarly } from './optimistic.ts';
import type { QueryClientLike } from './query-client.ts';
import { refreshOf } from './refresh.ts';
import type { ChangedItem, Queries } from './types.ts';

/**
 * The options of `queries`.
 *
 * @example
 * ```ts
 * const options: QueriesOptions<Api> = { also: { '/payment': ['/report'] }, idOf: ({ number }) => number };
 * const q = queries(client<Api>('https://api.example/v1'), options);
 * ```
 */
export interface QueriesOptions<Api> {
  /** The paths that show the same rows as others: `{ '/zoo/:zoo/pet': ['/pet'] }`. A change of the first makes the others stale. */
  readonly also?: { readonly [Path in keyof Api]?: readonly (keyof Api)[] };
  /**
   * The beginning of all keys, if one cache has several APIs.
   *
   * @default ''
   */
  readonly name?: string;
  /** The cache, for a library that passes none to mutations, such as TanStack Query before 5.89. */
  readonly client?: QueryClientLike;
  /**
   * Returns the id of a row of a list, for `optimistic` and `follow`.
   *
   * @default its `id`
   */
  idOf?(row: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Makes options for TanStack Query of the calls of a client: a read returns options of `useQuery`, `pages` of `useInfiniteQuery`, and a change
 * of `useMutation`, whose variables are the arguments of the call as a list. A change refreshes what it has made stale by itself, so your
 * `onSuccess` replaces nothing.
 *
 * @example
 * ```ts
 * const pets = queries(client<Api>('https://api.example/v1'))('/pet');
 * const found = pets.get(7); // useQuery(found)
 * const remove = pets.delete({ optimistic: true }); // useMutation(remove).mutate([7])
 * ```
 */
export function queries<Api, HasIds>(api: Pick<AnyClient<Api, HasIds>, ' types'>, options: QueriesOptions<Api> = {}): Queries<Api, HasIds> {
  const { also = {}, name = '', idOf = (row) => row?.['id'] } = options;
  const find = api as unknown as FindCalls & { readonly one: FindCalls };
  const { ' internal': [root] } = find('/');
  const at = (findCalls: FindCalls) => (path: string, ...rest: unknown[]): object => {
    const calls = findCalls(path, ...rest);
    const others = ((also as Readonly<Record<string, readonly string[]>>)[path] ?? []).map((other) => makeUrlPattern(name + other));
    return makeQueries(calls, makePlaces(calls, root, name, idOf), others, options.client);
  };
  return Object.assign(at(find), { one: at(find.one) }) as unknown as Queries<Api, HasIds>;
}

type FindCalls = (path: string, ...rest: unknown[]) => EndpointCallsByName;
type AnyCall = (...args: unknown[]) => PromiseLike<unknown>;

interface ReadParameters {
  readonly hasId?: boolean;
  readonly hasBody?: boolean;
  readonly name?: string;
}

interface CallContext {
  readonly signal?: AbortSignal;
}

/** Makes the reads and changes of an endpoint. `others` match the endpoints that have the same rows. */
function makeQueries(calls: EndpointCallsByName, places: Places, others: readonly RegExp[], client: QueryClientLike | undefined): object {
  const { url, hasId, placeOf } = places;

  const read = (kind: string, call: AnyCall, parameters: ReadParameters = {}) => (...args: any[]): object => {
    const leading = args.slice(0, Number(parameters.hasId ?? false) + Number(parameters.hasBody ?? false));
    const { query, ...options } = args[leading.length] ?? {};
    // The key of an id that no path can have is not the key of an item. Its call rejects.
    const place = parameters.hasId ? findPlace(placeOf, args[0]) ?? `${url}/` : url;
    return {
      queryKey: [url, kind, place, encodeURIComponent(parameters.name ?? '') + places.formatSorted(query), ...(parameters.hasBody ? leading.slice(-1) : [])],
      queryFn: async ({ signal = options.signal }: CallContext = {}) => call(...leading, { ...options, query, signal }),
      ...(parameters.hasId && args[0] === undefined && { enabled: false }),
    };
  };

  const pages = ({ query, ...options }: { readonly query?: QueryParameters; readonly signal?: AbortSignal } = {}): object => ({
    queryKey: [url, 'pages', url, places.formatSorted(query)],
    queryFn: async ({ signal = options.signal, pageParam }: CallContext & { readonly pageParam?: unknown }) => {
      return calls['page']({ ...options, query: pageParam ?? query, signal });
    },
    // Not the query, which may have a value that a dehydrated cache cannot keep.
    initialPageParam: undefined,
    getNextPageParam: ({ next }: { readonly next: unknown }) => next,
    getPreviousPageParam: ({ prev }: { readonly prev: unknown }) => prev,
  });

  const refresh = (cache: QueryClientLike, place: string): void => refreshOf(cache, url).add(...staleAfter(place, false));
  const remove = (cache: QueryClientLike, place: string): unknown => {
    return cache.removeQueries({ predicate: ({ queryKey }) => isGoneWith(place, url, queryKey) });
  };
  const staleAfter = (place: string, isNew: boolean): [name: string, isStale: (queryKey: readonly unknown[]) => boolean] => {
    return [`${isNew} ${place}`, (key) => isStaleAfter(place, isNew, key) || others.some((other) => other.test(`${key[0]}`))];
  };

  const change = (kind: string, call: AnyCall, hasItem: boolean, standard?: Apply, ...name: string[]) => {
    return ({ optimistic }: { readonly optimistic?: boolean | Apply } = {}): object => ({
      mutationKey: [url, kind, ...name],
      // All is done here, since a component may replace `onMutate` and `onSuccess`.
      mutationFn: async (args: readonly unknown[], context: { readonly client?: QueryClientLike } = {}) => {
        const cache = client ?? context.client;
        if (typeof cache?.invalidateQueries !== 'function') throw new TypeError('queries needs TanStack Query 5.89 or later, or queries(api, { client })');
        const place = hasItem && hasId ? placeOf(args[0]) : url;
        const apply = optimistic === true ? standard : optimistic || undefined;
        return refreshOf(cache, url).after(async () => {
          const undo = apply && await showEarly(cache, places, place, (item) => apply(item, ...args));
          try {
            const value = await call(...args);
            if (kind === 'delete') remove(cache, place);
            return value;
          } catch (error) {
            undo?.();
            throw error;
          }
        }, ...staleAfter(place, kind === 'create'));
      },
    });
  };

  const named = (kind: string, isOfItem: boolean): object => new Proxy({}, {
    get: (_, name: string) => {
      const call = calls[kind][name];
      return call && Object.assign(change(kind, call, isOfItem, undefined, name), {
        get: read(kind, call.get, { name, hasId: isOfItem }), query: read(kind, call.query, { name, hasId: isOfItem, hasBody: true }),
      });
    },
  });

  const bodyAt = Number(hasId);
  const assign: Apply = (item, ...args) => applyBody(item, args[bodyAt]);
  return {
    key: [url],
    list: read('list', calls['list']),
    search: read('search', calls['search'], { hasBody: true }),
    get: read('get', calls['get'], { hasId }),
    pages,
    create: change('create', calls['create'], false),
    update: change('update', calls['update'], true, assign),
    patch: change('patch', calls['patch'], true, assign),
    delete: change('delete', calls['delete'], true, () => undefined),
    edit: change('edit', calls['edit'], true, (item, ...args) => applyEdit(item, args[bodyAt])),
    custom: named('custom', false),
    itemCustom: named('itemCustom', hasId),
    follow: async (cache: QueryClientLike, open: (options: object) => AsyncIterable<unknown>, readEvent: (event: unknown) => ChangedItem<unknown, unknown>, options?: object) => {
      return follow({ cache, places, refresh: (place) => refresh(cache, place), remove: (place) => remove(cache, place) }, open, readEvent, options);
    },
  };
}
