/**
 * The contract of an API, as a type: the arguments of each operation, and its results by status. It is made of plain types, so that a
 * client needs neither the server's schema library nor the types of its rows:
 *
 *   { '/pet': { id: IdCodec<number>; get: { 200: { name: string; born: string } }; delete: { 204: undefined; 409: null } } }
 *
 * The operations of a singleton are in `one`, so that items and a singleton can be at one path: `typeof items & typeof singleton`.
 *
 * An object of it is the result of a conditional type, which has no name. A name that is not exported would be an error in an emitted
 * declaration, where a type contains itself: without one, the compiler writes the first level, and `any` below.
 */
import type { AnyDecoder, Decoded, EachDecoder, OutputDecoder } from './decoder.ts';
import type { IdCodec, WildcardCodec } from './id-codec.ts';
import type { ConditionalKinds, KindsWith, ListingKinds, NamedKinds, RowOf } from './kinds.ts';
import type { Reply, StatusIn, SuccessStatus } from './reply.ts';

/** What `registerEndpoints` returns, as a type. */
export type Contract<Endpoints> = [Endpoints] extends [infer All] ? { -readonly [Path in keyof All]: EndpointContract<All[Path]> } : never;

/** The contract of an endpoint, by the type of its declaration. */
// A declaration with a mistake is `never`. Its own error is enough, so calls of it are not checked.
export type EndpointContract<Endpoint> = [Endpoint] extends [never] ? any : 0 extends 1 & Endpoint ? any
  : Endpoint extends { readonly id: unknown } ? PropertyContracts<Endpoint> : { one: PropertyContracts<Endpoint> };
type PropertyContracts<Endpoint> =
  Flat<{ -readonly [Name in keyof Endpoint as Name & ('id' | 'params' | KindsWith<unknown>)]-?: PropertyContract<Name, Endpoint> }>;

type PropertyContract<Name extends keyof Endpoint, Endpoint> = Name extends 'id' ? CodecContract<Endpoint[Name]>
  : Name extends 'params' ? { -readonly [Param in keyof Endpoint[Name]]: CodecContract<Endpoint[Name][Param]> }
  : Name extends NamedKinds ? { -readonly [Custom in keyof Endpoint[Name]]: OperationContract<Name, Endpoint, Endpoint[Name][Custom]> }
  : OperationContract<Name, Endpoint, Endpoint[Name]>;

/** A codec, without its other properties. */
type CodecContract<Codec> = Codec extends Pick<WildcardCodec, ' internal'> ? WildcardCodec
  : Codec extends IdCodec<infer Id> ? IdCodec<Id> : never;

// Without `run`, it is a contract already, which stays as it is.
type OperationContract<Kind, Endpoint, Declared> =
  Declared extends ((...args: never) => infer Result) | { readonly run: (...args: never) => infer Result }
    ? WithOptions<OperationOf<
      | (Declared extends { readonly optional: true } ? never : BodyEntry<BodyDecoder<Kind, Endpoint, Declared>>)
      | IfMatchEntry<Kind, Endpoint>
      | Enveloped<ResponseEntries<Kind, Endpoint, Declared, Settled<Result>>, Kind, Declared>
      | ErrorEntries<Declared | UsedBy<Declared> | UsedBy<Endpoint>>
      | HeadersEntry<Declared>
    >, Declared, Kind, Endpoint>
    : Declared;

/** A property of an operation's contract. */
interface ContractEntry<Name, Value> {
  readonly name: Name;
  readonly value: Value;
}
type OperationOf<Entries extends ContractEntry<PropertyKey, unknown>> = unknown extends Entries ? never
  : { [Name in Entries['name']]: Extract<Entries, { readonly name: Name }>['value'] };

type Flat<T> = T extends infer All ? { [Name in keyof All]: All[Name] } : never;

// ---- The arguments of an operation.

