/**
 * The forms that an operation can have in a declaration: a function, or an object with the function as `run`.
 *
 * Each form takes `Known`: what the compiler knows of the operation before it reads its function, such as `{ input: typeof Pet }`. The types of
 * the function's parameters follow from it.
 */
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { Deprecation } from './deprecation.ts';
import type { IdCodec } from './id-codec.ts';
import type { AddedBy, Interceptors } from './interceptor.ts';
import type { FindingKinds, KindsWith, RowOf } from './kinds.ts';
import type { RunResult, OutputDecoder, Returns, InfersItem, ReturnsItem, SentItem } from './operation-results.ts';
import type { SuccessStatus } from './reply.ts';
import type { ApiRequest, ContextRequest } from './request.ts';

/** The codecs of a sub-path's parameters, by name. */
export type ParamCodecs = Readonly<Record<string, IdCodec<any>>>;

/** What those codecs parse. */
export type ParamsOf<Params> = { readonly [Name in keyof Params]: Params[Name] extends IdCodec<infer Value> ? Value : never };

/**
 * Authenticates the caller, before the body is read. Its result is the request's `context`. To reject the caller, it throws an `ApiError` or
 * gives `false`: 403.
 */
export type ContextFunction<Context, Params, Id> =
  ((request: ContextRequest<ParamsOf<NoInfer<Params>>, NoInfer<Id>>) => MaybePromise<Context | false>) & { readonly security?: object };

/** The context of the callers whom such a function admits. */
export type Admitted<Result> = Exclude<Awaited<Result>, false>;

/** No value to use. The compiler's message about another value ends with this text. */
export type InterceptorsExpected = 'use must be an interceptor, such as { around: (call, run) => run() }, or a list of them';

/** A string whose type stays a literal. */
export type Scope = (string & {}) | '';

/** The limits that an operation may have in place of the server's. */
export interface OperationLimits {
  /** The longest body, in bytes. */
  readonly bodyBytes?: number;
  /** How long the body may take to arrive, in milliseconds, from when the operation asks for it. */
  readonly requestMs?: number;
  /** How long the operation may take, in milliseconds; 0 for no limit. */
  readonly operationMs?: number;
}

/** The members of the long form besides `run`, `input`, `query` and `context`. */
export interface OperationOptions<Result = any> {
  /**
   * Checks and changes what `run` returns before it is sent: a decoder, or one for each status, where `null` is an answer without a body. With
   * it, the plain result of a create, update, patch or delete is sent too.
   */
  readonly output?: OutputDecoder | Readonly<Record<number, OutputDecoder | null>>;
  /** The status of a plain result, which then is the body of the answer. With 204 and 205 there is none. */
  readonly status?: SuccessStatus;
  /** The statuses that it may fail with, and what their problems hold: for documents and clients. */
  readonly errors?: Readonly<Record<number, AnyDecoder | null>>;
  /** What the caller must be allowed to do, in place of the endpoint's `scopes`; `[]` for nothing. The context must know scopes. */
  readonly scopes?: readonly Scope[];
  /** What the operation runs in, inside of what its endpoint runs in: one, or a list whose first is the outermost. */
  readonly use?: Interceptors | InterceptorsExpected;
  /** Lets an empty body be `undefined`, without asking the decoder. */
  readonly optional?: boolean;
  /** The names in the query that are always lists. */
  readonly lists?: readonly string[];
  /** Decodes the header fields, given as an object by their names in lower case. Its result is `request.headers`. */
  readonly headers?: AnyDecoder;
  // A method, so that any parameter is accepted here: it is compared once the result of `run` is known.
  /** Replaces `JSON.stringify` for what `run` returned. A throw, or a result that is no string, is a logged 500. */
  stringify?(result: Result): string;
  /** Limits of this operation in place of the server's: `limits: { bodyBytes: 10_000_000, operationMs: 60_000 }`. */
  readonly limits?: OperationLimits;
  /** One line for documents. */
  readonly summary?: string;
  /** More lines for documents, in Markdown. */
  readonly description?: string;
  /** Groups of operations in documents. */
  readonly tags?: readonly string[];
  /** With dates, every answer has them in its header fields. */
  readonly deprecated?: boolean | Deprecation;
  /** The name of the operation in documents, which is unique in them. Default: made of the path, such as `petGet`. */
  readonly operationId?: string;
  /** Lets models call it, through `restpoint/mcp`. */
  readonly tool?: true | ToolDescription;
}

/** What a model reads of a tool. */
export interface ToolDescription {
  /** 1 to 128 of `A-Z a-z 0-9 . _ -`. Default: the `operationId`. */
  readonly name?: string;
  /** Default: `summary` and `description`. */
  readonly description?: string;
}

// `Decoder & AnyDecoder` is too deep for TypeScript 5 with the decoders of ArkType.
type DecoderOf<Decoder> = [Decoder] extends [AnyDecoder] ? Decoder : AnyDecoder;

