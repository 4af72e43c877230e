/**
 * Parses JSON, and refuses values that `JSON.parse` changes silently: numbers that a double cannot hold, and keys named `__proto__`.
 * Bytes that are not UTF-8 and a byte order mark are refused too, so nothing of a body is ever replaced or dropped.
 *
 * Each check has two steps: a fast search that never misses, and only on a hit an exact one. Both search the text and not the
 * value, since to walk a value of many empty objects is slow.
 */
import { decodeFailure } from '../errors/problem.ts';

const NOT_UTF8 = decodeFailure('the body is not UTF-8');
const TOO_DEEP = decodeFailure('the body is nested too deeply');
const EMPTY = decodeFailure('the body is empty');
const NOT_JSON = decodeFailure('the body is not JSON');
const INEXACT = decodeFailure('the body has a number that cannot be held exactly');
const PROTO = decodeFailure('the body has a key named "__proto__"');

/** Returns the value, or a `ErrorAnswer`. Never throws. */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // Decoding replaces bytes that are not UTF-8 by U+FFFD, which a client can also send itself.
  if (text.includes('\ufffd') && !Buffer.from(text).equals(bytes)) return NOT_UTF8;
  if (mayBeNestedTooDeeply(text) && isNestedTooDeeply(text)) return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text === '' ? EMPTY : NOT_JSON;
  }
  if (MAY_BE_INEXACT.test(text) && hasInexactNumber(text)) return INEXACT;
  if ((text.includes('__proto__') || text.includes('\\u')) && PROTO_KEY.test(text)) return PROTO;
  return value;
}

// `JSON.parse` can take more than ten times as long for a body of nothing but opening brackets as for an ordinary one.
const MAX_DEPTH = 200_000;
const NESTED = /\[[ \t\r\n]*\[/;
// `indexOf` from bracket to bracket is much faster than the search for `NESTED`, if there are few.
const FEW_BRACKETS = 1000;

function mayBeNestedTooDeeply(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
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
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

// An inexact number has sixteen digits in a row or an exponent of three digits. One expression with the digits written out is the
// fastest for V8.
const MAY_BE_INEXACT = new RegExp(`${'\\d'.repeat(16)}|\\d[eE][+\\d]\\d\\d`);

// Escapes can spell the key too: "\u005f_proto__". In valid JSON, a quote that begins a name and has no backslash before it
// opens a string.
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
const OPENING = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING = 0x5d;
const LOWER_E = 0x65;
// Like `1e309`.
const MIN_INEXACT_LENGTH = 5;

/** Searches the numbers of a valid JSON text. */
function hasInexactNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at >= MIN_INEXACT_LENGTH && !isExact(text.slice(at, end))) return true;
      at = end - 1;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
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

/** An integer in digits alone must be exact. Fractions and exponents may be rounded, as every JSON reader does. */
function isExact(token: string): boolean {
  const number = Number(token);
  if (Number.isSafeInteger(number)) return true;
  if (!Number.isFinite(number)) return false;
  return !/^-?\d+$/.test(token) || BigInt(number) === BigInt(token);
}
