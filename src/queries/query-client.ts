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
  /** Cancels requests. With `silent`, the next request takes the place of this one. */
  cancelQueries(filters: QueryFilter, options?: { readonly silent?: boolean }): Promise<unknown>;
  /** Forgets queries. */
  removeQueries(filters: QueryFilter): unknown;
  /** Returns the data of queries. */
  getQueriesData(filters: QueryFilter): readonly (readonly [queryKey: readonly unknown[], data: unknown])[];
  /** Returns the data of a query. */
  getQueryData(queryKey: readonly unknown[]): unknown;
  /** Replaces the data of a query. Returns them as they are in the cache, which may be a copy. */
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
}

interface QueryFilter {
  readonly type?: 'active';
  readonly predicate: (query: CachedQuery) => boolean;
}

export interface CachedQuery {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly data: unknown };
}
