/**
 * Sends the response of an operation, with the headers of `cache` and `etag`: whole, as a stream, or the part that the client asks for.
 * A stream is read only as fast as the client takes it:
 *
 *   the client leaves                                   ->   the stream is closed
 *   the stream fails before its first chunk             ->   500
 *   it fails later, or is not as long as declared       ->   the connection is destroyed, since the response cannot be completed
 */
import type { Caching } from '../../endpoint/caching.ts';
import { type ChosenBody, dropUnsent, isChosen, type ReplyBody } from '../../declaration/reply.ts';
import { closeUnread, isBytes, isNodeStream, readStream, type Stream, type StreamReader } from '../../util/stream.ts';
import { isApiError, toRejection } from '../../errors/api-error.ts';
import { findHeader } from '../../http/head.ts';
import { filterHeaders, hasHeader, mergeHeaders } from '../../util/headers.ts';
import type { Outgoing } from '../../http/response.ts';
import { asyncHooks } from '../../node.ts';
import { adopt, describeType, disown, isThenable, readProperty } from '../../util/promises.ts';
import { clearTimeout, setImmediate, setTimeout } from '../../util/timers.ts';
import type { Exchange, StreamedBody } from '../exchange/exchange.ts';
import type { Call } from './call.ts';
import { makeUnmetResponse } from './conditions.ts';
import { respondToStreamError } from './error-responses.ts';

/** Sends a response. Throws if its body is too long, or cannot be read. */
export function sendResponse(call: Call, response: Outgoing<ReplyBody>): void {
  const { exchange, operation: { caching } } = call;
  const { status, headers, body } = caching === undefined ? response : addCaching(exchange, caching, response);
  if (typeof body === 'object' && isChosen(body)) return call.inStreamContext(() => sendChosen(call, { status, headers, body }));
  const unmet = exchange.head.isConditional ? makeUnmetResponse(call, status, headers) : undefined;
  if (typeof body !== 'object' || isBytes(body)) {
    exchange.send(unmet ?? { status, headers, body });
  } else if (unmet === undefined) {
    call.inStreamContext(() => sendStream(call, { status, headers, body }));
  } else {
    call.inStreamContext(() => closeStream(call, () => closeUnread(body)));
    exchange.send(unmet);
  }
}

/** Sends the part that a body chooses for this request. */
function sendChosen(call: Call, { status, headers: own, body: { ' internal': chosen } }: Outgoing<ChosenBody>): void {
  const { exchange } = call;
  const { method, rawHeaders } = exchange;
  const close = (): void => closeStream(call, () => chosen.close());
  const withDefaults = exchange.mergeDefaults(own);
  const headersOfWhole = mergeHeaders(chosen.makeHeaders(withDefaults), own);
  const unmet = exchange.head.isConditional ? makeUnmetResponse(call, status, headersOfWhole) : undefined;
  if (unmet !== undefined) {
    close();
    return exchange.send(unmet);
  }
  const part = chosen.choose({ method, rawHeaders, status, headers: withDefaults });
  if (isApiError(part)) {
    close();
    return exchange.sendError(toRejection(part));
  }
  // A client that sends `If-Range` has the headers already (RFC 9110 section 15.3.7).
  const isKnown = part.status === 206 && hasHeader(rawHeaders, 'if-range');
  const kept = isKnown ? filterHeaders(own, (lowerCase) => lowerCase !== 'content-type') : own;
  const { body } = part;
  const sent = { status: part.status, headers: mergeHeaders(part.headers, kept) };
  if (isBytes(body)) {
    close();
    exchange.send({ ...sent, body });
  } else {
    sendStream(call, { ...sent, body }, close);
  }
}

function sendStream(call: Call, { status, headers, body }: Outgoing<Stream>, onOver = (): void => {}): void {
  const { operation, exchange } = call;
  // The stream may read the body of the request, which the client may send only after a `100 Continue`.
  if (operation.format !== undefined && exchange.head.hasBody && exchange.isOpen) exchange.sendContinue();
  if (exchange.isOpen) rejectDestroyed(body);
  if (exchange.isOpen && exchange.method !== 'HEAD') {
    const length = findHeader(headers, 'content-length');
    exchange.sendStream(status, headers, new StreamResponse(call, body, length === undefined ? undefined : Number(length), onOver));
  } else {
    closeStream(call, () => closeUnread(body));
    onOver();
    exchange.sendHead(status, headers);
  }
}

