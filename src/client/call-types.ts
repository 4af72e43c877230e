/** The functions of a client: what they take and give, by the contract of the operation. */
import type { FailureStatus } from '../endpoint/contract.ts';
import type { SuccessStatus } from '../endpoint/reply.ts';
import type { IdempotencyKey, IfMatch, MayHaveMatch, MayHaveQuery, NeedsKey, NeedsMatch, QueryParameters, WithQuery } from './options.ts';
import type { ClientProblem } from './problem-error.ts';

/** A success, as `safe` gives it. */
export interface Succeeded<Status, Value> {
  readonly ok: true;
  readonly status: Status;
  readonly value: Value;
  /** The `ETag` of the answer: what `ifMatch` takes. */
  readonly etag: string | undefined;
}

/** An answer that is no success, as `safe` gives it. */
export interface Failed<Status, Problem = ClientProblem> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Problem;
}

/** A function without a body. */
export type Read<Op, Made> = NeedsList<Op> extends true ? Call<[], Op, Made>
  : Op extends { readonly query: infer Query } ? QueryReadCall<Query, Op, Made> : ReadCall<QueryIn<Op>, Op, Made>;
export type ItemRead<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false ? ItemReadCall<Id, Op, Made> : Call<[id: Id], Op, Made>;
/** The same, of an operation that changes an item. */
export type Delete<Op, Made> = Call<[], Op, Made, MatchOf<Op>>;
export type ItemDelete<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false ? ItemDeleteCall<Id, Op, Made> : Call<[id: Id], Op, Made, MatchOf<Op>>;

/** A function with a body, or with a place for one. */
export type Write<Op, Made> = HasQuery<Op> | NeedsList<Op> extends false
  ? Op extends { readonly body: infer Body } ? WriteCall<Body, Op, Made> : Call<BodyPlace<Op, {}>, Op, Made>
  : Call<BodyPlace<Op, {}>, Op, Made>;
/** The same, of an operation that changes an item. */
export type Change<Op, Made> = Call<BodyPlace<Op, MatchOf<Op>>, Op, Made, MatchOf<Op>>;
export type ItemChange<Id, Op, Made> = HasQuery<Op> | NeedsList<Op> extends false
  ? Op extends { readonly body: infer Body } ? ItemChangeCall<Id, Body, Op, Made> : Call<[id: Id, ...BodyPlace<Op, MatchOf<Op>>], Op, Made, MatchOf<Op>>
  : Call<[id: Id, ...BodyPlace<Op, MatchOf<Op>>], Op, Made, MatchOf<Op>>;

/** Whether the options of an operation have more than a query, or its answer is a stream. */
type NeedsList<Op> = keyof Op & ('key' | 'ifMatch') extends never ? [StreamIn<ValueIn<Op>>] extends [never] ? false : true : true;
type HasQuery<Op> = 'query' extends keyof Op ? true : false;

// A contract has all that is known of a status by its number, and `2xx` for any success.
type Success<Op> = keyof Op & (SuccessStatus | '2xx');
type Problems<Op> = Exclude<keyof Op, SuccessStatus> & number;

type ValueIn<Op> = Op[Success<Op>];
/** The items of a stream. */
export type StreamIn<Value> = unknown extends Value ? never : Extract<Value, AsyncIterable<unknown>>;

/** The values of all successes. `Made` is what a plain Create gives. */
export type ValueOf<Op, Made> = 'id' extends keyof Op ? Op[Success<Op>] | Made : Op[Success<Op>];

/** The successes of an operation. */
type Successes<Op, Made> =
  | { [Status in Success<Op>]: Succeeded<Status extends '2xx' ? SuccessStatus : Status, Op[Status]> }[Success<Op>]
  | ('id' extends keyof Op ? Succeeded<201, Made> : never);

/** The failures of an operation. The problem has the properties that are declared for its status. */
type Failures<Op> =
  | { [Status in Problems<Op>]: Failed<Status, ProblemWith<Op[Status]>> }[Problems<Op>]
  | Failed<Exclude<FailureStatus, Problems<Op>>>;
/** The problems that are declared, for some of their statuses. */
export type ProblemIn<Op, Status> = Problems<Op> & Status extends never
  ? ClientProblem : { [Each in Problems<Op> & Status]: ProblemWith<Op[Each]> }[Problems<Op> & Status];
// Of an operation and of its interceptor, one status may have problems of both.
type ProblemWith<Members> = Members extends null ? ClientProblem : ClientProblem & Members;

/** What a call gives: a promise, or the items of a stream. */
type Given<Op, Made, Raw, Safe> = [Raw | Safe] extends [false]
  ? [StreamIn<ValueIn<Op>>] extends [never] ? Promise<ValueOf<Op, Made>> : StreamIn<ValueIn<Op>>
  : Promise<Settled<Op, Made, Raw, Safe>>;

type Settled<Op, Made, Raw, Safe> = Safe extends true
  ? (Raw extends true ? Succeeded<SuccessStatus, Response> : Successes<Op, Made>) | Failures<Op>
  : Raw extends true ? Response : ValueOf<Op, Made>;

// Each has one signature, and not several by `raw` and `safe`: the compiler's message about a wrong argument would be about the last one.
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

/** Any other function. Its parameters are a list, which is three times the work for the compiler. */
type Call<Leading extends unknown[], Op, Made, More = {}> = <Raw extends boolean = false, Safe extends boolean = false>(
  ...args: [...Leading, ...Options<Op, Raw, Safe, More>]
) => Given<Op, Made, Raw, Safe>;

/** The place of the body. It may be left out, unless options must follow it. An operation without one takes `undefined` there. */
type BodyPlace<Op, More> = Op extends { readonly body: infer Body } ? [body: Body]
  : Options<Op, false, false, More> extends [options: unknown] ? [body: BodyIn<Op>] : [body?: BodyIn<Op>];
/** The body of an operation; `undefined` if it takes none. */
export type BodyIn<Op> = 'body' extends keyof Op ? Op['body'] : undefined;

type Options<Op, Raw extends boolean, Safe extends boolean, More> = Op extends { readonly query: infer Query }
  ? [options: WithQuery<Query, Raw, Safe> & More & KeyOf<Op>]
  : {} extends More & KeyOf<Op>
    ? [options?: MayHaveQuery<QueryIn<Op>, Raw, Safe> & More & KeyOf<Op>] : [options: MayHaveQuery<QueryIn<Op>, Raw, Safe> & More & KeyOf<Op>];
/** The query of an operation. */
export type QueryIn<Op> = 'query' extends keyof Op ? Values<Exclude<Op['query'], undefined>> : QueryParameters;
type Values<Query> = string extends keyof Query ? Exclude<QueryParameters, URLSearchParams> & Query : Query;
type KeyOf<Op> = 'key' extends keyof Op ? Op extends { readonly key: string } ? NeedsKey : IdempotencyKey : {};
type MatchOf<Op> = 'ifMatch' extends keyof Op ? NeedsMatch : IfMatch;
