/** The one place that writes a response. Each function answers once: where an answer has begun, it does nothing. */
import type { Exchange } from './exchange.ts';
import { contentHeaders, PROBLEM_TYPE, ErrorResponse } from '../../http/error-response.ts';

// Node makes one string of a head and its body, and V8 none of more than 2^29 - 24 characters. This leaves room for a head.
const MAX_ANSWER = 2 ** 29 - 2 ** 16;

/**
 * Throws where so many characters of a host's are more than an answer can have. Node would throw when the response is spoilt
 * already, so that nothing could be said any more.
 */
export function refuseTooLong(characters: number): void {
  if (characters > MAX_ANSWER) throw new RangeError('the answer is too long to be sent');
}

/** Answers with a body of JSON text. */
export function replyJson(exchange: Exchange, status: number, json: string): void {
  replyText(exchange, status, 'application/json', json);
}

/** Answers a Create: the new id as plain text, and where the item is, if a path leads there. */
export function replyCreated(exchange: Exchange, id: string, location: string | undefined): void {
  const bytes = Buffer.byteLength(id);
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(bytes)];
  if (location !== undefined) headers.push('Location', location);
  reply(exchange, 201, headers, id, bytes);
}

/** Answers 204, which has no body and declares none (RFC 9110 section 8.6). */
export function replyNoContent(exchange: Exchange): void {
  reply(exchange, 204, NO_HEADERS, '', 0);
}

const NO_HEADERS: readonly string[] = [];

/** Answers without a body, saying which methods there are: 200 to OPTIONS, else 405. */
export function replyAllow(exchange: Exchange, status: 200 | 405, allow: string): void {
  reply(exchange, status, ['Allow', allow, 'Content-Length', '0'], '', 0);
}

/** Answers with a problem (RFC 9457), given as JSON text. */
export function replyProblem(exchange: Exchange, status: number, json: string): void {
  replyText(exchange, status, PROBLEM_TYPE, json);
}

/** Answers in the server's own words. */
export function replyError(exchange: Exchange, { status, serialized: { headers, json, bytes } }: ErrorResponse): void {
  reply(exchange, status, headers, json, bytes);
}

const UNWRITTEN = new ErrorResponse(500);

/**
 * Ends an exchange whose answer could not be written: with a 500 where nothing of it was, past the response, which is spoilt;
 * else there is nothing left but to end the connection. Where another answer has been given, nothing is left to do.
 */
export function replyUnwritten(exchange: Exchange): void {
  const { connection, response } = exchange;
  if (exchange.isOpen) connection.sendLast(UNWRITTEN.raw, exchange);
  else if (!response.writableEnded) connection.destroy();
}

function replyText(exchange: Exchange, status: number, type: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  reply(exchange, status, contentHeaders(type, bytes), text, bytes);
}

function reply(exchange: Exchange, status: number, headers: readonly string[], body: string, bytes: number): void {
  if (!exchange.isOpen) return;
  const { response } = exchange;
  if (closesAfterwards(exchange)) {
    exchange.connection.beginLast();
    response.writeHead(status, [...headers, 'Connection', 'close']);
    response.end(body);
    return;
  }
  // Node's types have the array as one that it may change; it does not.
  response.writeHead(status, headers as string[]);
  // As long in bytes as in characters, the body is ASCII, and goes out with the head as Latin-1, without being encoded.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  exchange.connection.replied(exchange);
}

// Node reads away by itself what nobody has read. Up to this size that is cheaper than a new connection.
const MAX_READ_AWAY = 64 * 1024;

/**
 * Whether this is the connection's last answer. It is, too, where a body is on its way that nobody will read and
 * that is not known to be short.
 */
function closesAfterwards({ connection, head, isReceived, response, expectsContinue, forceClose }: Exchange): boolean {
  if (connection.closesNext || forceClose) return true;
  if (isReceived) return false;
  return expectsContinue || !response.shouldKeepAlive || (head.declaredBytes ?? Infinity) > MAX_READ_AWAY;
}
