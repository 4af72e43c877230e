/**
 * The types of an operation in a declaration: a function, the shorthand, or an options object with the function as `run`.
 *
 * `Known` is what the compiler knows of the operation before it reads the function, such as `{ input: typeof Pet }`. The types of the
 * function's parameters follow from it.
 */
import type { CacheOptions } from './cache-options.ts';
import type { AnyDecoder, Decoded, MaybePromise, OutputDecoder } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { AddedBy, Interceptors } from './interceptor.ts';
import type { ItemKinds, NamedMethod, RowOf } from './kinds.ts';
import type { RunResult, Returns, InfersItem, ReturnsItem } from './operation-results.ts';
import type { ApiRequest, ContextRequest, UndeclaredQuery } from './request.ts';

/** The codecs of a sub-path's parameters, by name. */
export type ParamCodecs = Readonly<Record<string, IdCodec<any>>>;

/** The parameters that these codecs parse. */
export type ParamsOf<Params> = { readonly [Name in keyof Params]: Params[Name] extends IdCodec<infer Value> ? Value : never };

/**
 * Authenticates the caller, before the body is read. Its result is the request's `context`. To reject the caller, it throws an `ApiError`,
 * or returns `false`, `undefined` or `null`: 403. To admit anyone, declare `anyone` of `restpoint/auth`, or `firstOf(context, anyone)`.
 *
 * @example
 * ```ts
 * const signedIn = async ({ raw }: ContextRequest): Promise<User> => {
 *   const user = users.get(raw.headers.authorization ?? '');
 *   if (user === undefined) throw ApiError.status(401, 'Sign in first.', { headers: { 'WWW-Authenticate': 'Session' } });
 *   return user;
 * };
 * defineEndpoint({ id: integerId, context: signedIn, delete: (id, { context: user }) => db.delete(id, user.id) });
 * ```
 */
export type ContextFunction<Context, Params, Id> =
  ((request: ContextRequest<ParamsOf<NoInfer<Params>>, NoInfer<Id>>) => MaybePromise<Context | Rejecting>)
  & { readonly security?: object; readonly ' types'?: { readonly context: Context } };

/** The results of a `ContextFunction` that reject the caller. */
type Rejecting = false | undefined | null;

/**
 * The context of admitted callers, by a `ContextFunction`. The functions of `restpoint/auth` say themselves whether it can be `undefined`.
 */
export type Admitted<Function> = Function extends (...args: never) => infer Result
  ? ' types' extends keyof Function ? Exclude<Awaited<Result>, false> : Exclude<Awaited<Result>, Rejecting>
  : undefined;

/** Nobody passes this string: the compiler's message about a wrong `use` ends with it. */
export type InterceptorsExpected =
  'use must be an interceptor, such as { around: (call, run) => run() }, or a list of them. Middleware is for server.use';

/** A string. The compiler keeps its literal type. */
export type Scope = (string & {}) | '';

/**
 * The limits of an operation, in place of the server's.
 *
 * @example
 * ```ts
 * const limits: OperationLimits = { bodyBytes: 10_000_000, requestMs: 60_000 };
 * defineEndpoint({ id: integerId, update: { input: bytes(), limits, run: async (_id, _image) => true } });
 * ```
 */
export interface OperationLimits {
  /** The longest body, in bytes. One that a format reads, such as `bytes()`, may be up to 2^53 - 1. */
  readonly bodyBytes?: number;
  /**
   * How long the body may take to arrive, in milliseconds, from when the operation asks for it. A body of more than 1 MiB may wait as long
   * to be asked for.
   */
  readonly requestMs?: number;
  /** How long the operation may take, in milliseconds; 0 for no limit. */
  readonly operationMs?: number;
}

/**
 * The options of an operation, except `run`, `input`, `query` and `context`.
 *
 * @example
 * ```ts
 * const options: OperationOptions = { summary: 'Reads a pet', tags: ['pets'], limits: { operationMs: 1_000 } };
 * defineEndpoint({ id: integerId, get: { ...options, run: (id) => db.find(id) } });
 * ```
 */
