/**
 * The wire contract of an API, as a type: what its operations take, and what they respond with. It is made of plain types alone, so that a client
 * needs neither the schema library of the server nor the types of its rows:
 *
 *   { '/pet': { id: IdCodec<number>; get: { 200: { name: string; born: string } }; delete: { 204: undefined; 409: null } } }
 *
 * The names of types that are not exported are for editors. The compiler writes what they stand for into declarations: it could not import them.
 * `Contract` and `EndpointContract` are conditional types, whose results have no names.
 */
import type { AnyDecoder, Decoded } from './decoder.ts';
import type { IdCodec, WildcardCodec } from './id-codec.ts';
import type { KindsWith, RowOf } from './kinds.ts';
import type { Reply, StatusIn } from './reply.ts';

/** What `registerEndpoints` returns, as a type. */
// An endpoint with a mistake is `never`, whose own error is enough: calls of it are not checked.
export type Contract<Endpoints> = [Endpoints] extends [infer All] ? { -readonly [Path in keyof All]: EndpointContract<All[Path]> } : never;

/** The contract of an endpoint, by the type of its declaration. */
export type EndpointContract<Endpoint> = [Endpoint] extends [never] ? any : 0 extends 1 & Endpoint ? any : [Endpoint] extends [infer Own] ? {
  -readonly [Name in keyof Own as Name extends ContractProperties ? Name : never]-?: PropertyContract<Name, Own>;
} : never;

type NamedKinds = KindsWith<{ readonly suffix: `${string}<name>` }>;
type ContractProperties = 'id' | 'params' | KindsWith<unknown>;

type PropertyContract<Name extends keyof Endpoint, Endpoint> = Name extends 'id' ? CodecContract<Endpoint[Name]>
  : Name extends 'params' ? { -readonly [Param in keyof Endpoint[Name]]: CodecContract<Endpoint[Name][Param]> }
  : Name extends NamedKinds ? { -readonly [Custom in keyof Endpoint[Name]]: OperationContract<Name, Endpoint, Endpoint[Name][Custom]> }
  : OperationContract<Name, Endpoint, Endpoint[Name]>;

/** A codec, without what else it has. */
type CodecContract<Codec> = Codec extends Pick<WildcardCodec, ' tail'> ? WildcardCodec : Codec extends IdCodec<infer Id> ? IdCodec<Id> : never;

// An operation that is one already is left as it is.
type OperationContract<Kind, Endpoint, Declared> = Declared extends (...args: never) => unknown
  ? OperationOf<UsedErrors<Endpoint> | SchemaBody<Kind, Endpoint, Declared> | IfMatchEntry<Kind, Endpoint> | ShorthandResponses<Kind, Endpoint, Settled<ReturnType<Declared>>>>
  : Declared extends { readonly run: (...args: never) => infer Result }
    ? WithOptions<OperationOf<
      | (Declared extends { readonly optional: true } ? never : SchemaBody<Kind, Endpoint, Declared>)
      | IfMatchEntry<Kind, Endpoint> | Responses<Kind, Endpoint, Declared, Settled<Result>> | ErrorEntries<Declared> | UsedErrors<Declared> | UsedErrors<Endpoint>
    >, Declared, Kind, Endpoint>
    : Declared;

/** A member of the contract of an operation. */
interface Entry<Name, Value> {
  readonly name: Name;
  readonly value: Value;
}
// With `infer`, the type has no name of its own.
type OperationOf<Entries> = [Entries] extends [infer All] ? { [Each in All as NameIn<Each>]: Each extends Entry<any, infer Value> ? Value : never } : never;
type NameIn<Each> = Each extends Entry<infer Name extends PropertyKey, unknown> ? Name : never;

type SchemaOf<Endpoint> = Endpoint extends { readonly schema: infer Schema } ? Schema : undefined;
type Flat<T> = T extends infer All ? { [Name in keyof All]: All[Name] } : never;

// ---- What an operation takes.

/** The body: that of `input`, else of the endpoint's schema for the operations that take it. */
type SchemaBody<Kind, Endpoint, Declared> = BodyOf<DecoderOf<Kind, Endpoint, Declared>>;
type DecoderOf<Kind, Endpoint, Declared> = Declared extends { readonly input: infer Input } ? Input
  : Kind extends KindsWith<{ readonly decoder: 'schema' }> ? SchemaOf<Endpoint> : undefined;
type BodyOf<Decoder> = [Decoder] extends [undefined] ? never : Entry<'body', Taken<Decoder>>;

/** The members that may be missing, and the query. */
type WithOptions<Required, Declared, Kind, Endpoint> = keyof Declared & ('optional' | 'query' | 'use') extends never ? Required
  : Flat<OptionalBody<Declared, DecoderOf<Kind, Endpoint, Declared>> & QueryPart<Declared> & KeyPart<Declared> & Required>;
