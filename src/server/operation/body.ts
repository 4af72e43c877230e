/**
 * Reads the body of a request: checks its media type, encoding and declared length, then collects the bytes, or lets the operation iterate
 * them.
 */
import { acceptsType, type Format } from '../../declaration/format.ts';
import type { Operation } from '../../endpoint/operation.ts';
import { ApiError } from '../../errors/api-error.ts';
import { makeRejection, type Rejection } from '../../errors/problem.ts';
import { CROSS_ORIGIN_SIMPLE_POST, isCrossOriginSimplePost, isSimpleType } from '../../http/cross-origin.ts';
import { isJsonType, parseMediaType } from '../../http/media-type.ts';
import { ByteBuffer } from '../../util/bytes.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Call } from './call.ts';

const NO_BYTES = Buffer.alloc(0);
// RFC 9110 section 12.5.3.
const ENCODED = makeRejection('body-encoding', 'The body must have no Content-Encoding.', ['Accept-Encoding', 'identity']);
// RFC 9110 section 14.5.
const PARTIAL = makeRejection('partial-put', 'A PUT replaces the whole item, and must not have a Content-Range.');
const PARTIAL_LIST = makeRejection('partial-put', 'A PUT replaces all items, and must not have a Content-Range.');
const SIMPLE_TYPE = makeRejection(
  'cross-origin-post', 'From a page of a different origin, a POST needs a Content-Type that requires a preflight.',
);
const READ_ALREADY =
  'the body was read before the operation could: by a body parser in front of the server, or by a listener for data';

/**
 * Reads a body: its bytes, a promise of them if they have not arrived yet, or a stream that is read later. Throws or rejects if it is too
 * long, or if other code has begun to read it. If the client leaves first, the promise stays pending.
 */
export function readBody(call: Call): Buffer | BodyStream | Promise<Buffer> {
  const { exchange, operation } = call;
  const { head } = exchange;
  const { bodyBytes } = operation;
  if (head.hasBody && exchange.isReadAlready) throw makeReadError();
  if (!head.hasBody && (operation.readsWholeBody || operation.isOptional)) return NO_BYTES;
  if (!operation.readsWholeBody) {
    exchange.isTimeLimitOff = true;
    return (call.stream = new BodyStream(call));
  }
  // Node's limit counts from the head. A client that waits for a `100 Continue` may have sent its head long ago.
  const requestMs = operation.requestMs ?? (exchange.expectsContinue ? exchange.settings.limits.requestMs : undefined);
  if (requestMs !== undefined) exchange.limitBodyTime(requestMs);
  exchange.sendContinue();
  const received = exchange.received;
  if (received === undefined) return collectBody(exchange, bodyBytes);
  if (received.length > bodyBytes) throw rejectLength(exchange, bodyBytes);
  return received;
}

/**
 * Discards the body of a request for an operation that takes none. It is read while the operation runs: only a server that reads from the
 * socket notices that the client leaves. Returns the rejection of a request that must not run.
 */
export function discardBody(exchange: Exchange, { kind, requestMs, rejectsParts }: Operation): Rejection | undefined {
  const { head } = exchange;
  if (kind.isSimple && isCrossOriginSimplePost(exchange, head)) return CROSS_ORIGIN_SIMPLE_POST;
  if (head.contentRange !== undefined && rejectsParts) return kind.isOfItem ? PARTIAL : PARTIAL_LIST;
  if (!head.hasBody) return undefined;
  if (requestMs !== undefined) exchange.limitBodyTime(requestMs);
  exchange.discard();
  return undefined;
}

/** Returns the rejection of a body by its media type, its encoding or its declared length, before any of it is read. */
export function checkBodyHead(exchange: Exchange, operation: Operation): Rejection | undefined {
  const { kind, format, bodyBytes, rejectsParts } = operation;
  const { contentEncoding, contentRange, declaredBytes } = exchange.head;
  if (contentRange !== undefined && rejectsParts) return kind.isOfItem ? PARTIAL : PARTIAL_LIST;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return ENCODED;
  const rejection = format === undefined ? rejectType(exchange, operation) : rejectFormat(exchange, operation, format);
  if (rejection !== undefined) return rejection;
  return (declaredBytes ?? 0) > bodyBytes ? rejectLength(exchange, bodyBytes) : undefined;
}

function rejectType(exchange: Exchange, operation: Operation): Rejection | undefined {
  const { head } = exchange;
  const { contentType } = head;
  if (contentType !== undefined) return acceptsJson(contentType, operation) ? undefined : rejectOtherType(operation);
  return isCrossOriginSimplePost(exchange, head) ? CROSS_ORIGIN_SIMPLE_POST : undefined;
}

function acceptsJson(contentType: string, { jsonTypes }: Operation): boolean {
  return isJsonType(contentType) && (jsonTypes === undefined || jsonTypes.includes(String(parseMediaType(contentType))));
}

function rejectFormat(exchange: Exchange, operation: Operation, format: Format): Rejection | undefined {
  const { head } = exchange;
  const { contentType, hasBody } = head;
  const isMissing = operation.isOptional && !hasBody && contentType === undefined;
  if (!isMissing && !acceptsType(format, contentType)) return rejectOtherType(operation);
  return isSimpleType(contentType) && isCrossOriginSimplePost(exchange, head) ? SIMPLE_TYPE : undefined;
}

