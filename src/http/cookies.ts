/** Cookies of a request (RFC 6265 section 4.2). */
import { TOKEN } from '../util/headers.ts';

// The values that a server can set (RFC 6265 section 4.1.1). Without quotes: some readers remove them, and others keep them.
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * Lists the values of the cookies with a name, as they were sent. Names are compared byte by byte. A browser sends several cookies with
 * the same name, if they were set for different paths or domains.
 *
 * Nothing is unquoted: in a quoted value, a semicolon would hide other cookies. Only spaces and tabs are removed around a name: with any
 * other character, it is the name of a different cookie, which a script or a sibling domain could set.
 */
export function listCookies(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if ((rawHeaders[at] ?? '').toLowerCase() !== 'cookie') continue;
    for (const pair of (rawHeaders[at + 1] ?? '').split(';')) {
      const equals = pair.indexOf('=');
      if (equals !== -1 && trim(pair.slice(0, equals)) === name) values.push(trim(pair.slice(equals + 1)));
    }
  }
  return values;
}

// A regular expression would start again at each space of a long run.
function trim(string: string): string {
  let start = 0;
  let end = string.length;
  while (start < end && isBlank(string, start)) start += 1;
  while (end > start && isBlank(string, end - 1)) end -= 1;
  return string.slice(start, end);
}

function isBlank(string: string, at: number): boolean {
  return string[at] === ' ' || string[at] === '\t';
}

/** Whether a server can have set a cookie with this value. */
export function isCookieValue(value: string): boolean {
  return VALUE.test(value);
}

/** Checks the name of a cookie. */
export function checkCookieName(name: unknown): string {
  if (typeof name === 'string' && TOKEN.test(name)) return name;
  throw new TypeError(`the name of a cookie must be a token, such as session: ${JSON.stringify(name)}`);
}
