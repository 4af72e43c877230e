/** The functions of a client: what they take and give, by the type of the operation. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { SuccessStatus } from '../endpoint/reply.ts';
import type { Failures, Sequence, Succeeded, ValueOf } from './answer-types.ts';
import type { Json } from './json.ts';
import type { ByteBody, IdempotencyKey, IfMatch, MayHaveMatch, MayHaveQuery, NeedsKey, QueryParameters, WithQuery } from './options.ts';

/** A format that `bytes` made, by its brand. Its whole type would bring Node's types, which a page has not. */
interface Bytes {
  readonly '~format': 'bytes';
}

/** A function without a body. */
export type Read<Declared, Answers> = Declared extends HasMore
  ? Call<[], Declared, Answers>
  : Declared extends { readonly query: infer Decoder } ? QueryRead<SentQuery<Decoder>, Declared, Answers> : ReadCall<QueryParameters, Declared, Answers>;
type QueryRead<Query, Declared, Answers> = {} extends Query ? ReadCall<Query, Declared, Answers> : QueryReadCall<Query, Declared, Answers>;
export type ItemRead<Id, Declared, Answers> = Declared extends HasList ? Call<[id: Id], Declared, Answers> : ItemReadCall<Id, Declared, Answers>;
/** The same, of an operation that changes an item. */
export type Delete<Declared, Answers> = Call<[], Declared, Answers, IfMatch>;
export type ItemDelete<Id, Declared, Answers> = Declared extends HasList ? Call<[id: Id], Declared, Answers, IfMatch> : ItemDeleteCall<Id, Declared, Answers>;

/** A function with a body, or with a place for one. */
export type Write<Decoder, Declared, Answers> = Declared extends HasList
  ? Call<Body<Decoder, Declared>, Declared, Answers>
  : [Decoder] extends [undefined] ? Call<[body?: undefined], Declared, Answers> : WriteCall<Sent<Decoder>, Declared, Answers>;
/** The same, of an operation that changes an item. */
export type Change<Decoder, Declared, Answers> = Call<Body<Decoder, Declared>, Declared, Answers, IfMatch>;
export type ItemChange<Id, Decoder, Declared, Answers> = Declared extends HasList
  ? Call<[id: Id, ...Body<Decoder, Declared>], Declared, Answers, IfMatch>
  : [Decoder] extends [undefined]
    ? Call<[id: Id, body?: undefined], Declared, Answers, IfMatch>
    : ItemChangeCall<Id, Sent<Decoder>, Declared, Answers>;

/** The option `key`, if the operation is idempotent. */
type KeyOf<Declared> = Declared extends { readonly use: infer Use } ? KeyOption<KeyIn<Use extends readonly (infer Each)[] ? Each : Use>> : {};
type KeyIn<Each> = Each extends { readonly '~key'?: infer Required } ? unknown extends Required ? never : Exclude<Required, undefined> : never;
type KeyOption<Required> = [Required] extends [never] ? {} : true extends Required ? NeedsKey : IdempotencyKey;

/** What decodes the body: `input`, else the endpoint's schema for the operations that take it. */
export type BodyDecoder<Declared, Schema> = Declared extends { readonly input: infer Input } ? Input : Schema;

/** What a call gives: a promise, or the items of a stream. */
type Given<Declared, Answers, Raw, Safe> = Declared extends Streaming
  ? [Raw | Safe] extends [false] ? Extract<ValueOf<Answers>, AsyncIterable<unknown>> : Promise<Settled<Declared, Answers, Raw, Safe>>
  : Promise<Settled<Declared, Answers, Raw, Safe>>;

/** An operation whose answer is a stream. */
export interface Streaming {
  readonly output: Sequence | { readonly 200: Sequence };
}

type Settled<Declared, Answers, Raw, Safe> = Safe extends true
  ? (Raw extends true ? Succeeded<SuccessStatus, Response> : Answers) | Failures<Declared>
  : Raw extends true ? Response : ValueOf<Answers>;

// Each has one signature, and not several by `raw` and `safe`: the compiler's message about a wrong argument would be about the last one.
interface ReadCall<Query, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    options?: MayHaveQuery<Query, Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

interface QueryReadCall<Query, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    options: WithQuery<Query, Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

interface ItemReadCall<Id, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, options?: MayHaveQuery<QueryParameters, Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

interface ItemDeleteCall<Id, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, options?: MayHaveMatch<Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

interface WriteCall<Body, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    body: Body, options?: MayHaveQuery<QueryParameters, Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

interface ItemChangeCall<Id, Body, Declared, Answers> {
  <Raw extends boolean = false, Safe extends boolean = false>(
    id: Id, body: Body, options?: MayHaveMatch<Raw, Safe>,
  ): Promise<Settled<Declared, Answers, Raw, Safe>>;
}

