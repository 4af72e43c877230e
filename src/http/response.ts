/** Responses before they are sent. */
import { toPhrase, PROBLEM_TYPE, type Rejection } from '../errors/problem.ts';
import { formatNow } from './date.ts';
import { FRAMING_HEADERS, hasHeader, LISTS, JSON_HEADERS, mergeHeaders, NOSNIFF, TOKEN, VALUE } from '../util/headers.ts';

/**
 * A response before it is sent: from a result, `reply`, an error or an interceptor, or as `idempotent` stores it. In `headers`, names and
 * values alternate. `Content-Length` is set only for a stream.
 */
export interface Outgoing<Body = string | Uint8Array | undefined> {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Body;
}

/** Whether a response with this status has no body (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Whether a response without a body has a `Content-Length: 0` (RFC 9110 section 8.6). */
export function hasLength(status: number): boolean {
  return status !== 204 && status !== 304;
}

// Node makes one string of head and body, and V8's longest string has 2^29 - 24 characters. This leaves room for a head.
export const MAX_BODY: number = 2 ** 29 - 2 ** 16;

/** Creates the error for a longer body. Node would throw later, when no other response can be sent. */
export function makeTooLongError(): RangeError {
  return new RangeError('the response is too long to be sent');
}

/** Formats an error by RFC 9457. Throws if a property from the user cannot be written as JSON, or if the JSON is too long for a string. */
export function formatProblem({ problem: { status }, json, headers }: Rejection): Outgoing<string> {
  return { status, headers: ['Content-Type', PROBLEM_TYPE, ...headers], body: json };
}

/** Formats a whole response with `Connection: close`, for a connection that has no response to write to. */
export function formatResponse({ status, headers, body }: Outgoing<string>): string {
  const lines = [`HTTP/1.1 ${status} ${toPhrase(status)}`];
  const all = mergeHeaders(headers, ['Date', formatNow(), ...NOSNIFF]);
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

// In lower case. Node writes its own `Date` unless there is one.
const READ_BY_NODE: ReadonlySet<string> = new Set([...FRAMING_HEADERS, 'date', 'expect']);
// Names that are not in there, and that many responses have: to check a name takes 40 to 60 ns longer, which is 2 % of a Get with an `ETag`
// (Node 20, 24 and 26).
const PLAIN_NAMES: ReadonlySet<string> = new Set(['Content-Type', 'Location', 'ETag', 'Cache-Control', 'Vary', 'Allow', 'Link']);

/**
 * Formats headers as lines:
 *
 *   ['Location', '/a', 'ETag', '"1"']   ->   'Location: /a\r\nETag: "1"\r\n'
 *
 * Returns `undefined` if one of them is for Node to check or to read.
 */
export function formatLines(headers: readonly string[]): string | undefined {
  return headers === JSON_HEADERS ? JSON_LINES : formatPlainLines(headers);
}

function formatPlainLines(headers: readonly string[]): string | undefined {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (!VALUE.test(value) || !(PLAIN_NAMES.has(name) || isPlainName(name))) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function isPlainName(name: string): boolean {
  return TOKEN.test(name) && !READ_BY_NODE.has(name.toLowerCase());
}

const JSON_LINES = formatPlainLines(JSON_HEADERS);

/** Headers that are added to every response that lacks them. Their lines are joined and checked once, not for each response. */
export class DefaultHeaders {
  /** Names and values alternate. */
  readonly list: readonly string[];
  /** The headers that are lists, such as `Vary`, in lower case: by HTTP, and by the operation. */
  readonly lists: ReadonlySet<string>;
  // In lower case. Without lists: these are added even to a response that has one.
  readonly #replaceable: readonly string[];
  readonly #lines: string | undefined;

  constructor(list: readonly string[], lists: ReadonlySet<string> = LISTS) {
    this.list = list;
    this.lists = lists;
    this.#replaceable = list.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()).filter((name) => !lists.has(name));
    this.#lines = formatPlainLines(list);
  }

  /** The lines of those that other headers lack. `undefined` as for `formatLines`. */
  linesBeside(headers: readonly string[]): string | undefined {
    for (const name of this.#replaceable) {
      if (hasHeader(headers, name)) return formatPlainLines(mergeHeaders(headers, this.list, this.lists).slice(headers.length));
    }
    return this.#lines;
  }
}

/** The default headers of a response that no operation has made. */
export const NOSNIFF_ONLY: DefaultHeaders = new DefaultHeaders(NOSNIFF);
