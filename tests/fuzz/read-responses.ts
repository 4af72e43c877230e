/** A strict parser of the bytes that a server sent: status lines, headers, exact lengths, and nothing between responses. */
import type { ReadRequest } from './reference.ts';

export interface ReadResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether a `100 Continue` was received before it. */
  readonly continued: boolean;
  readonly closes: boolean;
  /** Whether it ends only when the connection ends. */
  readonly isOpenEnded: boolean;
}

export interface ReadResponses {
  readonly responses: readonly ReadResponse[];
  /** The bytes after the last response: the start of another, or `''`. */
  readonly rest: string;
  /** Why the rest is not a response. */
  readonly complaint?: string;
}

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d{2}) [A-Za-z' -]+$/;
const FIELD = /^([A-Za-z-]+): ?([\x20-\x7e]*)$/;

/**
 * Reads responses. Those to HEAD have no body. The last one may reject a request whose method the server may not have read. If that could
 * be HEAD, the response may be with or without a body.
 */
export function readResponses(received: string, requests: readonly ReadRequest[]): ReadResponses {
  const responses: ReadResponse[] = [];
  for (let at = 0; ; ) {
    const start = at;
    const partial = (complaint?: string): ReadResponses => {
      return { responses, rest: received.slice(start), ...(complaint === undefined ? {} : { complaint }) };
    };
    if (at === received.length) return partial();
    const continued = received.startsWith(CONTINUE, at);
    if (continued) at += CONTINUE.length;
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return partial();
    const [statusLine = '', ...lines] = received.slice(at, headEnd).split('\r\n');
    const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) return partial(`no status line: ${JSON.stringify(statusLine)}`);
    const headers = headersFrom(lines);
    if (typeof headers === 'string') return partial(`no header line: ${JSON.stringify(headers)}`);
    const bodyStart = headEnd + 4;
    const closes = /(?:^|, )close(?:$|,)/.test(headers.get('connection') ?? '');
    const { method, version } = requests[responses.length] ?? {};
    const framed = readBody(received, bodyStart, status, headers, method === 'HEAD' || (version === '1.0' && closes));
    if ('complaint' in framed) return partial(framed.complaint);
    // This may be only the head of a rejection, or its head and body. Both are allowed if the server may have read HEAD.
    const isLastRejection = closes && status >= 400 && (received.length === bodyStart || received.length === framed.end);
    const isHead = method === 'HEAD' || (method === undefined && isLastRejection);
    const isBodiless = isHead && !(isLastRejection && received.length === framed.end);
    at = isBodiless ? bodyStart : framed.end;
    if (at > received.length) return partial();
    responses.push({ status, headers, body: isBodiless ? '' : framed.body, continued, closes, isOpenEnded: !isBodiless && framed.isOpenEnded === true });
  }
}

/** The received part of the body of a incomplete response. `undefined` if these bytes cannot be the start of one. */
export function partIn(rest: string): string | undefined {
  const headEnd = rest.indexOf('\r\n\r\n');
  if (headEnd === -1) return '';
  const headers = headersFrom(rest.slice(0, headEnd).split('\r\n').slice(1));
  const framed = typeof headers === 'string' ? undefined : readBody(rest, headEnd + 4, 200, headers, true);
  return framed === undefined || 'complaint' in framed ? undefined : framed.body;
}

/** A body, and its end, which lies after the bytes if they are not all. */
type Framed = { readonly body: string; readonly end: number; readonly isOpenEnded?: boolean } | { readonly complaint: string };

/** `mayHaveNoLength`: the response has no body, or one that ends with the connection. */
function readBody(received: string, start: number, status: number, headers: ReadonlyMap<string, string>, mayHaveNoLength: boolean): Framed {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (status === 204 || status === 304) {
    const isBare = length === undefined && coding === undefined;
    return isBare ? { body: '', end: start } : { complaint: `${status} with Content-Length ${length} or Transfer-Encoding ${coding}` };
  }
  if (coding !== undefined) {
    return coding === 'chunked' && length === undefined ? readChunks(received, start) : { complaint: `Transfer-Encoding: ${coding}` };
  }
  if (length === undefined) {
    return mayHaveNoLength ? { body: received.slice(start), end: received.length, isOpenEnded: true } : { complaint: `${status} without Content-Length` };
  }
  if (!/^\d+$/.test(length)) return { complaint: `Content-Length: ${length}` };
  const end = start + Number(length);
  return { body: received.slice(start, end), end };
}

function readChunks(received: string, start: number): Framed {
  let body = '';
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at);
    const line = lineEnd === -1 ? received.slice(at) : received.slice(at, lineEnd);
    if (!/^[0-9a-f]{0,8}\r?$/.test(line)) return { complaint: `chunk of size ${JSON.stringify(line)}` };
    if (lineEnd === -1) return { body, end: Infinity };
    const size = parseInt(line, 16);
    const chunkEnd = lineEnd + 2 + size;
    body += received.slice(lineEnd + 2, chunkEnd);
    if (received.length < chunkEnd + 2) return { body, end: Infinity };
    if (received.slice(chunkEnd, chunkEnd + 2) !== '\r\n') return { complaint: 'a chunk without its end' };
    at = chunkEnd + 2;
    if (size === 0) return { body, end: at };
  }
}

function headersFrom(lines: readonly string[]): Map<string, string> | string {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined) return line;
    const before = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
