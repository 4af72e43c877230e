/**
 * What a host declares. Each function declares its operation:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { Decoded, Decoder, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { ApiRequest } from './request.ts';
import type { ErrorMapper, NotFoundPredicate } from '../errors/api-error.ts';

/** A decoder of any output. */
export type AnyDecoder = Decoder<unknown>;

/**
 * The codec of an endpoint's ids, the schema of its items, and its operations. An operation is called as a method of the
 * endpoint, which can be an instance of a class. Its last argument is the request. It returns its result or a promise of it.
 * If it throws an `ApiError`, the kind of that decides the answer. `ApiError.from` makes one of anything else.
 *
 * `Item` and `Results` are what `get` and the Custom operations return. The type of `stringify` is checked against them.
 * `defineEndpoint` drops them, so endpoints that differ only in these have one type.
 */
export interface ApiEndpoint<Id, Schema, Inputs, Item = any, Results = { readonly [Name in keyof Inputs]: any }> {
  /** Parses and formats the ids, and decides their type. */
  readonly id: IdCodec<Id>;
  /** Decodes the bodies of `create` and `update`. Both need it. Its output is the type of an item. */
  readonly schema?: Schema;
  /** `POST {root}{sub}`: stores an item and returns its id. Answered 201 with the id as text, and `Location`. */
  readonly create?: (item: Decoded<Schema>, request: ApiRequest) => [Schema] extends [AnyDecoder]
    ? MaybePromise<NoInfer<Id>>
    : never;
  /** `GET {root}{sub}/:id`: returns an item. Answered 200 with its JSON, or 404 for `undefined`. */
  readonly get?: (id: NoInfer<Id>, request: ApiRequest) => [Schema] extends [AnyDecoder]
    ? MaybePromise<Decoded<Schema> | undefined>
    : unknown extends Item ? unknown : MaybePromise<Item>;
  /**
   * Replaces `JSON.stringify` for an item that `get` returned. It never gets `undefined`. If it throws or returns no string,
   * the answer is 500, and it is logged. Without a schema, its parameter is inferred from `get`, if `get` stands before it and
   * is not wrapped in another function.
   */
  readonly stringify?: (item: Exclude<[Schema] extends [AnyDecoder] ? Decoded<Schema> : Item, undefined>) => string;
  /** `PUT {root}{sub}/:id`: replaces an item. Answered 204; the result is ignored. */
  readonly update?: (id: NoInfer<Id>, item: Decoded<Schema>, request: ApiRequest) => [Schema] extends [AnyDecoder]
    ? unknown
    : never;
  /** `DELETE {root}{sub}/:id`: removes an item. Answered 204; the result is ignored. */
  readonly delete?: (id: NoInfer<Id>, request: ApiRequest) => unknown;
  /** `POST {root}{sub}/<name>`, one for each name of `A-Z a-z 0-9 - . _ ~`. */
  // The compiler infers a wrapper's arguments from the last of several signatures, so the one with arguments comes last.
  readonly custom?: { readonly [Name in keyof Results]: GivesResult<Results[Name]> } & {
    readonly [Name in keyof Inputs]: CustomOperation<Inputs[Name], unknown, never>;
  };
  /** Replaces the server's `isNotFound` for this endpoint. */
  readonly isNotFound?: NotFoundPredicate;
  /** Asked before the server's `errorFrom`. */
  readonly errorFrom?: ErrorMapper;
}

/** A named operation of an endpoint. `Written` is the type of `stringify`'s parameter: `any` while the result is unknown. */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> {
  /** Decodes the body. Without it the operation takes no input: an empty body or `null`. */
  readonly input?: Input & AnyDecoder;
  /** Gets the decoded input, if there is an `input`, and the request. Answered 200 with the result's JSON. */
  readonly run: HasInput<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
  /**
   * Replaces `JSON.stringify` for what `run` returned. If it throws or returns no string, the answer is 500, and it is logged.
   * Its parameter is inferred if `run` is not wrapped in another function and each parameter of `run` has a type. Otherwise
   * write its type, which is checked against what `run` returns.
   */
  readonly stringify?: (result: Written) => string;
}

/**
 * Whether `run` gets an input. While the compiler infers the arguments of a wrapper around `run`, the input is `never`. That is no
 * decoder, though it extends every one.
 */
type HasInput<Input> = [Input] extends [never] ? false : [Input] extends [AnyDecoder] ? true : false;

/** What a Custom operation returns. Separate from its input, since the compiler infers one type for a name at a time. */
export interface GivesResult<Result> {
  readonly run: (...args: never) => MaybePromise<Result>;
  readonly stringify?: (result: Result) => string;
}

/**
 * Returns the endpoint as it is, with all types inferred and checked. `Schema` has no default: the compiler would use it for a
 * function whose parameter has no type.
 */
export function defineEndpoint<Id, Schema extends AnyDecoder | undefined, Inputs = {}, Item = unknown, Results = {}>(
  endpoint: ApiEndpoint<Id, Schema, Inputs, Item, Results>,
): ApiEndpoint<Id, Schema, Inputs, any, {}> {
  return endpoint;
}
