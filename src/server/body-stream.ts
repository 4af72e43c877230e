/** A body that an operation iterates. It is read from the client only as fast as the operation takes it. */
import { ApiError } from '../errors/api-error.ts';
import { createRejection, type Rejection } from '../errors/problem.ts';
import type { Call } from './call.ts';
import { limitBodyTime } from './connection/body-time.ts';
import type { Exchange } from './connection/exchange.ts';
import { reject } from './error-responses.ts';
import { shareRequest } from './node/incoming.ts';

export class BodyStream implements AsyncIterable<Uint8Array> {
  readonly #call: Call;
  readonly #exchange: Exchange;
  #bytes = 0;
  #chunk: Uint8Array | undefined;
  #isBegun = false;
  #isEnded: boolean;
  #failure: ApiError | undefined;
  #change: Promise<void> | undefined;
  #changed: () => void = () => {};

  constructor(call: Call) {
    const { exchange } = call;
    this.#call = call;
    this.#exchange = exchange;
    this.#isEnded = !exchange.head.hasBody;
    exchange.response.once('close', () => this.#close());
  }

  /** Whether an operation has failed because of its body. */
  hasThrown(thrown: unknown): boolean {
    return this.#failure !== undefined && this.#failure === thrown;
  }

  /** Throws if the client leaves, if the body is too long, and after the reply. A second iteration goes on where the first ended. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const chunk = this.#chunk;
      this.#chunk = undefined;
      if (chunk !== undefined) yield chunk;
      else if (this.#isEnded) return;
      else await this.#more();
    }
  }

  /** Continues to read, and waits for the next chunk, the end, or a failure. */
  #more(): Promise<void> {
    if (!this.#isBegun) this.#begin();
    this.#change ??= new Promise<void>((resolve) => (this.#changed = resolve)).then(() => {
      this.#change = undefined;
      this.#call.userTime.release();
    });
    // The time that the client takes to send does not count as the operation's.
    this.#call.userTime.hold();
    this.#exchange.request.resume();
    return this.#change;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#limitTime();
    if (this.#exchange.isOpen) this.#exchange.sendContinue();
    const request = shareRequest(this.#exchange.request);
    request.on('data', (chunk: Uint8Array) => this.#take(chunk));
    request.once('end', () => this.#end());
    request.once('close', () => this.#breakOff());
  }

  #take(chunk: Uint8Array): void {
    // Bytes after a failure are dropped.
    if (this.#failure !== undefined) return;
    this.#bytes += chunk.length;
    const { bodyBytes } = this.#call.operation;
    if (this.#bytes > bodyBytes) {
      const rejection = rejectLength(this.#exchange, bodyBytes);
      this.#fail(ApiError.wrap(rejection));
      // Sent at once, since the operation may continue for a long time after the error.
      reject(this.#call, rejection);
    } else {
      this.#chunk = chunk;
      this.#exchange.request.pause();
      this.#changed();
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#changed();
  }

  #breakOff(): void {
    const { brokenBy } = this.#exchange;
    const why = brokenBy === undefined ? 'the client left before its body was read' : 'the body cannot be read to its end';
    this.#fail(ApiError.argument(why));
  }

  #fail(failure: ApiError): void {
    if (this.#isEnded) return;
    this.#failure ??= failure;
    this.#chunk = undefined;
    this.#changed();
  }

  /** Called when the response has been sent, and when the connection closes before that. */
  #close(): void {
    const { connection, request, response } = this.#exchange;
    if (response.writableEnded) this.#fail(ApiError.argument('the reply was sent before the body was read'));
    else this.#breakOff();
    // The next request of the connection comes after the rest of this body. Node discards that only if nobody has begun to read.
    if (this.#isBegun) request.resume();
    else if (!connection.isLastBegun) this.#limitTime();
  }

  #limitTime(): void {
    const { exchange, operation: { requestMs = exchange.settings.limits.requestMs } } = this.#call;
    limitBodyTime(exchange, requestMs);
  }
}

/** Rejects a body that is too long, and lets the connection close after the response. */
export function rejectLength(exchange: Exchange, max: number): Rejection {
  // The rest of the body is not read.
  exchange.forceClose = true;
  return createRejection(413, `The body must not be longer than ${max} bytes.`);
}
