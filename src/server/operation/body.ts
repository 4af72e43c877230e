/** Reads a request's body: what it may be is checked before, how long it is while it comes. */
import type { IncomingMessage } from 'node:http';
import { CROSS_ORIGIN_SIMPLE_POST, isCrossOriginSimplePost } from '../../http/cross-origin.ts';
import type { Exchange } from '../connection/exchange.ts';
import { Incoming } from '../connection/incoming.ts';
import { isJsonType } from '../../http/media-type.ts';
import type { Settings } from '../settings/options.ts';
import { ErrorResponse } from '../../http/error-response.ts';
import { replyError } from '../connection/reply.ts';

const NO_BYTES = Buffer.alloc(0);

const ENCODED = new ErrorResponse(415, 'The body must have no Content-Encoding.');
const OTHER_TYPE = new ErrorResponse(415, 'The body must be application/json in UTF-8.');

/**
 * Collects the body and hands it on; answers by itself, and hands on nothing, where the body is not to be read, and where
 * somebody else has read it, or has begun to.
 */
export function readBody(exchange: Exchange, settings: Settings, use: (bytes: Buffer) => void, fail: (failure: Error) => void): void {
  if (!isReadable(exchange, settings)) return;
  const { request, response, head } = exchange;
  if (!head.hasBody) {
    use(NO_BYTES);
    return;
  }
  if (isTaken(request)) {
    fail(new Error(TAKEN));
    return;
  }
  if (exchange.expectsContinue) {
    exchange.expectsContinue = false;
    response.writeContinue();
  }
  const { bodyBytes } = settings.limits;
  let chunks: Buffer[] = [];
  let bytes = 0;
  if (!request.complete) exchange.keepContext();
  collect(request, (chunk) => {
    if (!exchange.isOpen) return;
    if (chunk === null) {
      exchange.inContext(() => use(joined(chunks)));
      return;
    }
    if (typeof chunk === 'string') {
      // The host asked for text behind our back, and what was no UTF-8 is not known any more.
      exchange.inContext(() => fail(new Error(TAKEN)));
      return;
    }
    bytes += chunk.length;
    if (bytes <= bodyBytes) {
      chunks.push(chunk);
    } else {
      chunks = [];
      // A host may have functions of its own where the response had `writeHead` or `end`.
      exchange.inContext(() => refuseLength(exchange, bodyBytes));
    }
  });
}

/**
 * Reads the body of a request whose operation takes none, and keeps nothing of it. It is read while the operation works,
 * since the client of a socket that nobody reads from can leave without being seen.
 */
export function ignoreBody({ request, isReceived }: Exchange): void {
  if (!isReceived) collect(request, () => {});
}

const TAKEN = 'the body was read before the operation could: by a body parser in front of the server, or by a listener for data';

/** Whether somebody in front of the server has read something of the body, is about to, or wants it as text. */
function isTaken(request: IncomingMessage): boolean {
  const { readableDidRead, readableFlowing, readableEncoding } = request;
  if (readableDidRead || readableFlowing === true || readableEncoding !== null) return true;
  // Under `start`, nobody can have done more.
  if (readableFlowing === null && request instanceof Incoming) return false;
  // A pipeline that fails takes the socket from a request, and nothing of it comes any more.
  if (request.destroyed || request.socket === null || request.readableEnded) return true;
  return request.listenerCount('data') > 0 || request.listenerCount('readable') > 0;
}

/**
 * Gives each piece of a body to `take`, and `null` behind the last. A server of the host's own makes plain requests, whose
 * pieces are text from when somebody asks for that.
 */
function collect(request: IncomingMessage, take: (chunk: Buffer | string | null) => void): void {
  if (request instanceof Incoming) request.collect(take);
  // The host may have paused it, to wait for something before it handed the request on.
  else request.on('data', take).on('end', () => take(null)).resume();
}

/** Makes one `Buffer` of the chunks. Deno hands on plain `Uint8Array`s, whose `toString` does not decode. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first = NO_BYTES] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks);
}

function isReadable(exchange: Exchange, settings: Settings): boolean {
  const { contentType, contentEncoding, declaredBytes } = exchange.head;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    replyError(exchange, ENCODED);
  } else if (contentType !== undefined && !settings.anyContentType && !isJsonType(contentType)) {
    replyError(exchange, OTHER_TYPE);
  } else if ((contentType === undefined || settings.anyContentType) && isCrossOriginSimplePost(exchange.request, exchange.head)) {
    replyError(exchange, CROSS_ORIGIN_SIMPLE_POST);
  } else if ((declaredBytes ?? 0) > settings.limits.bodyBytes) {
    refuseLength(exchange, settings.limits.bodyBytes);
  } else {
    return true;
  }
  return false;
}

function refuseLength(exchange: Exchange, most: number): void {
  exchange.forceClose = true;
  replyError(exchange, new ErrorResponse(413, `The body must not be longer than ${most} bytes.`));
}
