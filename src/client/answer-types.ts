/** The result of a call, by the type of the operation. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { Reply } from '../endpoint/reply.ts';
import type { Json } from './json.ts';

/** The answer of an operation whose plain result is sent as JSON. `undefined` is not sent: it is answered 404 or 500. */
export type AnsweredJson<Declared> = Declared extends { readonly output: infer Output }
  ? FromJson<Result<Declared>, Outputs<Output>, PlainStatus<Declared, 200>>
  : FromJson<Result<Declared>, {}, 200>;

/**
 * The answer of an operation whose plain result is not sent, but for an `output` or a `status`. `Plain` is the answer without these: the id of
 * a new item, or nothing. `Status` is the one of a result that is sent.
 */
export type Answered<Declared, Plain, Status> = Declared extends { readonly output: infer Output }
  ? FromBody<Result<Declared>, Outputs<Output>, PlainStatus<Declared, Status>>
  : Declared extends { readonly status: infer Own } ? FromBody<Result<Declared>, {}, Own> : FromOther<Result<Declared>, Plain>;

type PlainStatus<Declared, Default> = Declared extends { readonly status: infer Status } ? Status : Default;

type Result<Declared> = Declared extends (...args: never) => infer Given
  ? Settled<Given>
  : Declared extends { readonly run: (...args: never) => infer Given } ? Settled<Given> : never;

/** `Awaited`, without its work for a `Promise`, and for a value that is no promise. */
type Settled<Given> = Given extends Promise<infer Value> ? Settled<Value> : Given extends PromiseLike<unknown> ? Awaited<Given> : Given;

/** The decoders in `output`, by status. One alone is for any. */
type Outputs<Output> = Output extends AnyDecoder ? { readonly [Status in number]: Output } : Output;

type FromJson<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : [Given] extends [void]
    ? undefined
    : Given extends void ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

// Nothing is an answer without a body. `false` is answered 404.
type FromBody<Given, Output, Status> = unknown extends Given
  ? PlainJson<Given, Output, Status>
  : Given extends void
    ? undefined
    : Given extends false ? never : Given extends Reply<infer Body, infer Own> ? OfReply<Body, Own, Output> : PlainJson<Given, Output, Status>;

type PlainJson<Given, Output, Status> = Status extends keyof Output
  ? Output[Status] extends AnyDecoder ? Json<Decoded<Output[Status]>> : undefined
  : Json<Given>;

type FromOther<Given, Plain> = unknown extends Given
  ? Given
  : Given extends Reply<infer Body, infer Status> ? OfReply<Body, Status, {}> : Plain;

/** The body of a reply. Any but 2xx is thrown. A status that is only known as a number may be any. */
type OfReply<Body, Status extends number, Output> = Status extends Status
  ? number extends Status
    ? BodyOf<Body>
    : `${Status}` extends `2${string}`
      ? Status extends keyof Output ? (Output[Status] extends AnyDecoder ? BodyOf<Decoded<Output[Status]>> : undefined) : BodyOf<Body>
      : never
  : never;

/** Bytes and streams are read as text, unless the call is `raw`. */
type BodyOf<Body> = unknown extends Body
  ? Body
  : Body extends undefined ? undefined : Body extends Uint8Array | AsyncIterable<unknown> | ReadableStream ? string : Json<Body>;
