/** The part of TanStack's `QueryClient` that is used. Nothing of TanStack is imported. */

export interface QueryClientLike {
  invalidateQueries(filters: QueryFilter): Promise<unknown>;
  cancelQueries(filters: QueryFilter): Promise<unknown>;
  removeQueries(filters: QueryFilter): unknown;
  getQueriesData(filters: QueryFilter): readonly (readonly [queryKey: readonly unknown[], data: unknown])[];
  getQueryData(queryKey: readonly unknown[]): unknown;
  setQueryData(queryKey: readonly unknown[], data: unknown): unknown;
}

interface QueryFilter {
  readonly predicate: (query: CachedQuery) => boolean;
}

export interface CachedQuery {
  readonly queryKey: readonly unknown[];
  readonly state: { readonly data: unknown };
}
