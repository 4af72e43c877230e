/**
 * What an operation may return, as types. The compiler holds a result against what `output` takes, or `get` against the schema, where the function
 * is written. The rest it checks when it knows all of the endpoint: `ResultFault` is a text that says what is wrong.
 */
import type { ApiError } from '../errors/api-error.ts';
import type { Bytes } from './bytes.ts';
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { FindingKinds, RowOf } from './kinds.ts';
import type { Created, Reply, SuccessStatus } from './reply.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** Checks and changes what an operation returned, before it is encoded. A function may say what it takes. */
export type OutputDecoder = StandardSchemaV1<any, unknown> | ((result: any) => unknown);

/** What an `output` takes. A schema can be callable: then the schema's input counts. */
export type AcceptedBy<Output> = Output extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : Output extends (result: infer Result) => unknown ? Result : never;

/** An answer that leads elsewhere needs no output. */
type Elsewhere = Reply<unknown, 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308>;

/** A plain result that gets 404. */
export type MissingResult<Member> = RowOf<Member> extends { readonly statuses: readonly (infer Each)[] } ? Each extends readonly [infer Result, 404] ? Result : never : never;

/**
 * What `run` may return: what `output` takes, and anything without. It asks for the names of what is known: TypeScript 5 finds no members of it in
 * a condition.
 */
export type Given<Member, Known, Id = unknown> = 'output' extends keyof Known ? Accepted<Member, Known, Known['output'], Id> : unknown;

// A function as output has no type if its parameter has none.
type Accepted<Member, Known, Output, Id> = undefined extends Output ? unknown
  : Output extends OutputDecoder
    ? NowOrLater<(Output extends Bytes ? never : AcceptedBy<Output>) | Reply<AcceptedBy<Output>> | Elsewhere | MissingResult<Member>>
    : NowOrLater<AnswersIn<Output, PlainStatus<Member, Known>, PlainNothing<Member, Id>>[keyof Output] | Other<Output> | Elsewhere | MissingResult<Member>>;

// With `Promise` beside `PromiseLike`, the compiler's message about an async function names the wrong member, and not those of `then`.
type NowOrLater<T> = T | Promise<T> | PromiseLike<T>;

/** The statuses that a plain result can have. */
type PlainStatus<Member, Known> = 'status' extends keyof Known ? Known['status']
  : RowOf<Member>['status'] | (RowOf<Member> extends { readonly result: 'nothing' } ? 200 : never);

// For each status a reply, and for some also the plain result.
type AnswersIn<Output, Plain, Nothing> = {
  readonly [Status in keyof Output]: Status extends number
    ? Output[Status] extends null
      ? Reply<undefined, Status> | (Status extends Plain ? Status extends 201 ? Nothing : void : never)
      : Reply<AcceptedBy<Output[Status]>, Status> | (Status extends Plain ? AcceptedBy<Output[Status]> : never)
    : never;
};

/** The plain result of a 201 without a body: a create gives the id, for `Location`. */
type PlainNothing<Member, Id> = RowOf<Member> extends { readonly result: 'id' } ? unknown extends Id ? 0 extends 1 & Id ? any : void : NoInfer<Id> : void;

// `OutputFault` refuses these, with a text.
type Other<Output> = Reply<unknown, Exclude<200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226, keyof Output>>;

/**
 * A function with this result, as one of two types of a function: the other has its parameters. Where this one follows from a condition, the
 * compiler knows the result where it reads what is returned, so that literals keep their types. Parameters would not follow there from a `context`
 * or `schema` whose own parameter has no type.
 */
export type Returns<Result> = (first: never, second: never) => Result;

/** The result of `get` without `output`: what the schema gives, or else `Item`, which is inferred from it. */
export type ReturnsItem<Member, Schema, Item> = Member extends FindingKinds
  ? [Schema] extends [AnyDecoder]
    ? Returns<NowOrLater<Decoded<Schema> | undefined | null | Reply<Decoded<Schema> | undefined> | Elsewhere>>
    : Returns<unknown extends Item ? unknown : MaybePromise<Item>>
  : unknown;

