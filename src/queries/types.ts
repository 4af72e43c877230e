/** The types of queries, from the calls of a client. They are plain objects: nothing of TanStack is imported. */
import type { FailureStatus } from '../declaration/contract.ts';
import type { IdCodec } from '../declaration/id-codec.ts';
import type { BodyIn, ClientCall, Operations, Options, ProblemIn, Problems, StreamIn, ValueOf } from '../client/operations.ts';
import type { EachOptions, RequestOptions } from '../client/options.ts';
import type { EndpointAt, IdAt, IdCodecOption, PathArguments, PathsOf, PathWithId, PathWithoutId, SingletonAt } from '../client/paths.ts';
import type { ProblemError } from '../client/problem-error.ts';
import type { Got, ListPage } from '../client/sequences.ts';
import type { ConflictError } from './merge.ts';
import type { QueryClientLike } from './query-client.ts';

/**
 * Has the reads and changes of an API, by the paths of its endpoints.
 *
 * @example
 * ```ts
 * const q: Queries<Api, false> = queries(client<Api>('https://api.example/v1'));
 * const found = q('/pet').get(7);
 * ```
 */
export interface Queries<Api, HasIds> {
  /** The reads and changes of an endpoint whose items have ids. */
  <const Path extends PathsOf<Api>, Codec = undefined>(
    path: Path & PathWithId<EndpointAt<Api, Path>>,
    ...rest: PathArguments<EndpointAt<Api, Path>, IdCodecOption<EndpointAt<Api, Path>, Codec, HasIds>>
  ): EndpointQueries<Operations<
    EndpointAt<Api, Path>, Codec extends IdCodec<infer Id> ? Id : HasIds extends true ? IdAt<EndpointAt<Api, Path>> : string
  >>;
  /** The reads and changes of a singleton: an endpoint without `id`. */
  readonly one: <const Path extends PathsOf<Api>>(
    path: Path & PathWithoutId<SingletonAt<Api, Path>>, ...rest: PathArguments<SingletonAt<Api, Path>, { readonly id?: never }>
  ) => EndpointQueries<Operations<SingletonAt<Api, Path>>>;
}

/**
 * Has the reads and changes of an endpoint, by its calls.
 *
 * @example
 * ```ts
 * const pets: EndpointQueries<Operations<Api['/pet']>> = queries(client<Api>('https://api.example/v1'))('/pet');
 * ```
 */
export type EndpointQueries<Calls> = 0 extends 1 & Calls ? any
  : Pick<AllQueries<Calls>, 'key' | 'follow' | ('page' extends keyof Calls ? 'pages' : never) | keyof Calls & keyof AllQueries<Calls>>;

/** The reads and changes of an endpoint that has every operation. `Pick` keeps the docstrings. */
type AllQueries<Calls> = {
  /** The beginning of all keys of the endpoint: `['/pet']`. */
  readonly key: readonly unknown[];
  /** The list: `useQuery(pets.list({ query: { legs: 4 } }))`. */
  readonly list: ReadOf<CallAt<Calls, 'list'>>;
  /**
   * The pages of the list, each by the `next` of the page before: `useInfiniteQuery(pets.pages())`. Their items are in
   * `data.pages[n].items`.
   */
  readonly pages: Calls extends {
    readonly page: (options?: EachOptions<infer Query>) => Promise<ListPage<infer Item, any>>;
    readonly list: ClientCall<any, infer Op, any>;
  } ? (options?: EachOptions<Query>) => InfiniteOptions<Item, Query, CallError<Op>> : never;
  /** An item: `useQuery(pets.get(7))`; of a singleton: `useQuery(hours.get())`. With `undefined` as the id, it is not enabled. */
  readonly get: ItemReadOf<CallAt<Calls, 'get'>>;
  /** Adds an item, and refreshes the lists: `mutate([pet])`. */
  readonly create: ChangeOf<CallAt<Calls, 'create'>, never>;
  /** Replaces an item, and refreshes it and the lists: `mutate([7, pet, { ifMatch }])`. */
  readonly update: ChangeOf<CallAt<Calls, 'update'>, Got<Calls>, 'update'>;
  /** Changes a part of an item, and refreshes it and the lists: `mutate([7, { legs: 3 }])`. */
  readonly patch: ChangeOf<CallAt<Calls, 'patch'>, Got<Calls>, 'patch'>;
  /** Deletes an item, and refreshes the lists: `mutate([7])`. */
  readonly delete: ChangeOf<CallAt<Calls, 'delete'>, Got<Calls>>;
  /**
   * Changes the newest item by a function, which is called again after a 412: `mutate([7, (pet) => ({ ...pet, legs: 3 })])`. A form has
   * `merge`: `mutate([7, merge(seen, mine)])`.
   */
  readonly edit: Calls extends {
    readonly edit: (...args: infer Arguments) => Promise<infer Stored>;
    readonly update: ClientCall<any, infer Op, any, any>;
  } ? MakeChange<Arguments, Got<Calls>, Stored, CallError<Op> | ConflictError<Got<Calls>>> : never;
  /**
   * Named operations: `custom.nearest.get({ query })` is a read, and `custom.reset()` a change that refreshes everything of the endpoint.
   */
  readonly custom: AllNamedQueries<CallAt<Calls, 'custom'>, never>;
  /** Named operations of an item: `itemCustom.visits.get(7)` is a read, and `itemCustom.feed()` a change: `mutate([7, { grams: 20 }])`. */
  readonly itemCustom: AllNamedQueries<CallAt<Calls, 'itemCustom'>, Got<Calls>>;
  /**
   * Refreshes by the events of a stream, until it ends or its signal aborts. `read` says what an event means: `{ id }` for an item that has
   * changed, `{ id, item }` to show it at once, `{ id, item: null }` for a deleted one, `undefined` for anything, `null` for nothing:
   *
   *   const ended = pets.follow(queryClient, (options) => api.one('/change').get(options), ({ data }) => ({ id: data.id }), { signal });
   *
   * Refreshes everything at the first connection, and after a lost one if the events have no ids. Rejects if the first connection fails,
   * which the client's `retries` repeat, and if `read` throws.
   *
   * Events of rivals may come in a different order than their changes: `{ version: (pet) => pet.revision }` skips an item that is older
   * than the one that is shown.
   */
  readonly follow: <Event>(
    client: QueryClientLike, open: (options: RequestOptions) => AsyncIterable<Event>,
    read: (event: Event) => ChangedItem<IdOfCalls<Calls>, Got<Calls>>,
    options?: FollowOptions<Got<Calls>>,
  ) => Promise<void>;
};

