/**
 * JSON text to a value, refusing what `JSON.parse` would take and quietly make into something else: numbers that
 * a double cannot hold, and keys named `__proto__`. Bytes that are not UTF-8 and a byte order mark are refused
 * too, so that nothing of a body is ever replaced or dropped.
 *
 * What is refused is looked for in two steps: a search that is cheap and never misses, then, on a hit, one that is exact.
 * Both read the text, and not the value: a text of many empty objects is slow to walk as a value.
 */
import { argumentText } from '../errors/api-error.ts';
import { ErrorResponse } from './error-response.ts';

const NOT_UTF8 = refusedBody('the body is not UTF-8');
const TOO_DEEP = refusedBody('the body is nested too deeply');
const EMPTY = refusedBody('the body is empty');
const NOT_JSON = refusedBody('the body is not JSON');
const INEXACT = refusedBody('the body has a number that cannot be held exactly');
const PROTO = refusedBody('the body has a key named "__proto__"');

function refusedBody(detail: string): ErrorResponse {
  return new ErrorResponse(400, argumentText(detail));
}

/** Reads a body; gives the `ErrorResponse` that is to be answered where it is refused. Never throws. */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // U+FFFD stands where bytes were not UTF-8, and is also a character that a client can send: that one is encoded as it
  // came. To import `isUtf8` for it would take a sixth of a millisecond of every start.
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) return NOT_UTF8;
  if (mayBeNestedTooDeeply(text) && isNestedTooDeeply(text)) return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text === '' ? EMPTY : NOT_JSON;
  }
  if (MAY_BE_INEXACT.test(text) && holdsInexactNumber(text)) return INEXACT;
  if ((text.includes('__proto__') || text.includes('\\u')) && PROTO_KEY.test(text)) return PROTO;
  return value;
}

// V8 can take more than ten times as long for a body of nothing but brackets as for an ordinary one. Where something
// stands between them, a body of the same length is not nested so deeply, and takes no such time.
const NESTED = /\[[ \t\r\n]*\[/;
const MAX_NESTED = 200_000;
// To go from bracket to bracket takes 9 µs for a MB that has few of them, where the search for two takes 370 µs (Node 20).
const FEW_BRACKETS = 1000;

function mayBeNestedTooDeeply(text: string): boolean {
  if (text.length <= MAX_NESTED) return false;
  let brackets = 0;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
    brackets += 1;
    if (brackets > FEW_BRACKETS) return NESTED.test(text);
  }
  return false;
}

function isNestedTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPENING) depth += 1;
    else if (code === CLOSING) depth -= 1;
    if (depth > MAX_NESTED) return true;
  }
  return false;
}

// A number that is not exact has an exponent of three digits, or sixteen digits in a row. Looked for at once, and written
// out, they take 2.2 µs for 10 KB, since V8 leaps over what is shorter: one after the other 3.1, and `\d{16}` alone 5.6.
const MAY_BE_INEXACT = new RegExp(`${'\\d'.repeat(16)}|\\d[eE][+\\d]\\d\\d`);

// A key can hide behind escapes: "\u005f_proto__" is the same key. In JSON that is known to be well-formed, a quote with
// no backslash before it and a name behind it opens a string.
const UNDERSCORE = '(?:_|\\\\u005[fF])';
const O = '(?:o|\\\\u006[fF])';
const PROTO_KEY = new RegExp(
  `(?<!\\\\)"${UNDERSCORE}{2}(?:p|\\\\u0070)(?:r|\\\\u0072)${O}(?:t|\\\\u0074)${O}${UNDERSCORE}{2}"\\s*:`,
);

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const UPPER_E = 0x45;
const ESCAPE = 0x5c;
const LOWER_E = 0x65;
const OPENING = 0x5b;
const CLOSING = 0x5d;
// The shortest number that is not exact is `1e309`, or one like it.
const SHORTEST_INEXACT = 5;

/** Looks at the numbers of a JSON text, which is known to be well-formed, passing over its strings. */
function holdsInexactNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at >= SHORTEST_INEXACT && !isExact(text.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === ESCAPE ? 2 : 1;
  return at;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === PLUS || code === MINUS || code === LOWER_E || code === UPPER_E;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Fractions and exponents are rounded as every JSON reader rounds them; an integer in digits alone must be exact. */
function isExact(token: string): boolean {
  const number = Number(token);
  if (Number.isSafeInteger(number)) return true;
  if (!Number.isFinite(number)) return false;
  return !/^-?\d+$/.test(token) || BigInt(number) === BigInt(token);
}
