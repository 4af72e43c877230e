/** The result of a call, by the type of the operation. */
import type { AnyDecoder, Decoded } from '../endpoint/decoder.ts';
import type { Reply } from '../endpoint/reply.ts';
import type { Json } from './json.ts';

/** The answer of an operation whose plain result is sent as JSON. `undefined` is not sent: it is answered 404 or 500. */
export type AnsweredJson<Declared> = Declared extends { readonly output: infer Output }
  ? FromJson<Result<Declared>, Outputs<Output>>
  : FromJson<Result<Declared>, {}>;

/** The answer of an operation whose plain result is not sent: the id of a new item, or nothing. */
export type Answered<Declared, Plain> = Declared extends { readonly output: infer Output }
  ? FromOther<Result<Declared>, Outputs<Output>, Plain>
  : FromOther<Result<Declared>, {}, Plain>;

type Result<Declared> = Declared extends (...args: never) => infer Given
  ? Settled<Given>
  : Declared extends { readonly run: (...args: never) => infer Given } ? Settled<Given> : never;

/** `Awaited`, without its work for a `Promise`, and for a value that is no promise. */
type Settled<Given> = Given extends Promise<infer Value> ? Settled<Value> : Given extends PromiseLike<unknown> ? Awaited<Given> : Given;

/** The decoders in `output`, by status. */
type Outputs<Output> = Output extends AnyDecoder ? { readonly 200: Output } : Output;

type FromJson<Given, Output> = unknown extends Given
  ? PlainJson<Given, Output>
  : [Given] extends [void]
    ? undefined
    : Given extends void ? never : Given extends Reply<infer Body, infer Status> ? OfReply<Body, Status, Output> : PlainJson<Given, Output>;

type PlainJson<Given, Output> = Output extends { readonly 200: infer Decoder extends AnyDecoder } ? Json<Decoded<Decoder>> : Json<Given>;

type FromOther<Given, Output, Plain> = unknown extends Given
  ? Given
  : Given extends Reply<infer Body, infer Status> ? OfReply<Body, Status, Output> : Plain;

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