/** The decoder of the body: `input`, or the endpoint's schema for kinds that use it. `undefined` without a body. */
type BodyDecoder<Kind, Endpoint, Declared> = Declared extends { readonly input: unknown } ? Declared['input']
  : Kind extends KindsWith<{ readonly decoder: 'schema' }> ? Endpoint extends { readonly schema: unknown } ? Endpoint['schema'] : undefined
  : undefined;
type BodyEntry<Decoder> = [Decoder] extends [undefined] ? never : ContractEntry<'body', BodyInput<Decoder>>;

/** Adds the properties that few operations have: an optional body, the query, the idempotency key, the method of a named read. */
type WithOptions<Required, Declared, Kind, Endpoint> = keyof Declared & ('method' | 'optional' | 'query' | 'use') extends never ? Required
  : Flat<
    & (Declared extends { readonly optional: true } ? { body?: BodyInput<BodyDecoder<Kind, Endpoint, Declared>> | undefined } : unknown)
    & QueryOption<Declared, UsedQuery<UsedBy<Declared>>>
    & KeyOption<RequiresKey<UsedBy<Declared>>>
    & MethodOption<Declared>
    & Required
  >;

/** The input of a schema; `unknown` for a decoder that is a function. */
export type SchemaInput<Decoder> =
  Decoder extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } } ? Input : unknown;

/** A format of a kind. */
interface FormatOf<Kind> { readonly ' internal': { readonly kind: Kind } }
/** The output of a format of items. */
type Sequence = FormatOf<'events' | 'ndjson'>;

/** The body as a client passes it. */
type BodyInput<Decoder> = Decoder extends FormatOf<'types'> & { readonly ' types'?: infer Each } ? BodyInput<Each>
  : Decoder extends FormatOf<'bytes'> ? Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>
  : Decoder extends FormatOf<'form'> ? FormInput<SchemaInput<Decoder>>
  : Decoder extends Sequence ? ItemsInput<SchemaInput<Decoder>, Decoder> : JsonInput<Decoder>;

// The parameter of a function is `unknown`. Its result, in JSON, is the best guess.
type JsonInput<Decoder> = unknown extends SchemaInput<Decoder>
  ? ReadonlyLists<JsonOf<Decoded<Decoder>>> : ReadonlyLists<SchemaInput<Decoder>>;

/** The items of NDJSON. An array is rejected: it looks like one JSON value. */
type ItemsInput<Items, Decoder> = Items extends AsyncIterable<infer Item>
  ? unknown extends Item
    ? Decoded<Decoder> extends AsyncIterable<infer Result> ? AsyncIterable<ReadonlyLists<JsonOf<Result>>> : never
    : AsyncIterable<ReadonlyLists<Item>>
  : never;

/** A form. Only `toFormData` of the client knows the types of its fields. */
type FormInput<Fields> =
  FormData & { readonly ' types'?: unknown extends Fields ? object : { readonly [Name in keyof Fields]: FieldInput<Fields[Name]> } };
// A server gets a `Blob` as a `File`.
type FieldInput<Value> = unknown extends Value ? ParameterValue | Blob | readonly (ParameterValue | Blob)[]
  : Value extends readonly (infer Each)[] ? readonly FieldInput<Each>[] : Value extends Blob ? Blob : Value;

/** The same type, with arrays that may be `readonly`, since a client only reads them. */
type ReadonlyLists<T> = T extends string | number | boolean | bigint | null | undefined ? T
  : unknown extends T ? T
  : T extends readonly unknown[]
    ? number extends T['length'] ? readonly ReadonlyLists<T[number]>[] : { readonly [Index in keyof T]: ReadonlyLists<T[Index]> }
  : T extends Opaque ? T : { [Name in keyof T]: ReadonlyLists<T[Name]> };
/** Types that must not be copied property by property, such as `Date`, `Map` and `Blob`. */
type Opaque = { toJSON(...args: never): unknown } | ((...args: never) => unknown) | { readonly [Symbol.toStringTag]: string } | symbol;

