/** The operations of an endpoint as functions, by the type of its declaration. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Answered, AnsweredJson } from './answer-types.ts';
import type { Json } from './json.ts';
import type { ByteBody, MayHaveQuery, QueryParameters, WithQuery } from './options.ts';

/** Where an endpoint is, and the codecs of its ids and parameters: its type alone does not have these. */
export type Place<Endpoint> = {
  /** The sub-path, as it is registered. */
  readonly path: string;
} & (Endpoint extends { readonly id: IdCodec<infer Id> } ? { readonly id: IdCodec<Id> } : { readonly id?: undefined })
  & (Endpoint extends { readonly params: infer Params }
    ? { readonly params: { readonly [Name in keyof Params]: IdCodec<ParsedBy<Params[Name]>> } }
    : { readonly params?: undefined });

/** The operations of an endpoint; where its sub-path has parameters, a function of these that gives the operations. */
export type Client<Endpoint> = Endpoint extends { readonly params: infer Params }
  ? (params: { readonly [Name in keyof Params]: ParsedBy<Params[Name]> }) => Operations<Endpoint>
  : Operations<Endpoint>;

/** The operations that an endpoint declares. Each takes the id, the body and options, as far as it has them. */
export type Operations<Endpoint> = Pick<AllOperations<Endpoint>, Extract<keyof Endpoint, keyof AllOperations<Endpoint>>>;

// The compiler resolves a member of an interface only where it is used.
interface AllOperations<Endpoint> {
  readonly create: Write<[], Member<Endpoint, 'create'>, SchemaOf<Endpoint>, IdOf<Endpoint>>;
  readonly list: Call<[], Member<Endpoint, 'list'>, AnsweredJson<Member<Endpoint, 'list'>>>;
  readonly get: Call<Lead<Endpoint>, Member<Endpoint, 'get'>, AnsweredJson<Member<Endpoint, 'get'>>>;
  readonly update: Write<Lead<Endpoint>, Member<Endpoint, 'update'>, SchemaOf<Endpoint>, undefined>;
  readonly patch: Write<Lead<Endpoint>, Member<Endpoint, 'patch'>, undefined, undefined>;
  readonly delete: Call<Lead<Endpoint>, Member<Endpoint, 'delete'>, Answered<Member<Endpoint, 'delete'>, undefined>>;
  readonly custom: Named<Member<Endpoint, 'custom'>, []>;
  readonly itemCustom: Named<Member<Endpoint, 'itemCustom'>, Lead<Endpoint>>;
}

type Member<Endpoint, Name> = Name extends keyof Endpoint ? Endpoint[Name] : never;

/** An operation with a body, whose plain result is not sent as JSON. */
type Write<Leading extends unknown[], Declared, Schema, Plain> = Call<
  [...Leading, ...Body<BodyDecoder<Declared, Schema>, Declared>], Declared, Answered<Declared, Plain>
>;

/** The operations with names. `then` is none: an `await` of the object that has them would call it. */
type Named<Declared, Leading extends unknown[]> = {
  readonly [Name in Exclude<keyof Declared, 'then' | 'toJSON'>]: Call<
    [...Leading, ...Body<BodyDecoder<Declared[Name], undefined>, Declared[Name]>], Declared[Name], AnsweredJson<Declared[Name]>
  >;
};

// One signature, and not two with and without `raw`: the compiler's message about a wrong argument would be about the last one.
type Call<Leading extends unknown[], Declared, Result> = <Raw extends boolean = false>(
  ...args: [...Leading, ...Options<Declared, Raw>]
) => Promise<Raw extends true ? Response : Result>;

type ParsedBy<Codec> = Codec extends IdCodec<infer Id> ? Id : never;
type IdOf<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? Id : undefined;
type Lead<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? [id: Id] : [];
type SchemaOf<Endpoint> = Endpoint extends { readonly schema: infer Schema } ? Schema : undefined;

/** What decodes the body: `input`, else the endpoint's schema for the operations that take it. */
type BodyDecoder<Declared, Schema> = Declared extends { readonly input: infer Input } ? Input : Schema;

/** The place of the body. An operation without one may be called with `undefined` there, in front of its options. */
type Body<Decoder, Declared> = [Decoder] extends [undefined]
  ? MaybeBody<Declared, undefined>
  : Declared extends { readonly optional: true } ? MaybeBody<Declared, Sent<Decoder> | undefined> : [body: Sent<Decoder>];

/** A body that may be left out, unless options must follow it. */
type MaybeBody<Declared, Value> = Options<Declared, false> extends [options: unknown] ? [body: Value] : [body?: Value];

type Input<Value> = { readonly '~standard': { readonly types?: { readonly input: Value } | undefined } };

/** What a decoder takes: the input of a schema, else what its output is in JSON. */
export type Sent<Decoder> = Decoder extends Input<infer Value>
  ? unknown extends Value ? Json<Decoded<Decoder>> : Value extends AsyncIterable<Uint8Array> ? ByteBody : Value
  : Decoder extends AnyDecoder ? Json<Decoded<Decoder>> : never;

/** The query that a decoder takes. A decoder of anything may have defaults, so that none of its members is needed. */
type SentQuery<Decoder> = Decoder extends Input<infer Value>
  ? unknown extends Value ? Partial<QueryMembers<Decoded<Decoder>>> : QueryMembers<Value>
  : Decoder extends AnyDecoder ? Partial<QueryMembers<Decoded<Decoder>>> : never;

type QueryMembers<Query> = unknown extends Query
  ? QueryParameters
  : { readonly [Name in keyof Query]: unknown extends Query[Name] ? Exclude<QueryParameters, URLSearchParams>[string] : Query[Name] };

type Options<Declared, Raw extends boolean> = Declared extends { readonly query: infer Decoder }
  ? OptionsWith<SentQuery<Decoder>, Raw>
  : [options?: MayHaveQuery<QueryParameters, Raw>];
type OptionsWith<Query, Raw extends boolean> = {} extends Query
  ? [options?: MayHaveQuery<Query, Raw>]
  : [options: WithQuery<Query, Raw>];
