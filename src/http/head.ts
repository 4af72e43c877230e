/**
 * Reads a request's head in one pass over its raw header lines. Node's own `headers` joins or drops repeated lines, which two
 * readers of a request may understand differently.
 *
 * Node's parser already refuses a bare CR, folded lines, `Content-Length` with `Transfer-Encoding`, and lengths with other
 * characters than digits. The checks here are for what it accepts.
 */
import { type ErrorAnswer, errorAnswer } from '../errors/problem.ts';
import { isField, joinLines } from './field.ts';
import type { HostCheck } from './host.ts';

// Names and values alternate in Node's list.
const MAX_RAW_HEADERS = 2 * 2000;
const CONTENT_LENGTH = /^(?:0|[1-9]\d{0,15})$/;

const TOO_MANY_LINES = errorAnswer(431, 'The request has too many header lines.');
// Node's parser also accepts HTTP/0.9 and HTTP/2.0.
const UNSUPPORTED_VERSION = errorAnswer(400, 'The request must be HTTP/1.1 or HTTP/1.0.');
const INVALID_HOST = errorAnswer(400, 'The request must name one valid host.');
const REPEATED_TYPE = errorAnswer(400, 'The request has more than one Content-Type.');
const INVALID_FRAMING = errorAnswer(400, 'The length of the body is not clear.');
const UNSUPPORTED_CODING = errorAnswer(501, 'The only transfer coding that is read is chunked.');

/** The fields of a request's head that the server uses. */
export class Head {
  host: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  expectation: string | undefined;
  upgrade: string | undefined;
  websocketVersion: string | undefined;
  #contentLength: string | undefined;
  #transferEncoding: string | undefined;
  #firstError: ErrorAnswer | undefined;

  constructor(rawHeaders: readonly string[]) {
    if (rawHeaders.length > MAX_RAW_HEADERS) this.#firstError = TOO_MANY_LINES;
    for (let at = 0; at < rawHeaders.length; at += 2) this.#read(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }

  get hasBody(): boolean {
    return this.#transferEncoding !== undefined || (this.#contentLength !== undefined && this.#contentLength !== '0');
  }

  /** The declared length of the body. `undefined` if it is chunked. */
  get declaredBytes(): number | undefined {
    return this.#transferEncoding === undefined ? Number(this.#contentLength ?? 0) : undefined;
  }

  /** The answer to a head that is invalid by RFC 9112 sections 2.3, 3.2 and 6. `undefined` if it is valid. */
  errorResponse(version: string, hosts: HostCheck): ErrorAnswer | undefined {
    if (version !== '1.1' && version !== '1.0') return UNSUPPORTED_VERSION;
    if (this.#firstError !== undefined) return this.#firstError;
    if (this.host === undefined ? version === '1.1' : !hosts.isHost(this.host)) return INVALID_HOST;
    if (this.#contentLength !== undefined && !CONTENT_LENGTH.test(this.#contentLength)) return INVALID_FRAMING;
    if (this.#transferEncoding === undefined) return undefined;
    if (this.#contentLength !== undefined || this.#transferEncoding === '' || version === '1.0') return INVALID_FRAMING;
    return this.#transferEncoding.toLowerCase() === 'chunked' ? undefined : UNSUPPORTED_CODING;
  }

  // By its length, most names need no comparison. Some gateways turn an underscore into a hyphen. Then they and this server would
  // disagree on where the body ends.
  #read(name: string, value: string): void {
    switch (name.length) {
      case 4:
        if (isField(name, 'host')) this.host = this.#once(this.host, value, INVALID_HOST);
        break;
      case 6:
        if (isField(name, 'expect')) this.expectation = joinLines(this.expectation, value);
        break;
      case 7:
        if (isField(name, 'upgrade')) this.upgrade = joinLines(this.upgrade, value);
        break;
      case 12:
        if (isField(name, 'content-type')) this.contentType = this.#once(this.contentType, value, REPEATED_TYPE);
        break;
      case 14:
        if (isField(name, 'content-length')) this.#contentLength = this.#once(this.#contentLength, value, INVALID_FRAMING);
        else if (isField(name, 'content_length')) this.#firstError ??= INVALID_FRAMING;
        break;
      case 16:
        if (isField(name, 'content-encoding')) this.contentEncoding = joinLines(this.contentEncoding, value);
        break;
      case 17:
        if (isField(name, 'transfer-encoding')) this.#transferEncoding = this.#once(this.#transferEncoding, value, INVALID_FRAMING);
        else if (isField(name, 'transfer_encoding')) this.#firstError ??= INVALID_FRAMING;
        break;
      case 21:
        if (isField(name, 'sec-websocket-version')) this.websocketVersion = value;
        break;
    }
  }

  #once(previous: string | undefined, value: string, ifRepeated: ErrorAnswer): string {
    if (previous !== undefined) this.#firstError ??= ifRepeated;
    return value;
  }
}
