/** Reads a request's body: what it may be is checked before, how long it is while it comes. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { Incoming } from './incoming.ts';
import { isJsonType } from './media-type.ts';
import type { Settings } from './options.ts';
import { Refused } from './refused.ts';
import { replyRefused } from './reply.ts';

const NO_BYTES = Buffer.alloc(0);

const ENCODED = new Refused(415, 'The body must have no Content-Encoding.');
const OTHER_TYPE = new Refused(415, 'The body must be application/json in UTF-8.');

/** Collects the body and hands it on; answers by itself, and hands on nothing, where the body is not to be read. */
export function readBody(exchange: Exchange, settings: Settings, use: (bytes: Buffer) => void): void {
  if (!isReadable(exchange, settings)) return;
  const { request, response, head } = exchange;
  if (!head.hasBody) {
    use(NO_BYTES);
    return;
  }
  if (exchange.awaitsContinue) {
    exchange.awaitsContinue = false;
    response.writeContinue();
  }
  const { bodyBytes } = settings.limits;
  let chunks: Buffer[] = [];
  let bytes = 0;
  collect(request, (chunk) => {
    if (!exchange.isOpen) return;
    if (chunk === null) {
      use(joined(chunks));
      return;
    }
    bytes += chunk.length;
    if (bytes <= bodyBytes) {
      chunks.push(chunk);
    } else {
      chunks = [];
      refuseLength(exchange, bodyBytes);
    }
  });
}

/** Gives each piece of a body to `take`, and `null` behind the last. A server of the host's own makes plain requests. */
function collect(request: IncomingMessage, take: (chunk: Buffer | null) => void): void {
  if (request instanceof Incoming) request.collect(take);
  else request.on('data', take).on('end', () => take(null));
}

/** Makes one `Buffer` of the chunks. Deno hands on plain `Uint8Array`s, whose `toString` does not decode. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first = NO_BYTES] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks);
}

function isReadable(exchange: Exchange, settings: Settings): boolean {
  const { contentType, contentEncoding, declaredBytes } = exchange.head;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    replyRefused(exchange, ENCODED);
  } else if (contentType !== undefined && !settings.anyContentType && !isJsonType(contentType)) {
    replyRefused(exchange, OTHER_TYPE);
  } else if ((declaredBytes ?? 0) > settings.limits.bodyBytes) {
    refuseLength(exchange, settings.limits.bodyBytes);
  } else {
    return true;
  }
  return false;
}

function refuseLength(exchange: Exchange, most: number): void {
  exchange.mustClose = true;
  replyRefused(exchange, new Refused(413, `The body must not be longer than ${most} bytes.`));
}
