/**
 * Parses JSON, and rejects values that `JSON.parse` changes silently: numbers that a double cannot hold, and keys named `__proto__`.
 * Bytes that are not UTF-8 and a byte order mark are rejected too, so nothing of a body is ever replaced or dropped.
 *
 * Each check has two steps: a fast search that finds every candidate, and an exact check if there is one. Both search the JSON, since
 * walking a value of many empty objects is slow.
 */
import { makeDecodeRejectionAt, type Rejection, toPointer, type ValuePath, WHOLE_BODY } from '../errors/problem.ts';

const NOT_UTF8 = rejectJson('the body is not UTF-8');
const TOO_DEEP = rejectJson('the body is nested too deeply');
const EMPTY = rejectJson('the body is empty');
const REPEATED_KEY = rejectJson('an object of the body has a key twice');
const PROTO = rejectJson('the body has a key named "__proto__"');

function rejectJson(message: string): Rejection {
  return makeDecodeRejectionAt(WHOLE_BODY, message, undefined, 'body-json');
}

/** Whether a value of JSON is an object, and neither a list nor `null`. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value, or a `Rejection`. Never throws. `uniqueKeys` rejects an object that has a key twice (RFC 8259 section 4). */
export function parseJsonBody(bytes: Buffer, uniqueKeys = false): unknown {
  // With the name of the encoding, it takes 2 ns longer on Node 20, and 15 to 25 on Node 24 and 26.
  const json = bytes.toString();
  // Decoding replaces bytes that are not UTF-8 by U+FFFD, which a client can also send itself.
  if (json.includes('\ufffd') && !Buffer.from(json).equals(bytes)) return NOT_UTF8;
  return parseJsonString(json, uniqueKeys);
}

/** Parses JSON as `parseJsonBody` does, from a string. */
export function parseJsonString(json: string, uniqueKeys: boolean): unknown {
  const mayBeDeep = json.length > 2 * MAX_DEPTH && hasManyBrackets(json);
  // Before it is parsed: `JSON.parse` takes a hundred times as long for nothing but opening brackets as for an ordinary body.
  if (mayBeDeep && NESTED.test(json) && isNestedTooDeeply(json)) return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return json === '' ? EMPTY : rejectMalformed(json, error);
  }
  if (mayBeDeep && isNested(value) && isDeeper(value, MAX_DEPTH)) return TOO_DEEP;
  // Shorter JSON can have none of the following. This saves time for NDJSON, whose body can have half a million lines.
  if (json.length < MIN_INEXACT_LENGTH) return value;
  const mayBeInexact = MAY_BE_INEXACT.test(json) && (typeof value === 'number' || INEXACT_IN_PLACE.test(json));
  const inexact = mayBeInexact ? findInexactNumber(json) : undefined;
  if (inexact !== undefined) {
    const path = readJsonPath(json, inexact);
    return makeDecodeRejectionAt(toPointer(path), 'the body has a number that cannot be represented exactly', path, 'body-json');
  }
  if ((json.includes('__proto__') || json.includes('\\u')) && PROTO_KEY.test(json)) return PROTO;
  return uniqueKeys && countNames(json) > countKeys(value) ? REPEATED_KEY : value;
}

/** Finds the names and indexes that lead to the value at a position of valid JSON. */
function readJsonPath(json: string, position: number): ValuePath {
  // The last name of an object, as it is written, or the index in a list.
  const path: (string | number)[] = [];
  let string = '';
  for (let at = 0; at < position; at += 1) {
    const next = json[at];
    const last = path.length - 1;
    if (next === '"') {
      const end = skipStringCharacters(json, at);
      string = json.slice(at, end + 1);
      at = end;
    } else if (next === '{' || next === '[') path.push(next === '{' ? '' : 0);
    else if (next === '}' || next === ']') path.pop();
    else if (next === ':') path[last] = string;
    else if (next === ',' && typeof path[last] === 'number') path[last] += 1;
  }
  return path.map((key) => (typeof key === 'string' ? (JSON.parse(key) as string) : key));
}

/** Counts the names in valid JSON: the strings that are followed by a colon. */
function countNames(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at)) {
    at = skipStringCharacters(json, at) + 1;
    while (isSpace(json.charCodeAt(at))) at += 1;
    if (json.charCodeAt(at) === COLON) count += 1;
  }
  return count;
}

/** Counts the keys in all objects of a value. Not recursive, since a value can be nested more deeply than calls can be. */
function countKeys(value: unknown): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values: unknown[] = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    for (const each of values) open.push(each);
  }
  return count;
}