type OptionalBody<Declared, Decoder> = Declared extends { readonly optional: true } ? { body?: Taken<Decoder> | undefined } : unknown;

interface Input<Value> {
  readonly '~standard': { readonly types?: { readonly input: Value } | undefined };
}

/** The output of a stream, by the brands of its format. */
interface Sequence {
  readonly ' format': 'events' | 'ndjson';
}

/** What a decoder takes: the input of a schema, else what its output is in JSON. */
type Taken<Decoder> = Decoder extends { readonly ' format': unknown } ? TakenFormat<Decoder> : TakenJson<Decoder>;
type TakenFormat<Decoder> = Decoder extends { readonly ' format': 'bytes' } ? Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>
  : Decoder extends { readonly ' format': 'form' } ? TakenForm<Decoder>
  : Decoder extends Sequence ? TakenItems<Decoder> : TakenJson<Decoder>;
type TakenJson<Decoder> = Decoder extends Input<infer Value> ? unknown extends Value ? Given<ToJson<Decoded<Decoder>>> : Given<Value>
  : Decoder extends AnyDecoder ? Given<ToJson<Decoded<Decoder>>> : never;

/** The items of NDJSON. A list would look like one JSON value. */
type TakenItems<Decoder> = Decoder extends Input<infer Value> ? Value extends AsyncIterable<infer Item> ? AsyncIterable<TakenItem<Item, Decoder>> : never : never;
/** A decoder that is a function takes anything, and gives what it takes in JSON. */
type TakenItem<Item, Decoder> = unknown extends Item ? Decoded<Decoder> extends AsyncIterable<infer Read> ? Given<ToJson<Read>> : never : Given<Item>;

/** A form, whose fields only `toFormData` of the client knows. */
type TakenForm<Decoder> = Decoder extends Input<infer Value>
  ? FormData & { readonly ' fields'?: unknown extends Value ? object : { readonly [Name in keyof Value]: TakenField<Value[Name]> } } : never;
// A server gets a `Blob` as a `File`.
type TakenField<Value> = unknown extends Value ? FieldValue | readonly FieldValue[]
  : Value extends readonly (infer Each)[] ? readonly TakenField<Each>[] : Value extends Blob ? Blob : Value;
type FieldValue = QueryValue | Blob;

/** A value that is only read: its lists may be `readonly`. Objects are written out, so that their types need no name. */
type Given<T> = T extends Plain ? T
  : unknown extends T ? T
  : T extends readonly unknown[] ? number extends T['length'] ? readonly Given<T[number]>[] : { readonly [Index in keyof T]: Given<T[Index]> }
  : T extends Opaque ? T : Sent<T>;
type Sent<T> = { [Name in keyof T]: Given<T[Name]> };
type Plain = string | number | boolean | bigint | null | undefined;
/** Values that are more than their members. */
type Opaque = { toJSON(...args: never): unknown } | ((...args: never) => unknown) | { readonly [Symbol.toStringTag]: string } | symbol;

/**
 * The query that a decoder takes, and what interceptors read of it. With an index signature, any other query can be sent too; and any at all where
 * there is no such part.
 */
type QueryPart<Declared> = Declared extends { readonly query: infer Decoder } ? Queried<Flat<TakenQuery<Decoder> & QueryOfEach<Declared>>>
  : Declared extends { readonly use: unknown } ? OpenQuery<QueryOfEach<Declared>> : unknown;
type Queried<Query> = {} extends Query ? { query?: Query } : { query: Query };
type OpenQuery<Query> = unknown extends Query ? unknown : Queried<Flat<Query & Open>>;
interface Open { [name: string]: unknown }

// A decoder of anything may have defaults, so that none of its members is needed.
type TakenQuery<Decoder> = Decoder extends Input<infer Value>
  ? unknown extends Value ? Partial<QueryProperties<Decoded<Decoder>>> : QueryProperties<Value>
  : Decoder extends AnyDecoder ? Partial<QueryProperties<Decoded<Decoder>>> : never;

type QueryProperties<Query> = unknown extends Query ? Open
  : Query extends infer All ? { [Name in keyof All]: unknown extends All[Name] ? QueryValue | readonly QueryValue[] : Given<All[Name]> } : never;
type QueryValue = string | number | boolean | bigint | Date | null | undefined;

/** The parameters of all interceptors; `unknown` if they have none. */
type QueryOfEach<Declared> = Declared extends { readonly use: infer Use } ? Together<Use extends readonly (infer Each)[] ? Each : Use> : unknown;
// The compiler infers an intersection for a parameter.
type Together<Each> = (Each extends unknown ? (query: InterceptorQuery<Each>) => void : never) extends (query: infer All) => void ? All : never;
type InterceptorQuery<Each> = Each extends { readonly ' query'?: infer Query } ? Exclude<Query, undefined> : unknown;

