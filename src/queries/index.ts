export { ConflictError, merge } from './merge.ts';
export { queries, type QueriesOptions } from './queries.ts';
export type { QueryClientLike } from './query-client.ts';
export type {
  CallError, ChangedItem, ChangeOptions, EndpointQueries, FollowOptions, InfiniteOptions, Optimistic, OtherProblemError, Queries,
  ReadOptions,
} from './types.ts';