export interface OperationOptions {
  /**
   * Checks and changes the result of `run` before it is sent: a decoder, or one for each status, with `null` for a response without a body.
   * `{ 202: Job }` is also the status of a plain result. With it, the plain result of a create, update, patch or delete is sent too.
   */
  readonly output?: OutputDecoder | Readonly<Record<number, OutputDecoder | null>>;
  /**
   * The statuses that it may fail with, and decoders of the properties of their problems: one, or a list for problems of which each has its
   * own `type` or `code`. A problem is sent with what its decoder returns, so properties that a schema does not name are not sent.
   *
   * @example
   * ```ts
   * const Taken = z.object({ code: z.literal('taken'), seat: z.string() });
   * const Closed = z.object({ code: z.literal('closed') });
   * defineEndpoint({
   *   custom: { buy: { errors: { 409: [Taken, Closed] }, run: () => problem(409, 'Seat A1 is taken.', { code: 'taken', seat: 'A1' }) } },
   * });
   * ```
   */
  readonly errors?: Readonly<Record<number, AnyDecoder | readonly AnyDecoder[] | null>>;
  /**
   * The headers of its successes, by name: `responseHeaders: { 'X-Total': z.int() }`. The compiler asks `reply` and `created` for them. A
   * success in which one is missing or wrong is a logged 500. A schema that accepts `undefined` makes a header optional.
   */
  readonly responseHeaders?: Readonly<Record<string, AnyDecoder>>;
  /** The scopes that a caller needs, in place of the endpoint's `scopes`; `[]` for none. The context must know scopes. */
  readonly scopes?: readonly Scope[];
  /** Interceptors, outermost first. They run inside the interceptors of the endpoint. */
  readonly use?: Interceptors | InterceptorsExpected;
  /** Accepts a request without a body: `run` gets `undefined`, and the decoder is not called. */
  readonly optional?: boolean;
  /**
   * The names in the query whose values are lists, even of one, for a `query` without a JSON Schema, such as a function. With one, a value
   * is a list if its JSON Schema has the type `array`.
   */
  readonly lists?: readonly string[];
  /** Decodes the headers, an object by their names in lower case. Its result is `request.headers`. */
  readonly headers?: AnyDecoder;
  /**
   * How long caches may keep a response of a `get`, `list` or named read. Successes and 304s get `Cache-Control`, and `Vary` with the
   * headers that they depend on; errors do not. A response that has a `Cache-Control` keeps it.
   *
   * @example
   * ```ts
   * defineEndpoint({
   *   id: integerId,
   *   list: { cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 600 }, run: () => db.list() },
   * });
   * ```
   */
  readonly cache?: CacheOptions;
  /**
   * `'body'`: successes of a `get`, `list` or named read get an `ETag` that is a hash of their body. A client that has the body gets a 304.
   * A response that has an `ETag` keeps it. A stream without one is a logged 500. Not for the `get` of an endpoint with `version`.
   */
  readonly etag?: 'body';
  /** Limits of this operation in place of the server's: `limits: { bodyBytes: 10_000_000, operationMs: 60_000 }`. */
  readonly limits?: OperationLimits;
  /** One line for documents. */
  readonly summary?: string;
  /** More lines for documents, in Markdown. */
  readonly description?: string;
  /** Groups of operations in documents. */
  readonly tags?: readonly string[];
  /** Marks the operation as deprecated in documents. */
  readonly deprecated?: true;
  /** The unique name of the operation in documents. @default made of the path, such as `petGet` */
  readonly operationId?: string;
  /** Whether OpenAPI documents leave it out. It is served, and with `tool` it is a tool. @default `hidden` of the endpoint */
  readonly hidden?: boolean;
  /** Lets models call it, through `restpoint/mcp`. */
  readonly tool?: true | ToolDescription;
}

/**
 * The name and the description of a tool, for models, and hints for their clients.
 *
 * @example
 * ```ts
 * const tool: ToolDescription = { name: 'read_pet', description: 'Reads a pet.', annotations: { openWorldHint: true } };
 * defineEndpoint({ id: integerId, get: { tool, run: (id) => db.find(id) } });
 * ```
 */
