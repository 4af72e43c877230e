/**
 * The request target (RFC 9112 section 3.2).
 *
 *   /v1/animal/ant?full=1            origin-form     the path is "/v1/animal/ant"
 *   http://zoo.example/v1/animal     absolute-form   the path is "/v1/animal", the authority "zoo.example"
 *   *                                asterisk-form   the path is "*", for OPTIONS only
 */

export interface Target {
  readonly path: string;
  readonly authority: string | undefined;
}

/** The path of `OPTIONS *`, which is about the whole server. */
export const ASTERISK = '*';

const ABSOLUTE = /^https?:\/\/([^/?]*)([^?]*)/i;

/** Reads a target. `undefined` if it is invalid. */
export function readTarget(method: string, target: string): Target | undefined {
  const pathEnd = endOfPath(target);
  if (pathEnd === undefined) return undefined;
  if (target[0] === '/') return { path: target.slice(0, pathEnd), authority: undefined };
  if (target === ASTERISK) return method === 'OPTIONS' ? { path: ASTERISK, authority: undefined } : undefined;
  const [, authority, path] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) return undefined;
  // `OPTIONS http://a` is about the whole server (RFC 9112 section 3.2.4).
  const whole = method === 'OPTIONS' && !target.includes('?') ? ASTERISK : '/';
  return { path: path || whole, authority };
}

/** The query of a target, with its question mark. `''` without a query. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark);
}

/** The members that a host's router sets on a request whose target it has shortened. Express sets both, Connect only `originalUrl`. */
export interface Mounted {
  readonly url?: string | undefined;
  readonly originalUrl?: unknown;
  readonly baseUrl?: unknown;
}

/**
 * The beginning of the path that a host's router has removed. `''` if it has removed nothing. `undefined` if no path can begin with
 * that: a client may have sent it, and after `//` a browser would read a host.
 */
export function hostPrefixOf({ url = '', originalUrl, baseUrl }: Mounted): string | undefined {
  const base = typeof baseUrl === 'string' ? baseUrl : '';
  const removed = typeof originalUrl === 'string' ? removedFrom(originalUrl, url) : '';
  // They differ if the host has also rewritten the rest, or has mounted the server within a mount.
  const prefix = removed.startsWith(base) ? removed : base;
  if (prefix === '') return prefix;
  return prefix[0] === '/' && prefix[1] !== '/' && pathOf(prefix) === prefix ? prefix : undefined;
}

function removedFrom(whole: string, rest: string): string {
  const path = pathOf(whole);
  const end = pathOf(rest);
  if (path === undefined || end === undefined) return '';
  if (path.endsWith(end)) return path.slice(0, path.length - end.length);
  // Where nothing is left, routers keep a slash.
  return end === '/' ? path : '';
}

function pathOf(target: string): string | undefined {
  return readTarget('GET', target)?.path;
}

const SPACE = 0x20;
const HASH = 0x23;
const PERCENT = 0x25;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;
const DEL = 0x7f;
const ENCODED_CONTROL = /^%0[0ad]/i;

/**
 * Finds the end of the path. `undefined` if the target has a fragment or a character that no URI has. Also if the path has a
 * backslash or an encoded NUL, CR or LF, which later readers might understand differently.
 */
function endOfPath(target: string): number | undefined {
  let pathEnd = target.length;
  for (let at = 0; at < target.length; at += 1) {
    const code = target.charCodeAt(at);
    if (code <= SPACE || code >= DEL || code === HASH) return undefined;
    if (at > pathEnd) continue;
    if (code === QUESTION) pathEnd = at;
    else if (code === BACKSLASH) return undefined;
    else if (code === PERCENT && ENCODED_CONTROL.test(target.slice(at, at + 3))) return undefined;
  }
  return pathEnd;
}
