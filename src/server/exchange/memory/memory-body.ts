/**
 * The body of a request in memory: all of its bytes, or a source that is read only as fast as they are taken.
 *
 *   the operation reads it        ->   straight from the bytes or the source
 *   `request.raw` is asked for    ->   Node's request takes over the rest, and who has begun to read it goes on
 */
import type { IncomingMessage } from 'node:http';
import { toBuffer } from '../../../util/bytes.ts';
import { isBytes } from '../../../util/stream.ts';
import { setImmediate, setTimeout } from '../../../util/timers.ts';
import { type BodyTaker, isReadByUser, pourRequest } from '../exchange.ts';

/** Takes a body from its source. */
export interface BodySink {
  /** Whether the end was reached. */
  readonly complete: boolean;
  /** Returns whether more may be pushed at once. */
  push(chunk: Buffer | null): boolean;
  /** Called at the end. */
  finish(): void;
}

/** A body that is read while the request is served. */
export interface BodySource {
  /** Reads more, and pushes it to the sink until `push` returns `false`. */
  pull(sink: BodySink): void;
  /** Called when nobody reads the rest. */
  discard(sink: BodySink): void;
}

/** The bytes of a body that are left, or where they come from. */
export type BodyRest = Uint8Array | BodySource | undefined;

/** Node's request, to which the source pushes. */
export interface RawRequest extends IncomingMessage {
  push(chunk: Buffer | null): boolean;
  finish(): void;
  /** Receives what there is of the body, as from a connection: before anything reads it. */
  receive(): void;
  collect(take: (chunk: Buffer | null) => void): void;
}

export class MemoryBody implements BodySink {
  // All of the bytes, until they are taken.
  #whole: Uint8Array | undefined;
  // Whether there is a body that the operation takes.
  #hadBody: boolean;
  readonly #source: BodySource | undefined;
  #take: ((chunk: Buffer | null) => void) | undefined;
  #taker: BodyTaker | undefined;
  // What the source has pushed before it was taken.
  #held: Buffer[] | undefined;
  #isPaused = false;
  complete: boolean;
  #raw: RawRequest | undefined;
  #isReceived = false;

  constructor(rest: BodyRest) {
    const isWhole = rest === undefined || isBytes(rest);
    this.#whole = isWhole ? rest : undefined;
    this.#hadBody = rest !== undefined;
    this.#source = isWhole ? undefined : rest;
    this.complete = isWhole;
  }

  /** All of the bytes, once, if they are there and nobody else may read them. */
  get received(): Buffer | undefined {
    const whole = this.#whole;
    this.#whole = undefined;
    return whole && toBuffer(whole);
  }

  get isReadAlready(): boolean {
    return this.#raw !== undefined && isReadByUser(this.#raw);
  }

  collect(take: (chunk: Buffer | null) => void): void {
    this.#take = take;
    if (this.#raw === undefined) this.#readOn();
    else this.#raw.collect(take);
  }

  discard(): void {
    if (this.#raw !== undefined) this.#raw.resume();
    else if (!this.complete) this.collect(() => {});
    else this.#hadBody = false;
  }

  pour(taker: BodyTaker): void {
    this.#taker = taker;
    this.#take = (chunk) => (chunk === null ? taker.end() : taker.take(chunk));
    if (this.#raw === undefined) this.#readOn();
    else pourRequest(this.#raw, taker);
  }

  pause(): void {
    this.#isPaused = true;
    this.#raw?.pause();
  }

  resume(): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = false;
    if (this.#raw !== undefined) this.#raw.resume();
    else if (wasPaused) this.#readOn();
  }

  /** Called when the dispatcher has returned: on a connection, no byte of a body arrives before that. */
  receive(): void {
    this.#isReceived = true;
    this.#raw?.receive();
  }

  push(chunk: Buffer | null): boolean {
    if (this.#raw !== undefined) return this.#raw.push(chunk);
    if (this.#take === undefined || this.#isPaused) {
      if (chunk !== null) (this.#held ??= []).push(chunk);
      return false;
    }
    const take = this.#take;
    if (chunk === null) this.#take = undefined;
    take(chunk);
    return !this.#isPaused;
  }

  finish(): void {
    this.complete = true;
    if (this.#raw === undefined) this.push(null);
    else this.#raw.finish();
  }

  /** Lets Node's request, which `make` creates, take over the rest. */
  passOn<Raw extends RawRequest>(make: (rest: BodyRest) => Raw): Raw {
    const whole = this.#hadBody ? this.received : undefined;
    // The source may be pushing to this body, so it goes on doing that.
    const source = { pull: () => this.#source?.pull(this), discard: () => this.#source?.discard(this) };
    const held = this.#held ?? [];
    const arrived = whole ?? (this.#hadBody ? Buffer.concat(held) : undefined);
    const raw = make(this.complete ? arrived : source);
    // It was read to its end.
    if (this.complete && arrived?.length === 0 && this.#take === undefined) raw.collect(() => {});
    if (!this.complete) for (const chunk of held) raw.push(chunk);
    this.#held = undefined;
    this.#raw = raw;
    if (this.#isPaused) raw.pause();
    if (this.#take !== undefined && this.#taker !== undefined) pourRequest(raw, this.#taker);
    else if (this.#take !== undefined) raw.collect(this.#take);
    if (this.#isReceived) raw.receive();
    return raw;
  }

  /** Called when the exchange is over. The rest is not read. */
  close(): void {
    if (this.#raw !== undefined || this.complete) return;
    this.#take = undefined;
    this.#source?.discard(this);
  }

  #readOn(): void {
    const whole = this.received;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const chunk of whole === undefined ? held : [whole]) this.push(chunk);
    if (this.complete) this.push(null);
    else if (!this.#isPaused) this.#source?.pull(this);
  }
}

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

/** The body of a `Request`. It is read only as fast as the operation takes it. */
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

  pull(request: BodySink): void {
    this.#isWanted = true;
    if (!this.#isReading && !this.#isOver) void this.#read(request);
  }

  /** Continues to read for a while, so that a short rest is not cancelled just before its end: streams of some frameworks throw then. */
  discard(request: BodySink): void {
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

  async #read(request: BodySink): Promise<void> {
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
  #take(request: BodySink, chunk: Uint8Array | undefined): void {
    if (chunk !== undefined && !isBytes(chunk)) throw new TypeError('a body must be a stream of Uint8Array');
    this.#bytes += chunk?.length ?? 0;
    this.#check(chunk === undefined);
    this.#isOver = chunk === undefined;
    if (this.#rest !== undefined) {
      this.#rest += chunk?.length ?? 0;
      this.#isOver ||= this.#rest > REST_BYTES;
    } else if (chunk !== undefined && !request.complete) {
      this.#isWanted = false;
      if (request.push(toBuffer(chunk))) this.#isWanted = true;
    }
    if (request.complete || (chunk !== undefined && this.#bytes !== this.#declared)) return;
    request.finish();
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
