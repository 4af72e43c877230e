/**
 * Sends a stream as the body of a reply, as fast as the client takes it and no faster.
 *
 *   the client leaves                                   ->   the stream is closed
 *   the stream fails, or has not its declared length    ->   the connection is destroyed, since the reply cannot be completed
 */
import { isBytes } from '../../endpoint/stream.ts';
import { asyncHooks } from '../../node.ts';
import type { Exchange } from '../connection/exchange.ts';
import { closeSource, type OnStreamError, resultOf, type Source } from './stream-source.ts';

export class StreamReply {
  readonly #exchange: Exchange;
  readonly #source: Source;
  readonly #declaredBytes: number | undefined;
  readonly #onError: OnStreamError;
  #bytes = 0;
  // The stream has ended or failed, so it need not be closed.
  #isOver = false;
  #isClosed = false;
  #wake: () => void = () => {};

  /** `onError` is called when the stream fails. */
  constructor(exchange: Exchange, source: Source, declaredBytes: number | undefined, onError: OnStreamError) {
    this.#exchange = exchange;
    this.#source = source;
    this.#declaredBytes = declaredBytes;
    this.#onError = onError;
  }

  /** Sends the stream. The head has been sent. */
  start(): void {
    const { response } = this.#exchange;
    // Events of the response have the connection's async context. The host's stream is closed in the operation's.
    const context = new asyncHooks.AsyncResource('RESTPOINT_STREAM');
    response.on('error', () => {});
    // A stream that always has more, with a client that always takes it, would let the event loop do nothing else.
    response.on('drain', () => setImmediate(() => this.#wake()));
    response.once('close', () => context.runInAsyncScope(() => this.#close()));
    this.#pump().catch((thrown: unknown) => this.#fail(thrown));
  }

  async #pump(): Promise<void> {
    const { response } = this.#exchange;
    while (!this.#isOver && !this.#isClosed) {
      const chunk = await this.#next();
      if (this.#isClosed) return;
      if (chunk === undefined) response.end();
      // A `write` that a host has put in place of Node's may return nothing.
      else if (response.write(chunk) === false) await this.#drained();
    }
  }

  /** The next chunk, or `undefined` at the end. Throws if the stream fails. */
  async #next(): Promise<string | Uint8Array | undefined> {
    const { done, value } = await this.#step();
    const chunk = done === true ? undefined : chunkOf(value);
    this.#isOver = done === true;
    if (this.#declaredBytes !== undefined) this.#count(chunk, this.#declaredBytes);
    return chunk;
  }

  async #step(): Promise<Partial<IteratorResult<unknown>>> {
    try {
      return (await resultOf(() => this.#source.next())) as IteratorResult<unknown>;
    } catch (thrown) {
      this.#isOver = true;
      throw thrown;
    }
  }

  #count(chunk: string | Uint8Array | undefined, declaredBytes: number): void {
    this.#bytes += chunk === undefined ? 0 : Buffer.byteLength(chunk);
    if (chunk === undefined ? this.#bytes === declaredBytes : this.#bytes <= declaredBytes) return;
    throw new RangeError(`a stream gave ${this.#bytes} bytes, and its Content-Length is ${declaredBytes}`);
  }

  /** Waits until the client has taken what was written, or has left. */
  #drained(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #fail(thrown: unknown): void {
    // After the client has left, the stream has been closed, and may fail because of that.
    if (this.#isClosed) return;
    this.#onError(thrown);
    this.#exchange.observer?.fail(thrown);
    this.#exchange.connection.destroy();
  }

  /** Called when the reply has been sent, and when the connection is closed before that. */
  #close(): void {
    this.#isClosed = true;
    this.#wake();
    if (!this.#isOver) closeSource(() => this.#source.close(), this.#onError);
    if (!this.#exchange.isShared) this.#exchange.connection.replied(this.#exchange);
  }
}

function chunkOf(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || isBytes(value)) return value;
  throw new TypeError(`a stream gave a chunk of type ${typeof value}: it must be a string or a Uint8Array`);
}