/**
 * The options of `follow`.
 *
 * @example
 * ```ts
 * const options: FollowOptions<{ readonly revision: number }> = { version: ({ revision }) => revision };
 * ```
 */
export interface FollowOptions<Item> extends RequestOptions {
  /**
   * Returns what each change of an item makes higher, such as its revision. An item of an event with a lower one than the item shown is
   * skipped.
   */
  readonly version?: (item: Item) => number | bigint;
}

type CallAt<Calls, Name> = Name extends keyof Calls ? Calls[Name] : never;
type IdOfCalls<Calls> = Calls extends { readonly get: ClientCall<[id: infer Id], any, any> } ? Id : never;

type ReadOf<Call> = Call extends ClientCall<infer Leading, infer Op, infer Made, infer More>
  ? MakeRead<[...Leading, ...Options<Op, false, false, More>], Op, Made> : never;
type ItemReadOf<Call> = Call extends ClientCall<[id: infer Id, ...infer Rest], infer Op, infer Made, infer More>
  ? MakeRead<[id: Id | undefined, ...Rest, ...Options<Op, false, false, More>], Op, Made> : ReadOf<Call>;
type MakeRead<Arguments extends unknown[], Op, Made> = [StreamIn<ValueOf<Op, Made>>] extends [never]
  ? (...args: Arguments) => ReadOptions<ValueOf<Op, Made>, CallError<Op>>
  : (this: 'a stream is not a query: follow it', ...args: unknown[]) => never;

type ChangeOf<Call, Item, Kind = 'other'> = Call extends ClientCall<infer Leading, infer Op, infer Made, infer More>
  ? MakeChange<
    [...Leading, ...Options<Op, false, false, More>], Item, ValueOf<Op, Made>, CallError<Op>, StandardOptimistic<Kind, Item, BodyIn<Op>>
  > : never;
type MakeChange<Arguments extends unknown[], Item, Data, Failure, Standard = boolean> =
  (...options: [Item] extends [never] ? [] : [options?: Optimistic<Item, Arguments, Standard>]) => ChangeOptions<Arguments, Data, Failure>;

/** What `optimistic` can be, beside a function: not `true` where a property of the item would be shown with a type that it cannot have. */
type StandardOptimistic<Kind, Item, Body> = Kind extends 'update' ? TrueIfFits<Item, Body>
  : Kind extends 'patch' ? TrueIfFits<Item, Body> | 'merge' : boolean;
type TrueIfFits<Item, Body> = false extends { [Name in keyof Item & keyof Body]: Fits<Item[Name], Body[Name]> }[keyof Item & keyof Body]
  ? false | 'true does not fit: the item has a different type for a property of the body. Write a function' : boolean;
type Fits<Property, Sent> = unknown extends Sent ? true
  : [Exclude<Sent, undefined>] extends [Property] ? true
  : [Exclude<Sent, undefined>] extends [WithReadonlyLists<Property>] ? true : false;
type WithReadonlyLists<Value> = unknown extends Value ? Value : { readonly [Name in keyof Value]: WithReadonlyLists<Value[Name]> };

type AllNamedQueries<Calls, Item> = { readonly [Name in keyof Calls]: NamedQueries<Calls[Name], Item> };
type NamedQueries<Call, Item> = Call extends { readonly get: infer Get }
  ? { readonly get: [Item] extends [never] ? ReadOf<Get> : ItemReadOf<Get> }
  : ChangeOf<Call, Item>;

/**
 * Has the options of a read, for `useQuery`, `useSuspenseQuery` or `prefetchQuery`. SWR takes them as `useSWR(queryKey, () => queryFn())`.
 *
 * @example
 * ```ts
 * const load = <Data>({ queryFn }: ReadOptions<Data, Error>): Promise<Data> => queryFn();
 * ```
 */