/** The `Idempotency-Key`, if the operation is idempotent. */
type KeyPart<Declared> = Declared extends { readonly use: infer Use } ? KeyOption<KeyIn<Use extends readonly (infer Each)[] ? Each : Use>> : unknown;
type KeyIn<Each> = Each extends { readonly ' key'?: infer Required } ? unknown extends Required ? never : Exclude<Required, undefined> : never;
type KeyOption<Required> = [Required] extends [never] ? unknown : true extends Required ? { idempotencyKey: string } : { idempotencyKey?: string };

/** The `If-Match` that a change must have. Any change can have one. */
type IfMatchEntry<Kind, Endpoint> = Endpoint extends { readonly requireIfMatch: true }
  ? Kind extends KindsWith<{ readonly suffix: '/:id'; readonly method: 'PUT' | 'PATCH' | 'DELETE' }> ? Entry<'ifMatch', string> : never : never;

// ---- What an operation responds with, by status. `2xx` is any status of success.

type ShorthandResponses<Kind, Endpoint, Result> = RowOf<Kind>['result'] extends 'json' ? FromPlain<Result, 200>
  : RowOf<Kind>['result'] extends 'id' ? FromOther<Result, PlainCreate<Endpoint>>
  : FromOther<Result, Unsent<Kind>>;
type Responses<Kind, Endpoint, Declared, Result> = RowOf<Kind>['result'] extends 'json' ? JsonResponses<Declared, Result>
  : RowOf<Kind>['result'] extends 'id' ? OtherResponses<Declared, Result, PlainCreate<Endpoint>, 201>
  : OtherResponses<Declared, Result, Unsent<Kind>, 200>;
/** A result that is not sent: 204, or 201 where the kind can make a new item. */
type Unsent<Kind> = Entry<204, undefined> | (Kind extends MakingKinds ? Entry<201, undefined> : never);
type MakingKinds = KindsWith<{ readonly statuses: readonly [readonly [unknown, 201]] }>;
/** A plain Create sends the id as text. A client has it as the codec that it is given reads it. */
type PlainCreate<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? Entry<'id', Id> : Entry<201, undefined>;

/** The answers of an operation whose plain result is sent as JSON. `undefined` is not sent: it is answered 404 or 500. */
type JsonResponses<Declared, Result> = Declared extends { readonly output: infer Output }
  ? FromJson<Result, OutputsByStatus<Output>, PlainStatus<Declared, 200>>
  : FromPlain<Result, PlainStatus<Declared, 200>>;

/**
 * The answers of an operation whose plain result is not sent, but for an `output` or a `status`. `Plain` is the answer without these. `Status` is
 * the one of a result that is sent.
 */
type OtherResponses<Declared, Result, Plain, Status> = Declared extends { readonly output: infer Output }
  ? FromBody<Result, OutputsByStatus<Output>, PlainStatus<Declared, Status>>
  : Declared extends { readonly status: infer Own } ? FromBody<Result, {}, Own> : FromOther<Result, Plain>;

type PlainStatus<Declared, Default> = Declared extends { readonly status: infer Status } ? Status : Default;

/** `Awaited`, without its work for a `Promise`, and for a value that is no promise. */
type Settled<Given> = Given extends { readonly then: unknown } ? Given extends Promise<infer Value> ? Settled<Value> : Awaited<Given> : Given;

/** The decoders in `output`, by status. One alone is for any. */
type OutputsByStatus<Output> = Output extends AnyDecoder ? { readonly [Status in number]: Output } : Output;

type Nothing<Status> = Entry<Status, undefined>;

type FromJson<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : [Given] extends [void]
    ? Nothing<Status>
    : Given extends void ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

/** The same without an `output`. */
type FromPlain<Given, Status> = unknown extends Given
  ? Entry<Status, Given>
  : [Given] extends [void]
    ? Nothing<Status>
    : Given extends void ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, {}> : Entry<Status, ToJson<Given>>;

// Nothing is an answer without a body. `false` is answered 404.
type FromBody<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : Given extends void
    ? Nothing<BodilessStatus<Output, Status>>
    : Given extends false ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

// By its status alone an `output` says that there may be no body.
type BodilessStatus<Output, Status> = Output extends { readonly 204: null } ? 204 : Status;

type PlainJson<Given, Output, Status> = Entry<Status, Status extends keyof Output
  ? Output[Status] extends AnyDecoder ? Received<Output[Status]> : undefined
  : ToJson<Given>>;

type FromOther<Given, Plain> = unknown extends Given
  ? Entry<'2xx', Given>
  : Given extends Reply<infer Body, infer Status> ? OfReply<Body, Status, {}> : Plain;