export interface ToolDescription {
  /** 1 to 128 of `A-Z a-z 0-9 . _ -`. @default the `operationId` */
  readonly name?: string;
  /** What the tool does. @default `summary` and `description` */
  readonly description?: string;
  /**
   * Declared headers that a model may choose, beside `If-Match`, `If-None-Match` and `Idempotency-Key`. The request with the call wins over
   * it.
   * @default none
   */
  readonly headers?: readonly string[];
  /** What clients may assume about its calls, where its kind does not say so. */
  readonly annotations?: ToolAnnotations;
}

/**
 * What clients may assume about the calls of a tool: many ask their user before a call that is not read-only. `get`, `list` and
 * named reads are read-only by themselves, `update` and `delete` are idempotent, and `create` is not destructive.
 *
 * @example
 * ```ts
 * const annotations: ToolAnnotations = { readOnlyHint: true };
 * defineEndpoint({ custom: { count: { tool: { annotations }, run: () => pets.size } } });
 * ```
 */
export interface ToolAnnotations {
  /** Whether it changes nothing. Such a tool is not destructive, and is idempotent. @default `true` for `get`, `list` and named reads */
  readonly readOnlyHint?: boolean;
  /** Whether it may change or remove what is there. @default `false` for `create`, and if it is read-only */
  readonly destructiveHint?: boolean;
  /** Whether the same call again changes nothing more. @default `true` for `update` and `delete`, and if it is read-only */
  readonly idempotentHint?: boolean;
  /** Whether it reaches others than this server, such as the web. @default false */
  readonly openWorldHint?: boolean;
}

// `Decoder & AnyDecoder` is too deep for TypeScript 5 with the decoders of ArkType.
type KnownDecoder<Decoder> = [Decoder] extends [AnyDecoder] ? Decoder : AnyDecoder;

/**
 * Whether `D` is a decoder. `never` is not: the compiler uses it for an unknown input, while it infers the arguments of a wrapper of `run`.
 */
export type Has<D> = [D] extends [never] ? false : [D] extends [AnyDecoder] ? true : false;

interface NoInput { readonly input: {} }
/** The decoder of the body; `{}` if there is none. */
type InputIn<Known> = (Known & NoInput)['input'];

type DecodedQuery<Known> = 'query' extends keyof Known
  ? Has<Known['query']> extends true ? Decoded<Known['query']> : unknown extends Known['query'] ? unknown : UndeclaredQuery
  : UndeclaredQuery;

// The context of the operation, or else of the endpoint. `unknown` for an operation's own function whose parameter has no type.
type ContextIn<Known, Context> = 'context' extends keyof Known
  ? unknown extends Known['context'] ? unknown : Known['context'] extends (...args: never) => unknown ? Admitted<Known['context']> : Context
  : Context;

// Not exported, so that the compiler writes `ApiRequest` into a user's declaration files.
type RequestOf<Context, Params, Query, Id> = ApiRequest<
  [Context] extends [never] ? undefined : NoInfer<Context>, [Params] extends [never] ? {} : ParamsOf<Params>, Query,
  [unknown] extends [Id] ? any : NoInfer<Id>
>;

/** The types of an endpoint that its named operations depend on. `added` is what its interceptors add to the request. */
type EndpointTypes = Readonly<Record<'id' | 'context' | 'params' | 'added', unknown>>;
/** The types of an endpoint that its other operations depend on. */
type SchemaTypes = EndpointTypes & { readonly schema: unknown };

/** Returns the version of an item before it is changed; `undefined` if there is no item. */
export type CurrentVersion<Of extends EndpointTypes> =
  (...args: [...IdOf<Of['id']>, request: PlainRequest<Of>]) => MaybePromise<string | number | undefined>;

/** The request of an operation without options. */
type PlainRequest<Of extends EndpointTypes> = RequestOf<Of['context'], Of['params'], UndeclaredQuery, Of['id']> & Of['added'];
/** The request that `run` gets. */
type RequestIn<Known, Of extends EndpointTypes> =
  RequestOf<ContextIn<Known, Of['context']>, Of['params'], DecodedQuery<Known>, Of['id']> & Of['added'] & AddedIn<Known>;
