/**
 * What a host declares. The presence of a function declares its operation, so there is no second list to keep up to date:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { ErrorMapper, NotFoundPredicate } from '../errors/api-error.ts';
import type { IdCodec } from './id-codec.ts';
import type { Interceptors } from './interceptor.ts';
import type { KindsWith } from './kinds.ts';
import type { CurrentVersion, ContextFunction, InterceptorsExpected, NamedOperations, Operation, ParamCodecs, Scope, InterceptorAdds } from './operation-forms.ts';
import type { VersionedItem } from './operation-results.ts';

/**
 * An endpoint: the codec of its ids, the schema of its items, and its operations. Operations may return a promise, get the
 * request as their last argument, and are called as methods of the endpoint, so an instance of a class can be one.
 *
 * An `ApiError` that an operation throws is answered by its kind; anything else goes through `ApiError.from`.
 */
export interface ApiEndpoint<Id, Schema, Known = {}, Context = undefined, Params = {}, Item = unknown> {
  /** Parses and formats the ids, and decides their type. Without it, the endpoint is a singleton: its operations get no id. */
  readonly id?: CodecOf<Id>;
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params?: Params & ParamCodecs;
  /**
   * Authenticates the caller, before the body is read. Its result is the request's `context`. To reject the caller, it throws an `ApiError` or
   * gives `false`: 403, or 401 if it has `unauthorized`, as the functions of `restpoint/auth` have.
   *
   * @example
   * ```ts
   * defineEndpoint({ id: integerId, context: ({ raw }) => isAdmin(raw), delete: (id) => pets.delete(id) });
   * ```
   */
  readonly context?: ContextFunction<Context, Params, Id>;
  /** What a caller must be allowed to do. The context must know scopes. */
  readonly scopes?: readonly Scope[];
  /** What its operations run in: one, or a list whose first is the outermost. */
  readonly use?: Interceptors | InterceptorsExpected;
  /** Names the endpoint in documents. Default: the literal segments of its sub-path, in camel case. */
  readonly name?: string;
  /** Decodes the bodies of `create` and `update`. Its output is the type of an item. */
  readonly schema?: Schema;
  /**
   * `POST {base}`: stores an item and returns its id. 201 with the id as text, and `Location`. Without `id`: 201, and the result is nothing.
   * With `output` or `status`, the result is the body. `created` has both.
   */
  readonly create?: Declared<'create', Id, Schema, Known, Context, Params>;
  /** `GET {base}`: returns the items. 200 with the JSON of the result. */
  readonly list?: Declared<'list', Id, Schema, Known, Context, Params>;
  /** `QUERY {base}`: returns what its `input` asks for. 200 with the JSON of the result. */
  readonly search?: Declared<'search', Id, Schema, Known, Context, Params> | 'search must be an object: { input, run }';
  /** `GET {base}/:id`: returns an item. 200 with its JSON, or 404 for `undefined` and `null`. */
  readonly get?: Declared<'get', Id, Schema, Known, Context, Params, Item>;
  /** `PUT {base}/:id`: replaces an item. 204, or 404 for `false`. With `output` or `status`, the result is the body: 200. */
  readonly update?: Declared<'update', Id, Schema, Known, Context, Params>;
  /** `PATCH {base}/:id`: changes an item. Answered as `update`. */
  readonly patch?: Declared<'patch', Id, Schema, Known, Context, Params> | 'patch must be an object: { input, run }';
  /** `DELETE {base}/:id`: removes an item. Answered as `update`. */
  readonly delete?: Declared<'delete', Id, Schema, Known, Context, Params>;
  /** `POST {base}/<name>`, one for each name of `A-Z a-z 0-9 - . _ ~`. 200 with the JSON of the result. */
  readonly custom?: NamedOperations<unknown, KnownOf<'custom', Known>, Context, Params, InterceptorAdds<Known>>;
  /** `POST {base}/:id/<name>`. 200 with the JSON of the result. */
  readonly itemCustom?: WithId<'itemCustom', Id, unknown> & NamedOperations<Id, KnownOf<'itemCustom', Known>, Context, Params, InterceptorAdds<Known>>;
  /**
   * The version of an item that `get` returned: another one whenever the item has changed. Sent as a strong `ETag`, also with an item that
   * `patch` returns. Clients name it in `If-None-Match` and `If-Match` (RFC 9110 section 13): 304 and 412. Needs `get`.
   */
  readonly version?: (item: VersionedItem<Schema, KnownOf<'get', Known>, Item>) => string | number;
  /**
   * The version of an item that is to be changed; `undefined` if there is no item. Called if the client has set a condition, just before the
   * operation runs, within its interceptors. Its `request` has the endpoint's context, and what interceptors add, such as a transaction. Without
   * it, `get` is called, which then cannot have `query`, `headers`, `use` or `scopes`.
   *
   * @example
   * currentVersion: (id, { tx }) => tx.revisionOf(id),
   */
  readonly currentVersion?: CurrentVersion<Id, Context, Params, InterceptorAdds<Known>>;
  /** Whether `update`, `patch` and `delete` without `If-Match` are refused: 428. Needs `version` or `currentVersion`. */
  readonly requireIfMatch?: boolean;
  /** Replaces the server's `isNotFound` for this endpoint. */
  readonly isNotFound?: NotFoundPredicate;
  /** Asked before the server's `mapError`. */
  readonly mapError?: ErrorMapper;
}

// Without a codec, nothing is known of `Id`.
type CodecOf<Id> = 0 extends 1 & Id ? IdCodec<Id> : [unknown] extends [Id] ? CodecExpected : IdCodec<Id> | CodecExpected;
type CodecExpected = 'id must be a codec, such as integerId or stringId';

type Declared<Kind extends KindsWith<unknown>, Id, Schema, Known, Context, Params, Item = unknown> =
  WithId<Kind, Id, Operation<Kind, Id, Schema, KnownOf<Kind, Known>, NoInfer<Context>, Params, InterceptorAdds<Known>, Item>>;

type WithId<Kind extends string, Id, Value> =
  Kind extends KindsWith<{ readonly needsId: true }> ? [unknown] extends [Id] ? `${Kind} needs endpoint.id` : Value : Value;

type NoneKnown = { readonly [Kind in KindsWith<unknown>]: {} };
type KnownOf<Kind extends keyof NoneKnown, Known> = (Known & NoneKnown)[Kind];

type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}` ? Name
  : Path extends `${string}/*${infer Name}` ? Name : never;

/** A sub-path that does not have the parameters of its endpoint. */
export type PathMistake<Path, Params> = [NamesIn<Path>] extends [keyof Params]
  ? [keyof Params] extends [NamesIn<Path>] ? never : `this path needs :${Exclude<keyof Params, NamesIn<Path>> & string}, as in endpoint.params`
  : 'id' extends Exclude<NamesIn<Path>, keyof Params> ? 'endpoint.id adds /:id itself: leave it out of the path'
  : `endpoint.params needs ${Exclude<NamesIn<Path>, keyof Params> & string}, as in the path`;
export type SubPath<Path, Params> = [PathMistake<Path, Params>] extends [never] ? Path : PathMistake<Path, Params>;