function rejectMalformed(json: string, error: unknown): Rejection {
  const at = findErrorPosition(json, (error as SyntaxError).message);
  if (at === undefined) return rejectJson('the body is not JSON');
  const byte = Buffer.byteLength(json.slice(0, at));
  return rejectJson(`the body is not JSON: it ${at === json.length ? 'ends too early,' : 'has an error'} at byte ${byte}`);
}

const AT_END = /end of JSON input$/;
const AT_POSITION = / at position (\d+)(?: \(line \d+ column \d+\))?$/;
const QUOTED = /^Unexpected token '.', (\.{3})?"(.*)"(\.{3})? is not valid JSON$/s;
// V8's message quotes this many characters before the wrong one, and as many from it on.
const AROUND = 10;
// V8 quotes all of a shorter input.
const PADDING = ' '.repeat(2 * AROUND + 1);

/** Finds the first wrong character by V8's message. `undefined` if the message can mean several positions. */
function findErrorPosition(json: string, message: string): number | undefined {
  if (AT_END.test(message)) return json.length;
  const [, position] = AT_POSITION.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  if (json.length < PADDING.length) return findErrorInShort(json);
  const [, before, quoted = '', after] = QUOTED.exec(message) ?? [];
  if (before === undefined) return after === undefined ? undefined : quoted.length - AROUND;
  if (after === undefined) return json.length - quoted.length + AROUND;
  const at = json.indexOf(quoted);
  return at === json.lastIndexOf(quoted) ? at + AROUND : undefined;
}

function findErrorInShort(json: string): number | undefined {
  const padded = PADDING + json + PADDING;
  try {
    return JSON.parse(padded) as undefined;
  } catch (error) {
    const at = findErrorPosition(padded, (error as SyntaxError).message);
    return at === undefined ? undefined : Math.min(at - PADDING.length, json.length);
  }
}

// The decoders of schemas that refer to themselves call themselves for each level, and the stack ends.
const MAX_DEPTH = 1000;
const NESTED = /\[[ \t\r\n]*\[/;

/** Whether JSON has more brackets than it may have levels. */
function hasManyBrackets(json: string): boolean {
  let brackets = 0;
  for (const bracket of '[{') {
    for (let at = json.indexOf(bracket); at !== -1; at = json.indexOf(bracket, at + 1)) {
      brackets += 1;
      if (brackets > MAX_DEPTH) return true;
    }
  }
  return false;
}

function isNestedTooDeeply(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = skipStringCharacters(json, at);
    else if (code === OPENING || code === OPENING_BRACE) depth += 1;
    else if (code === CLOSING || code === CLOSING_BRACE) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Whether an object or a list has more levels. For many objects, this takes a quarter of the time of a search in their JSON. */
function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (isNested(each) && isDeeper(each, levels - 1)) return true;
  } else {
    for (const name in value) {
      const each = (value as Record<string, unknown>)[name];
      if (isNested(each) && isDeeper(each, levels - 1)) return true;
    }
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

// An inexact number has sixteen digits in a row or an exponent of three digits. With the digits written out, this takes 5 µs for
// 19 KB, and with `\d{16}` 23 (Node 20, 24 and 26).
const MAY_BE_INEXACT = new RegExp(`${'\\d'.repeat(16)}|\\d[eE][+\\d]\\d\\d`);

// The same where a number can begin, except for a number that is the whole body. Strings of digits and long fractions have no such place.
const INEXACT_IN_PLACE = /[[,:\- \n\r\t]\d{16}|\d[eE][+\d]\d\d/;

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
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPENING = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING = 0x5d;
const LOWER_E = 0x65;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
// The length of `1e309`.
const MIN_INEXACT_LENGTH = 5;

/** Finds the first inexact number in valid JSON. */
function findInexactNumber(json: string): number | undefined {
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = skipStringCharacters(json, at);
    else if (code === MINUS || isDigit(code)) {
      const end = skipNumber(json, at);
      if (end - at >= MIN_INEXACT_LENGTH && !isExact(json.slice(at, end))) return at;
      at = end - 1;
    }
  }
  return undefined;
}

function skipStringCharacters(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function skipNumber(json: string, start: number): number {
  let at = start + 1;
  while (isNumberCharacter(json.charCodeAt(at))) at += 1;
  return at;
}

function isNumberCharacter(code: number): boolean {
  return isDigit(code) || code === POINT || code === PLUS || code === MINUS || code === LOWER_E || code === UPPER_E;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** The digits before the point must be exact. Those after it, and numbers with an exponent, may be rounded, as every JSON reader does. */
function isExact(token: string): boolean {
  const number = Number(token);
  if (Number.isSafeInteger(number)) return true;
  if (!Number.isFinite(number)) return false;
  if (/[eE]/.test(token)) return true;
  const [integer = ''] = token.split('.', 1);
  return BigInt(Number(integer)) === BigInt(integer);
}
