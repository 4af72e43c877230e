/** The operations of an endpoint as functions, by its contract. */
import type { EndpointContract } from '../endpoint/contract.ts';
import type { IdCodec, WildcardCodec } from '../endpoint/id-codec.ts';
import type { BodyIn, Change, Delete, ItemChange, ItemDelete, ItemRead, ProblemIn, QueryIn, Read, ValueOf, Write } from './call-types.ts';
import type { EachOptions, RequestOptions } from './options.ts';

/**
 * The operations that an endpoint declares, each with the id, the body and options as far as it has them; `each` where it has a list, and
 * `edit` where it has both `get` and `update`. `Made` is what a plain Create gives.
 */
export type Operations<Endpoint, Made = string> = OperationsOf<EndpointContract<Endpoint>, Made>;

type OperationsOf<Endpoint, Made> = 0 extends 1 & Endpoint ? any : Endpoint extends { readonly id: IdCodec<infer Id> }
  ? { readonly [Name in keyof Endpoint & keyof OfItems<any, any, any>]: OfItems<TakenId<Endpoint['id'], Id, Made>, Made, Endpoint[Name]>[Name] }
    & More<[id: TakenId<Endpoint['id'], Id, Made>], Endpoint>
  : { readonly [Name in keyof Endpoint & keyof OfSingleton<any>]: OfSingleton<Endpoint[Name]>[Name] } & More<[], Endpoint>;

/** An id, or without its codec the text that a Create gave. */
type TakenId<Codec, Id, Made> = Codec extends WildcardCodec ? Id : Id | Made;

/** What no operation is by itself. */
type More<Leading extends unknown[], Endpoint> = Paged<Endpoint> & Edited<Leading, Endpoint>;

// Two tables of kinds, in place of one whose parameters are lists that may begin with an id: the compiler works a third less. It resolves a
// member of an interface only where it is used, so that a table is asked about one kind.
interface OfItems<Id, Made, Op> {
  readonly create: Write<Op, Made>;
  readonly list: Read<Op, Made>;
  readonly search: Write<Op, Made>;
  readonly get: ItemRead<Id, Op, Made>;
  readonly update: ItemChange<Id, Op, Made>;
  readonly patch: ItemChange<Id, Op, Made>;
  readonly delete: ItemDelete<Id, Op, Made>;
  readonly custom: { readonly [Name in Callable<Op>]: Write<Op[Name], Made> };
  readonly itemCustom: { readonly [Name in Callable<Op>]: ItemChange<Id, Op[Name], Made> };
}

interface OfSingleton<Op> {
  readonly create: Write<Op, undefined>;
  readonly search: Write<Op, undefined>;
  readonly get: Read<Op, undefined>;
  readonly update: Change<Op, undefined>;
  readonly patch: Change<Op, undefined>;
  readonly delete: Delete<Op, undefined>;
  readonly custom: { readonly [Name in Callable<Op>]: Write<Op[Name], undefined> };
}

/** The names of operations. `then` is none: an `await` of the object that has them would call it. */
type Callable<Named> = Exclude<keyof Named, 'then' | 'toJSON'>;

type Paged<Endpoint> = Endpoint extends { readonly list: infer List } ? PagesOf<List, ItemOf<ValueOf<List, never>>> : {};

// A list that is a stream has no pages.
type PagesOf<List, Item> = [Item] extends [never] ? {} : {
  /**
   * The items of the list, page after page: it follows `Link` with `rel="next"` to the same origin. Each page is asked for when the items
   * before it are used; `timeoutMs` is for each.
   */
  readonly each: (options?: EachOptions<QueryIn<List>>) => AsyncIterable<Item>;
};

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never;

type Edited<Leading extends unknown[], Endpoint> = Endpoint extends { readonly get: infer Get; readonly update: infer Update }
  ? EditOf<Leading, ValueOf<Get, never>, Update>
  : {};

interface EditOf<Leading extends unknown[], Item, Update> {
  /**
   * Gets the item, changes it, and puts it with the `If-Match` of what it got. After a 412 it begins again, up to twenty times. Gives what was
   * stored: the answer of the update, or what was sent where it has no body. A change that is `undefined` leaves the item as it is.
   *
   * Rejects if the answer of the update is lost, since it may have been made, and with `TypeError` if the item has no `ETag`.
   */
  readonly edit: (...args: [
    ...Leading,
    change: (item: Item) => Changing<Update> | PromiseLike<Changing<Update>>,
    options?: RequestOptions,
  ]) => Promise<Item | Stored<ValueOf<Update, never>, Changing<Update>>>;
}

type Changing<Update> = Update extends { readonly body?: infer Body } ? Body | undefined : undefined;
type Stored<Value, Sent> = Value extends undefined ? Exclude<Sent, undefined> : Value;

// ---- The parts of a contract, by name.

/** The names of the operations of an endpoint: `get`, `custom.feed`. */
type NamesOf<Endpoint> = { [Name in keyof Endpoint & (keyof OfItems<any, any, any>)]: Name extends 'custom' | 'itemCustom' ? `${Name}.${keyof Endpoint[Name] & string}` : Name }[keyof Endpoint & (keyof OfItems<any, any, any>)];
type OperationAt<Endpoint, Name> = Name extends `${infer Kind extends 'custom' | 'itemCustom'}.${infer Own}`
  ? Endpoint extends { readonly [Each in Kind]: { readonly [Each in Own]: infer Op } } ? Op : never
  : Endpoint extends { readonly [Each in Name & string]: infer Op } ? Op : never;

/**
 * What a call of an operation resolves to, by the type of the API:
 *
 *   type Pet = ResultOf<Api, '/pet', 'get'>;
 *   type Fed = ResultOf<Api, '/pet', 'itemCustom.feed'>;
 */
export type ResultOf<Api, Path extends keyof Api, Name extends NamesOf<EndpointContract<Api[Path]>>> =
  ValueOf<OperationAt<EndpointContract<Api[Path]>, Name>, string>;

/**
 * The body that an operation takes; `undefined` if it takes none:
 *
 *   type NewPet = BodyOf<Api, '/pet', 'create'>;
 */
export type BodyOf<Api, Path extends keyof Api, Name extends NamesOf<EndpointContract<Api[Path]>>> =
  BodyIn<OperationAt<EndpointContract<Api[Path]>, Name>>;

/**
 * The problem of a failure with a status that the operation declares in `errors`; without a status, of any of these:
 *
 *   type Conflict = ProblemOf<Api, '/pet', 'update', 409>;
 */
export type ProblemOf<Api, Path extends keyof Api, Name extends NamesOf<EndpointContract<Api[Path]>>, Status extends number = number> =
  ProblemIn<OperationAt<EndpointContract<Api[Path]>, Name>, Status>;