export interface ReadOptions<Data, Failure> extends WithError<Failure> {
  /** The path of the endpoint, the name of the read, its path, its query, and its body: `['/pet', 'get', '/pet/7', '']`. */
  readonly queryKey: readonly unknown[];
  /** Sends the request. The signal of the context aborts it, and that of the call. */
  readonly queryFn: (context?: { readonly signal?: AbortSignal }) => Promise<Data>;
  /** `false` if the id is `undefined`. */
  readonly enabled?: boolean;
}

/**
 * Has the options of the pages of a list, for `useInfiniteQuery`.
 *
 * @example
 * ```ts
 * function loadFirst<Item>({ queryFn }: InfiniteOptions<Item, object, Error>): Promise<ListPage<Item, object>> {
 *   return queryFn({ pageParam: undefined });
 * }
 * ```
 */
export interface InfiniteOptions<Item, Query, Failure> extends WithError<Failure> {
  /** As the key of a list, with `pages`: `['/pet', 'pages', '/pet', '?legs=4']`. */
  readonly queryKey: readonly unknown[];
  /** Sends the request of a page, by its query. */
  readonly queryFn: (context: { readonly signal?: AbortSignal; readonly pageParam: Query | undefined }) => Promise<ListPage<Item, Query>>;
  /** `undefined`: the first page has the query of the call. */
  readonly initialPageParam: Query | undefined;
  /** Returns the query of the next page. */
  readonly getNextPageParam: (page: ListPage<Item, Query>) => Query | undefined;
  /** Returns the query of the page before. */
  readonly getPreviousPageParam: (page: ListPage<Item, Query>) => Query | undefined;
}

/**
 * Has the options of a change, for `useMutation`. The variables are the arguments of the call: `mutate([7, pet, { ifMatch }])`.
 *
 * @example
 * ```ts
 * function send<Body>({ mutationFn }: ChangeOptions<[Body], string, Error>, body: Body, client: QueryClientLike): Promise<string> {
 *   return mutationFn([body], { client });
 * }
 * ```
 */
export interface ChangeOptions<Arguments extends readonly unknown[], Data, Failure> extends WithError<Failure> {
  /** The path of the endpoint, and the name of the change: `['/pet', 'delete']`. */
  readonly mutationKey: readonly unknown[];
  /** Sends the request, and then refreshes what is stale in the cache of the context. Rejects with `TypeError` without a cache. */
  readonly mutationFn: (args: Arguments, context?: { readonly client?: QueryClientLike }) => Promise<Data>;
}

interface WithError<Failure> {
  /** Never set: `useQuery` infers the type of `error` from it. */
  readonly throwOnError?: (error: Failure) => boolean;
}

/**
 * The options of a change of an item.
 *
 * @example
 * ```ts
 * const options: Optimistic<StoredPet, [id: number]> = { optimistic: (pet) => ({ ...pet, legs: 0 }) };
 * ```
 */
export interface Optimistic<Item, Arguments extends readonly unknown[], Standard = boolean> {
  /**
   * Shows the change at once, in `get`, `list` and `pages`, and takes it back if it fails. `true` is for `update`, `patch`, `edit`,
   * `delete`: what a body leaves out stays. `'merge'` is for a `patch` with `mergePatch`, where `null` removes. A function returns the item
   * as the change will leave it; `undefined` removes it from lists.
   *
   * @default false
   */
  readonly optimistic?: Standard | ((item: Item, ...args: Arguments) => Item | undefined);
}

/**
 * Tells why a call has failed, by `status`: a declared error has its properties. Without a status, the server was not reached.
 *
 * @example
 * ```ts
 * function describe({ status, message }: CallError<Api['/payment']['create']>): string {
 *   return status === undefined ? 'Are you offline?' : message;
 * }
 * ```
 */
export type CallError<Op> =
  | { [Status in Problems<Op>]: ProblemError & { readonly status: Status; readonly problem: ProblemIn<Op, Status> } }[Problems<Op>]
  | OtherProblemError<Problems<Op>>
  | (Error & { readonly status?: never; readonly newest?: never });

/**
 * Reports a response with a status that the operation does not declare.
 *
 * @example
 * ```ts
 * const isOverloaded = ({ status }: OtherProblemError<409>): boolean => status === 503;
 * ```
 */
export interface OtherProblemError<Declared> extends ProblemError {
  /** The status of the response. */
  readonly status: Exclude<FailureStatus, Declared>;
}

/**
 * Tells what an event means: the item that has changed, with `item` if the event has it, or `null` if it was deleted. `undefined` is for
 * anything that may have changed, `null` for nothing. A singleton has no `id`.
 *
 * @example
 * ```ts
 * const readChange = ({ id, pet }: { id: number; pet?: StoredPet }): ChangedItem<number, StoredPet> => ({ id, item: pet ?? null });
 * ```
 */
export type ChangedItem<Id, Item> = { readonly item?: Item | null } & ([Id] extends [never] ? {} : { readonly id: Id }) | null | undefined;
