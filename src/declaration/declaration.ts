/**
 * The types of a declaration. The presence of a function declares its operation, so there is no second list to keep up to date:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { ErrorMapper } from '../errors/api-error.ts';
import type { Limited } from './contract.ts';
import type { IdCodec } from './id-codec.ts';
import type { AddedBy, Interceptors } from './interceptor.ts';
import type { KindsWith } from './kinds.ts';
import type {
  ContextFunction, CurrentVersion, DeclaredOperation, InterceptorAdds, InterceptorsExpected, NamedOperations, ParamCodecs, Scope,
} from './operation-forms.ts';
import type { VersionedItem } from './operation-results.ts';

/**
 * An endpoint: the codec of its ids, the schema of its items, and its operations. Operations may return a promise, get the
 * request as their last argument, and are called as methods of the endpoint, so an instance of a class can be one.
 *
 * An `ApiError` that an operation throws determines the response; any other error is converted by `ApiError.from`.
 */
export type ApiEndpoint<Id, Schema, Known = {}, Context = undefined, Params = {}, Item = unknown> = {
  /** Parses and formats the ids, and determines their type. Without it, the endpoint is a singleton: its operations get no id. */
  readonly id?: CodecOf<Id>;
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params?: Params & ParamCodecs;
  /**
   * Authenticates the caller, before the body is read. Its result is the request's `context`. To reject the caller, it throws an
   * `ApiError`, or returns `false`, `undefined` or `null`: 403, or 401 if it has `unauthorized`, as the functions of `restpoint/auth` have.
   * `anyone` of `restpoint/auth` admits everyone.
   *
   * @example
   * ```ts
   * defineEndpoint({
   *   id: integerId,
   *   context: bearer((token) => users.get(token)),
   *   delete: (id, { context: user }) => db.delete(id, user.id),
   * });
   * ```
   */
  readonly context?: ContextFunction<Context, Params, Id>;
  /** The scopes that a caller needs. The context must know scopes. */
  readonly scopes?: readonly Scope[];
  /** Interceptors of its operations, outermost first. */
  readonly use?: Interceptors | InterceptorsExpected;
  /** The name of the endpoint in documents. @default the literal segments of its sub-path, in camel case */
  readonly name?: string;
  /** Whether OpenAPI documents leave its operations out, except those with `hidden: false`. They are served. @default false */
  readonly hidden?: boolean;
  /** Decodes the bodies of `create` and `update`. Its output is the type of an item. */
  readonly schema?: Schema;
  /**
   * `POST {base}`: stores an item and returns its id. 201 with `Location`, and the id as the body. Without `id`: returns nothing, 201. With
   * `output`, the result is the body. To send both `Location` and a body, return `created(id, body)`.
   */
  readonly create?: Declared<'create', Id, Schema, Known, Context, Params>;
  /** `GET {base}`: returns the items. 200 with the result as JSON. */
  readonly list?: Declared<'list', Id, Schema, Known, Context, Params>;
  /** `GET {base}/:id`: returns an item. 200 with the item as JSON, or 404 for `undefined` and `null`. */
  readonly get?: Declared<'get', Id, Schema, Known, Context, Params, Item>;
  /** `PUT {base}/:id`: replaces an item. 204, or 404 for `false`. With `output`, the result is the body: 200. */
  readonly update?: Declared<'update', Id, Schema, Known, Context, Params>;
  /** `PATCH {base}/:id`: changes an item. The responses are as for `update`. */
  readonly patch?: Declared<'patch', Id, Schema, Known, Context, Params> | 'patch must be an object: { input, run }';
  /** `DELETE {base}/:id`: removes an item. The responses are as for `update`. */
  readonly delete?: Declared<'delete', Id, Schema, Known, Context, Params>;
  /** `POST {base}/<name>`: operations by name, of `A-Z a-z 0-9 - . _ ~`. 200 with the result as JSON. */
  readonly custom?: NamedOperations<
    KnownOf<'custom', Known>, { id: unknown; context: Context; params: Params; added: InterceptorAdds<Known> }
  >;
  /** `POST {base}/:id/<name>`: operations of an item, by name. 200 with the result as JSON. */
  readonly itemCustom?: WithId<'itemCustom', Id, unknown>
    & NamedOperations<KnownOf<'itemCustom', Known>, { id: Id; context: Context; params: Params; added: InterceptorAdds<Known> }>;
  /**
   * Returns the version of an item that `get` returned: a different one after each change. Sent as a strong `ETag`, even with an item that
   * `patch` returns. Clients send it in `If-None-Match` and `If-Match` (RFC 9110 section 13): 304 and 412. Needs `get`.
   */
  readonly version?: (item: VersionedItem<Schema, KnownOf<'get', Known>, Item>) => string | number;
  /**
   * Returns the version of an item before it is changed; `undefined` if there is no item. Called if the client has sent a condition, just
   * before the operation runs, within its interceptors. Its `request` has the endpoint's context, and the properties that interceptors add,
   * such as a transaction; those that an operation's own add are optional. Without it, `get` is called, which then cannot have `query`,
   * `headers`, `use`, or a different context or more scopes than the change.
   *
   * @example
   * ```ts
   * defineEndpoint({
   *   id: integerId,
   *   currentVersion: async (id) => (await db.find(id))?.revision,
   *   delete: (id) => db.delete(id),
   * });
   * ```
   */
  readonly currentVersion?: CurrentVersion<
    { id: Id; context: NoInfer<Context>; params: Params; added: InterceptorAdds<Known> & ChangeAdds<Known> }
  >;
  /** Whether `update`, `patch` and `delete` need `If-Match`: without it, they get 428. Needs `version` or `currentVersion`. */
  readonly requireIfMatch?: boolean;
  /** Called before the server's `mapError`, which is called if this returns `undefined`. */
  readonly mapError?: ErrorMapper;
};

