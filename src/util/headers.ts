/**
 * Headers that the user's code gives for a response, checked once, where it gives them:
 *
 *   { ETag: '"1"', 'Set-Cookie': ['a=1', 'b=2'] }   ->   ['ETag', '"1"', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']
 */
import { checkStrings, isPlainObject } from './options.ts';
import { checkAwaited, describeType, disownAll } from './promises.ts';

/** The headers of a response. A list gives a header several lines. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The headers of a reply. Numbers and booleans are written as strings. */
export type ReplyHeaders = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The headers of a feature. What CORS, merging and caches need to know of it follows from them. */
export interface HeaderNames {
  /** Request headers that it reads. */
  readonly reads?: readonly string[];
  /** Response headers that it adds, and that clients may need. */
  readonly adds?: readonly string[];
  /** Those of `adds` that are lists: if several sources add one, the response gets the lines of all. */
  readonly lists?: readonly string[];
}

/** The headers of a connection (RFC 9110 section 7.6.1). In lower case. */
export const CONNECTION_HEADERS: readonly string[] = ['connection', 'keep-alive', 'te', 'transfer-encoding', 'upgrade'];

/** The headers that describe the connection, or where the body ends. The server sets them itself. In lower case. */
export const FRAMING_HEADERS: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, 'content-length', 'trailer']);

/** The headers in which proxies write the address of the client. In lower case. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'] as const;

/** Links to other resources (RFC 8288). */
export const LINK_HEADERS: HeaderNames = { adds: ['Link'], lists: ['Link'] };

// Two lines of such a header contradict each other. Any other header can have several lines.
const SINGLE_LINE_HEADERS: ReadonlySet<string> = new Set([
  'access-control-allow-credentials', 'access-control-allow-origin', 'access-control-max-age', 'age',
  'content-disposition', 'content-length', 'content-location', 'content-range', 'content-type',
  'cross-origin-embedder-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'date', 'deprecation', 'etag',
  'expires', 'last-modified', 'location', 'origin-agent-cluster', 'refresh', 'retry-after', 'server', 'strict-transport-security',
  'sunset', 'x-content-type-options', 'x-frame-options',
]);

/** A token (RFC 9110 section 5.6.2): the name of a header, and of a cookie. */
export const TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110 section 5.5 without its obsolete bytes: Node would write them in the encoding of the body.
export const VALUE: RegExp = /^[\t\x20-\x7e]*$/;
/** The value of a header that is received (RFC 9110 section 5.5): here with those bytes, each as the character of its number. */
export const RECEIVED_VALUE: RegExp = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Checks headers. Returns names and values alternating, as `writeHead` takes them. Throws a `TypeError` that names the header, for an
 * invalid name or value, a name that occurs twice in any case, a header in `notAllowed` (names in lower case), and a list for a header
 * that has one line.
 */
export function checkHeaders(headers: unknown, notAllowed: ReadonlySet<string> = FRAMING_HEADERS, formats = false): string[] {
  try {
    return listHeaders(headers, notAllowed, formats);
  } catch (thrown) {
    disownAll(headers);
    throw thrown;
  }
}

function listHeaders(headers: unknown, notAllowed: ReadonlySet<string>, formats: boolean): string[] {
  const list: string[] = [];
  for (const [name, value] of Object.entries(checkPlainObject(headers))) {
    if (!TOKEN.test(name)) throw new TypeError(`header name is not valid: ${JSON.stringify(name)}`);
    const lowerCase = name.toLowerCase();
    if (notAllowed.has(lowerCase)) throw new TypeError(`header ${name} cannot be set: the server sets it`);
    if (hasHeader(list, lowerCase)) throw new TypeError(`header ${name} occurs twice`);
    if (!Array.isArray(value)) {
      list.push(name, checkValue(name, value, formats));
    } else {
      if (SINGLE_LINE_HEADERS.has(lowerCase)) throw new TypeError(`header ${name} must be a string, not a list`);
      for (const line of value) list.push(name, checkValue(name, line, formats));
    }
  }
  return list;
}

/** The framing headers, and the type of the body, in lower case. */
export const BODY_HEADERS: ReadonlySet<string> = new Set([...FRAMING_HEADERS, 'content-type']);