/** The body of a reply. Any but 2xx is thrown. A status that is only known as a number may be any. */
type OfReply<Body, Status extends number, Output> = Status extends Status
  ? number extends Status
    ? Entry<'2xx', BodyIn<Body>>
    : `${Status}` extends `2${string}`
      ? Entry<Status, Status extends keyof Output ? (Output[Status] extends AnyDecoder ? Received<Output[Status]> : undefined) : BodyIn<Body>>
      : never
  : never;

/** What a client gets of an output. */
type Received<Decoder> = Decoder extends Sequence ? Items<Decoded<Decoder>> : BodyIn<Decoded<Decoder>>;
type Items<Stream> = Stream extends AsyncIterable<infer Item> ? AsyncIterable<ToJson<Item>> : never;

/** Bytes and streams are read as text, unless the call is `raw`. */
type BodyIn<Body> = unknown extends Body
  ? Body
  : Body extends undefined ? undefined : Body extends Uint8Array | AsyncIterable<unknown> | ReadableStream ? string : ToJson<Body>;

/** What problems hold, by the statuses that `errors` declares; `null` for no more than any problem does. */
type ErrorEntries<Declared> = Declared extends { readonly errors: infer Errors }
  ? { readonly [Status in keyof Errors]: Entry<Status, Errors[Status] extends AnyDecoder ? ToJson<Decoded<Errors[Status]>> : null> }[keyof Errors]
  : never;

/** The same of the interceptors that `use` names. A client that gets one of their statuses cannot tell whether it is the operation's own. */
type UsedErrors<Declared> = Declared extends { readonly use: infer Use } ? EachErrors<Use extends readonly (infer Each)[] ? Each : Use> : never;
// An interceptor of which only the interface is known may have any status.
type EachErrors<Each> = Each extends { readonly errors: infer Errors } ? number extends keyof Errors ? never : ErrorEntries<Each> : never;

/** The statuses that a client may meet beside those that are declared: redirects are not followed, and a browser hides the status of one. */
export type FailureStatus = 0 | StatusIn<3 | 4 | 5>;

// ---- JSON.

/**
 * A `T` after its way through JSON: the result of `JSON.stringify` and then `JSON.parse`, as a type. `never`: JSON has nothing for it.
 *
 *   { born: Date; tag?: string | undefined; feed: () => void }   ->   { born: string; tag?: string }
 */
export type JsonOf<T> = ToJson<T>;

type ToJson<T> = T extends string | number | boolean | null
  ? Unbranded<T>
  : unknown extends T
    ? T
    : T extends Special ? Written<T> : T extends object ? ObjectJson<T> : never;

// Schema libraries brand a string or a number by a symbol, which JSON has not, and which only their types can name.
type Unbranded<T> = [Exclude<keyof T & symbol, keyof string>] extends [never] ? T : T extends string ? string : number;

/** Values that are more than their members. One check for all of them: most objects have no such type. */
type Special = { toJSON(...args: never): unknown } | Absent | bigint | readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

type Written<T> = T extends { toJSON(...args: never): infer Given }
  ? ToJson<Given>
  : T extends Absent | bigint
    ? never
    : T extends readonly unknown[]
      ? number extends T['length'] ? Item<T[number]>[] : { -readonly [Index in keyof T]: Item<T[Index]> }
      : {};

/** Values that `JSON.stringify` leaves out of an object, and writes as `null` in a list. */
type Absent = undefined | symbol | ((...args: never) => unknown);

type Item<T> = unknown extends T ? T : T extends Absent ? null : ToJson<T>;

// Most objects have no such members, and are checked at once.
type ObjectJson<T> = [HasAbsent<T[keyof T]>, keyof T & symbol] extends [never, never]
  ? Json<T>
  : PresentProperties<T>;

type Json<T> = { -readonly [Name in keyof T]: ToJson<T[Name]> };

type HasAbsent<Value> = Value extends Absent ? true : never;

type PresentProperties<T> = Flat<
  & { -readonly [Name in keyof T as PresentName<Name, T[Name]>]: ToJson<T[Name]> }
  & { -readonly [Name in keyof T as MissingName<Name, T[Name]>]?: ToJson<Exclude<T[Name], Absent>> }
>;

/** The name of a member that is always there. */
type PresentName<Name, Value> = Name extends symbol
  ? never
  : unknown extends Value ? Name : [Extract<Value, Absent>] extends [never] ? Name : never;

/** The name of a member that may be missing. */
type MissingName<Name, Value> = Name extends symbol
  ? never
  : unknown extends Value
    ? never
    : [Extract<Value, Absent>] extends [never] ? never : [Exclude<Value, Absent>] extends [never] ? never : Name;