// One condition for `use` and `headers`, since most operations have neither.
type AddedIn<Known> = keyof Known & ('use' | 'headers') extends never ? unknown : InterceptorAdds<Known> & HeadersIn<Known>;
/** The properties that the interceptors of an operation or an endpoint add to the request; `unknown` if they add nothing. */
export type InterceptorAdds<Known> = 'use' extends keyof Known ? AddedBy<Known['use']> : unknown;
/** The property `headers` of the request of an operation that declares `headers`. */
export type HeadersIn<Known> = 'headers' extends keyof Known
  ? { readonly headers: Has<Known['headers']> extends true ? Decoded<Known['headers']> : unknown }
  : unknown;

// `Id` is `unknown` for an endpoint without ids: its operations get no id.
export type IdOf<Id> = 0 extends 1 & Id ? [id: any] : [unknown] extends [Id] ? [] : [id: NoInfer<Id>];
/** The id in the path of an operation; `unknown` if the path has none. */
export type ItemId<Kind, Id> = Kind extends ItemKinds ? Id : unknown;

/**
 * An operation of a kind. The row of the kind says whether it has an id, what decodes its body, and whether it has a shorthand. `Item` is
 * not one of the types in `Of`, since the compiler infers it from the result of `get`.
 */
export type DeclaredOperation<Kind, Known, Of extends SchemaTypes, Item> =
  | (RowOf<Kind> extends { readonly shorthand: false } ? never : Shorthand<Kind, Of, Item>)
  | (RowOf<Kind> extends { readonly decoder: undefined } ? OptionsWithoutBody<Kind, Known, Of, Item> : OptionsWithBody<Kind, Known, Of>);

/** A function. The endpoint's schema decodes its body, if it has one. */
type Shorthand<Kind, Of extends SchemaTypes, Item> = RowOf<Kind> extends { readonly decoder: 'schema' }
  ? (...args: [...IdOf<ItemId<Kind, Of['id']>>, item: Decoded<Of['schema']>, request: PlainRequest<Of>]) => unknown
  : ReturnsItem<Kind, Of['schema'], Item> & ((...args: ReadArguments<ItemId<Kind, Of['id']>, PlainRequest<Of>>) => unknown);

// With `[...IdOf<Id>, Request]`, the compiler would take the first parameter of an intersection of functions for either the id or the
// request.
type ReadArguments<Id, Request> = 0 extends 1 & Id ? [id: any, request: Request]
  : [unknown] extends [Id] ? [request: Request] : [id: NoInfer<Id>, request: Request];

/** The options of an operation, except `run`, `input` and `context`. */
interface QueryingOptions extends OperationOptions {
  /**
   * Decodes the query, given as an object of strings and lists of strings. Its result is `request.query`. A query that it rejects gets 400:
   *
   *   list: { query: z.object({ legs: z.coerce.number().optional() }), run: ({ query }) => store.list(query.legs) }
   */
  readonly query?: AnyDecoder;
}

/** The options object of an operation without a body. */
interface OptionsWithoutBody<Kind, Known, Of extends SchemaTypes, Item> extends QueryingOptions {
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Of['params'], ItemId<Kind, Of['id']>>;
  /** The operation. Gets the id, if the path has one, and the request: `run: (id, { query, context }) => …`. */
  readonly run:
    & ('output' extends keyof Known ? Returns<RunResult<Kind, Known>> & InfersItem<Kind, Item> : ReturnsItem<Kind, Of['schema'], Item>)
    & ((...args: ReadArguments<ItemId<Kind, Of['id']>, RequestIn<Known, Of>>) => unknown);
}

/**
 * The options object of an operation with a body. `input` decodes it, else the endpoint's `schema` for the kinds that take it; else `run`
 * gets no body.
 */
