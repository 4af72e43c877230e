/**
 * The results that an operation may return, as types. At the function itself, the compiler compares the result with what `output` takes,
 * and the result of `get` with the schema. It checks the rest by `ResultMistake`, once it knows the whole endpoint.
 */
import type { Bytes } from './define-format.ts';
import type { AnyDecoder, Decoded, MaybePromise, OutputDecoder } from './decoder.ts';
import type { FindingKinds, RowOf, StatusOfKind } from './kinds.ts';
import type { Created, Reply, ReturnedProblem, SuccessStatus } from './reply.ts';

/** The input of an `output`. For a schema that can be called too, it is the schema's input. */
export type AcceptedBy<Output> = Output extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : Output extends (result: infer Result) => unknown ? Result : never;

/** A redirect or an error, which needs no `output`. */
type WithoutOutput = Reply<unknown, 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308> | ReturnedProblem<unknown>;

/** A plain result that gets 404. */
export type MissingResult<Kind> = RowOf<Kind> extends { readonly statuses: readonly (infer Each)[] }
  ? Each extends readonly [infer Result, 404] ? Result : never
  : never;

/**
 * The results that `run` may return: the input of `output`, or anything without `output`. The condition is on `keyof Known`, since
 * TypeScript 5 does not find the properties of `Known` itself in a condition.
 */
export type RunResult<Kind, Known, Id = unknown> = 'output' extends keyof Known ? OutputInput<Kind, Known['output'], Id> : unknown;

// The compiler knows nothing of a function whose parameter has no type.
type OutputInput<Kind, Output, Id> = undefined extends Output ? unknown
  : Output extends OutputDecoder
    ? OrPromise<
      | (Output extends Bytes ? never : AcceptedBy<Output>) | Reply<AcceptedBy<Output>> | CreatedWith<Kind, AcceptedBy<Output>>
      | WithoutOutput | MissingResult<Kind>
    >
    : OrPromise<
      | ResultsByStatus<Output, PlainStatus<Kind>, BodilessResult<Kind, Id>>[keyof Output]
      | (Output extends { readonly 201: infer Body } ? CreatedWith<Kind, AcceptedBy<Body>> : never)
      | OtherReply<Output> | WithoutOutput | MissingResult<Kind>
    >;

// A `Reply` includes it. By this one, the compiler's message about the body of `created` names the property that is wrong.
type CreatedWith<Kind, Body> = RowOf<Kind> extends { readonly result: 'id' } ? Created<any, Body, {}> : never;

// `Promise` besides `PromiseLike`: then the compiler's message about an async function names the property that is wrong, and not the
// parameters of `then`.
type OrPromise<T> = T | Promise<T> | PromiseLike<T>;

/** The statuses that a plain result can have, unless `output` has only another. */
type PlainStatus<Kind> = StatusOfKind<Kind> | (RowOf<Kind> extends { readonly result: 'nothing' } ? 200 : never);

// A reply for each status, and the plain result for the statuses that it can have.
type ResultsByStatus<Output, Plain, Bodiless> = {
  readonly [Status in keyof Output]: Status extends number
    ? Output[Status] extends null
      ? Reply<undefined, Status> | (IsPlain<Output, Plain, Status> extends true ? Status extends 201 ? Bodiless : void : never)
      : Reply<AcceptedBy<Output[Status]>, Status> | (IsPlain<Output, Plain, Status> extends true ? AcceptedBy<Output[Status]> : never)
    : never;
};
type IsPlain<Output, Plain, Status> = Status extends Plain ? true
  : Status extends SuccessStatus ? [Exclude<keyof Output & SuccessStatus, Status>] extends [never] ? true : false : false;

/** The plain result of a 201 without a body: a create returns the id, for `Location`. */
type BodilessResult<Kind, Id> = RowOf<Kind> extends { readonly result: 'id' }
  ? unknown extends Id ? 0 extends 1 & Id ? any : void : NoInfer<Id>
  : void;

// `OutputMistake` rejects these replies, with a message.
type OtherReply<Output> = Reply<unknown, Exclude<200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226, keyof Output>>;

/**
 * A function with this result. It is intersected with a type that has the function's parameters. So the result can be a conditional type,
 * and literals in it keep their types. If the parameters depended on the same condition, the compiler could not infer them from a `context`
 * or a `schema` with an untyped parameter.
 */
export type Returns<Result> = (first: never, second: never) => Result;

/** A `get` without `output`: it returns the output of the schema. Without a schema, `Item` is inferred from its result. */
export type ReturnsItem<Kind, Schema, Item> = Kind extends FindingKinds
  ? [Schema] extends [AnyDecoder]
    ? Returns<OrPromise<Decoded<Schema> | undefined | null | Reply<Decoded<Schema> | undefined> | WithoutOutput>>
    : Returns<unknown extends Item ? unknown : MaybePromise<Item>>
  : unknown;

/** The item that `version` gets: never a reply. */
type SentItem<Schema, Item> = Exclude<[Schema] extends [AnyDecoder] ? Decoded<Schema> : InferredItem<Item>, undefined | Reply<any>>;
// The compiler reads the properties of an object in their order. Before `get`, it does not know the item.
type InferredItem<Item> = 0 extends 1 & Item ? any
  : unknown extends Item ? NeedsType<'write the type of this parameter, or put get before it'> : Awaited<Item>;
// An object: a string type would have properties such as `length`.
type NeedsType<Message extends string> = { readonly [Name in Message]: never };

/** A `get` with an `output`: it may return anything. `Item` is inferred from its result, for `version`, which gets it before `output`. */
export type InfersItem<Kind, Item> = Kind extends FindingKinds
  ? Returns<[Item] extends [never] ? MaybePromise<Item> : unknown> : unknown;

/** The item that `version` gets: the result of `get`, before its `output`. Before `get`, the compiler only knows the input of `output`. */
export type VersionedItem<Schema, Get, Item> = 'output' extends keyof Get
  ? unknown extends Item ? OutputItem<Get['output']> : Exclude<Awaited<Item>, undefined | null | Reply<any>>
  : Exclude<SentItem<Schema, Item>, null>;
type OutputItem<Output> = Output extends OutputDecoder ? AcceptedBy<Output>
  : Output extends { readonly 200: infer Item } ? AcceptedBy<Item> : unknown;

