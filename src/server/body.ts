/** Reads the body of a request: checks what the head says of it, then collects the bytes. */
import type { IncomingMessage } from 'node:http';
import type { BytesInput } from '../endpoint/bytes.ts';
import type { Operation } from '../endpoint/operation.ts';
import { errorAnswer, type ErrorAnswer } from '../errors/problem.ts';
import { CROSS_ORIGIN_SIMPLE_POST, isCrossOriginSimplePost, isSimpleType } from '../http/cross-origin.ts';
import { isJsonType } from '../http/media-type.ts';
import { type BodyClock, BodyStream } from './body-stream.ts';
import { REQUEST_TIMEOUT } from './connection/client-errors.ts';
import type { Exchange } from './connection/exchange.ts';
import { Incoming } from './node/incoming.ts';
import type { Settings } from './settings/options.ts';

/** The bytes of a body, or a stream of them; an `ErrorAnswer` that refuses it; or an `Error` if other code has begun to read it. */
export type Body = Buffer | BodyStream | ErrorAnswer | Error;

const NO_BYTES = Buffer.alloc(0);
// RFC 9110 section 12.5.3.
const ENCODED = errorAnswer(415, 'The body must have no Content-Encoding.', ['Accept-Encoding', 'identity']);
// RFC 9110 section 14.5.
const PARTIAL = errorAnswer(400, 'A PUT replaces the whole item, and cannot have a Content-Range.');
const OTHER_TYPE = errorAnswer(415, 'The body must be application/json in UTF-8.');
const OTHER_BYTES = errorAnswer(415, 'The body must have another Content-Type.');
const SIMPLE_BYTES = errorAnswer(415, 'From a page of another origin, a POST needs a Content-Type that takes a preflight.');
const READ_ALREADY =
  'the body was read before the operation could: by a body parser in front of the server, or by a listener for data';

/**
 * Reads the body and hands it to `onBody`, once; never when the client leaves first. A stream is handed over before it is read: if it
 * becomes too long, its refusal follows. `clockOf` gives the limits of a stream's time.
 */
export function readBody(exchange: Exchange, operation: Operation, clockOf: () => BodyClock, onBody: (body: Body) => void): void {
  const { head } = exchange;
  const { bytes, bodyBytes } = operation;
  const refusal = refusalOf(exchange, operation);
  if (refusal !== undefined) {
    onBody(refusal);
  } else if (head.hasBody && isReadAlready(exchange.request)) {
    onBody(new Error(READ_ALREADY));
  } else if (bytes !== undefined) {
    exchange.hasOwnTimeout = true;
    onBody(new BodyStream(exchange, bodyBytes, () => onBody(refusalOfLength(exchange, bodyBytes)), clockOf()));
  } else if (head.hasBody) {
    const requestMs = operation.requestMs ?? (exchange.expectsContinue ? exchange.settings.limits.requestMs : undefined);
    if (requestMs !== undefined) limitBodyTime(exchange, requestMs);
    collectBody(exchange, bodyBytes, onBody);
  } else {
    onBody(NO_BYTES);
  }
}

/** If the rest of the body does not arrive within this time, replies 408 and closes the connection. */
export function limitBodyTime(exchange: Exchange, requestMs: number): void {
  const { connection, request, response } = exchange;
  if (exchange.isReceived || request.destroyed) return;
  exchange.hasOwnTimeout = true;
  const timeout = setTimeout(() => {
    if (!exchange.isReceived) connection.fail(REQUEST_TIMEOUT, false);
  }, requestMs).unref();
  response.once('close', () => {
    // After an early reply, the limit holds for the rest of the body.
    if (exchange.isReceived || request.destroyed) clearTimeout(timeout);
  });
}

/**
 * Discards the body of a request whose operation takes none. Does so while the operation runs, since the server notices that a
 * client leaves only while it reads from the socket.
 */
export function ignoreBody(exchange: Exchange, requestMs: number | undefined): void {
  const { request } = exchange;
  if (requestMs !== undefined) limitBodyTime(exchange, requestMs);
  if (Incoming.isUnseen(request)) request.collect(() => {});
  // Middleware may listen to it as well.
  else request.resume();
}

