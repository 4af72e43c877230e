/**
 * Writes the server's own responses. Each function does nothing if a reply has begun already. Only `Connection.sendLast` does not
 * write here, but to the socket. Mounted handlers and middleware write their own responses.
 */
import type { ServerResponse } from 'node:http';
import { hasField } from '../../errors/headers.ts';
import { type ErrorAnswer, PROBLEM_TYPE } from '../../errors/problem.ts';
import { contentHeaders } from '../../http/raw-response.ts';
import type { Exchange } from '../connection/exchange.ts';

/** Replies with JSON text. */
export function replyJson(exchange: Exchange, status: number, json: string): void {
  const bytes = Buffer.byteLength(json);
  writeReply(exchange, status, contentHeaders('application/json', bytes), json, bytes);
}

/** Replies 201 to a Create, with the new id as plain text, and with the path of the item if it has one. */
export function replyCreated(exchange: Exchange, id: string, location: string | undefined): void {
  const bytes = Buffer.byteLength(id);
  const type = 'text/plain; charset=utf-8';
  const length = String(bytes);
  // Two literals, since an array that grows costs more.
  const headers = location === undefined
    ? ['Content-Type', type, 'Content-Length', length]
    : ['Content-Type', type, 'Content-Length', length, 'Location', location];
  writeReply(exchange, 201, headers, id, bytes);
}

/** Replies without a body, and says so. */
export function replyEmpty(exchange: Exchange, status: number): void {
  writeReply(exchange, status, ['Content-Length', '0'], '', 0);
}

/** Replies 204, without a body and without a length (RFC 9110 section 8.6). */
export function replyNoContent(exchange: Exchange): void {
  writeReply(exchange, 204, NO_HEADERS, '', 0);
}

const NO_HEADERS: readonly string[] = [];

/** Replies with the methods of the path, and without a body. */
export function replyAllow(exchange: Exchange, status: 200 | 405, allow: string): void {
  writeReply(exchange, status, ['Allow', allow, 'Content-Length', '0'], '', 0);
}

/** Replies with a problem (RFC 9457). */
export function replyProblem(exchange: Exchange, { problem: { status }, text, headers }: ErrorAnswer): void {
  replyText(exchange, status, [...contentHeaders(PROBLEM_TYPE, Buffer.byteLength(text)), ...headers], text);
}

/** Replies with a text. Its length and type are among the headers. */
export function replyText(exchange: Exchange, status: number, headers: readonly string[], text: string): void {
  writeReply(exchange, status, headers, text, Buffer.byteLength(text));
}

/** Replies with header fields of a host's, and a whole body. */
export function replyWhole(exchange: Exchange, status: number, headers: readonly string[], body: string | Uint8Array): void {
  const bytes = Buffer.byteLength(body);
  writeReply(exchange, status, [...headers, 'Content-Length', String(bytes)], body, bytes);
}

/** Replies with header fields of a host's alone. A 204 and a 304 have no length (RFC 9110 section 8.6). */
export function replyHeaders(exchange: Exchange, status: number, headers: readonly string[]): void {
  writeReply(exchange, status, headers, '', 0);
}

/** Begins a reply whose body follows, and sends its head. */
export function beginReply(exchange: Exchange, status: number, headers: readonly string[]): void {
  writeHead(exchange, status, closesAfterwards(exchange) ? [...headers, 'Connection', 'close'] : headers);
  exchange.response.flushHeaders();
}

function writeReply(exchange: Exchange, status: number, headers: readonly string[], body: string | Uint8Array, bytes: number): void {
  if (!exchange.isOpen) return;
  const { response } = exchange;
  if (closesAfterwards(exchange)) {
    exchange.connection.beginLast();
    writeHead(exchange, status, [...headers, 'Connection', 'close']);
    response.end(body);
    return;
  }
  writeHead(exchange, status, headers);
  // A body with as many bytes as characters is ASCII: as Latin-1 it is sent with the head, and not encoded.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  // Middleware may send the body later. The reply is over when the response is closed.
  if (!exchange.isShared) exchange.connection.replied(exchange);
}

/** Of a reply that depends on who asks. Caches see neither keys nor cookies (RFC 9111 sections 3 and 4.2.2). */
export const PRIVATE: readonly string[] = ['Cache-Control', 'private, no-cache'];

function writeHead(exchange: Exchange, status: number, given: readonly string[]): void {
  const { response } = exchange;
  const headers = exchange.isPrivate ? withCacheControl(exchange, given) : given;
  if (exchange.isShared) {
    // Middleware that has replaced this method looks for the headers by `getHeader`.
    setHeaders(response, headers);
    response.writeHead(status);
  } else {
    // Node does not change the array, though its types allow that.
    response.writeHead(status, headers as string[]);
  }
}

function withCacheControl({ isShared, response }: Exchange, given: readonly string[]): readonly string[] {
  if (hasField(given, 'cache-control') || (isShared && response.hasHeader('Cache-Control'))) return given;
  return [...given, ...PRIVATE];
}

// The length of a body is up to whoever writes it.
const FRAMING: readonly string[] = ['Content-Length', '', 'Transfer-Encoding', ''];
/** The fields to which an answer adds its own lines. In lower case. */
export const ADDED_TO: ReadonlySet<string> = new Set(['vary', 'set-cookie', 'link']);

/** Sets headers beside those that middleware has set. They replace those of the same name, or are added to them. */
function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  const replaced = [...FRAMING, ...headers];
  for (let at = 0; at < replaced.length; at += 2) {
    const name = replaced[at] ?? '';
    if (response.hasHeader(name) && !ADDED_TO.has(name.toLowerCase())) response.removeHeader(name);
  }
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    const before = response.getHeader(name);
    // `appendHeader` would change a list that the host has given.
    response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }
}

// After a reply, Node discards the unread body. Up to this size, that is cheaper than a new connection.
const MAX_DISCARDED_BYTES = 64 * 1024;

/** Whether this is the last reply of the connection. It also is if the rest of the body will not be read and may be long. */
function closesAfterwards({ connection, head, isReceived, response, expectsContinue, forceClose }: Exchange): boolean {
  if (connection.closesAfterReply || forceClose) return true;
  if (isReceived) return false;
  return expectsContinue || !response.shouldKeepAlive || (head.declaredBytes ?? Infinity) > MAX_DISCARDED_BYTES;
}
