/** The operations of an endpoint as functions, by the type of its declaration. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Answered, AnsweredJson } from './answer-types.ts';
import type { BodyDecoder, ItemRead, ItemWrite, Read, Write } from './call-types.ts';

/** Where an endpoint is, and the codecs of its ids and parameters: its type alone does not have these. */
export type Place<Endpoint> = {
  /** The sub-path, as it is registered. */
  readonly path: string;
} & (Endpoint extends { readonly id: IdCodec<infer Id> } ? { readonly id: IdCodec<Id> } : { readonly id?: undefined })
  & (Endpoint extends { readonly params: infer Params } ? PlaceWith<Params> : { readonly params?: undefined });

interface PlaceWith<Params> {
  readonly path: PathWith<keyof Params>;
  readonly params: { readonly [Name in keyof Params]: IdCodec<ParsedBy<Params[Name]>> };
}

/** A path that has all of these parameters. */
type PathWith<Names> = (Names extends string ? (path: `${string}/:${Names}` | `${string}/:${Names}/${string}` | `${string}/*${Names}`) => void : never) extends
  (path: infer Path) => void ? Path : never;

/** The operations of an endpoint; where its sub-path has parameters, a function of these that gives the operations. */
export type Client<Endpoint> = Endpoint extends { readonly params: infer Params }
  ? (params: { readonly [Name in keyof Params]: ParsedBy<Params[Name]> }) => Operations<Endpoint>
  : Operations<Endpoint>;

/** The operations that an endpoint declares. Each takes the id, the body and options, as far as it has them. */
export type Operations<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> }
  ? { readonly [Name in keyof Endpoint & keyof OfItems<any, any, any>]: OfItems<Id, Endpoint, Endpoint[Name]>[Name] }
  : { readonly [Name in keyof Endpoint & keyof OfSingleton<any, any>]: OfSingleton<Endpoint, Endpoint[Name]>[Name] };

// Two tables of kinds, in place of one whose parameters are lists that may begin with an id: the compiler works a third less. It resolves a
// member of an interface only where it is used, so that a table is asked about one kind.
interface OfItems<Id, Endpoint, Declared> {
  readonly create: Write<BodyDecoder<Declared, SchemaOf<Endpoint>>, Declared, Answered<Declared, Id, 201>>;
  readonly list: Read<Declared, AnsweredJson<Declared>>;
  readonly get: ItemRead<Id, Declared, AnsweredJson<Declared>>;
  readonly update: ItemWrite<Id, BodyDecoder<Declared, SchemaOf<Endpoint>>, Declared, Answered<Declared, undefined, 200>>;
  readonly patch: ItemWrite<Id, BodyDecoder<Declared, undefined>, Declared, Answered<Declared, undefined, 200>>;
  readonly delete: ItemRead<Id, Declared, Answered<Declared, undefined, 200>>;
  readonly custom: { readonly [Name in Callable<Declared>]: Custom<Declared[Name]> };
  readonly itemCustom: { readonly [Name in Callable<Declared>]: ItemCustom<Id, Declared[Name]> };
}

interface OfSingleton<Endpoint, Declared> {
  readonly create: Write<BodyDecoder<Declared, SchemaOf<Endpoint>>, Declared, Answered<Declared, undefined, 201>>;
  readonly get: Read<Declared, AnsweredJson<Declared>>;
  readonly update: Write<BodyDecoder<Declared, SchemaOf<Endpoint>>, Declared, Answered<Declared, undefined, 200>>;
  readonly patch: Write<BodyDecoder<Declared, undefined>, Declared, Answered<Declared, undefined, 200>>;
  readonly delete: Read<Declared, Answered<Declared, undefined, 200>>;
  readonly custom: { readonly [Name in Callable<Declared>]: Custom<Declared[Name]> };
}

type Custom<Declared> = Write<BodyDecoder<Declared, undefined>, Declared, AnsweredJson<Declared>>;
type ItemCustom<Id, Declared> = ItemWrite<Id, BodyDecoder<Declared, undefined>, Declared, AnsweredJson<Declared>>;

/** The names of operations. `then` is none: an `await` of the object that has them would call it. */
type Callable<Declared> = Exclude<keyof Declared, 'then' | 'toJSON'>;

type ParsedBy<Codec> = Codec extends IdCodec<infer Id> ? Id : never;
type SchemaOf<Endpoint> = Endpoint extends { readonly schema: infer Schema } ? Schema : undefined;