/** Rejects a body by its media type, and names the accepted ones (RFC 9110 section 15.5.16). */
function rejectOtherType({ kind: { bodyTypesHeader: header }, bodyTypes }: Operation): Rejection {
  const accepted = bodyTypes.join(', ');
  const named = accepted.replace(/, ([^,]*)$/, ' or $1') + (bodyTypes.every(isJsonType) ? ' in UTF-8' : '');
  const headers = ['Accept', accepted, ...(header === undefined ? [] : [header, accepted])];
  return makeRejection('body-type', `The body must be ${named}.`, headers);
}

/** Collects the bytes of a body. */
function collectBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const bytes = new ByteBuffer();
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer | string | null): void => {
      if (!exchange.isOpen) return;
      if (chunk === null) resolve(bytes.take());
      // The user's code has called `setEncoding`, which replaces bytes that are not UTF-8.
      else if (typeof chunk === 'string') reject(makeReadError());
      else if (!bytes.addWithin(chunk, maxBytes)) reject(rejectLength(exchange, maxBytes));
    };
    exchange.collect(take);
  });
}

const RESOLVED = Promise.resolve();

/** A body that an operation iterates. It is read from the client only as fast as the operation takes it. */
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
  #liftUnreadLimit: (() => void) | undefined;

  constructor(call: Call) {
    const { exchange } = call;
    this.#call = call;
    this.#exchange = exchange;
    this.#isEnded = !exchange.head.hasBody;
    // The client is not late as long as the operation does not read. But without a limit, the server would never notice that it has left.
    exchange.onUnread = () => (this.#liftUnreadLimit ??= this.#limitTime());
    exchange.onClose(() => this.#close());
  }

  /** Whether an operation has failed because of what its client has sent. */
  hasThrown(thrown: unknown): boolean {
    return this.#failure !== undefined && this.#failure === thrown && this.#failure.status < 500;
  }

  /** Throws if the client leaves, if the body is too long, and after the response. A second iteration goes on where the first ended. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const chunk = this.#chunk;
      this.#chunk = undefined;
      if (chunk !== undefined) yield chunk;
      else if (this.#isEnded) return;
      else if (!this.#isBegun && this.#exchange.isReadAlready) throw makeReadError();
      else await this.#more();
    }
  }

  /** Continues to read, and waits for the next chunk, the end, or a failure. */
  #more(): Promise<void> {
    if (!this.#isBegun) this.#begin();
    if (this.#chunk === undefined) this.#exchange.resume();
    // A body in memory is there at once.
    if (this.#chunk !== undefined || this.#isEnded || this.#failure !== undefined) return RESOLVED;
    this.#change ??= new Promise<void>((resolve) => (this.#changed = resolve)).then(() => {
      this.#change = undefined;
      this.#call.userTime.release();
    });
    // The time that the client takes to send does not count as the operation's.
    this.#call.userTime.hold(() => !this.#exchange.isReceived);
    return this.#change;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#endUnreadLimit();
    this.#limitTime();
    if (this.#exchange.isOpen) this.#exchange.sendContinue();
    this.#exchange.pour({ take: (chunk) => this.#take(chunk), end: () => this.#end(), breakOff: () => this.#breakOff() });
  }

  #take(chunk: Uint8Array | string): void {
    // Bytes after a failure are dropped.
    if (this.#failure !== undefined) return;
    // The user's code has called `setEncoding`, or reads while this does not.
    if (typeof chunk === 'string' || this.#chunk !== undefined) return this.#fail(makeReadError());
    this.#bytes += chunk.length;
    const { bodyBytes } = this.#call.operation;
    if (this.#bytes > bodyBytes) {
      const rejection = rejectLength(this.#exchange, bodyBytes);
      this.#fail(ApiError.wrap(rejection));
      // Sent at once, since the operation may continue for a long time after the error.
      this.#call.reject(rejection);
    } else {
      this.#chunk = chunk;
      this.#exchange.pause();
      this.#changed();
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#changed();
  }

  #breakOff(): void {
    const { brokenBy, isOpen, client } = this.#exchange;
    const why = brokenBy === undefined ? 'the client left before its body was read' : 'the body cannot be read to its end';
    // As long as a response can be sent, only the user's code can have destroyed the request.
    this.#fail(isOpen && client?.destroyed !== true ? makeReadError() : ApiError.argument(why));
  }

  #fail(failure: ApiError): void {
    if (this.#isEnded) return;
    this.#failure ??= failure;
    this.#chunk = undefined;
    this.#changed();
  }

  /** Called when the response has been sent, and when the connection closes before that. */
  #close(): void {
    if (this.#exchange.isEnded) this.#fail(ApiError.argument('the response was sent before the body was read'));
    else this.#breakOff();
    this.#endUnreadLimit();
    // The next request of the connection comes after the rest of this body. Node discards that only if nobody has begun to read.
    if (this.#isBegun) this.#exchange.resume();
    else this.#limitTime();
  }

  #endUnreadLimit(): void {
    this.#exchange.onUnread = undefined;
    this.#liftUnreadLimit?.();
  }

  /** Returns a function that lifts the limit, if there is one. */
  #limitTime(): (() => void) | undefined {
    const { exchange, operation: { requestMs = exchange.settings.limits.requestMs } } = this.#call;
    return exchange.limitBodyTime(requestMs);
  }
}

function makeReadError(): ApiError {
  return ApiError.internal(READ_ALREADY);
}

/** Rejects a body that is too long, and lets the connection close after the response. */
function rejectLength(exchange: Exchange, max: number): Rejection {
  // The rest of the body is not read.
  exchange.forceClose = true;
  return makeRejection('body-length', `The body must not be longer than ${max} bytes.`);
}
