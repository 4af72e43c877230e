/**
 * What a host declares. A function's presence declares its operation, so there is no list to keep in step:
 *
 *   defineEndpoint({ id: integerId, schema: Pet, get: (id) => pets.find(id) })   ->   GET {root}{sub}/:id, nothing else
 */
import type { Decoded, Decoder, MaybePromise } from './decoder.ts';
import type { IdCodec } from './id-codec.ts';
import type { ApiRequest } from './request.ts';
import type { NotFoundPredicate } from '../errors/api-error.ts';

/** Any decoder, whatever it gives. */
export type AnyDecoder = Decoder<unknown>;

/**
 * An endpoint: the codec of its ids, the schema of its items, and the operations it has. Every operation may
 * return its result or a promise of it, and gets the request as its last argument. Operations are called as
 * methods of the endpoint, so an instance of a class serves as well as an object literal.
 *
 * What an operation throws is answered by its kind (see `ApiError`); what is no `ApiError` goes through
 * `ApiError.from`.
 *
 * `Item` and `Results` are what `get` and the Custom operations give. They are there for `stringify` to be checked with
 * where it is declared, and are forgotten after that: endpoints that differ in nothing else go through one variable.
 */
export interface ApiEndpoint<Id, Schema, Inputs, Item = any, Results = { readonly [Name in keyof Inputs]: any }> {
  /** Reads and writes the ids, and decides their type. */
  readonly id: IdCodec<Id>;
  /** Decodes the bodies of `create` and `update`, which need it; its output is the type of an item. */
  readonly schema?: Schema;
  /** `POST {root}{sub}`: stores an item and gives its id. Answered 201 with the id as text, and `Location`. */
  readonly create?: (
    item: Decoded<Schema>,
    request: ApiRequest,
  ) => [Schema] extends [AnyDecoder] ? MaybePromise<NoInfer<Id>> : never;
  /** `GET {root}{sub}/:id`: gives an item. Answered 200 with its JSON, or 404 where it gives `undefined`. */
  readonly get?: (
    id: NoInfer<Id>,
    request: ApiRequest,
  ) => [Schema] extends [AnyDecoder] ? MaybePromise<Decoded<Schema> | undefined> : unknown extends Item ? unknown : MaybePromise<Item>;
  /**
   * Writes an item that `get` gives as JSON text, in place of `JSON.stringify`; it never gets `undefined`. What it
   * throws, or gives that is no string, is answered 500 and logged. Without a schema, its parameter is inferred from a
   * `get` that stands before it and is not wrapped in another function.
   */
  readonly stringify?: (item: Exclude<[Schema] extends [AnyDecoder] ? Decoded<Schema> : Item, undefined>) => string;
  /** `PUT {root}{sub}/:id`: replaces an item. Answered 204; what it returns is not looked at. */
  readonly update?: (
    id: NoInfer<Id>,
    item: Decoded<Schema>,
    request: ApiRequest,
  ) => [Schema] extends [AnyDecoder] ? unknown : never;
  /** `DELETE {root}{sub}/:id`: removes an item. Answered 204; what it returns is not looked at. */
  readonly delete?: (id: NoInfer<Id>, request: ApiRequest) => unknown;
  /** `POST {root}{sub}/<name>`, one for each name of `A-Z a-z 0-9 - . _ ~`. */
  // Of two signatures the compiler infers a wrapper's arguments from the last: that must be the one that has them.
  readonly custom?: { readonly [Name in keyof Results]: GivesResult<Results[Name]> } & {
    readonly [Name in keyof Inputs]: CustomOperation<Inputs[Name], unknown, never>;
  };
  /** Which failures of this endpoint's store mean "not found"; in place of the server's own `isNotFound`. */
  readonly isNotFound?: NotFoundPredicate;
}

/**
 * A named operation of an endpoint: `run` gets what `input` decodes, or only the request when there is no `input`.
 * `Written` is what `stringify` takes: anything while the result is not known.
 */
export interface CustomOperation<Input, Result = unknown, Written = unknown extends Result ? any : Result> {
  /** Decodes the body. Without it the operation takes no input: an empty body or `null`. */
  readonly input?: Input & AnyDecoder;
  /** Does the work. Answered 200 with the result's JSON. */
  readonly run: HasInput<Input> extends true
    ? (input: Decoded<Input>, request: ApiRequest) => MaybePromise<Result>
    : (request: ApiRequest) => MaybePromise<Result>;
  /**
   * Writes what `run` gives as JSON text, in place of `JSON.stringify`. What it throws, or gives that is no string, is
   * answered 500 and logged. Its parameter is inferred where `run` has none or has their types written, and is not
   * wrapped in another function; else it is `unknown` until its own type is written, which is checked with what `run`
   * gives.
   */
  readonly stringify?: (result: Written) => string;
}

/**
 * Whether `run` gets an input. `never` is assignable to every decoder, but is none: the compiler puts it in place of an
 * input that it knows nothing of when it infers the arguments of a wrapper around `run`.
 */
type HasInput<Input> = [Input] extends [never] ? false : [Input] extends [AnyDecoder] ? true : false;

/** What a Custom operation gives; apart from what it takes, since the compiler infers one type for a name at a time. */
export interface GivesResult<Result> {
  readonly run: (...args: never) => MaybePromise<Result>;
  readonly stringify?: (result: Result) => string;
}

/**
 * Gives the endpoint back as it is, with every type in it inferred and checked. `Schema` has no default, since that
 * would be what a function without a type on its parameter is inferred as.
 */
export function defineEndpoint<Id, Schema extends AnyDecoder | undefined, Inputs = {}, Item = unknown, Results = {}>(
  endpoint: ApiEndpoint<Id, Schema, Inputs, Item, Results>,
): ApiEndpoint<Id, Schema, Inputs, any, {}> {
  return endpoint;
}
