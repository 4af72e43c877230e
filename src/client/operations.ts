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
  ? All<OfItems<TakenId<Endpoint['id'], Id, Made>, Made, Endpoint>[keyof Endpoint & keyof OfItems<any, any, any>]>
    & More<[id: TakenId<Endpoint['id'], Id, Made>], Endpoint>
  : All<OfSingleton<Endpoint>[keyof Endpoint & keyof OfSingleton<any>]> & More<[], Endpoint>;

/** An id, or without its codec the text that a Create gave. */
type TakenId<Codec, Id, Made> = Codec extends WildcardCodec ? Id : Id | Made;

/** What no operation is by itself. */
type More<Leading extends unknown[], Endpoint> = Paged<Endpoint> & Edited<Leading, Endpoint>;

/** All of these. The compiler infers an intersection for a parameter. */
type All<Each> = [Each] extends [never] ? {} : (Each extends unknown ? (each: Each) => void : never) extends (all: infer Together) => void ? Together : never;

// Two tables of kinds, in place of one whose parameters are lists that may begin with an id: the compiler works a third less. It resolves a
// member of an interface only where it is used, so that a table is asked about one kind. Each operation is a member of an interface, since editors
// show no docstring for one of a mapped type.
interface OfItems<Id, Made, Endpoint> {
  readonly create: HasCreate<Made, In<Endpoint, 'create'>>;
  readonly list: HasList<Made, In<Endpoint, 'list'>>;
  readonly search: HasSearch<Made, In<Endpoint, 'search'>>;
  readonly get: HasGet<Id, Made, In<Endpoint, 'get'>>;
  readonly update: HasUpdate<Id, Made, In<Endpoint, 'update'>>;
  readonly patch: HasPatch<Id, Made, In<Endpoint, 'patch'>>;
  readonly delete: HasDelete<Id, Made, In<Endpoint, 'delete'>>;
  readonly custom: HasCustom<Made, In<Endpoint, 'custom'>>;
  readonly itemCustom: HasItemCustom<Id, Made, In<Endpoint, 'itemCustom'>>;
}

interface OfSingleton<Endpoint> {
  readonly create: HasOneCreate<In<Endpoint, 'create'>>;
  readonly search: HasOneSearch<In<Endpoint, 'search'>>;
  readonly get: HasOneGet<In<Endpoint, 'get'>>;
  readonly update: HasOneUpdate<In<Endpoint, 'update'>>;
  readonly patch: HasOnePatch<In<Endpoint, 'patch'>>;
  readonly delete: HasOneDelete<In<Endpoint, 'delete'>>;
  readonly custom: HasOneCustom<In<Endpoint, 'custom'>>;
}

type In<Endpoint, Name> = Name extends keyof Endpoint ? Endpoint[Name] : never;

interface HasCreate<Made, Op> {
  /**
   * `POST` of a new item. Resolves to its id: as the codec parses it, if the codec was given, otherwise as a string. With `output`, to the item:
   *
   *   const id = await pets.create({ name: 'Rex', legs: 4 });
   *
   * Rejects with `ProblemError` if the response is not a success, as all calls do.
   */
  readonly create: Write<Op, Made>;
}

interface HasList<Made, Op> {
  /** `GET` of the list: `await pets.list({ query: { legs: 4 } })`. Only one page, if the list has pages: `each` has all of them. */
  readonly list: Read<Op, Made>;
}

interface HasSearch<Made, Op> {
  /** `QUERY` with a body: `await pets.search({ near: 'Utrecht' })`. */
  readonly search: Write<Op, Made>;
}

interface HasGet<Id, Made, Op> {
  /**
   * `GET` of an item by its id: `await pets.get(1)`. `{ safe: true }` gives the status in place of rejecting:
   *
   *   const found = await pets.get(1, { safe: true });
   *   if (found.ok) show(found.value, found.etag);
   */
  readonly get: ItemRead<Id, Op, Made>;
}

interface HasUpdate<Id, Made, Op> {
  /** `PUT` of a whole item: `await pets.update(1, pet, { ifMatch })`. `edit` does it without lost updates. */
  readonly update: ItemChange<Id, Op, Made>;
}

interface HasPatch<Id, Made, Op> {
  /** `PATCH` of a part of an item: `await pets.patch(1, { legs: 3 })`. */
  readonly patch: ItemChange<Id, Op, Made>;
}

interface HasDelete<Id, Made, Op> {
  /** `DELETE` of an item by its id: `await pets.delete(1)`. */
  readonly delete: ItemDelete<Id, Op, Made>;
}

interface HasCustom<Made, Op> {
  /** `POST` to an operation by its name: `await pets.custom.count()`. */
  readonly custom: { readonly [Name in Callable<Op>]: Write<Op[Name], Made> };
}

interface HasItemCustom<Id, Made, Op> {
  /** `POST` to an operation of an item, by its name: `await pets.itemCustom.feed(1, { grams: 20 })`. */
  readonly itemCustom: { readonly [Name in Callable<Op>]: ItemChange<Id, Op[Name], Made> };
}

interface HasOneCreate<Op> {
  /** `POST` of the item. Resolves to `undefined`, or with `output` to the response. */
  readonly create: Write<Op, undefined>;
}

interface HasOneSearch<Op> {
  /** `QUERY` with a body: `await hours.search({ day: 'monday' })`. */
  readonly search: Write<Op, undefined>;
}

interface HasOneGet<Op> {
  /** `GET` of the item: `await hours.get()`. */
  readonly get: Read<Op, undefined>;
}

interface HasOneUpdate<Op> {
  /** `PUT` of the whole item: `await hours.update({ opens: 9 }, { ifMatch })`. `edit` does it without lost updates. */
  readonly update: Change<Op, undefined>;
}

interface HasOnePatch<Op> {
  /** `PATCH` of a part of the item: `await hours.patch({ opens: 10 })`. */
  readonly patch: Change<Op, undefined>;
}

interface HasOneDelete<Op> {
  /** `DELETE` of the item: `await hours.delete()`. */
  readonly delete: Delete<Op, undefined>;
}

interface HasOneCustom<Op> {
  /** `POST` to an operation by its name: `await hours.custom.close({ until: 'monday' })`. */
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