/** Checks what the head says of the body, before any of it is read. */
function refusalOf(exchange: Exchange, { kind, bytes, bodyBytes, endpoint: { defaults } }: Operation): ErrorAnswer | undefined {
  const { contentEncoding, contentRange, declaredBytes } = exchange.head;
  if (contentRange !== undefined && kind.method === 'PUT') return PARTIAL;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return ENCODED;
  const refusal = bytes === undefined ? refusalOfType(exchange, defaults.contentType) : refusalOfBytes(exchange, bytes);
  if (refusal !== undefined) return refusal;
  return (declaredBytes ?? 0) > bodyBytes ? refusalOfLength(exchange, bodyBytes) : undefined;
}

function refusalOfType({ head, request }: Exchange, accepted: Settings['contentType']): ErrorAnswer | undefined {
  const { contentType } = head;
  if (contentType !== undefined && accepted === 'json' && !isJsonType(contentType)) return OTHER_TYPE;
  const isUnknown = contentType === undefined || accepted === 'any';
  return isUnknown && isCrossOriginSimplePost(request, head) ? CROSS_ORIGIN_SIMPLE_POST : undefined;
}

function refusalOfBytes({ head, request }: Exchange, bytes: BytesInput): ErrorAnswer | undefined {
  if (!bytes.accepts(head.contentType)) return OTHER_BYTES;
  return isSimpleType(head.contentType) && isCrossOriginSimplePost(request, head) ? SIMPLE_BYTES : undefined;
}

function refusalOfLength(exchange: Exchange, max: number): ErrorAnswer {
  // The rest of the body is not read, so the connection cannot be kept.
  exchange.forceClose = true;
  return errorAnswer(413, `The body must not be longer than ${max} bytes.`);
}

/** Whether code of the host has read some of the body, has begun to, or has called `setEncoding`. */
function isReadAlready(request: IncomingMessage): boolean {
  const { readableDidRead, readableFlowing, readableEncoding } = request;
  if (readableDidRead || readableFlowing === true || readableEncoding !== null) return true;
  // In a request that no code of the host has seen, the checks below would find nothing.
  if (readableFlowing === null && Incoming.isUnseen(request)) return false;
  // A stream pipeline that fails takes the socket away from a request. Then no more of the body arrives.
  if (request.destroyed || request.socket === null || request.readableEnded) return true;
  return request.listenerCount('data') > 0 || request.listenerCount('readable') > 0;
}

function collectBody(exchange: Exchange, maxBytes: number, onBody: (body: Body) => void): void {
  const { request } = exchange;
  exchange.sendContinue();
  let chunks: Buffer[] = [];
  let bytes = 0;
  if (!request.complete) exchange.keepContext();
  collect(request, (chunk) => {
    if (!exchange.isOpen) return;
    if (chunk === null) {
      exchange.inContext(() => onBody(joined(chunks)));
    } else if (typeof chunk === 'string') {
      // The host has called `setEncoding` meanwhile, which replaces bytes that are not UTF-8.
      exchange.inContext(() => onBody(new Error(READ_ALREADY)));
    } else if ((bytes += chunk.length) <= maxBytes) {
      chunks.push(chunk);
    } else {
      chunks = [];
      exchange.inContext(() => onBody(refusalOfLength(exchange, maxBytes)));
    }
  });
}

/**
 * Calls `onChunk` with each chunk of a body, then with `null`. Requests of a host's own server are plain streams. Their chunks are
 * strings after `setEncoding`.
 */
function collect(request: IncomingMessage, onChunk: (chunk: Buffer | string | null) => void): void {
  if (request instanceof Incoming) request.collect(onChunk);
  // `resume`, since the host may have paused the request.
  else request.on('data', onChunk).on('end', () => onChunk(null)).resume();
}

/** Makes one `Buffer` of the chunks. Those of Deno are plain `Uint8Array`s, whose `toString` does not decode. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first = NO_BYTES] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks);
}