/** Any other function. Its parameters are a list, which is three times the work for the compiler. */
type Call<Leading extends unknown[], Declared, Answers, More = {}> = <Raw extends boolean = false, Safe extends boolean = false>(
  ...args: [...Leading, ...Options<Declared, Raw, Safe, More>]
) => Given<Declared, Answers, Raw, Safe>;

/** An operation whose options may be needed, whose body may not, or whose answer is a stream. */
type HasList = { readonly query: AnyDecoder } | { readonly optional: true } | { readonly use: unknown } | Streaming;
/** The same, but for one that only has a query, and takes no body. */
type HasMore = { readonly use: unknown } | Streaming;

/** The place of the body. An operation without one may be called with `undefined` there, in front of its options. */
type Body<Decoder, Declared> = [Decoder] extends [undefined]
  ? MaybeBody<Declared, undefined>
  : Declared extends { readonly optional: true } ? MaybeBody<Declared, Sent<Decoder> | undefined> : [body: Sent<Decoder>];

/** A body that may be left out, unless options must follow it. */
type MaybeBody<Declared, Value> = Options<Declared, false, false, {}> extends [options: unknown] ? [body: Value] : [body?: Value];

type Input<Value> = { readonly '~standard': { readonly types?: { readonly input: Value } | undefined } };

/** What a decoder takes: the input of a schema, else what its output is in JSON. */
export type Sent<Decoder> = Decoder extends { readonly '~format': unknown } ? SentFormat<Decoder> : SentJson<Decoder>;
type SentFormat<Decoder> = Decoder extends Bytes ? ByteBody : Decoder extends Sequence ? SentItems<Decoder> : SentJson<Decoder>;
type SentJson<Decoder> = Decoder extends Input<infer Value> ? unknown extends Value ? Json<Decoded<Decoder>> : Value
  : Decoder extends AnyDecoder ? Json<Decoded<Decoder>> : never;

/** The items of NDJSON. A list would look like one JSON value. */
type SentItems<Decoder> = Decoder extends Input<infer Given> ? Given extends AsyncIterable<infer Item> ? AsyncIterable<SentItem<Item, Decoder>> : never : never;
/** A decoder that is a function takes anything, and gives what it takes in JSON. */
type SentItem<Item, Decoder> = unknown extends Item ? Decoded<Decoder> extends AsyncIterable<infer Read> ? Json<Read> : never : Item;

/** The query of an operation. */
export type QueryOf<Declared> = Declared extends { readonly query: infer Decoder }
  ? SentQuery<Decoder> & QueryOfEach<Declared>
  : OpenQuery<QueryOfEach<Declared>>;

/** The query that a decoder takes. A decoder of anything may have defaults, so that none of its members is needed. */
type SentQuery<Decoder> = Decoder extends Input<infer Value>
  ? unknown extends Value ? Partial<QueryMembers<Decoded<Decoder>>> : QueryMembers<Value>
  : Decoder extends AnyDecoder ? Partial<QueryMembers<Decoded<Decoder>>> : never;

type QueryMembers<Query> = unknown extends Query
  ? QueryParameters
  : { readonly [Name in keyof Query]: unknown extends Query[Name] ? Exclude<QueryParameters, URLSearchParams>[string] : Query[Name] };

type Options<Declared, Raw extends boolean, Safe extends boolean, More> = Declared extends { readonly query: infer Decoder }
  ? OptionsWith<SentQuery<Decoder> & QueryOfEach<Declared>, Raw, Safe, More & KeyOf<Declared>>
  : OptionsWith<OpenQuery<QueryOfEach<Declared>>, Raw, Safe, More & KeyOf<Declared>>;
type OptionsWith<Query, Raw extends boolean, Safe extends boolean, More> = {} extends Query
  ? {} extends More ? [options?: MayHaveQuery<Query, Raw, Safe> & More] : [options: MayHaveQuery<Query, Raw, Safe> & More]
  : [options: WithQuery<Query, Raw, Safe> & More];
type OpenQuery<Query> = unknown extends Query ? QueryParameters : Exclude<QueryParameters, URLSearchParams> & Query;

/** The parameters of all interceptors; `unknown` if they have none. */
type QueryOfEach<Declared> = Declared extends { readonly use: infer Use } ? Together<Use extends readonly (infer Each)[] ? Each : Use> : unknown;
// The compiler infers an intersection for a parameter.
type Together<Each> = (Each extends unknown ? (query: InterceptorQuery<Each>) => void : never) extends (query: infer All) => void ? All : never;
type InterceptorQuery<Each> = Each extends { readonly '~query'?: infer Query } ? Exclude<Query, undefined> : unknown;
