/** The part of TanStack's `QueryClient` that is used. Nothing of TanStack is imported. */

/**
 * Has the methods of a `QueryClient` that `queries` needs.
 *
 * @example
 * ```ts
 * const makeQueries = (cache: QueryClientLike) => queries(client<Api>('/v1'), { client: cache });
 * ```
 */
export interface QueryClientLike {
  /** Marks queries as stale, and reads again those that are shown. */
  invalidateQueries(filters: QueryFilter): Promise<unknown>;
  /** Forgets queries. */
  removeQueries(filters: QueryFilter): unknown;
  /** Replaces the data of a query. Returns them as they are in the cache, which may be a copy. */
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
  /** Has the queries, and tells what becomes of them. */
  getQueryCache(): QueryCacheLike;
}

export interface QueryCacheLike {
  findAll(filters: QueryFilter): readonly CachedQuery[];
  subscribe(listener: (event: { readonly query: CachedQuery; readonly action?: QueryAction | undefined }) => unknown): unknown;
}

interface QueryFilter {
  readonly predicate: (query: CachedQuery) => boolean;
}

export interface CachedQuery {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly data: unknown; readonly fetchStatus: string; readonly isInvalidated: boolean };
}

/** What becomes of a query: `fetch` begins a read, and `success` is its response, or with `manual` what somebody has written. */
export interface QueryAction {
  readonly type: string;
  readonly manual?: boolean | undefined;
  /** Of the fetch of a next page. */
  readonly meta?: object | null | undefined;
}
