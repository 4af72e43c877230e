/**
 * What an operation may return, as types. The compiler holds a result against what `output` takes, or `get` against the schema, where the function
 * is written. The rest it checks when it knows all of the endpoint: `ResultFault` is a text that says what is wrong.
 */
import type { Bytes } from './bytes.ts';
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { FindingKinds, RowOf } from './kinds.ts';
import type { Reply } from './reply.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** Checks and changes what an operation returned, before it is encoded. A function may say what it takes. */
export type OutputDecoder = StandardSchemaV1<any, unknown> | ((result: any) => unknown);

/** What an `output` takes. A schema can be callable: then the schema's input counts. */
export type AcceptedBy<Output> = Output extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : Output extends (result: infer Result) => unknown ? Result : never;

/** An answer that leads elsewhere needs no output. */
type Redirect = Reply<unknown, 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308>;

/** A plain result that gets 404. */
export type MissingResult<Kind> = RowOf<Kind> extends { readonly statuses: readonly (infer Each)[] } ? Each extends readonly [infer Result, 404] ? Result : never : never;

/**
 * What `run` may return: what `output` takes, and anything without. It asks for the names of what is known: TypeScript 5 finds no members of it in
 * a condition.
 */
export type RunResult<Kind, Known, Id = unknown> = 'output' extends keyof Known ? OutputInput<Kind, Known, Known['output'], Id> : unknown;

// A function as output has no type if its parameter has none.
type OutputInput<Kind, Known, Output, Id> = undefined extends Output ? unknown
  : Output extends OutputDecoder
    ? OrPromise<(Output extends Bytes ? never : AcceptedBy<Output>) | Reply<AcceptedBy<Output>> | Redirect | MissingResult<Kind>>
    : OrPromise<ResultsByStatus<Output, PlainStatus<Kind, Known>, BodilessResult<Kind, Id>>[keyof Output] | OtherReply<Output> | Redirect | MissingResult<Kind>>;

// With `Promise` beside `PromiseLike`, the compiler's message about an async function names the wrong member, and not those of `then`.
type OrPromise<T> = T | Promise<T> | PromiseLike<T>;

/** The statuses that a plain result can have. */
type PlainStatus<Kind, Known> = 'status' extends keyof Known ? Known['status']
  : RowOf<Kind>['status'] | (RowOf<Kind> extends { readonly result: 'nothing' } ? 200 : never);

// For each status a reply, and for some also the plain result.
type ResultsByStatus<Output, Plain, Bodiless> = {
  readonly [Status in keyof Output]: Status extends number
    ? Output[Status] extends null
      ? Reply<undefined, Status> | (Status extends Plain ? Status extends 201 ? Bodiless : void : never)
      : Reply<AcceptedBy<Output[Status]>, Status> | (Status extends Plain ? AcceptedBy<Output[Status]> : never)
    : never;
};

/** The plain result of a 201 without a body: a create gives the id, for `Location`. */
type BodilessResult<Kind, Id> = RowOf<Kind> extends { readonly result: 'id' } ? unknown extends Id ? 0 extends 1 & Id ? any : void : NoInfer<Id> : void;

// `OutputFault` refuses these, with a text.
type OtherReply<Output> = Reply<unknown, Exclude<200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226, keyof Output>>;

/**
 * A function with this result, as one of two types of a function: the other has its parameters. Where this one follows from a condition, the
 * compiler knows the result where it reads what is returned, so that literals keep their types. Parameters would not follow there from a `context`
 * or `schema` whose own parameter has no type.
 */
export type Returns<Result> = (first: never, second: never) => Result;

/** The result of `get` without `output`: what the schema gives, or else `Item`, which is inferred from it. */
export type ReturnsItem<Kind, Schema, Item> = Kind extends FindingKinds
  ? [Schema] extends [AnyDecoder]
    ? Returns<OrPromise<Decoded<Schema> | undefined | null | Reply<Decoded<Schema> | undefined> | Redirect>>
    : Returns<unknown extends Item ? unknown : MaybePromise<Item>>
  : unknown;

/** The item that `version` gets. It is never a reply. */
export type SentItem<Schema, Item> = Exclude<[Schema] extends [AnyDecoder] ? Decoded<Schema> : Inferred<Item>, undefined | Reply<any>>;
// The compiler reads the members of an object in their order. In front of `get`, it does not know the item.
type Inferred<Item> = 0 extends 1 & Item ? any : unknown extends Item ? NeedsType<'write the type of this parameter, or put get before it'> : Awaited<Item>;
// An object: with a text, members such as `length` would seem to be there.
type NeedsType<Message extends string> = { readonly [Name in Message]: never };

/** Infers the result of `get` with an `output`, so that `version` can take what that leaves out. It accepts any. */
export type InfersItem<Kind, Item> = Kind extends FindingKinds
  ? Returns<[Item] extends [never] ? MaybePromise<Item> : unknown> : unknown;

/** The item whose version is asked for: what `get` returned, before its `output`. In front of `get`, only what `output` takes is known of it. */
export type VersionedItem<Schema, Get, Item> = 'output' extends keyof Get
  ? unknown extends Item ? OutputItem<Get['output']> : Exclude<Awaited<Item>, undefined | null | Reply<any>>
  : Exclude<SentItem<Schema, Item>, null>;
type OutputItem<Output> = Output extends OutputDecoder ? AcceptedBy<Output> : Output extends { readonly 200: infer Item } ? AcceptedBy<Item> : unknown;

