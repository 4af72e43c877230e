/** Reads a request's body: what it may be is checked before, how long it is while it comes. */
import type { Exchange } from './exchange.ts';
import { isJsonType } from './media-type.ts';
import type { Settings } from './options.ts';
import { Refused } from './refused.ts';
import { replyRefused } from './reply.ts';

const NO_BYTES = Buffer.alloc(0);

const ENCODED = new Refused(415, 'The body must have no Content-Encoding.');
const NOT_JSON = new Refused(415, 'The body must be application/json in UTF-8.');

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
  // A body that is there already, as behind a pipelined request, is read at once and needs no listeners.
  process.nextTick(() => {
    if (!exchange.isOpen) return;
    if (request.complete) useWhole(exchange, settings.limits.bodyBytes, use);
    else collect(exchange, settings.limits.bodyBytes, use);
  });
}

function useWhole(exchange: Exchange, most: number, use: (bytes: Buffer) => void): void {
  const { request } = exchange;
  if (request.readableLength > most) {
    refuseLength(exchange, most);
    return;
  }
  // Some versions of Node give all that is there at once, some each piece by itself.
  const chunks: Buffer[] = [];
  for (let chunk: Buffer | null = request.read(); chunk !== null; chunk = request.read()) chunks.push(chunk);
  use(joined(chunks));
}

function collect(exchange: Exchange, most: number, use: (bytes: Buffer) => void): void {
  const { request } = exchange;
  let chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) {
      chunks.push(chunk);
    } else if (exchange.isOpen) {
      chunks = [];
      refuseLength(exchange, most);
    }
  });
  request.on('end', () => {
    if (exchange.isOpen) use(joined(chunks));
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first = NO_BYTES] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

function isReadable(exchange: Exchange, settings: Settings): boolean {
  const { contentType, contentEncoding, declaredBytes } = exchange.head;
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    replyRefused(exchange, ENCODED);
  } else if (contentType !== undefined && !settings.anyContentType && !isJsonType(contentType)) {
    replyRefused(exchange, NOT_JSON);
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
