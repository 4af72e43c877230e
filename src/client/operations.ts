/** The operations of an endpoint as functions, by its contract. */
import type { EndpointContract } from '../endpoint/contract.ts';
import type { DefinedEndpoint } from '../endpoint/defined-endpoint.ts';
import type { IdCodec, WildcardCodec } from '../endpoint/id-codec.ts';
import type { KindsWith, NamedKinds } from '../endpoint/kinds.ts';
import type { BodyIn, BodyParameter, Call, ProblemIn, QueryIn, StreamIn, ValueOf } from './call-types.ts';
import type { EachOptions, IfMatch, RequestOptions } from './options.ts';

/**
 * The operations that an endpoint declares, each with the id, the body and the options that it takes; `each` for a list, and `edit` if
 * there are both `get` and `update`. `Made` is the result of a Create without an `output`.
 */
export type Operations<Endpoint, Made = string> = ContractOf<Endpoint> extends infer Own
  ? 0 extends 1 & Own ? any
    : Own extends { readonly id: IdCodec<infer Id> }
      ? ItemOperations<Own['id'] extends WildcardCodec ? Id : Id | Made, Made, Own>
      : SingletonOperations<Own>
  : never;

/** The type of an API has contracts. A type that is written by hand may have results of `defineEndpoint`. */
type ContractOf<Endpoint> = Endpoint extends DefinedEndpoint ? EndpointContract<Endpoint> : Endpoint;

// Each operation is an interface: editors show no docstring of a mapped type's property, and the compiler resolves an interface only
// where it is used. One type for both items and singletons would be half as much work again for the compiler.
type ItemOperations<Id, Made, Endpoint> =
  & ('create' extends keyof Endpoint ? HasCreate<Made, Endpoint['create']> : unknown)
  & ('list' extends keyof Endpoint ? HasList<Endpoint['list']> : unknown)
  & ('search' extends keyof Endpoint ? HasSearch<Made, Endpoint['search']> : unknown)
  & ('get' extends keyof Endpoint ? HasGet<Id, Made, Endpoint['get']> : unknown)
  & ('update' extends keyof Endpoint ? HasUpdate<Id, Made, Endpoint['update']> : unknown)
  & ('patch' extends keyof Endpoint ? HasPatch<Id, Made, Endpoint['patch']> : unknown)
  & ('delete' extends keyof Endpoint ? HasDelete<Id, Made, Endpoint['delete']> : unknown)
  & ('custom' extends keyof Endpoint ? HasCustom<Made, Endpoint['custom']> : unknown)
  & ('itemCustom' extends keyof Endpoint ? HasItemCustom<Id, Made, Endpoint['itemCustom']> : unknown)
  & (Endpoint extends { readonly list: infer List } ? [StreamIn<ValueOf<List, never>>] extends [never] ? HasEach<List> : unknown : unknown)
  & (Endpoint extends { readonly get: infer Get; readonly update: infer Update } ? HasEdit<[id: Id], Get, Update> : unknown);

type SingletonOperations<Endpoint> =
  & ('create' extends keyof Endpoint ? HasCreate<undefined, Endpoint['create']> : unknown)
  & ('search' extends keyof Endpoint ? HasSearch<undefined, Endpoint['search']> : unknown)
  & ('get' extends keyof Endpoint ? HasOneGet<Endpoint['get']> : unknown)
  & ('update' extends keyof Endpoint ? HasOneUpdate<Endpoint['update']> : unknown)
  & ('patch' extends keyof Endpoint ? HasOnePatch<Endpoint['patch']> : unknown)
  & ('delete' extends keyof Endpoint ? HasOneDelete<Endpoint['delete']> : unknown)
  & ('custom' extends keyof Endpoint ? HasCustom<undefined, Endpoint['custom']> : unknown)
  & (Endpoint extends { readonly get: infer Get; readonly update: infer Update } ? HasEdit<[], Get, Update> : unknown);

interface HasCreate<Made, Op> {
  /**
   * `POST` of a new item. Resolves to its id: as a string, or as the codec parses it if one was given. With `output`, it resolves to the
   * item:
   *
   *   const id = await pets.create({ name: 'Rex', legs: 4 });
   *
   * The id of a singleton is `undefined`. Rejects with `ProblemError` if the response is not a success, as all calls do.
   */
  readonly create: Call<BodyParameter<Op>, Op, Made>;
}

interface HasList<Op> {
  /** `GET` of the list: `await pets.list({ query: { legs: 4 } })`. Only one page, if the list has pages: `each` has all of them. */
  readonly list: Call<[], Op, never>;
}

interface HasSearch<Made, Op> {
  /** `QUERY` with a body: `await pets.search({ near: 'Utrecht' })`. */
  readonly search: Call<BodyParameter<Op>, Op, Made>;
}

interface HasGet<Id, Made, Op> {
  /**
   * `GET` of an item by its id: `await pets.get(1)`. `{ safe: true }` gives the status in place of rejecting:
   *
   *   const found = await pets.get(1, { safe: true });
   *   if (found.ok) show(found.value, found.etag);
   */
  readonly get: Call<[id: Id], Op, Made>;
}

interface HasUpdate<Id, Made, Op> {
  /** `PUT` of a whole item: `await pets.update(1, pet, { ifMatch })`. `edit` does it without lost updates. */
  readonly update: Call<[id: Id, ...BodyParameter<Op, IfMatch>], Op, Made, IfMatch>;
}

