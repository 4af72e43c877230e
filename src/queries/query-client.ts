/** The part of TanStack's `QueryClient` that is used. Nothing of TanStack is imported. */

/**
 * Has the methods of a `QueryClient` that `queries` needs.
 *
 * @example
 * ```ts
 * const makeQueries = (client: QueryClientLike) => queries(client<Api>('/v1'), { client });
 * ```
 */
export interface QueryClientLike {
  invalidateQueries(filters: QueryFilter): Promise<unknown>;
  cancelQueries(filters: QueryFilter, options?: { readonly silent?: boolean }): Promise<unknown>;
  removeQueries(filters: QueryFilter): unknown;
  getQueriesData(filters: QueryFilter): readonly (readonly [queryKey: readonly unknown[], data: unknown])[];
  getQueryData(queryKey: readonly unknown[]): unknown;
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