/** The interceptors in the option `use` of an operation or an endpoint, as a union. One that can be anything would hide the others. */
export type UsedBy<Declared> = Declared extends { readonly use: infer Use }
  ? Use extends readonly unknown[] ? { [Index in keyof Use]: Limited<Use[Index]> }[number] : Limited<Use> : never;

/** A type, or `never` for one that can be anything, such as `any`: in a union it would hide the others. */
export type Limited<Type> = unknown extends Type ? never : Type;

/** `Awaited`, with less work for the compiler where the result is a `Promise` or not a promise at all. */
export type Settled<Result> = Result extends { readonly then: unknown }
  ? Result extends Promise<infer Value> ? Settled<Value> : Awaited<Result> : Result;

/** The query, if a decoder or an interceptor reads it. If only interceptors read it, any other parameter is allowed too. */
type QueryOption<Declared, Query> = Declared extends { readonly query: infer Decoder } ? OptionalIfEmpty<Flat<QueryInput<Decoder> & Query>>
  : unknown extends Query ? unknown : OptionalIfEmpty<Flat<Query & AnyQuery>>;
type OptionalIfEmpty<Query> = {} extends Query ? { query?: Query } : { query: Query };
interface AnyQuery { [name: string]: unknown }

// A function may have defaults, so none of its parameters is required.
type QueryInput<Decoder> = unknown extends SchemaInput<Decoder>
  ? Partial<ContractQuery<Decoded<Decoder>>> : ContractQuery<SchemaInput<Decoder>>;

type ContractQuery<Query> = unknown extends Query ? AnyQuery : Query extends infer All
  ? { [Name in keyof All]: unknown extends All[Name] ? ParameterValue | readonly ParameterValue[] : ReadonlyLists<All[Name]> } : never;
// Not exported: the compiler would write its name in declarations of programs, which cannot import it.
type ParameterValue = string | number | boolean | bigint | Date | null | undefined;

/**
 * The parameters that interceptors read, as an intersection: the compiler infers one for the parameter of a union of functions. `unknown`
 * if there are none.
 */
type UsedQuery<Each> = (Each extends { readonly ' types'?: { readonly query: infer Query } } ? (query: Query) => void : never) extends
  (query: infer All) => void ? All : never;

/** The `Idempotency-Key`, if the operation is idempotent. */
type KeyOption<Required> = [Required] extends [never] ? unknown
  : true extends Required ? { idempotencyKey: string } : { idempotencyKey?: string };
type RequiresKey<Each> = Each extends { readonly ' types'?: { readonly key: infer Required } } ? Limited<Required> : never;

/** The method of a named read. */
type MethodOption<Declared> = Declared extends { readonly method: 'GET' } ? { method: 'GET' } : unknown;

/** The `If-Match` that a change needs with `requireIfMatch`. */
type IfMatchEntry<Kind, Endpoint> = Endpoint extends { readonly requireIfMatch: true }
  ? Kind extends ConditionalKinds ? ContractEntry<'ifMatch', string> : never
  : never;

// ---- The results of an operation, by status. `2xx` is any status of success.

type ResponseEntries<Kind, Endpoint, Declared, Result> = RowOf<Kind>['result'] extends 'json'
  ? JsonEntries<Result, OutputsOf<Declared>, StatusOf<OutputsOf<Declared>, 200>>
  : Declared extends { readonly output: unknown }
    ? BodyEntries<Result, OutputsOf<Declared>, StatusOf<OutputsOf<Declared>, RowOf<Kind>['result'] extends 'id' ? 201 : 200>>
    : UnsentEntries<Result, RowOf<Kind>['result'] extends 'id' ? IdEntry<Endpoint> : EmptyEntries<Kind>>;

/** Entries of a list in pages with `envelope`. Only a list or a named GET can have pages. */
type Enveloped<Entries, Kind, Declared> = Kind extends ListingKinds | NamedKinds
  ? true extends EnvelopeOf<UsedBy<Declared>> ? EnvelopedEntry<Entries> : Entries
  : Entries;
