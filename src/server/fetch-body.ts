/** The body of a `Request`. It is read only as fast as the operation takes it. */
import { type BodySource, MemoryRequest } from './node/memory-messages.ts';

// The most that is read of a body after its response.
const REST_BYTES = 64 * 1024;
const REST_MS = 1000;
const READS_PER_TURN = 16;

interface FetchBodyOptions {
  /** The `Content-Length` of the caller. */
  readonly declared: string | null;
  /**
   * Whether it can be cancelled while it is read. For a body that was made from an iterable, such as a stream of Node, that throws an
   * error in Node that nobody can catch.
   */
  readonly isCancellable: boolean;
  /** Called if the stream fails, or is not as long as declared. */
  readonly fail: (error: unknown) => void;
}

export class FetchBody implements BodySource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #options: FetchBodyOptions;
  readonly #declared: number | undefined;
  #bytes = 0;
  // How many bytes were discarded. `undefined` as long as the operation can read them.
  #rest: number | undefined;
  #isWanted = false;
  #isReading = false;
  #isOver = false;

  constructor(stream: ReadableStream<Uint8Array>, options: FetchBodyOptions) {
    this.#reader = stream.getReader();
    this.#options = options;
    this.#declared = options.declared === null ? undefined : Number(options.declared);
  }

  pull(request: MemoryRequest): void {
    this.#isWanted = true;
    if (!this.#isReading && !this.#isOver) void this.#read(request);
  }

  /** Continues to read for a while, so that a short rest is not cancelled just before its end: streams of some frameworks throw then. */
  discard(request: MemoryRequest): void {
    if (this.#isOver || this.#rest !== undefined) return;
    this.#rest = 0;
    setTimeout(() => this.cancel(), REST_MS).unref();
    this.pull(request);
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isReading || this.#options.isCancellable) this.#cancelReader();
  }

  async #read(request: MemoryRequest): Promise<void> {
    this.#isReading = true;
    try {
      for (let reads = 1; this.#isWanted && !this.#isOver; reads += 1) {
        const { done, value } = await this.#reader.read();
        // It may have been cancelled meanwhile.
        if (this.#isOver) break;
        this.#take(request, value);
        if (done) return;
        // A stream that always has more would block the event loop.
        if (reads % READS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      if (this.#isOver) this.#cancelReader();
    } catch (error) {
      if (!this.#isOver) this.#options.fail(error);
      this.#isOver = true;
      this.#cancelReader();
    }
    this.#isReading = false;
  }

  #cancelReader(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Takes a chunk, or the end. */
  #take(request: MemoryRequest, chunk: Uint8Array | undefined): void {
    if (chunk !== undefined && !(chunk instanceof Uint8Array)) throw new TypeError('a body must be a stream of Uint8Array');
    this.#bytes += chunk?.length ?? 0;
    this.#check(chunk === undefined);
    this.#isOver = chunk === undefined;
    if (this.#rest !== undefined) {
      this.#rest += chunk?.length ?? 0;
      this.#isOver ||= this.#rest > REST_BYTES;
    } else if (chunk !== undefined && !request.complete) {
      this.#isWanted = false;
      if (request.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))) this.#isWanted = true;
    }
    if (request.complete || (chunk !== undefined && this.#bytes !== this.#declared)) return;
    MemoryRequest.finish(request);
    // The declared bytes are there. Continues to read, since the stream may have more.
    this.#isWanted = true;
  }

  /** Throws if the length is not the declared one: proxies and operations would read different bodies. */
  #check(isEnd: boolean): void {
    const declared = this.#declared;
    if (declared === undefined || (isEnd ? this.#bytes === declared : this.#bytes <= declared)) return;
    throw new Error(`the body has ${this.#bytes} bytes, but its Content-Length is ${declared}`);
  }
}
