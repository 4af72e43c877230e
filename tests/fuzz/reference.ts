/**
 * A strict, simple and slow parser of requests, which follows RFC 9112 literally and has no code in common with Node's parser. The server must
 * find exactly the requests that it finds.
 */
import { METHODS } from 'node:http';
import type { TakenIds } from './request-ids.ts';
import { HEADER_BYTES } from './subject.ts';

export interface ReadRequest {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** `rejected`: the end of the body is unclear, so bytes after the head cannot be read. */
  readonly framing: 'none' | 'length' | 'chunked' | 'rejected';
  /** The length of the body that the head declares. */
  readonly declared: number | undefined;
  /** `undefined` if it is incomplete. */
  readonly body: string | undefined;
  /** Whether it is for the server with the option `cors`. */
  readonly hasCors?: boolean;
  /** Whose ids the server takes, if it has the option `requestId`. */
  readonly ids?: TakenIds | undefined;
}

/**
 * How a stream ends: after a request, within a request, at bytes that cannot be parsed, after a request that closes, or at bytes on which
 * two parsers may differ, so that nothing is known of the rest.
 */
export type StreamEnd = 'clean' | 'cut' | 'malformed' | 'closed' | 'unclear';

export interface ReadStream {
  readonly requests: readonly ReadRequest[];
  readonly end: StreamEnd;
  /** How many bytes were not read. */
  readonly left: number;
}

