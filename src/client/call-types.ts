/** The functions of a client: their parameters and results, by the contract of the operation. */
import type { FailureStatus } from '../endpoint/contract.ts';
import type { SuccessStatus } from '../endpoint/reply.ts';
import type { IdempotencyKey, IfMatch, MayHaveMatch, MayHaveQuery, NeedsKey, NeedsMatch, QueryParameters, WithQuery } from './options.ts';
import type { ClientProblem } from './problem-error.ts';

/** A success: the result of a call with `safe`. */
export interface Succeeded<Status, Value> {
  readonly ok: true;
  readonly status: Status;
  readonly value: Value;
  /** The `ETag` of the response, for `ifMatch`. */
  readonly etag: string | undefined;
}

/** A failure: the result of a call with `safe` for a response that is not a success. */
export interface Failed<Status, Problem = ClientProblem> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Problem;
}

/**
 * A failure with a status that the operation does not declare. An interface, so that an editor does not write three hundred statuses out.
 */
interface OtherFailure<Declared> extends Failed<Exclude<FailureStatus, Declared>> {}

/** A function without a body. */
export type Read<Op, Made> = NeedsList<Op> extends true ? Call<[], Op, Made>
  : Op extends { readonly query: infer Query } ? QueryReadCall<Query, Op, Made> : ReadCall<QueryIn<Op>, Op, Made>;
/** The same, for an item. */
export type ItemRead<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false ? ItemReadCall<Id, Op, Made> : Call<[id: Id], Op, Made>;
/** The same, for an operation that changes a singleton. */
export type Delete<Op, Made> = Call<[], Op, Made, MatchOption<Op>>;
/** The same, for an operation that changes an item. */
export type ItemDelete<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false
  ? ItemDeleteCall<Id, Op, Made> : Call<[id: Id], Op, Made, MatchOption<Op>>;

/** A function with a body, or with `undefined` in its place. */
export type Write<Op, Made> = HasQuery<Op> | NeedsList<Op> extends false
  ? Op extends { readonly body: infer Body } ? WriteCall<Body, Op, Made> : Call<BodyParameter<Op, {}>, Op, Made>
  : Call<BodyParameter<Op, {}>, Op, Made>;
/** The same, for an operation that changes a singleton. */
export type Change<Op, Made> = Call<BodyParameter<Op, MatchOption<Op>>, Op, Made, MatchOption<Op>>;
/** The same, for an operation that changes an item. */
export type ItemChange<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false
  ? Op extends { readonly body: infer Body } ? ItemChangeCall<Id, Body, Op, Made>
    : Call<[id: Id, ...BodyParameter<Op, MatchOption<Op>>], Op, Made, MatchOption<Op>>
  : Call<[id: Id, ...BodyParameter<Op, MatchOption<Op>>], Op, Made, MatchOption<Op>>;

/** Whether the options of an operation are more than a query, or its response is a stream: such a function needs a `Call`. */
type NeedsList<Op> = keyof Op & ('idempotencyKey' | 'ifMatch') extends never ? [StreamIn<ValueIn<Op>>] extends [never] ? false : true : true;
type HasQuery<Op> = 'query' extends keyof Op ? true : false;

// The properties of a contract are statuses: numbers, or `2xx` for any success.
type Success<Op> = keyof Op & (SuccessStatus | '2xx');
type Problems<Op> = Exclude<keyof Op, SuccessStatus> & number;

type ValueIn<Op> = Op[Success<Op>];
/** The items of a stream. */
export type StreamIn<Value> = unknown extends Value ? never : Extract<Value, AsyncIterable<unknown>>;

/** The values of all successes. `Made` is the result of a plain Create. */
export type ValueOf<Op, Made> = 'id' extends keyof Op ? Op[Success<Op>] | Made : Op[Success<Op>];

/** The successes of an operation. */
type Successes<Op, Made> =
  | { [Status in Success<Op>]: Succeeded<Status extends '2xx' ? SuccessStatus : Status, Op[Status]> }[Success<Op>]
  | ('id' extends keyof Op ? Succeeded<201, Made> : never);