/** The item that `version` gets. It is never a reply. */
export type Written<Schema, Item> = Exclude<[Schema] extends [AnyDecoder] ? Decoded<Schema> : Inferred<Item>, undefined | Reply<any>>;
// The compiler reads the members of an object in their order. In front of `get`, it does not know the item.
type Inferred<Item> = 0 extends 1 & Item ? any : unknown extends Item ? NotKnown<'write the type of this parameter, or put get in front of it'> : Awaited<Item>;
// An object: with a text, members such as `length` would seem to be there.
type NotKnown<Text extends string> = { readonly [Name in Text]: never };

/** Infers the result of `get` with an `output`, so that `version` can take what that leaves out. It accepts any. */
export type ReturnsGiven<Member, Item> = Member extends FindingKinds
  ? Returns<[Item] extends [never] ? MaybePromise<Item> : unknown> : unknown;

/** The item whose version is asked for: what `get` returned, before its `output`. In front of `get`, only what `output` takes is known of it. */
export type Versioned<Schema, Get, Item> = 'output' extends keyof Get
  ? unknown extends Item ? VersionedBy<Get['output']> : Exclude<Awaited<Item>, undefined | null | Reply<any>>
  : Exclude<Written<Schema, Item>, null>;
type VersionedBy<Output> = Output extends OutputDecoder ? AcceptedBy<Output> : Output extends { readonly 200: infer Shown } ? AcceptedBy<Shown> : unknown;

// ---- What is wrong with results, as texts.

type NoValue = 'give a value, or reply(204)';
type OnlyUndefined = 'get gives only undefined: is a return missing?';
type IdExpected = 'create gives the id: for a body declare output or status, or give created(id, body)';
type OtherId = 'created() has another id type than the endpoint';
type NoId = 'created() needs endpoint.id: give reply(201, body)';
type ErrorGiven = 'an error is no result: throw it';
type NotSent = 'this result is not sent: declare output or status, or give nothing';
type NoBody = 'a status without a body: give nothing';

/** What is wrong with the result of an operation in a whole endpoint; `never` if nothing is. */
export type ResultFault<Endpoint, Member, Form, Result> =
  RowOf<Member> extends { readonly result: 'id' } ? CreateFault<Endpoint, Form, Result>
    : Form extends { readonly output: infer Output } ? OutputFault<Output, Awaited<Result>>
    : Form extends { readonly stringify: unknown } ? never
    : Form extends { readonly status: infer Status } ? StatusFault<Status, Exclude<Awaited<Result>, MissingResult<Member>>>
    : Member extends FindingKinds ? FoundFault<Endpoint, Result>
    : RowOf<Member> extends { readonly result: 'json' } ? JsonFault<Result> : NothingFault<Result>;

// A status of a reply that the map of outputs lacks.
type OutputFault<Output, Result> = unknown extends Result ? never
  : Output extends OutputDecoder ? never
  : Result extends Reply<any, infer Status> ? Status extends SuccessStatus ? Status extends keyof Output ? never : `output lacks the status ${Status}` : never
  : never;

type CreateFault<Endpoint, Form, Result> =
  Form extends { readonly output: infer Output } ? OutputFault<Output, Awaited<Result>> | OtherIdFault<Endpoint, Awaited<Result>>
    : Form extends { readonly status: infer Status } ? StatusFault<Status, Awaited<Result>> | OtherIdFault<Endpoint, Awaited<Result>>
    : IdFault<Endpoint, Result>;

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
type Promised<Result> = Result extends Promise<infer Value> ? Value : never;
/** `Awaited`, without its work for what is a `Promise`, or no promise at all. */
type Settled<Result> = Result extends Promise<unknown> ? Settled<Promised<Result>> : Result extends PromiseLike<unknown> ? Awaited<Result> : Result;

