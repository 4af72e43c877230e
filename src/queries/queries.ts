/**
 * Options for TanStack Query from a client:
 *
 *   const q = queries(api);
 *   useQuery(q('/pet').get(7));                          ->   GET /v1/pet/7, with the key ['/pet', 'get', '/pet/7', '']
 *   useMutation(q('/pet').delete({ optimistic: true }))  ->   mutate([7]): DELETE /v1/pet/7; its lists and what is above them are stale
 */
import type { CallsInternals } from '../client/operations.ts';
import type { AnyClient } from '../client/paths.ts';
import { run } from './cached-queries.ts';
import { follow } from './follow.ts';
import { findPlace, formatSorted, makeUrlPattern, type QueriedEndpoint } from './keys.ts';
import { applyBody, applyEdit } from './optimistic.ts';
import type { QueryClientLike } from './query-client.ts';
import type { Queries } from './types.ts';

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
 * Makes options for TanStack Query of the calls of a client: a read returns options of `useQuery`, `pages` of `useInfiniteQuery`, and a
 * change of `useMutation`, whose variables are the arguments of the call as a list. A change refreshes what it has made stale by itself, so
 * your `onSuccess` replaces nothing.
 *
 * @example
 * ```ts
 * const pets = queries(client<Api>('https://api.example/v1'))('/pet');
 * const found = pets.get(7); // useQuery(found)
 * const remove = pets.delete({ optimistic: true }); // useMutation(remove).mutate([7])
 * ```
 */
export function queries<Api, HasIds>(api: Pick<AnyClient<Api, HasIds>, ' types'>, options: QueriesOptions<Api> = {}): Queries<Api, HasIds> {
  const { also, name = '', idOf = ({ id }) => id, client } = options;
  const callsOf = api as unknown as FindCalls & { readonly one: FindCalls };
  const { ' internal': { url: root } } = callsOf('/');
  const toPlace = (full: string): string => name + full.slice(root.length);
  const at = (find: FindCalls) => (path: string, ...rest: unknown[]): object => {
    const calls = find(path, ...rest);
    const { ' internal': { url, hasId, makeUrl, formatQuery } } = calls;
    const withSameRows = (also as Readonly<Record<string, readonly string[]>> | undefined)?.[path] ?? [];
    return makeQueries(calls, {
      // Items are below the path without its last slash. That of a wildcard belongs to its key.
      url: toPlace(path.endsWith('/') ? withoutSlash(url) : url),
      idCount: Number(hasId), placeOf: (id) => toPlace(makeUrl(hasId, id)), idOf, formatQuery,
      also: withSameRows.map((other) => makeUrlPattern(name + withoutSlash(other))),
    }, client);
  };
  return Object.assign(at(callsOf), { one: at(callsOf.one) }) as unknown as Queries<Api, HasIds>;
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

type FindCalls = (path: string, ...rest: unknown[]) => CallsOfEndpoint;
type AnyCall = (...args: unknown[]) => PromiseLike<unknown>;
type Apply = (item: any, ...args: any[]) => unknown;

/** The calls of an endpoint, as the client makes them. */
interface CallsOfEndpoint {
  readonly ' internal': CallsInternals;
  readonly [kind: string]: any;
}

type FollowArguments = Parameters<typeof follow> extends [any, any, ...infer Rest] ? Rest : never;

interface CallContext {
  readonly signal?: AbortSignal;
  readonly pageParam?: unknown;
  readonly client?: QueryClientLike;
}

/** Makes the reads and changes of an endpoint. */
function makeQueries(calls: CallsOfEndpoint, endpoint: QueriedEndpoint, client: QueryClientLike | undefined): object {
  const { url, idCount } = endpoint;
  // Below the endpoint, and the place of no item.
  const newPlace = `${url}/`;

  const read = (kind: string, ids = 0, name = '', call: AnyCall = calls[kind]) => (...args: any[]): object => {
    const leading = args.slice(0, ids);
    const { query, signal: ownSignal, ...options } = args[ids] ?? {};
    // With an id that no path can have, the call rejects.
    const place = ids ? findPlace(endpoint, args[0]) ?? newPlace : url;
    return {
      queryKey: [url, kind, place, name + formatSorted(endpoint, query)],
      queryFn: async ({ signal, pageParam }: CallContext = {}) => {
        // Only for two signals, since React Native and old browsers have no `any`.
        const joined = signal && ownSignal ? AbortSignal.any([signal, ownSignal]) : signal ?? ownSignal;
        return call(...leading, { ...options, query: pageParam ?? query, signal: joined });
      },
      ...(ids > 0 && args[0] === undefined && { enabled: false }),
    };
  };

  const pages = (...args: unknown[]): object => ({
    ...read('pages', 0, '', calls['page'])(...args),
    // Not the query: it may have a value that a dehydrated cache cannot keep.
    initialPageParam: undefined,
    getNextPageParam: ({ next }: { readonly next: unknown }) => next,
    getPreviousPageParam: ({ prev }: { readonly prev: unknown }) => prev,
  });

  const change = (kind: string, isOfItem = true, standard?: Apply, call: AnyCall = calls[kind], ...name: string[]) => {
    return ({ optimistic }: { readonly optimistic?: boolean | 'merge' | Apply } = {}): object => ({
      mutationKey: [url, kind, ...name],
      // A component may replace `onMutate` and `onSuccess`, so all is done here.
      mutationFn: async (args: readonly unknown[], context?: CallContext) => {
        const cache = client ?? context?.client;
        if (!cache) throw new TypeError('queries needs TanStack Query 5.89 or { client }');
        const place = isOfItem ? endpoint.placeOf(args[0]) : kind === 'create' ? newPlace : url;
        const apply = typeof optimistic === 'function' ? (item: unknown) => optimistic(item, ...args)
          : optimistic && standard ? (item: unknown) => standard(item, args[idCount], optimistic) : undefined;
        return run(cache, { ...endpoint, place, id: args[0], apply }, () => call(...args), kind === 'delete');
      },
    });
  };

  const named = (kind: string, ids: number): object => new Proxy({}, {
    get: (_, name: string) => {
      const call = calls[kind][name];
      return call && Object.assign(change(kind, ids > 0, undefined, call, name), {
        get: read(kind, ids, name, call.get),
      });
    },
  });

  return {
    key: [url],
    list: read('list'),
    get: read('get', idCount),
    pages,
    create: change('create', false),
    update: change('update', true, applyBody),
    patch: change('patch', true, applyBody),
    delete: change('delete', true, () => undefined),
    edit: change('edit', true, applyEdit),
    custom: named('custom', 0),
    itemCustom: named('itemCustom', 1),
    follow: (cache: QueryClientLike, ...rest: FollowArguments): Promise<void> => follow(cache, endpoint, ...rest),
  };
}