/**
 * Whether there is a decoder. `never` is none, though it extends all of them: it is what the compiler has for an unknown input
 * while it infers the arguments of a wrapper around `run`.
 */
export type Has<D> = [D] extends [never] ? false : [D] extends [AnyDecoder] ? true : false;

// An interface for each: `query?: never` of one operation would make an intersection with both `never`.
interface NoInput { readonly input: {} }
interface NoRun { readonly run: {} }
/** The decoder of the body; `{}` if there is none. */
type InputIn<Known> = (Known & NoInput)['input'];

/** The result of `run`, if it is known. */
export type ResultIn<Known> = (Known & NoRun)['run'] extends (...args: never) => infer Result ? Awaited<Result> : unknown;

type QueryIn<Known> = 'query' extends keyof Known ? QueryOf<Known['query']> : URLSearchParams;
type QueryOf<Query> = Has<Query> extends true ? Decoded<Query> : unknown extends Query ? unknown : URLSearchParams;

// That of the operation, or else of the endpoint. It is `unknown` if the operation has one whose parameter has no type.
type ContextIn<Known, Context> = 'context' extends keyof Known ? OwnContext<Known['context'], Context> : Context;
type OwnContext<Own, Context> = unknown extends Own ? unknown : Own extends (...args: never) => infer Value ? Admitted<Value> : Context;

// Not exported, so that the compiler names `ApiRequest` in what it emits for hosts.
type RequestOf<Context, Params, Query> = ApiRequest<
  [Context] extends [never] ? undefined : NoInfer<Context>, [Params] extends [never] ? {} : ParamsOf<Params>, Query
>;
/** Returns the version of an item that is to be changed; `undefined` if there is no item. `Added` is what the interceptors of its endpoint add. */
export type CurrentVersion<Id, Context, Params, Added> =
  (...args: [...IdOf<Id>, request: RequestOf<NoInfer<Context>, Params, URLSearchParams> & Added]) => MaybePromise<string | number | undefined>;

/** The request of a long form. `Added` is what the interceptors of its endpoint add. */
type RequestIn<Known, Context, Params, Added> = RequestOf<ContextIn<Known, Context>, Params, QueryIn<Known>> & Added & AddedIn<Known>;
// One condition for both, since most operations have neither.
type AddedIn<Known> = keyof Known & ('use' | 'headers') extends never ? unknown : InterceptorAdds<Known> & HeadersIn<Known>;
/** What the interceptors of an operation or an endpoint add to the request; `unknown` if they add nothing. */
export type InterceptorAdds<Known> = 'use' extends keyof Known ? AddedBy<Known['use']> : unknown;
/** What an operation that declares `headers` has at its request. */
export type HeadersIn<Known> = 'headers' extends keyof Known ? { readonly headers: HeadersOf<Known['headers']> } : unknown;
type HeadersOf<Headers> = Has<Headers> extends true ? Decoded<Headers> : unknown;

// An endpoint without ids has `unknown` here: its operations get none.
export type IdOf<Id> = 0 extends 1 & Id ? [id: any] : [unknown] extends [Id] ? [] : [id: NoInfer<Id>];
/** `unknown` for an operation whose path has no id. */
export type ItemId<Kind, Id> = Kind extends KindsWith<{ readonly suffix: `/:id${string}` }> ? Id : unknown;

/** An operation of a kind, whose row says whether it has an id, what decodes its body, and whether it has a short form. */
export type Operation<Kind, Id, Schema, Known, Context, Params, Added, Item> =
  | (RowOf<Kind> extends { readonly shorthand: false } ? never : Shorthand<Kind, Id, Schema, Context, Params, Added, Item>)
  | (RowOf<Kind> extends { readonly decoder: undefined }
    ? OptionsWithoutBody<Kind, Id, Schema, Known, Context, Params, Added, Item>
    : OptionsWithBody<Kind, Id, Schema, Known, Context, Params, Added>);

/** A function. With a body, it takes the endpoint's schema. */
type Shorthand<Kind, Id, Schema, Context, Params, Added, Item> = RowOf<Kind> extends { readonly decoder: 'schema' }
  ? (...args: [...IdOf<ItemId<Kind, Id>>, item: Decoded<Schema>, request: RequestOf<Context, Params, URLSearchParams> & Added]) => unknown
  : ReturnsItem<Kind, Schema, Item> & ((...args: ReadArguments<ItemId<Kind, Id>, RequestOf<Context, Params, URLSearchParams> & Added>) => unknown);

// Not `[...IdOf<Id>, Request]`, where the compiler would take the first parameter of the two functions together for either of these.
type ReadArguments<Id, Request> = 0 extends 1 & Id ? [id: any, request: Request] : [unknown] extends [Id] ? [request: Request] : [id: NoInfer<Id>, request: Request];

