/** Makes the `Response` of a call of `fetch` from the response of the exchange. */
import { isBodiless } from '../http/response.ts';
import type { ResponseHead, ResponseReader } from './node/memory-socket.ts';

// The memory that an unread response takes.
const READ_AHEAD_BYTES = 64 * 1024;

/** Headers of a connection (RFC 9110 section 7.6.1). */
export const OF_CONNECTION: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];

export class FetchResponse implements ResponseReader {
  readonly #request: Request;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  #controller: ReadableByteStreamController | undefined;
  // Called when the reader of the response has room for more.
  #onPull: (() => void) | undefined;
  /** Called when the caller cancels the body, and when no `Response` can be made. */
  onCancel: (() => void) | undefined;

  constructor(request: Request, resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  whole(head: ResponseHead, body: Buffer<ArrayBuffer>): void {
    this.#send(head, body);
  }

  begin(head: ResponseHead): void {
    this.#send(head, new ReadableStream({
      type: 'bytes',
      start: (controller) => void (this.#controller = controller),
      pull: () => this.#pulled(),
      cancel: () => this.onCancel?.(),
    }, { highWaterMark: READ_AHEAD_BYTES }));
  }

  write(chunk: Buffer, done: () => void): void {
    const controller = this.#controller;
    // Copied, since the stream takes over the memory of the chunk.
    controller?.enqueue(new Uint8Array(chunk));
    if (controller === undefined || (controller.desiredSize ?? 0) > 0) done();
    else this.#onPull = done;
  }

  end(): void {
    this.#controller?.close();
    // A reader with a buffer of its own waits for this.
    this.#controller?.byobRequest?.respond(0);
  }

  fail(cause: unknown): void {
    const { signal } = this.#request;
    this.#reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    this.#controller?.error(signal.aborted ? signal.reason : new TypeError('terminated', { cause }));
  }

  #pulled(): void {
    const done = this.#onPull;
    this.#onPull = undefined;
    done?.();
  }

  #send({ status, statusText, headers }: ResponseHead, body: Uint8Array<ArrayBuffer> | ReadableStream): void {
    const { method, url } = this.#request;
    try {
      // `Response` throws for a body with a status that has none.
      const hasBody = method !== 'HEAD' && !isBodiless(status);
      const kept = new Headers();
      for (let at = 0; at < headers.length; at += 2) {
        const name = headers[at] ?? '';
        if (!OF_CONNECTION.includes(name.toLowerCase())) kept.append(name, headers[at + 1] ?? '');
      }
      const response = new Response(hasBody ? body : null, { status, statusText, headers: kept });
      // `fetch` sets it, and the constructor has no parameter for it.
      this.#resolve(Object.defineProperty(response, 'url', { value: url }));
    } catch (error) {
      this.fail(error);
      this.onCancel?.();
    }
  }
}