/** The problems that are declared, for some of their statuses. */
export type ProblemIn<Op, Status> = Problems<Op> & Status extends never
  ? ClientProblem : { [Each in Problems<Op> & Status]: ProblemWith<Op[Each]> }[Problems<Op> & Status];
// Distributes: an operation and its interceptor may declare different problems for the same status.
type ProblemWith<Properties> = Properties extends null ? ClientProblem : ClientProblem & Properties;

/** The result of a call: a promise, or the items of a stream. */
type Returned<Op, Made, Raw, Safe> = [Raw | Safe] extends [false]
  ? [StreamIn<ValueIn<Op>>] extends [never] ? Promise<ValueOf<Op, Made>> : StreamIn<ValueIn<Op>>
  : Promise<Settled<Op, Made, Raw, Safe>>;

type Settled<Op, Made, Raw, Safe> = Safe extends true
  ? | (Raw extends true ? Succeeded<SuccessStatus, Response> : Successes<Op, Made>)
    | { [Status in Problems<Op>]: Failed<Status, ProblemWith<Op[Status]>> }[Problems<Op>]
    | OtherFailure<Problems<Op>>
  : Raw extends true ? Response : ValueOf<Op, Made>;

// One signature each, and not one for each combination of `raw` and `safe`: the compiler reports a wrong argument for the last signature
// only.
interface ReadCall<Query, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    options?: MayHaveQuery<Query, Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

interface QueryReadCall<Query, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    options: WithQuery<Query, Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

interface ItemReadCall<Id, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, options?: MayHaveQuery<QueryParameters, Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

interface ItemDeleteCall<Id, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, options?: MayHaveMatch<Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

interface WriteCall<Body, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    body: Body, options?: MayHaveQuery<QueryParameters, Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

interface ItemChangeCall<Id, Body, Op, Made> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, body: Body, options?: MayHaveMatch<Raw, Safe>,
  ): Promise<Settled<Op, Made, Raw, Safe>>;
}

/** Any other function. Its parameters are a tuple, which costs the compiler three times as much as an interface above. */
type Call<Leading extends unknown[], Op, Made, More = {}> = <Raw extends boolean = false, Safe extends boolean = false>(
  ...args: [...Leading, ...Options<Op, Raw, Safe, More>]
) => Returned<Op, Made, Raw, Safe>;

/**
 * The parameter of the body. It may be left out, unless it is followed by required options. An operation without a body takes
 * `undefined`.
 */
type BodyParameter<Op, More> = Op extends { readonly body: infer Body } ? [body: Body]
  : Options<Op, false, false, More> extends [options: unknown] ? [body: BodyIn<Op>] : [body?: BodyIn<Op>];
/** The body of an operation; `undefined` if it takes none. */
export type BodyIn<Op> = 'body' extends keyof Op ? Op['body'] : undefined;

type Options<Op, Raw extends boolean, Safe extends boolean, More> = Op extends { readonly query: infer Query }
  ? [options: WithQuery<Query, Raw, Safe> & More & KeyOption<Op>]
  : {} extends More & KeyOption<Op>
    ? [options?: MayHaveQuery<QueryIn<Op>, Raw, Safe> & More & KeyOption<Op>]
    : [options: MayHaveQuery<QueryIn<Op>, Raw, Safe> & More & KeyOption<Op>];
/** The query of an operation. */
export type QueryIn<Op> = 'query' extends keyof Op ? Values<Exclude<Op['query'], undefined>> : QueryParameters;
type Values<Query> = string extends keyof Query ? Exclude<QueryParameters, URLSearchParams> & Query : Query;
type KeyOption<Op> = 'idempotencyKey' extends keyof Op ? Op extends { readonly idempotencyKey: string } ? NeedsKey : IdempotencyKey : {};
type MatchOption<Op> = 'ifMatch' extends keyof Op ? NeedsMatch : IfMatch;