/** A long form without a body. */
interface OptionsWithoutBody<Kind, Id, Schema, Known, Context, Params, Added, Item> extends OperationOptions<Kind extends FindingKinds ? SentItem<Schema, Item> : any> {
  /**
   * Decodes the query, given as an object of strings and lists of strings. Its result is `request.query`. A query that it rejects gets 400:
   *
   *   list: { query: z.object({ legs: z.coerce.number().optional() }), run: ({ query }) => store.list(query.legs) }
   */
  readonly query?: AnyDecoder;
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Params, ItemId<Kind, Id>>;
  /** The operation. Gets the id, if the path has one, and the request: `run: (id, { query, context }) => …`. */
  readonly run: ('output' extends keyof Known ? Returns<RunResult<Kind, Known>> & InfersItem<Kind, Item> : ReturnsItem<Kind, Schema, Item>)
    & ((...args: ReadArguments<ItemId<Kind, Id>, RequestIn<Known, Context, Params, Added>>) => unknown);
}

/** A long form with a body. Takes what `input` decodes, else what the endpoint's `schema` does where that is its body, else no body. */
interface OptionsWithBody<Kind, Id, Schema, Known, Context, Params, Added> extends OperationOptions<any> {
  /** Decodes the body, in place of the endpoint's `schema`: a schema, a function, or a format such as `bytes()`. */
  readonly input?: DecoderOf<InputIn<Known>>;
  /**
   * Decodes the query, given as an object of strings and lists of strings. Its result is `request.query`. A query that it rejects gets 400:
   *
   *   list: { query: z.object({ legs: z.coerce.number().optional() }), run: ({ query }) => store.list(query.legs) }
   */
  readonly query?: AnyDecoder;
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Params, ItemId<Kind, Id>>;
  /** The operation. Gets the id, if the path has one, then the decoded body, and the request: `run: (id, pet, { context }) => …`. */
  readonly run: Has<InputIn<Known>> extends true
    ? (...args: [...IdOf<ItemId<Kind, Id>>, input: Decoded<InputIn<Known>>, request: RequestIn<Known, Context, Params, Added>]) => RunResult<Kind, Known, Id>
    : Has<BodySchema<Kind, Schema>> extends true
      ? (...args: [...IdOf<ItemId<Kind, Id>>, input: Decoded<Schema>, request: RequestIn<Known, Context, Params, Added>]) => RunResult<Kind, Known, Id>
      : (...args: [...IdOf<ItemId<Kind, Id>>, request: RequestIn<Known, Context, Params, Added>]) => RunResult<Kind, Known, Id>;
}

type BodySchema<Kind, Schema> = RowOf<Kind> extends { readonly decoder: 'schema' } ? Schema : unknown;

/** A named operation of an endpoint, for a variable that holds one. `Written` is the parameter of its `stringify`. */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> extends OperationOptions<Written> {
  readonly input?: [Input] extends [AnyDecoder] ? Input : never;
  readonly query?: never;
  readonly headers?: never;
  readonly context?: never;
  /** The operation. Gets the decoded body if `input` is there, and the request. */
  readonly run: Has<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
}

/** Operations by name. */
export type NamedOperations<Id, Known, Context, Params, Added> = {
  readonly [Name in keyof Known]: NamedShorthand<Id, Context, Params, Added> | NamedOptions<Id, Known[Name], Context, Params, Added>;
};

// Interfaces, since the compiler instantiates a function type for each name.
interface NamedShorthand<Id, Context, Params, Added> {
  (...args: [...IdOf<Id>, request: RequestOf<Context, Params, URLSearchParams> & Added]): unknown;
}

interface NamedOptions<Id, Known, Context, Params, Added> extends OperationOptions<any> {
  /** Decodes the body: a schema, a function, or a format such as `bytes()`. Without it, the body is ignored. */
  readonly input?: DecoderOf<InputIn<Known>>;
  /**
   * Decodes the query, given as an object of strings and lists of strings. Its result is `request.query`. A query that it rejects gets 400:
   *
   *   find: { query: z.object({ legs: z.coerce.number().optional() }), run: ({ query }) => store.list(query.legs) }
   */
  readonly query?: AnyDecoder;
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Params, Id>;
  stringify?(result: ResultIn<Known>): string;
  /** The operation. Gets the id of an `itemCustom`, then the decoded body if `input` is there, and the request: `run: (id, portion, request) => …`. */
  readonly run: Has<InputIn<Known>> extends true
    ? (...args: [...IdOf<Id>, input: Decoded<InputIn<Known>>, request: RequestIn<Known, Context, Params, Added>]) => RunResult<'custom', Known>
    : (...args: [...IdOf<Id>, request: RequestIn<Known, Context, Params, Added>]) => RunResult<'custom', Known>;
}