/** Checks headers that are added to any response, and therefore must not describe its body. */
export function checkAddedHeaders(headers: unknown): string[] {
  return checkHeaders(headers, BODY_HEADERS);
}

/** A header of every response. Without it, a browser may run a body as a script despite its `Content-Type` (WHATWG Fetch). */
export const NOSNIFF: readonly string[] = ['X-Content-Type-Options', 'nosniff'];

/** The headers of JSON. */
export const JSON_HEADERS: readonly string[] = ['Content-Type', 'application/json'];

/** Whether a list of names and values has a header. */
export function hasHeader(headers: readonly string[], lowerCase: string): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.length === lowerCase.length && name.toLowerCase() === lowerCase) return true;
  }
  return false;
}

/** Returns the headers for which `passes` returns `true`. It gets the name in lower case. */
export function filterHeaders(headers: readonly string[], passes: (lowerCase: string) => boolean): string[] {
  const passed: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (passes(name.toLowerCase())) passed.push(name, headers[at + 1] ?? '');
  }
  return passed;
}

/** The headers of HTTP to which any source of a response can add a line, in lower case. */
export const LISTS: ReadonlySet<string> = new Set(['vary', 'set-cookie', 'link']);

/** Adds the headers of `added` that are missing. Those in `lists`, such as `Vary` and `Set-Cookie`, get the lines of both. */
export function mergeHeaders(headers: readonly string[], added: readonly string[], lists: ReadonlySet<string> = LISTS): string[] {
  const merged = [...headers];
  for (let at = 0; at < added.length; at += 2) {
    const name = added[at] ?? '';
    const lowerCase = name.toLowerCase();
    if (!hasHeader(headers, lowerCase) || lists.has(lowerCase)) merged.push(name, added[at + 1] ?? '');
  }
  return merged;
}

const NO_LISTS: ReadonlySet<string> = new Set();

/** Replaces the headers of `before` that have the same names. Those in `lists` get the lines of both. */
export function replaceHeaders(
  before: readonly string[], headers: readonly string[], lists: ReadonlySet<string> = NO_LISTS,
): readonly string[] {
  if (before.length === 0) return headers;
  return [...filterHeaders(before, (lowerCase) => lists.has(lowerCase) || !hasHeader(headers, lowerCase)), ...headers];
}

/** Converts a list of names and values to an object. A repeated name, in any case, gets a list. */
export function toHeadersObject(list: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  const names = new Map<string, string>();
  for (let at = 0; at < list.length; at += 2) {
    const given = list[at] ?? '';
    const line = list[at + 1] ?? '';
    const name = names.get(given.toLowerCase()) ?? given;
    const value = names.has(given.toLowerCase()) ? [headers[name] ?? [], line].flat() : line;
    names.set(name.toLowerCase(), name);
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(headers, name, { value, enumerable: true, configurable: true });
    else headers[name] = value;
  }
  return headers;
}

// The entries of a `Map` or of a `Headers` object are not its properties, and would be lost silently.
function checkPlainObject(headers: unknown): object {
  checkAwaited(headers, 'headers');
  if (typeof headers === 'object' && headers !== null && isPlainObject(headers)) return headers;
  throw new TypeError('headers must be a plain object of names and values');
}

// A value can be a secret, so no message repeats one.
function checkValue(name: string, value: unknown, formats: boolean): string {
  if (formats && (typeof value === 'boolean' || Number.isFinite(value))) return String(value);
  if (typeof value !== 'string') throw new TypeError(`header ${name} must be a string: ${describeType(value)}`);
  if (!VALUE.test(value)) throw new TypeError(`header ${name} must have only printable ASCII`);
  return value;
}

/** Throws `TypeError` for a value that is not a list of names. `*` is not one: browsers and caches give it a meaning of its own. */
export function checkHeaderNames(value: unknown, path: string): readonly string[] {
  const names = checkStrings(value, path);
  const wrong = names.find((name) => name === '*' || !TOKEN.test(name));
  if (wrong === undefined) return names;
  throw new TypeError(`${path} must be names of headers, such as X-Request-Id: ${JSON.stringify(wrong)}`);
}