type Failure = 'cut' | 'malformed' | 'unclear';
type Body = { readonly body: string; readonly next: number } | Failure;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// More than one space around the target is accepted, as RFC 9112 section 3 allows.
const REQUEST_LINE = new RegExp(`^(${TOKEN}) +([\\x21-\\x7e]+) +HTTP/(\\d\\.\\d)$`);
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*((?:[\\t\\x20-\\x7e\\x80-\\xff]*[\\x21-\\x7e\\x80-\\xff])?)[ \\t]*$`);
const LENGTH = /^(?:0|[1-9]\d{0,15})$/;
// Node counts the bytes of a head slightly differently, so near the limit both responses are right.
const CLEARLY_SHORT = HEADER_BYTES * 0.8;

/** Parses the bytes of a connection. */
export function readStream(bytes: string, hasCors = false, ids?: TakenIds): ReadStream {
  const requests: ReadRequest[] = [];
  for (let at = 0; ; ) {
    // Empty lines before a request are ignored, with any line end (RFC 9112 section 2.2).
    while (bytes[at] === '\r' || bytes[at] === '\n') at += 1;
    const done = (end: StreamEnd): ReadStream => ({ requests, end, left: bytes.length - at });
    if (at === bytes.length) return done('clean');
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if ((headEnd === -1 ? bytes.length : headEnd) - at > CLEARLY_SHORT) return done('unclear');
    if (headEnd === -1) return done(headRejection(bytes.slice(at)) ?? 'cut');
    const head = readHead(bytes.slice(at, headEnd));
    if (typeof head === 'string') return done(head);
    at = headEnd + 4;
    const body = readBody(bytes, at, head);
    requests.push({ ...head, hasCors, ids, body: typeof body === 'string' ? undefined : body.body });
    if (typeof body === 'string') return done(head.framing === 'rejected' ? 'closed' : body);
    at = body.next;
    if (asksToClose(head) || asksForUpgrade(head)) return done('closed');
  }
}

/** Whether a request asks to close the connection. */
export function asksToClose({ method, headers, version }: Pick<ReadRequest, 'method' | 'headers' | 'version'>): boolean {
  // Node's parser treats both names alike.
  const values = headers.filter(([name]) => name === 'connection' || name === 'proxy-connection').map(([, value]) => value.toLowerCase());
  const options = values.flatMap((value) => value.split(',')).map((option) => option.replace(/^[ \t]+|[ \t]+$/g, ''));
  return method === 'CONNECT' || (version === '1.1' ? options.includes('close') : !options.includes('keep-alive'));
}

/** Whether a request asks for an upgrade, after which the bytes may be of another protocol. */
export function asksForUpgrade({ headers }: Pick<ReadRequest, 'headers'>): boolean {
  return headers.some(([name]) => name === 'upgrade');
}

/** An incomplete head is malformed if one of its complete lines is. */
function headRejection(text: string): Failure | undefined {
  const lines = text.split('\r\n').slice(0, -1);
  const head = lines.length === 0 ? 'cut' : readHead(lines.join('\r\n'));
  // The incomplete line may be malformed already. The server need not have noticed.
  if (typeof head !== 'string') return 'cut';
  return head === 'malformed' ? 'unclear' : head;
}

function readHead(text: string): Omit<ReadRequest, 'body'> | Failure {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [, method = '', target = '', version] = REQUEST_LINE.exec(requestLine) ?? [];
  const pairs = lines.map((line) => FIELD.exec(line));
  if (!METHODS.includes(method) || pairs.includes(null)) return 'malformed';
  if (version !== '1.0' && version !== '1.1') return 'malformed';
  // White space that the grammar allows here, and that Node's parser rejects.
  if (lines.some((line) => /^(?:content-length|transfer-encoding):.*\t/i.test(line))) return 'unclear';
  const headers = pairs.map((field) => [(field?.[1] ?? '').toLowerCase(), field?.[2] ?? ''] as const);
  return { method, target, version, headers, ...framingOf(version, headers) };
}

function framingOf(version: string, headers: ReadRequest['headers']): Pick<ReadRequest, 'framing' | 'declared'> {
  const valuesOf = (wanted: string): string[] => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [length, ...lengths] = valuesOf('content-length');
  const [coding, ...codings] = valuesOf('transfer-encoding');
  const disguised = headers.some(([name]) => name === 'content_length' || name === 'transfer_encoding');
  const rejected = { framing: 'rejected', declared: undefined } as const;
  if (disguised || lengths.length > 0 || codings.length > 0 || (length !== undefined && coding !== undefined)) return rejected;
  if (coding !== undefined) {
    return coding.toLowerCase() === 'chunked' && version === '1.1' ? { framing: 'chunked', declared: undefined } : rejected;
  }
  if (length === undefined) return { framing: 'none', declared: 0 };
  return LENGTH.test(length) ? { framing: 'length', declared: Number(length) } : rejected;
}

function readBody(bytes: string, at: number, { framing, declared = 0 }: Omit<ReadRequest, 'body'>): Body {
  if (framing === 'rejected') return 'malformed';
  if (framing === 'chunked') return readChunks(bytes, at);
  const next = at + declared;
  return next > bytes.length ? 'cut' : { body: bytes.slice(at, next), next };
}

function readChunks(bytes: string, start: number): Body {
  let body = '';
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return /^[0-9A-Fa-f]*\r?$/.test(bytes.slice(at)) ? 'cut' : 'unclear';
    const line = bytes.slice(at, lineEnd);
    if (!/^[0-9A-Fa-f]/.test(line)) return 'malformed';
    // Few parsers check the grammar of extensions, and parsers differ on sizes with many digits.
    if (!/^[0-9A-Fa-f]{1,8}(?:;[a-z]+(?:=[a-z0-9]+)?)?$/.test(line)) return 'unclear';
    const size = parseInt(line, 16);
    at = lineEnd + 2;
    if (size === 0) return readTrailers(bytes, at, body);
    const chunkEnd = at + size;
    if (!'\r\n'.startsWith(bytes.slice(chunkEnd, chunkEnd + 2))) return 'malformed';
    if (bytes.length < chunkEnd + 2) return 'cut';
    body += bytes.slice(at, chunkEnd);
    at = chunkEnd + 2;
  }
}

function readTrailers(bytes: string, start: number, body: string): Body {
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return /^\r?$/.test(bytes.slice(at)) ? 'cut' : 'unclear';
    if (lineEnd === at) return { body, next: at + 2 };
    const [, name] = FIELD.exec(bytes.slice(at, lineEnd)) ?? [];
    if (name === undefined) return 'malformed';
    // Parsers differ on a trailer that frames the body or closes the connection. Node's parser obeys it.
    if (/^(?:content-length|transfer-encoding|(?:proxy-)?connection|upgrade)$/i.test(name)) return 'unclear';
    at = lineEnd + 2;
  }
}