// Without a codec, the compiler knows nothing of `Id`.
type CodecOf<Id> = 0 extends 1 & Id ? IdCodec<Id> : [unknown] extends [Id] ? CodecExpected : IdCodec<Id> | CodecExpected;
type CodecExpected = 'id must be a codec, such as integerId or stringId';

type Declared<Kind extends KindsWith<unknown>, Id, Schema, Known, Context, Params, Item = unknown> =
  WithId<Kind, Id, DeclaredOperation<
    Kind, KnownOf<Kind, Known>, { id: Id; schema: Schema; context: NoInfer<Context>; params: Params; added: InterceptorAdds<Known> }, Item
  >>;

type WithId<Kind extends string, Id, Value> =
  Kind extends KindsWith<{ readonly needsId: true }> ? [unknown] extends [Id] ? `${Kind} needs endpoint.id` : Value : Value;

/** The properties that the interceptors of changes add, each for its own operation only. */
type ChangeAdds<Known> = AllOptional<OwnAdds<(Known & NoneKnown)['update' | 'patch' | 'delete']>>;
type OwnAdds<Known> = Known extends { readonly use: infer Use } ? Limited<AddedBy<Use>> : never;
type AllOptional<Adds> = (Adds extends unknown ? (adds: Partial<Adds>) => void : never) extends (adds: infer All) => void ? All : never;

type NoneKnown = { readonly [Kind in KindsWith<unknown>]: {} };
type KnownOf<Kind extends keyof NoneKnown, Known> = (Known & NoneKnown)[Kind];

type NamesIn<Path> = Path extends `${infer Before}/*${infer Rest}`
  ? NamesIn<Before> | (Rest extends `${infer Name}/${infer After}` ? Name | NamesIn<`/${After}`> : Rest)
  : Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}` ? Name : never;

/** The mistake in a sub-path that has other parameters than its endpoint. */
export type PathMistake<Path, Params> = [NamesIn<Path>] extends [keyof Params]
  ? [keyof Params] extends [NamesIn<Path>] ? never : string extends keyof Params ? never
    : `this path needs :${Exclude<keyof Params, NamesIn<Path>> & string}, as in endpoint.params`
  : 'id' extends Exclude<NamesIn<Path>, keyof Params> ? 'endpoint.id adds /:id itself: leave it out of the path'
  : `endpoint.params needs ${Exclude<NamesIn<Path>, keyof Params> & string}, as in the path`;
export type SubPath<Path, Params> = [PathMistake<Path, Params>] extends [never] ? Path : PathMistake<Path, Params>;
