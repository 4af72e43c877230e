/** The forms that an operation can have in a declaration: a function, or an object with the function as `run`. */
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { ApiRequest } from './request.ts';
import type { StandardSchemaV1 } from './standard-schema.ts';

/** The codecs of a sub-path's parameters, by name. */
export type ParamCodecs = Readonly<Record<string, IdCodec<any>>>;

/** What those codecs parse. */
export type ParamsOf<Params> = { readonly [Name in keyof Params]: Params[Name] extends IdCodec<infer Value> ? Value : never };

/** The limits that an operation may have in place of the server's. */
export interface OperationLimits {
  /** The longest body, in bytes. */
  readonly bodyBytes?: number;
  /** How long the body may take to arrive, in milliseconds, from when the operation asks for it. */
  readonly requestMs?: number;
  /** How long the operation may take, in milliseconds; 0 for no limit. */
  readonly operationMs?: number;
}

/** Checks and changes what an operation returned, before it is encoded. A function may say what it takes. */
export type OutputDecoder = StandardSchemaV1<any, unknown> | ((result: never) => unknown);

type AnyOutput = OutputDecoder | Readonly<Record<number, OutputDecoder | null>>;

/** What an `output` takes. A schema can be callable: then the schema's input counts. */
export type AcceptedBy<Output> = Output extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : Output extends (result: infer Result) => unknown ? Result : never;

/** The members of the long form besides `run`, `input` and `query`. */
export interface OperationOptions<Written = any, Output = AnyOutput> {
  /** Checks and changes what `run` returns: a decoder, or on all but `get`, `list`, `custom` and `itemCustom` one for each status. */
  readonly output?: [Output] extends [AnyOutput] ? Output : AnyOutput;
  /** The statuses that it may fail with, and what their problems hold: for documents and clients. */
  readonly errors?: Readonly<Record<number, AnyDecoder | null>>;
  /** Lets an empty body be `undefined`, without asking the decoder. */
  readonly optional?: boolean;
  /** The names in the query that are always lists. */
  readonly lists?: readonly string[];
  /** Replaces `JSON.stringify` for what `run` returned. A throw, or a result that is no string, is a logged 500. */
  readonly stringify?: (result: Written) => string;
  readonly limits?: OperationLimits;
  /** For documents. */
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly operationId?: string;
}

// `Decoder & AnyDecoder` is too deep for TypeScript 5 with the decoders of ArkType.
type DecoderOf<Decoder> = [Decoder] extends [AnyDecoder] ? Decoder : AnyDecoder;

/**
 * Whether there is a decoder. `never` is none, though it extends all of them: it is what the compiler has for an unknown input
 * while it infers the arguments of a wrapper around `run`.
 */
export type Has<D> = [D] extends [never] ? false : [D] extends [AnyDecoder] ? true : false;

type RequestOf<Context, Params, Query> = ApiRequest<
  [Context] extends [never] ? undefined : NoInfer<Context>,
  [Params] extends [never] ? {} : ParamsOf<Params>,
  Has<Query> extends true ? Decoded<Query> : URLSearchParams
>;
// An endpoint without ids has `unknown` here: its operations get none.
type IdOf<Id> = 0 extends 1 & Id ? [id: any] : [unknown] extends [Id] ? [] : [id: NoInfer<Id>];

/** The long form. Takes what `input` decodes, else what the endpoint's `schema` does where that is its body, else no body. */
export interface LongOperation<Id, Input, Query, Context, Params, Result, Schema = unknown, Written = any> extends OperationOptions<Written> {
  /** Decodes the body. */
  readonly input?: DecoderOf<Input>;
  /** Decodes the query, given as an object of texts and lists of texts. */
  readonly query?: DecoderOf<Query>;
  readonly run: Has<Input> extends true
    ? (...args: [...IdOf<Id>, input: Decoded<Input>, request: RequestOf<Context, Params, Query>]) => Result
    : Has<Schema> extends true
      ? (...args: [...IdOf<Id>, input: Decoded<Schema>, request: RequestOf<Context, Params, Query>]) => Result
      : (...args: [...IdOf<Id>, request: RequestOf<Context, Params, Query>]) => Result;
}

/** An operation with a body: its short form takes the endpoint's schema, and needs it. */
export type Writes<Id, Schema, Input, Query, Context, Params, Result> =
  | ((...args: [...IdOf<Id>, item: Decoded<Schema>, request: RequestOf<Context, Params, unknown>]) => Has<Schema> extends true ? Result : never)
  | LongOperation<Id, Input, Query, Context, Params, Result, Schema>;

interface LongRead<Id, Query, Context, Params, Result, Written, Output> extends OperationOptions<Written, Output> {
  readonly query?: DecoderOf<Query>;
  readonly run: (...args: [...IdOf<Id>, request: RequestOf<Context, Params, Query>]) => Result;
}

/** An operation without a body. */
export type Reads<Id, Query, Context, Params, Result, Written = any, LongResult = Result, Output = AnyOutput> =
  | ((...args: [...IdOf<Id>, request: RequestOf<Context, Params, unknown>]) => Result)
  | LongRead<Id, Query, Context, Params, LongResult, Written, Output>;

/** A named operation of an endpoint, for a variable that holds one. `Written` is the parameter of its `stringify`. */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> extends OperationOptions<Written> {
  readonly input?: [Input] extends [AnyDecoder] ? Input : never;
  readonly query?: never;
  readonly run: Has<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
}

/** Operations by name. `Inputs` and `Queries` are what they decode, `Results` what they return: the compiler infers one at a time. */
export type Named<Id, Inputs, Queries, Results, Context, Params> = InferOnly<Queries, {
  readonly [Name in keyof Queries]: { readonly query?: DecoderOf<Queries[Name]> };
}> & InferOnly<Results, {
  readonly [Name in keyof Results]: GivesResult<Results[Name]> | ((...args: never) => MaybePromise<Results[Name]>);
}> & {
  readonly [Name in keyof Inputs]: ShortNamed<Id, Context, Params> | (GivesResult<Name extends keyof Results ? Results[Name] : unknown>
    & LongNamed<Id, Inputs[Name], Queries[Name & keyof Queries], Context, Params>);
};

/**
 * The compiler infers `T` from `Form`, and then has nothing to check: a condition that it cannot decide yet is an inference site.
 * In an intersection, a checked form costs as many instantiations again.
 */
export type InferOnly<T, Form> = [T] extends [never] ? Form : unknown;

// Interfaces, since the compiler instantiates a function type for each name.
interface ShortNamed<Id, Context, Params> {
  (...args: [...IdOf<Id>, request: RequestOf<Context, Params, unknown>]): unknown;
}

interface LongNamed<Id, Input, Query, Context, Params> extends OperationOptions<never> {
  readonly input?: DecoderOf<Input>;
  readonly query?: AnyDecoder;
  readonly run: Has<Input> extends true
    ? (...args: [...IdOf<Id>, input: Decoded<Input>, request: RequestOf<Context, Params, Query>]) => unknown
    : (...args: [...IdOf<Id>, request: RequestOf<Context, Params, Query>]) => unknown;
}

/** What an operation with a name returns, and its `stringify` writes. */
interface GivesResult<Result> {
  readonly run: (...args: never) => MaybePromise<Result>;
  readonly stringify?: (result: Result) => string;
}