type EnvelopedEntry<Entry> = Entry extends ContractEntry<infer Status, infer Items> ? ContractEntry<Status, Envelope<Items>> : never;
type EnvelopeOf<Each> = Each extends { readonly ' types'?: { readonly envelope: infer Envelope } } ? Limited<Envelope> : never;
type Envelope<Items> = Items extends undefined ? Items : { items: Items; next?: string; prev?: string };

/** The id of a new item. A client gets it as a string, or as its own codec parses it. */
type IdEntry<Endpoint> = Endpoint extends { readonly id: IdCodec<infer Id> } ? ContractEntry<'id', Id> : ContractEntry<201, undefined>;
/** No body: 204, or 201 where the kind can make a new item. */
type EmptyEntries<Kind> = ContractEntry<204, undefined>
  | (Kind extends KindsWith<{ readonly statuses: readonly [readonly [unknown, 201]] }> ? ContractEntry<201, undefined> : never);

/** The decoders of `output`, by status. One decoder is for every status. */
type OutputsOf<Declared> = Declared extends { readonly output: infer Output }
  ? Output extends OutputDecoder ? { readonly [Status in number]: Output } : Output : {};

/** The status of a plain result: of its kind, unless `output` has only another. */
type StatusOf<Outputs, Default> = [keyof Outputs & SuccessStatus] extends [never] ? Default
  : Default extends keyof Outputs ? Default : keyof Outputs & SuccessStatus;

/** Results that are sent as JSON. `undefined` beside other results is an error: 404 or 500. */
type JsonEntries<Result, Outputs, Status> = unknown extends Result ? PlainEntry<Result, Outputs, Status>
  : [Result] extends [void] ? ContractEntry<Status, undefined>
  : Result extends void ? never
  : Result extends Reply<any, any> ? ReplyEntry<Result, Outputs> : PlainEntry<Result, Outputs, Status>;

/** Results that are sent because `output` says so. `undefined` has no body, and `false` is 404. */
type BodyEntries<Result, Outputs, Status> = unknown extends Result ? PlainEntry<Result, Outputs, Status>
  : Result extends void ? ContractEntry<Outputs extends { readonly 204: null } ? 204 : Status, undefined>
  : Result extends false ? never
  : Result extends Reply<any, any> ? ReplyEntry<Result, Outputs> : PlainEntry<Result, Outputs, Status>;

/** Results that are not sent, except for a reply. */
type UnsentEntries<Result, Plain> = unknown extends Result ? ContractEntry<'2xx', Result>
  : Result extends Reply<any, any> ? ReplyEntry<Result, {}> : Plain;

/** A result that is not a reply. */
type PlainEntry<Result, Outputs, Status> = ContractEntry<Status, SentBody<Result, Outputs, Status>>;

/** A reply with a status of success: a client throws for all others. `number` may be any status. */
type ReplyEntry<Sent extends Reply<any, any>, Outputs> = EntryOfStatus<Sent[' internal']['status'], Sent[' internal']['body'], Outputs>;
type EntryOfStatus<Status extends number, Body, Outputs> = Status extends Status
  ? number extends Status ? ContractEntry<'2xx', ReceivedBody<Body>>
    : `${Status}` extends `2${string}` ? ContractEntry<Status, SentBody<Body, Outputs, Status>> : never
  : never;

/** The body of a response: as `output` gives it for the status, or else the result itself. */
type SentBody<Result, Outputs, Status> = Status extends keyof Outputs
  ? Outputs[Status] extends OutputDecoder ? OutputBody<Outputs[Status]> : undefined
  : ReceivedBody<Result>;
type OutputBody<Decoder> = Decoder extends Sequence
  ? Decoded<Decoder> extends AsyncIterable<infer Item> ? AsyncIterable<JsonOf<Item>> : never
  // The result of a format without `decode` is `any`.
  : [unknown, Decoder] extends [Decoded<Decoder>, FormatOf<string>] ? unknown : ReceivedBody<Decoded<Decoder>>;

