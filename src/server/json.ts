/**
 * JSON text to a value, refusing what `JSON.parse` would take and quietly make into something else: numbers that
 * a double cannot hold, and keys named `__proto__`. Bytes that are not UTF-8 and a byte order mark are refused
 * too, so that nothing of a body is ever replaced or dropped.
 *
 * What is refused is looked for in two steps: a search that is cheap and never misses, then, on a hit, a walk that is exact.
 */
import { isUtf8 } from 'node:buffer';

/** Why a body was refused, in words that repeat nothing of it. */
export class JsonRefusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Reads a body. Never throws. */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // U+FFFD stands where bytes were not UTF-8, and is also a character that a client can send.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return new JsonRefusal('the body is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new JsonRefusal(text === '' ? 'the body is empty' : 'the body is not JSON');
  }
  if (mayHoldInexactNumber(text) && holdsInexactNumber(text)) {
    return new JsonRefusal('the body has a number that cannot be held exactly');
  }
  // A key can hide behind escapes: "\u005f_proto__" is the same key.
  if ((text.includes('__proto__') || text.includes('\\u')) && holdsProtoKey(value)) {
    return new JsonRefusal('the body has a key named "__proto__"');
  }
  return value;
}

// A number that is not exact has sixteen digits in a row, or an exponent of three digits.
const SUSPECT_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

function mayHoldInexactNumber(text: string): boolean {
  return SUSPECT_NUMBER.test(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

/** Walks the numbers of a JSON text, which is known to be well-formed, passing over its strings. */
function holdsInexactNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      NUMBER.lastIndex = at;
      const [token = '', fraction, exponent] = NUMBER.exec(text) ?? [];
      if (!isExact(token, fraction === undefined && exponent === undefined)) return true;
      at += token.length - 1;
    }
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Fractions and exponents are rounded as every JSON reader rounds them; an integer in digits alone must be exact. */
function isExact(token: string, digitsAlone: boolean): boolean {
  const number = Number(token);
  if (!Number.isFinite(number)) return false;
  return !digitsAlone || Number.isSafeInteger(number) || BigInt(number) === BigInt(token);
}

/** Walks a value with a list of its own: a body can be nested deeper than the stack. */
function holdsProtoKey(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const child of Object.values(next)) if (typeof child === 'object') left.push(child);
  }
  return false;
}
