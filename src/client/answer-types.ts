/** The answers of a call, by the type of the operation: of each success its status and its value, of each failure its status and its problem. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { Reply, StatusIn, SuccessStatus } from '../endpoint/reply.ts';
import type { Json } from './json.ts';
import type { ClientProblem } from './problem-error.ts';

/** A success, as `safe` gives it. */
export interface Succeeded<Status, Value> {
  readonly ok: true;
  readonly status: Status;
  readonly value: Value;
  /** The `ETag` of the answer: what `ifMatch` takes. */
  readonly etag: string | undefined;
}

/** An answer that is no success, as `safe` gives it. */
export interface Failed<Status, Problem = ClientProblem> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Problem;
}

/** The value of a success, whatever its status. */
export type ValueOf<Answer> = Answer[keyof Answer & 'value'];

/** The answers of an operation whose plain result is sent as JSON. `undefined` is not sent: it is answered 404 or 500. */
export type JsonAnswers<Declared> = Declared extends { readonly output: infer Output }
  ? FromJson<Result<Declared>, Outputs<Output>, PlainStatus<Declared, 200>>
  : FromPlain<Result<Declared>, PlainStatus<Declared, 200>>;

/**
 * The answers of an operation whose plain result is not sent, but for an `output` or a `status`. `Plain` is the answer without these: the id of
 * a new item, or nothing. `Status` is the one of a result that is sent.
 */
export type Answers<Declared, Plain, Status> = Declared extends { readonly output: infer Output }
  ? FromBody<Result<Declared>, Outputs<Output>, PlainStatus<Declared, Status>>
  : Declared extends { readonly status: infer Own } ? FromBody<Result<Declared>, {}, Own> : FromOther<Result<Declared>, Plain>;

type PlainStatus<Declared, Default> = Declared extends { readonly status: infer Status } ? Status : Default;

type Result<Declared> = Declared extends (...args: never) => infer Given
  ? Settled<Given>
  : Declared extends { readonly run: (...args: never) => infer Given } ? Settled<Given> : never;

/** `Awaited`, without its work for a `Promise`, and for a value that is no promise. */
type Settled<Given> = Given extends { readonly then: unknown } ? Given extends Promise<infer Value> ? Settled<Value> : Awaited<Given> : Given;

/** The decoders in `output`, by status. One alone is for any. */
type Outputs<Output> = Output extends AnyDecoder ? { readonly [Status in number]: Output } : Output;

type Nothing<Status> = Succeeded<Status, undefined>;

type FromJson<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : [Given] extends [void]
    ? Nothing<Status>
    : Given extends void ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

/** The same without an `output`. */
type FromPlain<Given, Status> = unknown extends Given
  ? Succeeded<Status, Given>
  : [Given] extends [void]
    ? Nothing<Status>
    : Given extends void ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, {}> : Succeeded<Status, Json<Given>>;

// Nothing is an answer without a body. `false` is answered 404.
type FromBody<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : Given extends void
    ? Nothing<BodilessStatus<Output, Status>>
    : Given extends false ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

// By its status alone an `output` says that there may be no body.
type BodilessStatus<Output, Status> = Output extends { readonly 204: null } ? 204 : Status;

type PlainJson<Given, Output, Status> = Succeeded<Status, Status extends keyof Output
  ? Output[Status] extends AnyDecoder ? Received<Output[Status]> : undefined
  : Json<Given>>;

type FromOther<Given, Plain> = unknown extends Given
  ? Succeeded<SuccessStatus, Given>
  : Given extends Reply<infer Body, infer Status> ? OfReply<Body, Status, {}> : Plain;

/** The body of a reply. Any but 2xx is thrown. A status that is only known as a number may be any. */
type OfReply<Body, Status extends number, Output> = Status extends Status
  ? number extends Status
    ? Succeeded<SuccessStatus, BodyOf<Body>>
    : `${Status}` extends `2${string}`
      ? Succeeded<Status, Status extends keyof Output ? (Output[Status] extends AnyDecoder ? Received<Output[Status]> : undefined) : BodyOf<Body>>
      : never
  : never;

/** The output of a stream, by the brands of its format. */
export interface Sequence {
  readonly '~format': 'events' | 'ndjson';
}

/** What a client gets of an output. */
type Received<Decoder> = Decoder extends Sequence ? Items<Decoded<Decoder>> : BodyOf<Decoded<Decoder>>;
type Items<Sent> = Sent extends AsyncIterable<infer Item> ? AsyncIterable<Json<Item>> : never;

/** Bytes and streams are read as text, unless the call is `raw`. */
type BodyOf<Body> = unknown extends Body
  ? Body
  : Body extends undefined ? undefined : Body extends Uint8Array | AsyncIterable<unknown> | ReadableStream ? string : Json<Body>;

/** The statuses of failures. Redirects are not followed; a browser hides the status of one. */
type FailureStatus = 0 | StatusIn<3 | 4 | 5>;

/** The failures of an operation. The problem has the members that `errors` declares for its status. */
export type Failures<Declared> = Declared extends { readonly errors: infer Errors }
  ? DeclaredFailures<Errors>[keyof Errors] | Failed<Exclude<FailureStatus, keyof Errors>>
  : Failed<FailureStatus>;

type DeclaredFailures<Errors> = {
  readonly [Status in keyof Errors]: Failed<Status, Errors[Status] extends AnyDecoder ? ClientProblem & Json<Decoded<Errors[Status]>> : ClientProblem>;
};
