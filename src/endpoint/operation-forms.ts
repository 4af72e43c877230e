/**
 * The forms that an operation can have in a declaration: a function, or an object with the function as `run`.
 *
 * Each form takes `Known`: what the compiler knows of the operation before it reads its function, such as `{ input: typeof Pet }`. The types of
 * the function's parameters follow from it.
 */
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { MembersWith, RowOf } from './kinds.ts';
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
export type OutputDecoder = StandardSchemaV1<any, unknown> | ((result: any) => unknown);

/** What an `output` takes. A schema can be callable: then the schema's input counts. */
export type AcceptedBy<Output> = Output extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : Output extends (result: infer Result) => unknown ? Result : never;

/** The members of the long form besides `run`, `input` and `query`. */
export interface OperationOptions<Written = any> {
  /** Checks and changes what `run` returns: a decoder, or on all but `get`, `list`, `custom` and `itemCustom` one for each status. */
  readonly output?: OutputDecoder | Readonly<Record<number, OutputDecoder | null>>;
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

// A member of `Known`; `{}` where it is not there. An interface for each: `query?: never` of one operation makes the intersection `never`.
interface NoInput { readonly input: {} }
interface NoQuery { readonly query: {} }
interface NoOutput { readonly output: {} }
interface NoRun { readonly run: {} }
type InputIn<Known> = (Known & NoInput)['input'];
type QueryIn<Known> = (Known & NoQuery)['query'];
export type OutputIn<Known> = (Known & NoOutput)['output'];
type RunIn<Known> = (Known & NoRun)['run'];

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

/** A long form without a body. */
interface LongRead<Id, Query, Context, Params, Result, Written> extends OperationOptions<Written> {
  readonly query?: DecoderOf<Query>;
  readonly run: (...args: [...IdOf<Id>, request: RequestOf<Context, Params, Query>]) => Result;
}

type ItemId<Member, Id> = Member extends MembersWith<{ readonly suffix: `/:id${string}` }> ? Id : unknown;

/** An operation of a kind, whose row says whether it has an id, what decodes its body, and whether it has a short form. */
export type Operation<Member, Id, Schema, Known, Context, Params, Result, LongResult = Result, Written = any> =
  RowOf<Member> extends { readonly decoder: undefined }
    ? Reads<ItemId<Member, Id>, Known, Context, Params, Result, LongResult, Written>
    : RowOf<Member> extends { readonly isLong: true }
      ? LongOperation<ItemId<Member, Id>, InputIn<Known>, QueryIn<Known>, Context, Params, LongResult>
      : Writes<ItemId<Member, Id>, Schema, Known, Context, Params, Result>;

/** An operation without a body. */
type Reads<Id, Known, Context, Params, Result, LongResult, Written> =
  | ((...args: [...IdOf<Id>, request: RequestOf<Context, Params, unknown>]) => Result)
  | LongRead<Id, QueryIn<Known>, Context, Params, LongResult, Written>;

/** An operation with a body: its short form takes the endpoint's schema, and needs it. */
type Writes<Id, Schema, Known, Context, Params, Result> =
  | ((...args: [...IdOf<Id>, item: Decoded<Schema>, request: RequestOf<Context, Params, unknown>]) => Has<Schema> extends true ? Result : never)
  | LongOperation<Id, InputIn<Known>, QueryIn<Known>, Context, Params, Result, Schema>;

/** A named operation of an endpoint, for a variable that holds one. `Written` is the parameter of its `stringify`. */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> extends OperationOptions<Written> {
  readonly input?: [Input] extends [AnyDecoder] ? Input : never;
  readonly query?: never;
  readonly run: Has<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
}

/** Operations by name. */
export type Named<Id, Known, Context, Params> = {
  readonly [Name in keyof Known]: ShortNamed<Id, Context, Params> | LongNamed<Id, Known[Name], Context, Params>;
};

// Interfaces, since the compiler instantiates a function type for each name.
interface ShortNamed<Id, Context, Params> {
  (...args: [...IdOf<Id>, request: RequestOf<Context, Params, unknown>]): unknown;
}

interface LongNamed<Id, Known, Context, Params> extends OperationOptions<never> {
  readonly input?: DecoderOf<InputIn<Known>>;
  readonly query?: AnyDecoder;
  // A method, so that any parameter is accepted here: `MiswrittenBy` compares it, once the result of `run` is known.
  stringify?(result: ResultOf<RunIn<Known>>): string;
  readonly run: Has<InputIn<Known>> extends true
    ? (...args: [...IdOf<Id>, input: Decoded<InputIn<Known>>, request: RequestOf<Context, Params, QueryIn<Known>>]) => unknown
    : (...args: [...IdOf<Id>, request: RequestOf<Context, Params, QueryIn<Known>>]) => unknown;
}

type ResultOf<Run> = Run extends (...args: never) => infer Result ? Awaited<Result> : unknown;

/** Whether the `stringify` of an operation takes another type than its `run` returns. */
export type MiswrittenBy<Form> = Form extends { readonly run: infer Run; readonly stringify: (result: infer Written) => string }
  ? ([ResultOf<Run>] extends [Written] ? never : 'stringify takes another type than run returns')
  : never;