// Lists come first, since they have many members to compare with those of a promise. `infer` costs something also where it does not apply.
/** Of results that are sent as JSON. */
export type JsonFault<Result> = unknown extends Result ? never
  : Result extends string | number | boolean | null ? never
  : Result extends readonly unknown[] ? Lost<ItemOf<Result>>
  : Result extends Promise<unknown> ? JsonFault<Promised<Result>>
  : Result extends Reply<any, any> ? never
  : Result extends undefined | void ? NoValue
  : Result extends PromiseLike<unknown> ? JsonFault<Awaited<Result>>
  : Lost<Result>;

/** Of `get`, which may give nothing. */
export type FoundFault<Endpoint, Result> =
  JsonFault<Exclude<Settled<Result>, undefined | null>> | UndefinedFault<Endpoint, Settled<Result>>;

// Where a function without `return` may give undefined, the compiler takes it to give that.
type UndefinedFault<Endpoint, Result> = [Result] extends [undefined]
  ? [Result] extends [never] ? never : unknown extends Result ? never : Endpoint extends { readonly schema: unknown } ? OnlyUndefined : never
  : never;

/** Of results that are not sent. */
export type NothingFault<Result> = Unsent<Exclude<Settled<Result>, void | undefined | boolean | Reply<any, any>>, NotSent>;

/** Of `create`, which may also give `created`. */
export type IdFault<Endpoint, Result> = OtherIdFault<Endpoint, Settled<Result>>
  | Unsent<Exclude<Settled<Result>, IdIn<Endpoint> | Reply<any, any>>, Endpoint extends { readonly id: unknown } ? IdExpected : NotSent>;

type IdIn<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? Id : undefined | void;
type OtherIdFault<Endpoint, Result> = unknown extends Result ? never
  : Result extends Created<infer Id, any> ? Endpoint extends { readonly id: unknown } ? [Id] extends [IdIn<Endpoint>] ? never : OtherId : NoId
  : never;
type StatusFault<Status, Result> = Status extends 204 | 205 ? Unsent<Exclude<Result, void | undefined | Reply<any, any>>, NoBody> : JsonFault<Result>;
type Unsent<Result, Fault> = [Result] extends [never] ? never : unknown extends Result ? never : true extends IsThrown<Result> ? ErrorGiven : Fault;
/** Whether a value is an error, and no object that merely has a name and a message. */
type IsThrown<Value> = Value extends ApiError ? true : Value extends Error ? 'cause' | 'stack' extends keyof Value ? true : false : false;

/** What JSON would lose or change. It looks four levels deep. `any` and `unknown` can be anything. */
type Lost<Value, Depth extends 0[] = []> = Depth['length'] extends 4 ? never
  : unknown extends Value ? never
  : Value extends Kept ? never
  : Value extends readonly unknown[] ? Lost<ItemOf<Value>, [0, ...Depth]>
  : Value extends Changed ? ChangedFault<Value, Depth>
  : Lost<Value[keyof Value & (string | number)], [0, ...Depth]>;

type Kept = string | number | boolean | null | undefined;
// All that is not written member by member, in one condition, since most values are.
type Changed = Error | bigint | symbol | { toJSON(...args: never): unknown } | ((...args: never) => unknown) | PromiseLike<unknown>
  | ReadonlyMap<any, any> | ReadonlySet<any> | Iterating;
interface Iterating {
  next(...args: never): { readonly value: unknown };
}

type ChangedFault<Value, Depth extends 0[]> = Value extends bigint ? 'a bigint is no JSON: give a string, or declare stringify'
  : Value extends symbol ? 'a symbol is no JSON'
  : Value extends { toJSON(...args: never): infer Json } ? Lost<Json, [0, ...Depth]>
  : Value extends Error ? IsThrown<Value> extends true ? ErrorGiven : Lost<Value[keyof Value & (string | number)], [0, ...Depth]>
  : Value extends (...args: never) => unknown ? 'a function is no JSON'
  : Value extends PromiseLike<unknown> ? 'a promise is no JSON: await it'
  : Value extends Iterating ? 'an iterator is {} as JSON: give a list, [...items]'
  : 'a Map or a Set is {} as JSON: give an object or a list';
