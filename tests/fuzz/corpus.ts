/** Initial bytes: bodies that look like requests, troublesome header lines, and streams that are known to cause trouble. */
import { Buffer } from 'node:buffer';
import type { Random } from '../support/random.ts';

/** A body that is also a valid request. */
export const SMUGGLED = 'GET /v1/forbidden/body HTTP/1.1\r\nHost: a\r\n\r\n';

/** Header lines that are allowed, and that some parsers misread. */
export const NUISANCE_HEADERS: [string, ...string[]] = [
  'X:', 'X: \t y \t ', 'X-Latin: \xe9\xff', 'x_under_score: 1', 'Cookie: a=b; c="d"', 'Origin: http://evil.example', 'Range: bytes=0-1', 'If-Match: *',
  'X-HTTP-Method-Override: DELETE', 'X-Forwarded-Host: b', 'Keep-Alive: timeout=0, max=0', 'TE: trailers', 'Trailer: Content-Length', 'Proxy-Connection: close',
  'Content-Length : 5', ' folded', 'X: a\rb', 'X: a\0b', 'X Y: 1', ': x', 'no colon', 'Content_Length: 3', 'Transfer_Encoding: chunked', '\tX: y', 'X: a\x7f',
  'If-Range: "t"',
];

const EXTRAS: [unknown, ...unknown[]] = [
  undefined, undefined, SMUGGLED, '\u00e9\ud83d\udc1c\ufffd', 'x'.repeat(1500), 9007199254740992, 0.1, { deep: [[[SMUGGLED]]] }, '0\r\n\r\n',
];
// JSON allows only white space between tokens, and some white space ends a head or a body.
const SPACES: [string, ...string[]] = ['', ' ', '\r\n\r\n', '\r\n'];

const CONDITIONS: [string, ...string[]] = ['"t"', 'W/"t"', '*', '"s", "t"', '"s"', 't', '', ',, "t" ,', '"t" "s"', '*, "t"'];

// Dates are picked instead of these lists.
const DATES: Readonly<Record<string, string>> = { '"s"': 'Sun, 06 Nov 1994 08:49:37 GMT', '"t" "s"': '1994-11-06' };

/** A condition, some of which are malformed (RFC 9110 section 13.1). */
export function condition(random: Random): string {
  const name = random.pick(['If-Match', 'If-None-Match', 'If-Unmodified-Since']);
  const list = random.pick(CONDITIONS);
  if (name !== 'If-Unmodified-Since') return `${name}: ${list}`;
  const date = DATES[list];
  return date === undefined ? `If-None-Match: ${list}` : `${name}: ${date}`;
}

/** The JSON of a note as bytes, with the marker and sometimes with text that could be misread. */
export function bodyFor(random: Random, marker: string): string {
  const text = JSON.stringify({ marker, extra: random.pick(EXTRAS) }, undefined, random.pick(SPACES));
  return Buffer.from(text).toString('latin1');
}

/** Streams to send as they are, cut or mutated. Each ends in bytes that look like a request, and must not be read as one if they are not. */
export const STREAMS: [string, ...string[]] = [
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nContent-Length: 044\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nX: y\nContent-Length: 44\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}X\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  `POST /v1/now/say HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n${SMUGGLED}`,
  `GET /v1/now/a HTTP/1.1\r\nHost: a\r\nContent-Length: 44\r\n\r\n${SMUGGLED}`,
  `HEAD /v1/later/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  `GET /v1/later/a HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/later/b HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n${SMUGGLED}`,
  `GET /v1/later/a HTTP/1.0\r\n\r\n${SMUGGLED}`,
  `PUT /v1/later/a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 14\r\n\r\n{"marker":"a"}GET /v1/now/b HTTP/1.1\r\nHost: a\r\n\r\n`,
  `PUT /v1/nowhere HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 44\r\n\r\n${SMUGGLED}GET /v1/now/b HTTP/1.1\r\nHost: a\r\n\r\n`,
  `CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n${SMUGGLED}`,
  `GET /files/a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
];
