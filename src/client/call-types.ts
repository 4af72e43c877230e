/** The functions of a client: what they take, by the type of the operation. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { Json } from './json.ts';
import type { ByteBody, MayHaveQuery, QueryParameters, WithQuery } from './options.ts';

/** A format that `bytes` made, by its brand. Its whole type would bring Node's types, which a page has not. */
interface Bytes {
  readonly '~format': 'bytes';
}

/** A function without a body. */
export type Read<Declared, Result> = Declared extends HasList ? Call<[], Declared, Result> : ReadCall<Result>;
export type ItemRead<Id, Declared, Result> = Declared extends HasList ? Call<[id: Id], Declared, Result> : ItemReadCall<Id, Result>;

/** A function with a body, or with a place for one. */
export type Write<Decoder, Declared, Result> = Declared extends HasList
  ? Call<Body<Decoder, Declared>, Declared, Result>
  : [Decoder] extends [undefined] ? Call<[body?: undefined], Declared, Result> : WriteCall<Sent<Decoder>, Result>;
export type ItemWrite<Id, Decoder, Declared, Result> = Declared extends HasList
  ? Call<[id: Id, ...Body<Decoder, Declared>], Declared, Result>
  : [Decoder] extends [undefined] ? Call<[id: Id, body?: undefined], Declared, Result> : ItemWriteCall<Id, Sent<Decoder>, Result>;

/** What decodes the body: `input`, else the endpoint's schema for the operations that take it. */
export type BodyDecoder<Declared, Schema> = Declared extends { readonly input: infer Input } ? Input : Schema;

// Each has one signature, and not two with and without `raw`: the compiler's message about a wrong argument would be about the last one.
interface ReadCall<Result> {
  <Raw extends boolean = false>(options?: MayHaveQuery<QueryParameters, Raw>): Promise<Raw extends true ? Response : Result>;
}

interface ItemReadCall<Id, Result> {
  <Raw extends boolean = false>(id: Id, options?: MayHaveQuery<QueryParameters, Raw>): Promise<Raw extends true ? Response : Result>;
}

interface WriteCall<Body, Result> {
  <Raw extends boolean = false>(body: Body, options?: MayHaveQuery<QueryParameters, Raw>): Promise<Raw extends true ? Response : Result>;
}

interface ItemWriteCall<Id, Body, Result> {
  <Raw extends boolean = false>(id: Id, body: Body, options?: MayHaveQuery<QueryParameters, Raw>): Promise<Raw extends true ? Response : Result>;
}

/** Any other function. Its parameters are a list, which is three times the work for the compiler. */
type Call<Leading extends unknown[], Declared, Result> = <Raw extends boolean = false>(
  ...args: [...Leading, ...Options<Declared, Raw>]
) => Promise<Raw extends true ? Response : Result>;

/** An operation whose options may be needed, or whose body may not. */
type HasList = { readonly query: AnyDecoder } | { readonly optional: true } | { readonly use: unknown };

/** The place of the body. An operation without one may be called with `undefined` there, in front of its options. */
type Body<Decoder, Declared> = [Decoder] extends [undefined]
  ? MaybeBody<Declared, undefined>
  : Declared extends { readonly optional: true } ? MaybeBody<Declared, Sent<Decoder> | undefined> : [body: Sent<Decoder>];

/** A body that may be left out, unless options must follow it. */
type MaybeBody<Declared, Value> = Options<Declared, false> extends [options: unknown] ? [body: Value] : [body?: Value];

type Input<Value> = { readonly '~standard': { readonly types?: { readonly input: Value } | undefined } };

/** What a decoder takes: the input of a schema, else what its output is in JSON. */
type Sent<Decoder> = Decoder extends Bytes ? ByteBody
  : Decoder extends Input<infer Value> ? unknown extends Value ? Json<Decoded<Decoder>> : Value
  : Decoder extends AnyDecoder ? Json<Decoded<Decoder>> : never;

/** The query that a decoder takes. A decoder of anything may have defaults, so that none of its members is needed. */
type SentQuery<Decoder> = Decoder extends Input<infer Value>
  ? unknown extends Value ? Partial<QueryMembers<Decoded<Decoder>>> : QueryMembers<Value>
  : Decoder extends AnyDecoder ? Partial<QueryMembers<Decoded<Decoder>>> : never;

type QueryMembers<Query> = unknown extends Query
  ? QueryParameters
  : { readonly [Name in keyof Query]: unknown extends Query[Name] ? Exclude<QueryParameters, URLSearchParams>[string] : Query[Name] };

type Options<Declared, Raw extends boolean> = Declared extends { readonly query: infer Decoder }
  ? OptionsWith<SentQuery<Decoder> & QueryOfEach<Declared>, Raw>
  : [options?: MayHaveQuery<OpenQuery<QueryOfEach<Declared>>, Raw>];
type OpenQuery<Query> = unknown extends Query ? QueryParameters : Exclude<QueryParameters, URLSearchParams> & Query;

/** The parameters of all interceptors; `unknown` if they have none. */
type QueryOfEach<Declared> = Declared extends { readonly use: infer Use } ? Together<Use extends readonly (infer Each)[] ? Each : Use> : unknown;
// The compiler infers an intersection for a parameter.
type Together<Each> = (Each extends unknown ? (query: QueryOf<Each>) => void : never) extends (query: infer All) => void ? All : never;
type QueryOf<Each> = Each extends { readonly '~query'?: infer Query } ? Exclude<Query, undefined> : unknown;
type OptionsWith<Query, Raw extends boolean> = {} extends Query
  ? [options?: MayHaveQuery<Query, Raw>]
  : [options: WithQuery<Query, Raw>];