/** A body as a client reads it: bytes and streams as a string, unless the call is `raw`. */
type ReceivedBody<Body> = unknown extends Body ? Body
  : Body extends undefined ? undefined : Body extends Uint8Array | AsyncIterable<unknown> | ReadableStream ? string : JsonOf<Body>;

/** The headers of successes, as they are on the wire: `${number}` for a number, and `null` for one that may be missing. */
type HeadersEntry<Declared> = Declared extends { readonly responseHeaders: unknown }
  ? ContractEntry<'responseHeaders', HeaderTexts<Declared['responseHeaders']>> : never;
type HeaderTexts<Headers> = { -readonly [Name in keyof Headers]: HeaderText<Decoded<Headers[Name]>> };
type HeaderText<Value> = Value extends undefined ? null : Value extends string | number | boolean ? `${Value}` : string;

/**
 * The properties of problems, by the statuses that an operation or an interceptor declares in `errors`. `null`: only the properties that
 * every problem has. An interceptor of the type `Interceptor` may have any status, so none is known.
 */
type ErrorEntries<Declared> = Declared extends { readonly errors: unknown } ? DeclaredErrors<Declared['errors']> : never;
type DeclaredErrors<Errors> = number extends keyof Errors ? never
  : { [Status in keyof Errors]: ContractEntry<Status, DeclaredProblem<EachDecoder<Errors[Status]>>> }[keyof Errors];
type DeclaredProblem<Decoder> = [Decoder] extends [AnyDecoder] ? JsonOf<Decoded<Decoder>> : null;

/**
 * The statuses that a client may get in addition to the declared ones. Redirects are not followed, and browsers hide the status of one: 0.
 */
export type FailureStatus = 0 | StatusIn<3 | 4 | 5>;

// ---- JSON.

/**
 * Gives the type of a value after `JSON.stringify` and `JSON.parse`; `never` if JSON has no such value.
 *
 *   { born: Date; tag?: string | undefined; feed: () => void }   ->   { born: string; tag?: string }
 */
export type JsonOf<T> = T extends string | number | boolean | null ? Unbranded<T>
  : unknown extends T ? T
  : T extends Special ? SpecialJson<T> : T extends object ? ObjectJson<T> : never;

// Schema libraries brand strings and numbers by a symbol, which a client cannot name.
type Unbranded<T> = [Exclude<keyof T & symbol, keyof string>] extends [never] ? T : T extends string ? string : number;

/** Types that JSON does not write as their properties. They are tested together, since most objects are not one of them. */
type Special =
  | { toJSON(...args: never): unknown } | Absent | bigint | readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

type SpecialJson<T> = T extends { toJSON(...args: never): infer Result } ? JsonOf<Result>
  : T extends Absent | bigint ? never
  : T extends readonly unknown[] ? number extends T['length'] ? ItemJson<T[number]>[] : { -readonly [Index in keyof T]: ItemJson<T[Index]> }
  : {};

/** Values that `JSON.stringify` leaves out of an object, and writes as `null` in an array. */
type Absent = undefined | symbol | ((...args: never) => unknown);

type ItemJson<T> = unknown extends T ? T : T extends Absent ? null : JsonOf<T>;

// Most objects have no property to leave out: one test for all properties is less work for the compiler.
type ObjectJson<T> = [Extract<T[keyof T], Absent>, keyof T & symbol] extends [never, never]
  ? { -readonly [Name in keyof T]: JsonOf<T[Name]> } : PresentJson<T>;

type PresentJson<T> = Flat<
  & { -readonly [Name in keyof T as Presence<T[Name]> extends 'always' ? Exclude<Name, symbol> : never]: JsonOf<T[Name]> }
  & { -readonly [Name in keyof T as Presence<T[Name]> extends 'sometimes' ? Exclude<Name, symbol> : never]?:
    JsonOf<Exclude<T[Name], Absent>> }
>;
/** Whether JSON has a property with such a value. */
type Presence<Value> = unknown extends Value ? 'always'
  : [Extract<Value, Absent>] extends [never] ? 'always' : [Exclude<Value, Absent>] extends [never] ? 'never' : 'sometimes';
