/**
 * What a request's head says, read in one pass over the header lines as they came: Node's own `headers` joins or
 * drops repeated ones, and it is the repeated ones that two readers understand differently.
 *
 * Node's parser already refuses bare CR, folded lines, both ways of framing at once, and lengths that are no
 * digits. What is here is what it lets through.
 */
import type { HostCheck } from './host.ts';
import { ErrorResponse } from './error-response.ts';

// Names and values alternate in Node's list.
const MAX_RAW_HEADERS = 2 * 2000;
const CONTENT_LENGTH = /^(?:0|[1-9]\d{0,15})$/;

const TOO_MANY_LINES = new ErrorResponse(431, 'The request has too many header lines.');
// Node's parser also reads 0.9 and 2.0, whose heads are no heads of this form.
const OTHER_VERSION = new ErrorResponse(400, 'The request must be HTTP/1.1 or HTTP/1.0.');
const BAD_HOST = new ErrorResponse(400, 'The request must name one valid host.');
const TWO_TYPES = new ErrorResponse(400, 'The request has more than one Content-Type.');
const BAD_LENGTH = new ErrorResponse(400, 'The length of the body is not clear.');
const UNKNOWN_CODING = new ErrorResponse(501, 'The only transfer coding that is read is chunked.');

/** A request's head, as far as the server looks at it. */
export class Head {
  host: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  expectation: string | undefined;
  upgrade: string | undefined;
  websocketVersion: string | undefined;
  #contentLength: string | undefined;
  #transferEncoding: string | undefined;
  #refused: ErrorResponse | undefined;

  /** Reads Node's `rawHeaders`. */
  constructor(rawHeaders: readonly string[]) {
    if (rawHeaders.length > MAX_RAW_HEADERS) this.#refused = TOO_MANY_LINES;
    for (let at = 0; at < rawHeaders.length; at += 2) this.#read(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }

  /** Whether a body follows. */
  get hasBody(): boolean {
    return this.#transferEncoding !== undefined || (this.#contentLength !== undefined && this.#contentLength !== '0');
  }

  /** How many bytes the body was declared to have; `undefined` when it is chunked, which declares nothing. */
  get declaredBytes(): number | undefined {
    return this.#transferEncoding === undefined ? Number(this.#contentLength ?? 0) : undefined;
  }

  /** Says why this head is refused, by RFC 9112 sections 2.3, 3.2 and 6, or `undefined`. */
  refusal(version: string, hosts: HostCheck): ErrorResponse | undefined {
    if (version !== '1.1' && version !== '1.0') return OTHER_VERSION;
    if (this.#refused !== undefined) return this.#refused;
    if (this.host === undefined ? version === '1.1' : !hosts.isHost(this.host)) return BAD_HOST;
    if (this.#contentLength !== undefined && !CONTENT_LENGTH.test(this.#contentLength)) return BAD_LENGTH;
    if (this.#transferEncoding === undefined) return undefined;
    if (this.#contentLength !== undefined || this.#transferEncoding === '' || version === '1.0') return BAD_LENGTH;
    return this.#transferEncoding.toLowerCase() === 'chunked' ? undefined : UNKNOWN_CODING;
  }

  // Nearly every name is told apart by its length alone, without being compared. Some gateways make a hyphen of an
  // underscore, and then disagree with this server on where the body ends.
  #read(name: string, value: string): void {
    switch (name.length) {
      case 4:
        if (is(name, 'host')) this.host = this.#once(this.host, value, BAD_HOST);
        break;
      case 6:
        if (is(name, 'expect')) this.expectation = join(this.expectation, value);
        break;
      case 7:
        if (is(name, 'upgrade')) this.upgrade = join(this.upgrade, value);
        break;
      case 12:
        if (is(name, 'content-type')) this.contentType = this.#once(this.contentType, value, TWO_TYPES);
        break;
      case 14:
        if (is(name, 'content-length')) this.#contentLength = this.#once(this.#contentLength, value, BAD_LENGTH);
        else if (is(name, 'content_length')) this.#refused ??= BAD_LENGTH;
        break;
      case 16:
        if (is(name, 'content-encoding')) this.contentEncoding = join(this.contentEncoding, value);
        break;
      case 17:
        if (is(name, 'transfer-encoding')) this.#transferEncoding = this.#once(this.#transferEncoding, value, BAD_LENGTH);
        else if (is(name, 'transfer_encoding')) this.#refused ??= BAD_LENGTH;
        break;
      case 21:
        if (is(name, 'sec-websocket-version')) this.websocketVersion = value;
        break;
    }
  }

  #once(before: string | undefined, value: string, otherwise: ErrorResponse): string {
    if (before !== undefined) this.#refused ??= otherwise;
    return value;
  }
}

function is(name: string, lowerCase: string): boolean {
  return name === lowerCase || name.toLowerCase() === lowerCase;
}

/** The value of a header that few requests are asked for. Lines of the same name are joined, so that none hides another. */
export function fieldValue(rawHeaders: readonly string[], lowerCase: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === lowerCase.length && is(name, lowerCase)) found = join(found, rawHeaders[at + 1] ?? '');
  }
  return found;
}

/** Two lines of a header that is a list are one list (RFC 9110 section 5.3). */
function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