interface HasPatch<Id, Made, Op> {
  /** `PATCH` of a part of an item: `await pets.patch(1, { legs: 3 })`. */
  readonly patch: Call<[id: Id, ...BodyParameter<Op, IfMatch>], Op, Made, IfMatch>;
}

interface HasDelete<Id, Made, Op> {
  /** `DELETE` of an item by its id: `await pets.delete(1)`. */
  readonly delete: Call<[id: Id], Op, Made, IfMatch>;
}

interface HasCustom<Made, Op> {
  /** `POST` to an operation by its name: `await pets.custom.count()`. */
  readonly custom: { readonly [Name in Callable<Op>]: Call<BodyParameter<Op[Name]>, Op[Name], Made> };
}

interface HasItemCustom<Id, Made, Op> {
  /** `POST` to an operation of an item, by its name: `await pets.itemCustom.feed(1, { grams: 20 })`. */
  readonly itemCustom: { readonly [Name in Callable<Op>]: Call<[id: Id, ...BodyParameter<Op[Name], IfMatch>], Op[Name], Made, IfMatch> };
}

interface HasOneGet<Op> {
  /** `GET` of the item: `await hours.get()`. */
  readonly get: Call<[], Op, undefined>;
}

interface HasOneUpdate<Op> {
  /** `PUT` of the whole item: `await hours.update({ opens: 9 }, { ifMatch })`. `edit` does it without lost updates. */
  readonly update: Call<BodyParameter<Op, IfMatch>, Op, undefined, IfMatch>;
}

interface HasOnePatch<Op> {
  /** `PATCH` of a part of the item: `await hours.patch({ opens: 10 })`. */
  readonly patch: Call<BodyParameter<Op, IfMatch>, Op, undefined, IfMatch>;
}

interface HasOneDelete<Op> {
  /** `DELETE` of the item: `await hours.delete()`. */
  readonly delete: Call<[], Op, undefined, IfMatch>;
}

interface HasEach<List> {
  /**
   * The items of the list, page after page: it follows `Link` with `rel="next"`, or `next` of an envelope, to the same origin. Each page is
   * asked for when the items before it are used; `timeoutMs` is for each.
   */
  readonly each: (options?: EachOptions<QueryIn<List>>) => AsyncIterable<ItemOf<ValueOf<List, never>>>;
}

interface HasEdit<Leading extends unknown[], Get, Update> {
  /**
   * Gets the item, changes it, and puts it with an `If-Match` of the `ETag` that it got. After a 412 it begins again, up to twenty times.
   * Resolves to what was stored: the body of the update's response, or else the body that was sent. If `change` returns `undefined`, the
   * item stays as it is.
   *
   * Rejects if the response of the update is lost, since the update may have been made, and with `TypeError` if the item has no `ETag`.
   */
  readonly edit: (...args: [
    ...Leading,
    change: (item: ValueOf<Get, never>) => Changing<Update> | PromiseLike<Changing<Update>>,
    options?: RequestOptions,
  ]) => Promise<ValueOf<Get, never> | Stored<ValueOf<Update, never>, Changing<Update>>>;
}

/** The names of operations. `then` is not one of them: an `await` of the object that has them would call it. */
type Callable<Named> = Exclude<keyof Named, 'then' | 'toJSON'>;

type ItemOf<Value> = Value extends readonly (infer Item)[] | { readonly items: readonly (infer Item)[] } ? Item : never;

type Changing<Update> = Update extends { readonly body?: infer Body } ? Body | undefined : undefined;
type Stored<Value, Sent> = Value extends undefined ? Exclude<Sent, undefined> : Value;

// ---- The parts of a contract, by name.

/** The names of the operations of an endpoint: `get`, `custom.feed`. */
type NamesOf<Endpoint> = {
  [Name in keyof Endpoint & KindsWith<unknown>]: Name extends NamedKinds ? `${Name}.${keyof Endpoint[Name] & string}` : Name;
}[keyof Endpoint & KindsWith<unknown>];
type OperationAt<Endpoint, Name> = Name extends `${infer Kind extends NamedKinds}.${infer Own}`
  ? Endpoint extends { readonly [Each in Kind]: { readonly [Each in Own]: infer Op } } ? Op : never
  : Endpoint extends { readonly [Each in Name & string]: infer Op } ? Op : never;

/**
 * What a call of an operation resolves to, by the type of the API. A named operation is `'custom.<name>'` or `'itemCustom.<name>'`.
 *
 * @example
 * ```ts
 * type FoundPet = ResultOf<Api, '/pet', 'get'>;
 * const describe = ({ name, legs }: FoundPet): string => `${name} has ${legs} legs`;
 * ```
 */
export type ResultOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>> =
  ValueOf<OperationAt<ContractOf<Api[Path]>, Name>, string>;

/**
 * The body that an operation takes; `undefined` if it takes none.
 *
 * @example
 * ```ts
 * type NewPet = BodyOf<Api, '/pet', 'create'>;
 * const rex: NewPet = { name: 'Rex', legs: 4 };
 * ```
 */
export type BodyOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>> =
  BodyIn<OperationAt<ContractOf<Api[Path]>, Name>>;

/**
 * The problem of a failure with a status that the operation declares in `errors`; without a status, of any of these.
 *
 * @example
 * ```ts
 * type Declined = ProblemOf<Api, '/payment', 'create', 402>;
 * const formatCode = ({ code }: Declined): string => `The payment was ${code}.`;
 * ```
 */
export type ProblemOf<Api, Path extends keyof Api, Name extends NamesOf<ContractOf<Api[Path]>>, Status extends number = number> =
  ProblemIn<OperationAt<ContractOf<Api[Path]>, Name>, Status>;
