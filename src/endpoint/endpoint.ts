/**
 * What a host declares. The presence of a function declares its operation, so there is no second list to keep up to date:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { ErrorMapper, NotFoundPredicate } from '../errors/api-error.ts';
import type { AnyDecoder, Decoded, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { AcceptedBy, Has, InferOnly, LongOperation, Named, OutputDecoder, ParamCodecs, ParamsOf, Reads, Writes } from './operation.ts';
import type { Reply } from './reply.ts';
import type { ContextRequest } from './request.ts';

/**
 * An endpoint: the codec of its ids, the schema of its items, and its operations. Operations may return a promise, get the
 * request as their last argument, and are called as methods of the endpoint, so an instance of a class can be one.
 *
 * An `ApiError` that an operation throws is answered by its kind; anything else goes through `ApiError.from`.
 */
export interface ApiEndpoint<
  Id, Schema, Inputs = {}, Context = undefined, Params = {}, Item = unknown,
  CreateInput = unknown, CreateQuery = unknown, ListQuery = unknown, GetQuery = unknown, UpdateInput = unknown, UpdateQuery = unknown,
  PatchInput = unknown, PatchQuery = unknown, DeleteQuery = unknown,
  Queries = {}, Results = {}, ItemInputs = {}, ItemQueries = {}, ItemResults = {}, Output = unknown,
> {
  /** Parses and formats the ids, and decides their type. Without it, the endpoint is a singleton: its operations get no id. */
  readonly id?: IdCodec<Id>;
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params?: Params & ParamCodecs;
  /** Says who asks: called before the body is read. Its result is the request's `context`; it refuses by throwing an `ApiError`. */
  readonly context?: ((request: ContextRequest<ParamsOf<Params>, NoInfer<Id>>) => MaybePromise<Context>) & { readonly security?: object };
  /** Names the endpoint in documents. Default: the literal segments of its sub-path, in camel case. */
  readonly name?: string;
  /** Decodes the bodies of `create` and `update`. Its output is the type of an item. */
  readonly schema?: Schema;
  /** `POST {base}`: stores an item and returns its id. 201 with the id as text, and `Location`. */
  readonly create?: Writes<
    unknown, Schema, CreateInput, CreateQuery, Context, Params, MaybePromise<NoInfer<[unknown] extends [Id] ? unknown : Id> | Reply<unknown>>
  >;
  /** `GET {base}`: returns the items. 200 with the JSON of the result. */
  readonly list?: [unknown] extends [Id] ? 'list needs endpoint.id' : Reads<unknown, ListQuery, Context, Params, unknown>;
  /** `GET {base}/:id`: returns an item. 200 with its JSON, or 404 for `undefined`. */
  readonly get?: Reads<
    Id, GetQuery, Context, Params, ResultOfGet<Schema, Item>, Written<Schema, Item>, ResultBefore<Output, ResultOfGet<Schema, Item>>, Output
  >;
  /** Replaces `JSON.stringify` for an item that `get` returned. A throw, or a result that is no string, is a logged 500. */
  readonly stringify?: (item: Written<Schema, Item>) => string;
  /** `PUT {base}/:id`: replaces an item. 204; the result is ignored. */
  readonly update?: Writes<Id, Schema, UpdateInput, UpdateQuery, Context, Params, unknown>;
  /** `PATCH {base}/:id`: changes an item. 204; the result is ignored. */
  readonly patch?: LongOperation<Id, PatchInput, PatchQuery, Context, Params, unknown>;
  /** `DELETE {base}/:id`: removes an item. 204; the result is ignored. */
  readonly delete?: Reads<Id, DeleteQuery, Context, Params, unknown>;
  /** `POST {base}/<name>`, one for each name of `A-Z a-z 0-9 - . _ ~`. 200 with the JSON of the result. */
  readonly custom?: Named<unknown, Inputs, Queries, Results, Context, Params>;
  /** `POST {base}/:id/<name>`. 200 with the JSON of the result. */
  readonly itemCustom?: ([unknown] extends [Id] ? 'itemCustom needs endpoint.id' : unknown)
    & Named<Id, ItemInputs, ItemQueries, ItemResults, Context, Params>;
  /** Replaces the server's `isNotFound` for this endpoint. */
  readonly isNotFound?: NotFoundPredicate;
  /** Asked before the server's `errorFrom`. */
  readonly errorFrom?: ErrorMapper;
}

type ResultOfGet<Schema, Item> = Has<Schema> extends true
  ? MaybePromise<Decoded<Schema> | undefined | Reply<Decoded<Schema> | undefined>>
  : unknown extends Item ? unknown : MaybePromise<Item>;
