/**
 * What a host declares. The presence of a function declares its operation:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { Decoded, Decoder, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { ApiRequest } from './request.ts';
import type { NotFoundPredicate } from '../errors/api-error.ts';

/** A decoder of any output. */
export type AnyDecoder = Decoder<unknown>;

/**
 * The codec of an endpoint's ids, the schema of its items, and its operations. An operation is called as a method of the
 * endpoint, which can be an instance of a class. Its last argument is the request. It returns its result or a promise of it.
 * What it throws is answered by its kind (see `ApiError`), and goes through `ApiError.from` if it is no `ApiError`.
 *
 * `Item` and `Results` are what `get` and the Custom operations return. They check the type of `stringify`, and
 * `defineEndpoint` drops them: endpoints that differ only in these have one type.
 */
export interface ApiEndpoint<Id, Schema, Inputs, Item = any, Results = { readonly [Name in keyof Inputs]: any }> {
  /** Parses and formats the ids, and decides their type. */
  readonly id: IdCodec<Id>;
  /** Decodes the bodies of `create` and `update`, which need it. Its output is the type of an item. */
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
   * Replaces `JSON.stringify` for an item that `get` returned; it never gets `undefined`. A throw or a result that is no
   * string is answered 500 and logged. Without a schema, its parameter is inferred from a `get` that stands before it and is
   * not wrapped in another function.
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
}

/** A named operation of an endpoint. `Written` is the parameter of `stringify`: anything while the result is unknown. */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> {
  /** Decodes the body. Without it the operation takes no input: an empty body or `null`. */
  // An intersection with `AnyDecoder` is too deep for TypeScript 5, if the decoder is one of ArkType's.
  readonly input?: [Input] extends [AnyDecoder] ? Input : AnyDecoder;
  /** Gets what `input` decodes, if there is an `input`, and the request. Answered 200 with the result's JSON. */
  readonly run: HasInput<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
  /**
   * Replaces `JSON.stringify` for what `run` returned. A throw or a result that is no string is answered 500 and logged.
   * Its parameter is inferred if `run` is not wrapped in another function and has no parameters without a type; else its
   * type must be written, and is checked against what `run` returns.
   */
  readonly stringify?: (result: Written) => string;
}

/**
 * Whether `run` gets an input. `never` is no decoder, though it extends all of them: it is what the compiler has for an unknown
 * input while it infers the arguments of a wrapper around `run`.
 */
type HasInput<Input> = [Input] extends [never] ? false : [Input] extends [AnyDecoder] ? true : false;

/** What a Custom operation returns. Separate from its input, since the compiler infers one type for a name at a time. */
export interface GivesResult<Result> {
  readonly run: (...args: never) => MaybePromise<Result>;
  readonly stringify?: (result: Result) => string;
}

/**
 * Returns the endpoint as it is, with all types inferred and checked. `Schema` has no default, since the compiler would take that
 * for a function whose parameter has no type.
 */
export function defineEndpoint<Id, Schema extends AnyDecoder | undefined, Inputs = {}, Item = unknown, Results = {}>(
  endpoint: ApiEndpoint<Id, Schema, Inputs, Item, Results>,
): ApiEndpoint<Id, Schema, Inputs, any, {}> {
  return endpoint;
}
