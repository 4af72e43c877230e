/** Reads the body of a request: checks its media type, encoding and declared length, then collects the bytes. */
import type { IncomingMessage } from 'node:http';
import { acceptsType, type Format } from '../endpoint/format.ts';
import type { Operation } from '../endpoint/operation.ts';
import { createRejection, type Rejection } from '../errors/problem.ts';
import { CROSS_ORIGIN_SIMPLE_POST, isCrossOriginSimplePost, isSimpleType } from '../http/cross-origin.ts';
import { isJsonType, parseMediaType } from '../http/media-type.ts';
import { ByteBuffer } from '../util/byte-buffer.ts';
import { BodyStream, rejectLength } from './body-stream.ts';
import type { Call } from './call.ts';
import { limitBodyTime } from './connection/body-time.ts';
import type { Exchange } from './connection/exchange.ts';
import { Incoming } from './node/incoming.ts';

const NO_BYTES = Buffer.alloc(0);
// RFC 9110 section 12.5.3.
const ENCODED = createRejection(415, 'The body must have no Content-Encoding.', ['Accept-Encoding', 'identity']);
// RFC 9110 section 14.5.
const PARTIAL = createRejection(400, 'A PUT replaces the whole item, and must not have a Content-Range.');
const JSON_TYPE = 'application/json';
// RFC 10008 section 2.
const UNTYPED_QUERY = createRejection(400, 'A QUERY must have a Content-Type.');
const SIMPLE_TYPE = createRejection(415, 'From a page of a different origin, a POST needs a Content-Type that requires a preflight.');
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
  if (head.hasBody && isReadAlready(exchange.request)) throw new Error(READ_ALREADY);
  if (!operation.readsWholeBody) {
    exchange.isNodeTimeoutOff = true;
    return (call.stream = new BodyStream(call));
  }
  if (!head.hasBody) return NO_BYTES;
  // Node's limit counts from the head. A client that waits for a `100 Continue` may have sent its head long ago.
  const requestMs = operation.requestMs ?? (exchange.expectsContinue ? exchange.settings.limits.requestMs : undefined);
  if (requestMs !== undefined) limitBodyTime(exchange, requestMs);
  exchange.sendContinue();
  return collectBody(exchange, bodyBytes);
}

/**
 * Discards the body of a request for an operation that takes none. It is read while the operation runs: only a server that reads from the
 * socket notices that the client leaves. Returns the rejection of a request that must not run.
 */
export function discardBody(exchange: Exchange, { kind, requestMs }: Operation): Rejection | undefined {
  const { request, head } = exchange;
  if (kind.method === 'POST' && isCrossOriginSimplePost(request, head)) return CROSS_ORIGIN_SIMPLE_POST;
  if (head.contentRange !== undefined && kind.method === 'PUT') return PARTIAL;
  if (!head.hasBody || request.complete) return undefined;
  if (requestMs !== undefined) limitBodyTime(exchange, requestMs);
  if (Incoming.isUnseen(request)) request.collect(() => {});
  // Middleware may listen to it too.
  else request.resume();
  return undefined;
}

/** Returns the rejection of a body by its media type, its encoding or its declared length, before any of it is read. */
export function checkBodyHead(exchange: Exchange, operation: Operation): Rejection | undefined {
  const { kind, format, bodyBytes } = operation;
  const { contentEncoding, contentRange, declaredBytes } = exchange.head;
  if (contentRange !== undefined && kind.method === 'PUT') return PARTIAL;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return ENCODED;
  const rejection = format === undefined ? rejectType(exchange, operation) : rejectFormat(exchange, operation, format);
  if (rejection !== undefined) return rejection;
  return (declaredBytes ?? 0) > bodyBytes ? rejectLength(exchange, bodyBytes) : undefined;
}

function rejectType({ head, request }: Exchange, operation: Operation): Rejection | undefined {
  const { contentType } = head;
  if (contentType !== undefined) return acceptsJson(contentType, operation) ? undefined : rejectOtherType(operation);
  if (isUntypedQuery(operation)) return UNTYPED_QUERY;
  return isCrossOriginSimplePost(request, head) ? CROSS_ORIGIN_SIMPLE_POST : undefined;
}

/** A `+json` type can name a patch document, which describes a change of an item, and not its new content. */
function acceptsJson(contentType: string, { kind: { method } }: Operation): boolean {
  return isJsonType(contentType) && (method !== 'PATCH' || parseMediaType(contentType) === JSON_TYPE);
}

function rejectFormat({ head, request }: Exchange, operation: Operation, format: Format): Rejection | undefined {
  const { contentType } = head;
  if (contentType === undefined && isUntypedQuery(operation)) return UNTYPED_QUERY;
  if (!acceptsType(format, contentType)) return rejectOtherType(operation);
  return isSimpleType(contentType) && isCrossOriginSimplePost(request, head) ? SIMPLE_TYPE : undefined;
}

function isUntypedQuery({ kind: { method }, input }: Operation): boolean {
  return method === 'QUERY' && input !== undefined;
}

// RFC 5789 section 2.2, Linked Data Platform 1.0 section 7.1, and RFC 10008 section 3.
const ACCEPT_HEADERS: Readonly<Record<string, string>> = { PATCH: 'Accept-Patch', POST: 'Accept-Post', QUERY: 'Accept-Query' };

/** Rejects a body by its media type, and names the accepted ones (RFC 9110 section 15.5.16). */
function rejectOtherType({ kind: { method }, bodyTypes }: Operation): Rejection {
  const accepted = bodyTypes.join(', ');
  const named = accepted.replace(/, ([^,]*)$/, ' or $1') + (bodyTypes.every(isJsonType) ? ' in UTF-8' : '');
  const header = ACCEPT_HEADERS[method];
  return createRejection(415, `The body must be ${named}.`, ['Accept', accepted, ...(header === undefined ? [] : [header, accepted])]);
}

/** Whether the user's code has read some of the body, has begun to, or has called `setEncoding`. */
function isReadAlready(request: IncomingMessage): boolean {
  const { readableDidRead, readableFlowing, readableEncoding } = request;
  if (readableDidRead || readableFlowing === true || readableEncoding !== null) return true;
  // The checks below are for the user's code, which has not got this request.
  if (readableFlowing === null && Incoming.isUnseen(request)) return false;
  // A stream pipeline that fails takes the socket away from a request. Then no more of the body arrives.
  if (request.destroyed || request.readableEnded) return true;
  return request.listenerCount('data') > 0 || request.listenerCount('readable') > 0;
}

/** Collects the bytes of a body. */
function collectBody(exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const { request } = exchange;
  const bytes = new ByteBuffer();
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer | string | null): void => {
      if (!exchange.isOpen) return;
      if (chunk === null) {
        resolve(bytes.take());
      } else if (typeof chunk === 'string') {
        // The user's code has called `setEncoding`, which replaces bytes that are not UTF-8.
        reject(new Error(READ_ALREADY));
      } else if (bytes.length + chunk.length <= maxBytes) {
        bytes.add(chunk);
      } else {
        bytes.clear();
        reject(rejectLength(exchange, maxBytes));
      }
    };
    if (request instanceof Incoming) request.collect(take);
    // The request of the user's own server is a plain stream, which the user may have paused.
    else request.on('data', take).on('end', () => take(null)).resume();
  });
}
