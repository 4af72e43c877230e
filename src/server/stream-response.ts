/**
 * Sends a stream of the user as the body of a response, only as fast as the client takes it.
 *
 *   the client leaves                                   ->   the stream is closed
 *   the stream fails before its first chunk             ->   500
 *   it fails later, or is not as long as declared       ->   the connection is destroyed, since the response cannot be completed
 */
import { isBytes, isNodeStream, type StreamReader, readStream, type Stream } from '../endpoint/stream.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { asyncHooks } from '../node.ts';
import type { Call } from './call.ts';
import type { Exchange, StreamedBody } from './connection/exchange.ts';
import { respondToStreamError } from './error-responses.ts';

// The head is sent with the first chunk, so that a stream that fails at once gets an error status. After this time, the head is sent
// without a chunk.
const HEAD_MS = 1000;

export class StreamResponse implements StreamedBody {
  readonly #call: Call;
  readonly #source: StreamReader;
  readonly #declaredBytes: number | undefined;
  readonly #onOver: () => void;
  #bytes = 0;
  // The stream has ended or failed, so it need not be closed.
  #isOver = false;
  #isClosed = false;
  #isBegun = false;
  #wake: () => void = () => {};

  /**
   * `onOver` is called once, when the stream is no longer read. Throws if the stream cannot be read, such as a locked web stream.
   */
  constructor(call: Call, stream: Stream, declaredBytes: number | undefined, onOver: () => void) {
    this.#call = call;
    this.#source = readStream(stream);
    this.#declaredBytes = declaredBytes;
    this.#onOver = onOver;
  }

  start(exchange: Exchange, sendHead: () => boolean): void {
    const { response } = exchange;
    // The stream is closed in the async context of the operation, and events of the response run in the connection's.
    const context = new asyncHooks.AsyncResource('RESTPOINT_STREAM');
    response.on('error', () => {});
    // A stream that always has more, with a client that always takes it, would block the event loop.
    response.on('drain', () => setImmediate(() => this.#wake()));
    const timer = setTimeout(() => this.#begin(exchange, sendHead), HEAD_MS).unref();
    response.once('close', () => context.runInAsyncScope(() => {
      clearTimeout(timer);
      this.close();
      exchange.connection.forgetReplied(exchange);
    }));
    this.#pump(exchange, sendHead).catch((thrown: unknown) => this.#fail(exchange, thrown));
  }

  /** Closes the stream, unless it has ended. Called when the response has been sent, and when the connection closes before that. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    if (!this.#isOver) closeStream(this.#call, () => this.#source.close());
    this.#onOver();
  }

  async #pump(exchange: Exchange, sendHead: () => boolean): Promise<void> {
    const { response } = exchange;
    while (!this.#isOver && !this.#isClosed) {
      const chunk = await this.#next();
      if (this.#isClosed) return;
      this.#begin(exchange, sendHead);
      if (this.#isClosed) return;
      if (chunk === undefined) response.end();
      // A `write` of middleware may return `undefined`.
      else if (response.write(chunk) === false) await this.#drained();
    }
  }

  /** Sends the head, once. If a different response was sent meanwhile, closes the stream. */
  #begin(exchange: Exchange, sendHead: () => boolean): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    try {
      if (!sendHead()) this.close();
    } catch (thrown) {
      this.#fail(exchange, thrown);
    }
  }

  /** The next chunk, or `undefined` at the end. Throws if the stream fails. */
  async #next(): Promise<string | Uint8Array | undefined> {
    const { done, value } = await this.#step();
    const chunk = done === true ? undefined : checkChunk(value);
    this.#isOver = done === true;
    if (this.#declaredBytes !== undefined) this.#count(chunk, this.#declaredBytes);
    return chunk;
  }

  async #step(): Promise<Partial<IteratorResult<unknown>>> {
    try {
      return (await settle(() => this.#source.next())) as IteratorResult<unknown>;
    } catch (thrown) {
      this.#isOver = true;
      throw thrown;
    }
  }

  #count(chunk: string | Uint8Array | undefined, declaredBytes: number): void {
    this.#bytes += chunk === undefined ? 0 : Buffer.byteLength(chunk);
    if (chunk === undefined ? this.#bytes === declaredBytes : this.#bytes <= declaredBytes) return;
    throw new RangeError(`a stream had ${this.#bytes} bytes, but its Content-Length is ${declaredBytes}`);
  }

  /** Waits until the client has taken the bytes that were written, or has left. */
  #drained(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    // When the client leaves, the stream is closed, and may fail because of that.
    if (this.#isClosed) return;
    if (exchange.isOpen) {
      this.close();
      respondToStreamError(this.#call, thrown);
      return;
    }
    respondToStreamError(this.#call, thrown);
    exchange.observer?.fail(thrown);
    exchange.connection.destroy();
  }
}

/** Throws for a Node stream that was read to its end or destroyed, since its body would be empty or incomplete. */
export function rejectDestroyed(stream: Stream): void {
  if (!isNodeStream(stream) || stream.destroyed !== true) return;
  throw stream.errored ?? new TypeError('the stream was destroyed, or read to its end, before it was sent');
}

/** Closes a stream. A failure is logged, or responded to. */
export function closeStream(call: Call, close: () => unknown): void {
  settle(close).catch((thrown: unknown) => {
    // The stream has closed itself because the client left, for example by `request.signal`.
    if (!(thrown instanceof Error) || thrown.name !== 'AbortError') respondToStreamError(call, thrown);
  });
}

/** Calls a function that may throw, or return any value or a promise of it. */
async function settle(call: () => unknown): Promise<unknown> {
  const result = call();
  return isThenable(result) ? adopt(result) : result;
}

function checkChunk(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || isBytes(value)) return value;
  throw new TypeError(`a stream had a chunk of type ${typeof value}: it must be a string or a Uint8Array`);
}