// What `output` decodes; without it, what is sent.
type ResultBefore<Output, Result> = [unknown] extends [Output] ? Result
  : Output extends OutputDecoder ? MaybePromise<AcceptedBy<Output> | undefined | Reply<any>> : unknown;
// A reply is not written by it.
type Written<Schema, Item> = Exclude<Has<Schema> extends true ? Decoded<Schema> : Item, undefined | Reply<any>>;

type Members = keyof ApiEndpoint<any, any>;
type LongMembers = keyof LongOperation<any, any, any, any, any, any>;
// A function may have any members.
type OthersOf<Form, Known> = Form extends (...args: never) => unknown ? never : keyof Form extends Known ? never : keyof Form;
type At<Endpoint, Name> = Endpoint[keyof Endpoint & Name];
type EachOf<Named> = Named extends object ? Named[keyof Named] : never;

/** Whether there is a member that neither an endpoint nor an operation has. It distributes over no keys, which would cost time. */
type HasOthers<Endpoint> = keyof Endpoint extends Members
  ? [
    OthersOf<At<Endpoint, 'create' | 'update' | 'patch'> | EachOf<At<Endpoint, 'custom' | 'itemCustom'>>, LongMembers>
    | OthersOf<At<Endpoint, 'list' | 'get' | 'delete'>, Exclude<LongMembers, 'input'>>,
  ] extends [never] ? false : true
  : true;

type NoOtherMembers<Form, Known> = {
  readonly [Name in Exclude<keyof Form, Known>]: Form extends (...args: never) => unknown ? unknown : `${Name & string} is not a member of this operation`;
};

// Excess property checks refuse them in a literal, but not in a variable.
type Refused<Endpoint> = {
  readonly [Name in Exclude<keyof Endpoint, Members>]: `${Name & string} is not a member of an endpoint`;
} & {
  readonly [Name in Extract<keyof Endpoint, 'create' | 'update' | 'patch'>]: NoOtherMembers<Endpoint[Name], LongMembers>;
} & {
  readonly [Name in Extract<keyof Endpoint, 'list' | 'get' | 'delete'>]: NoOtherMembers<Endpoint[Name], Exclude<LongMembers, 'input'>>;
} & {
  readonly [Name in Extract<keyof Endpoint, 'custom' | 'itemCustom'>]: {
    readonly [Each in keyof Endpoint[Name]]: NoOtherMembers<Endpoint[Name][Each], LongMembers>;
  };
};

/** Infers the type of an endpoint, and refuses members that neither an endpoint nor an operation has. */
export type NoOthers<Endpoint> = InferOnly<Endpoint, Endpoint> & (HasOthers<Endpoint> extends false ? unknown : Refused<Endpoint>);

/** Returns the endpoint as it is, with all types inferred and checked. */
export function defineEndpoint<
  Schema extends AnyDecoder | undefined, Id = unknown, CreateInput = unknown, CreateQuery = unknown, ListQuery = unknown,
  GetQuery = unknown, UpdateInput = unknown, UpdateQuery = unknown, PatchInput = unknown, PatchQuery = unknown, DeleteQuery = unknown,
  Inputs = {}, Queries = {}, Results = {}, ItemInputs = {}, ItemQueries = {}, ItemResults = {},
  Context = undefined, Params = {}, Item = unknown, Endpoint = unknown, Output = unknown,
>(
  // The compiler infers a wrapper's arguments from the last of several signatures.
  endpoint: NoOthers<Endpoint> & ApiEndpoint<
    Id, Schema, Inputs, Context, Params, Item, CreateInput, CreateQuery, ListQuery, GetQuery, UpdateInput, UpdateQuery,
    PatchInput, PatchQuery, DeleteQuery, Queries, Results, ItemInputs, ItemQueries, ItemResults, Output
  >,
): Itself<Endpoint>;
export function defineEndpoint(endpoint: unknown): unknown {
  return endpoint;
}

// In a call of `registerEndpoint`, the compiler would infer the arguments of wrappers from its parameter, before it knows their types.
type Itself<T> = [T] extends [infer Same] ? Same : never;

type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}` ? Name : never;

/** A sub-path whose parameters are those that the endpoint declares. */
export type SubPath<Path, Params> = [NamesIn<Path>] extends [keyof Params]
  ? [keyof Params] extends [NamesIn<Path>] ? Path : `this path needs :${Exclude<keyof Params, NamesIn<Path>> & string}, as in endpoint.params`
  : `endpoint.params needs ${Exclude<NamesIn<Path>, keyof Params> & string}, as in the path`;