interface OptionsWithBody<Kind, Known, Of extends SchemaTypes> extends QueryingOptions {
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Of['params'], ItemId<Kind, Of['id']>>;
  /** Decodes the body, in place of the endpoint's `schema`: a schema, a function, or a format such as `bytes()`. */
  readonly input?: KnownDecoder<InputIn<Known>>;
  /** The operation. Gets the id, if the path has one, then the decoded body, and the request: `run: (id, pet, { context }) => …`. */
  readonly run: Has<InputIn<Known>> extends true
    ? RunWithBody<ItemId<Kind, Of['id']>, InputIn<Known>, Known, RequestIn<Known, Of>, RunResult<Kind, Known, Of['id']>>
    : Has<RowOf<Kind> extends { readonly decoder: 'schema' } ? Of['schema'] : unknown> extends true
      ? RunWithBody<ItemId<Kind, Of['id']>, Of['schema'], Known, RequestIn<Known, Of>, RunResult<Kind, Known, Of['id']>>
      : (...args: [...IdOf<ItemId<Kind, Of['id']>>, request: RequestIn<Known, Of>]) => RunResult<Kind, Known, Of['id']>;
}
type RunWithBody<Id, Decoder, Known, Request, Result> = (...args: [
  ...IdOf<Id>, input: 'optional' extends keyof Known ? Decoded<Decoder> | UndefinedIf<Known['optional']> : Decoded<Decoder>, request: Request,
]) => Result;
// `optional` without a literal is the one of a `CustomOperation`, which cannot have it.
type UndefinedIf<Is> = Is extends true ? undefined : never;

/**
 * A Custom operation of an endpoint, for a variable that holds one.
 *
 * @example
 * ```ts
 * const count: CustomOperation<undefined, number> = { run: () => pets.size };
 * defineEndpoint({ custom: { count } });
 * ```
 */
export interface CustomOperation<Input, Result = unknown> extends OperationOptions {
  /** Not for a variable: write such an operation within `defineEndpoint`. */
  readonly method?: never;
  /** Not for a variable: write such an operation within `defineEndpoint`. */
  readonly optional?: never;
  /** Decodes the body. */
  readonly input?: [Input] extends [AnyDecoder] ? Input : never;
  /** Not for a variable: write such an operation within `defineEndpoint`. */
  readonly query?: never;
  /** Not for a variable: write such an operation within `defineEndpoint`. */
  readonly headers?: never;
  /** Not for a variable: write such an operation within `defineEndpoint`. */
  readonly context?: never;
  /** The operation. Gets the decoded body if `input` is there, and the request. */
  readonly run: Has<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
}

/** Operations by name. */
export type NamedOperations<Known, Of extends EndpointTypes> = {
  readonly [Name in keyof Known]: NamedShorthand<Of> | NamedOptions<Known[Name], Of>;
};

// Interfaces, since the compiler would instantiate a function type for each name.
interface NamedShorthand<Of extends EndpointTypes> {
  (...args: [...IdOf<Of['id']>, request: PlainRequest<Of>]): unknown;
}

interface NamedOptions<Known, Of extends EndpointTypes> extends QueryingOptions {
  /** Authenticates callers of this operation, in place of the endpoint's `context`. */
  readonly context?: ContextFunction<unknown, Of['params'], Of['id']>;
  /**
   * The method of its route. `'GET'` only reads, so that it can be cached, and sent again. It has no body:
   *
   *   nearest: { method: 'GET', query: Place, run: ({ query }) => store.nearest(query) }
   */
  readonly method?: NamedMethod;
  /** Decodes the body: a schema, a function, or a format such as `bytes()`. Without it, the body is ignored. Not with `method: 'GET'`. */
  readonly input?: KnownDecoder<InputIn<Known>>;
  /**
   * The operation. Gets the id, for an `itemCustom`, then the decoded body, with `input`, and the request: `run: (id, portion, request) =>
   * …`.
   */
  readonly run: Has<InputIn<Known>> extends true
    ? RunWithBody<Of['id'], InputIn<Known>, Known, RequestIn<Known, Of>, RunResult<'custom', Known>>
    : (...args: [...IdOf<Of['id']>, request: RequestIn<Known, Of>]) => RunResult<'custom', Known>;
}