/**
 * Returns the response with `Cache-Control`, `Vary` and `ETag`. Headers of the response itself replace these, and so does a
 * `Cache-Control` of middleware or an interceptor. Throws `TypeError` if the tag is a hash of the body, and its bytes are not known.
 */
function addCaching(exchange: Exchange, caching: Caching, response: Outgoing<ReplyBody>): Outgoing<ReplyBody> {
  const { status, headers, body } = response;
  if (status >= 300 && status !== 304) return response;
  const tag = hasHeader(headers, 'etag') ? [] : formatBodyTag(caching, response);
  return { status, headers: mergeHeaders(headers, [...formatControl(exchange, caching, headers), ...caching.vary, ...tag]), body };
}

function formatControl(exchange: Exchange, { control, privateControl }: Caching, headers: readonly string[]): string[] {
  if (control === undefined || privateControl === undefined || exchange.hasSet('cache-control')) return [];
  const setsCookie = [headers, exchange.defaultHeaders.list].some((list) => hasHeader(list, 'set-cookie')) || exchange.hasSet('set-cookie');
  return ['Cache-Control', setsCookie ? privateControl : control];
}

function formatBodyTag({ formatTag: format }: Caching, { status, body }: Outgoing<ReplyBody>): string[] {
  // A 206 is only a part, and a tag must be a hash of the whole body.
  if (format === undefined || body === undefined || status === 206) return [];
  if (typeof body === 'string' || isBytes(body)) return ['ETag', format(body)];
  dropUnsent(body);
  throw new TypeError(`etag: 'body' needs a body whose bytes are known: reply with a string or bytes, or with an ETag of your own`);
}

// The head is sent with the first chunk, so that a stream that fails at once gets an error status. After this time, the head is sent
// without a chunk.
const HEAD_MS = 1000;

class StreamResponse implements StreamedBody {
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
    // The stream is closed in the async context of the operation, and events of the response run in the connection's.
    const context = new asyncHooks.AsyncResource('RESTPOINT_STREAM');
    // A stream that always has more, with a client that always takes it, would block the event loop.
    exchange.onDrain(() => setImmediate(() => this.#wake()));
    const timer = setTimeout(() => this.#begin(exchange, sendHead), HEAD_MS).unref();
    exchange.onClose(() => context.runInAsyncScope(() => {
      clearTimeout(timer);
      this.close();
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

  // One function, since each call of an async one makes promises: each chunk is one for each of many readers of events.
  async #pump(exchange: Exchange, sendHead: () => boolean): Promise<void> {
    while (!this.#isOver && !this.#isClosed) {
      let result: unknown;
      try {
        const next = this.#source.next();
        result = await (isThenable(next) ? adopt(next) : next);
      } catch (thrown) {
        this.#isOver = true;
        throw thrown;
      }
      const chunk = this.#readChunk(result as Partial<IteratorResult<unknown>>);
      if (this.#isClosed) return;
      this.#begin(exchange, sendHead);
      if (this.#isClosed) return;
      if (chunk === undefined) exchange.end();
      else if (!exchange.write(chunk)) await this.#drained();
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

  /** Returns the chunk, or `undefined` at the end. Throws for any other value. */
  #readChunk({ done, value }: Partial<IteratorResult<unknown>>): string | Uint8Array | undefined {
    const chunk = done === true ? undefined : checkChunk(value);
    this.#isOver = done === true;
    if (this.#declaredBytes !== undefined) this.#count(chunk, this.#declaredBytes);
    return chunk;
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
    exchange.destroy();
  }
}

/** Throws for a Node stream that was read to its end or destroyed, since its body would be empty or incomplete. */
function rejectDestroyed(stream: Stream): void {
  if (!isNodeStream(stream) || stream.destroyed !== true) return;
  throw stream.errored ?? new TypeError('the stream was destroyed, or read to its end, before it was sent: make one for each response');
}

/** Closes a stream. A failure is logged, or responded to. */
function closeStream(call: Call, close: () => unknown): void {
  settle(close).catch((thrown: unknown) => {
    // The stream has closed itself because the client left, for example by `request.signal`.
    if (readProperty(thrown, 'name') !== 'AbortError') respondToStreamError(call, thrown);
  });
}

/** Calls a function that may throw, or return any value or a promise of it. */
async function settle(call: () => unknown): Promise<unknown> {
  const result = call();
  return isThenable(result) ? adopt(result) : result;
}

function checkChunk(value: unknown): string | Uint8Array {
  if (typeof value === 'string' || isBytes(value)) return value;
  disown(value);
  throw new TypeError(`a stream had a chunk of type ${describeType(value)}: it must be a string or a Uint8Array`);
}
