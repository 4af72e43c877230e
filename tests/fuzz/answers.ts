/** A strict parser of the bytes that a server sent: status lines, headers, exact lengths, and nothing between responses. */
import type { ReadRequest } from './reference.ts';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether a `100 Continue` was received before it. */
  readonly continued: boolean;
  readonly closes: boolean;
}

export interface ReadAnswers {
  readonly answers: readonly Answer[];
  /** The bytes after the last answer: the start of another, or `''`. */
  readonly rest: string;
  /** Why the rest is not an answer. */
  readonly complaint?: string;
}

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d{2}) [A-Za-z' -]+$/;
const FIELD = /^([A-Za-z-]+): ?([\x20-\x7e]*)$/;

/**
 * Reads answers. Those to HEAD have no body. The last one may refuse a request whose method the server may not have read. If that could
 * be HEAD, the answer may have a body or none.
 */
export function readAnswers(received: string, requests: readonly ReadRequest[]): ReadAnswers {
  const answers: Answer[] = [];
  for (let at = 0; ; ) {
    const start = at;
    const partial = (complaint?: string): ReadAnswers => {
      return { answers, rest: received.slice(start), ...(complaint === undefined ? {} : { complaint }) };
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
    const length = headers.get('content-length');
    if ((status === 204) !== (length === undefined)) return partial(`${status} with Content-Length ${length}`);
    if (length !== undefined && !/^\d+$/.test(length)) return partial(`Content-Length: ${length}`);
    if (headers.has('transfer-encoding')) return partial('Transfer-Encoding');
    const bodyStart = headEnd + 4;
    const closes = /(?:^|, )close(?:$|,)/.test(headers.get('connection') ?? '');
    const bodyEnd = bodyStart + Number(length ?? 0);
    const method = requests[answers.length]?.method;
    // This may be only the head of a refusal, or its head and body. Both are allowed if the server may have read HEAD.
    const isLastRefusal = closes && status >= 400 && (received.length === bodyStart || received.length === bodyEnd);
    const isHead = method === 'HEAD' || (method === undefined && isLastRefusal);
    const isBodiless = isHead && !(isLastRefusal && received.length === bodyEnd);
    at = isBodiless ? bodyStart : bodyEnd;
    if (at > received.length) return partial();
    answers.push({ status, headers, body: received.slice(bodyStart, at), continued, closes });
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
