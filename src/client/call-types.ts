/** The functions of a client: their parameters and results, by the contract of the operation. */
import type { FailureStatus } from '../endpoint/contract.ts';
import type { SuccessStatus } from '../endpoint/reply.ts';
import type {
  IdempotencyKey, OptionalQuery, QueryParameters, RequiredIdempotencyKey, RequiredIfMatch, RequiredQuery,
} from './options.ts';
import type { ClientProblem } from './problem-error.ts';

/** A success: the result of a call with `safe`. */
export interface Succeeded<Status, Value, Declared = {}> {
  /** Always `true`. */
  readonly ok: true;
  /** The status of the response. */
  readonly status: Status;
  /** The result, as the call without `safe` resolves to it. */
  readonly value: Value;
  /** The `ETag` of the response, for `ifMatch`. */
  readonly etag: string | undefined;
  /** The headers of the response: those that the operation declares, and any other. */
  readonly headers: TypedHeaders<Declared>;
}

/** Headers of a response. `get` knows the types of the declared ones, which are strings on the wire: a number is in digits. */
export type TypedHeaders<Declared> = [keyof Declared] extends [never] ? Headers
  : { get<Name extends keyof Declared>(name: Name): Declared[Name] } & Headers;

/** A failure: the result of a call with `safe` for a response that is not a success. */
export interface Failed<Status, Problem = ClientProblem> {
  /** Always `false`. */
  readonly ok: false;
  /** The status of the response; 0 for a redirect in a browser, which hides it. */
  readonly status: Status;
  /** The problem, as in `ProblemError`. */
  readonly problem: Problem;
}

/**
 * A failure with a status that the operation does not declare. An interface, so that editors do not list three hundred statuses.
 */
interface OtherFailure<Declared> extends Failed<Exclude<FailureStatus, Declared>> {}

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
  | { [Status in Success<Op>]: Succeeded<Status extends '2xx' ? SuccessStatus : Status, Op[Status], HeadersOf<Op>> }[Success<Op>]
  | ('id' extends keyof Op ? Succeeded<201, Made, HeadersOf<Op>> : never);

/** The headers that the operation declares. */
type HeadersOf<Op> = 'responseHeaders' extends keyof Op ? Op['responseHeaders'] : {};

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
  ? | (Raw extends true ? Succeeded<SuccessStatus, Response, HeadersOf<Op>> : Successes<Op, Made>)
    | { [Status in Problems<Op>]: Failed<Status, ProblemWith<Op[Status]>> }[Problems<Op>]
    | OtherFailure<Problems<Op>>
  : Raw extends true ? Response : ValueOf<Op, Made>;

/**
 * The function of an operation. `Leading` are its parameters before the options, and `More` the options of its kind. It has one signature
 * for all combinations of `raw` and `safe`: with overloads, the compiler explains a wrong argument only by the last one.
 */
export type Call<Leading extends unknown[], Op, Made, More = {}> = <Raw extends boolean = false, Safe extends boolean = false>(
  ...args: [...Leading, ...Options<Op, Raw, Safe, More>]
) => Returned<Op, Made, Raw, Safe>;

/** The parameter of a body. Without a body it is `undefined`, which may be left out unless required options follow. */
export type BodyParameter<Op, More = {}> = Op extends { readonly body: unknown } ? [body: Op['body']]
  : Options<Op, false, false, More> extends [options: unknown] ? [body: BodyIn<Op>] : [body?: BodyIn<Op>];
/** The body of an operation; `undefined` if it takes none. */
export type BodyIn<Op> = 'body' extends keyof Op ? Op['body'] : undefined;

type Options<Op, Raw extends boolean, Safe extends boolean, More> =
  keyof Op & ('query' | 'ifMatch' | 'idempotencyKey') extends never ? [options?: OptionalQuery<QueryParameters, Raw, Safe> & More]
  : Op extends { readonly query: unknown } ? [options: RequiredQuery<Op['query'], Raw, Safe> & HeaderOptions<Op, More>]
  : {} extends HeaderOptions<Op, More> ? [options?: OptionalQuery<QueryIn<Op>, Raw, Safe> & HeaderOptions<Op, More>]
  : [options: OptionalQuery<QueryIn<Op>, Raw, Safe> & HeaderOptions<Op, More>];
/** The options that are sent as headers. */
type HeaderOptions<Op, More> =
  & ('ifMatch' extends keyof Op ? RequiredIfMatch : More)
  & (Op extends { readonly idempotencyKey: string } ? RequiredIdempotencyKey : 'idempotencyKey' extends keyof Op ? IdempotencyKey : {});
/** The query of an operation. */
export type QueryIn<Op> = 'query' extends keyof Op ? Values<Exclude<Op['query'], undefined>> : QueryParameters;
type Values<Query> = string extends keyof Query ? Exclude<QueryParameters, URLSearchParams> & Query : Query;
