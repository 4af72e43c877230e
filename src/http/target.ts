/**
 * The request target (RFC 9112 section 3.2).
 *
 *   /v1/animal/ant?full=1            origin-form     the path is "/v1/animal/ant"
 *   http://zoo.example/v1/animal     absolute-form   the path is "/v1/animal", the authority "zoo.example"
 *   *                                asterisk-form   the path is "*", for OPTIONS only
 */
import { net } from '../node.ts';
import { findHeader } from './head.ts';

export interface Target {
  readonly path: string;
  readonly authority: string | undefined;
}

/** The path of `OPTIONS *`, which asks about the whole server. */
export const ASTERISK = '*';

const ABSOLUTE = /^https?:\/\/([^/?]*)([^?]*)/i;

/** Parses a target. Returns `undefined` if it is invalid. */
export function readTarget(method: string, target: string): Target | undefined {
  const pathEnd = findPathEnd(target);
  if (pathEnd === undefined) return undefined;
  if (target[0] === '/') return { path: target.slice(0, pathEnd), authority: undefined };
  if (target === ASTERISK) return method === 'OPTIONS' ? { path: ASTERISK, authority: undefined } : undefined;
  const [, authority, path] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) return undefined;
  // `OPTIONS http://a` asks about the whole server (RFC 9112 section 3.2.4).
  const whole = method === 'OPTIONS' && !target.includes('?') ? ASTERISK : '/';
  return { path: path || whole, authority };
}

/**
 * Returns the origin-form of a target in absolute-form, and puts its authority in place of `Host` (RFC 9112 section 3.2.2), so that all who
 * read the request find the same path and host. Changes nothing if the target or `Host` is invalid: the request is rejected then.
 */
export function toOriginForm(target: string, method: string, httpVersion: string, rawHeaders: string[]): string {
  const { path, authority } = readTarget(method, target) ?? {};
  if (path === undefined || authority === undefined || !isHost(authority)) return target;
  const host = findHeader(rawHeaders, 'host');
  if (host === undefined ? httpVersion !== '1.0' : !isHost(host)) return target;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  rawHeaders.splice(at === -1 ? rawHeaders.length : at, 2, 'Host', authority);
  return path + sliceQuery(target);
}

/** Finds the query of a target, with its question mark. Returns `''` if there is none. */
export function sliceQuery(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark);
}

const SPACE = 0x20;
const HASH = 0x23;
const PERCENT = 0x25;
const QUESTION = 0x3f;
const BACKSLASH = 0x5c;
const DEL = 0x7f;
const ENCODED_CONTROL = /^%0[0ad]/i;

/**
 * Finds the end of the path. Returns `undefined` if the target has a fragment or a character that is not allowed in a URI. Also if the
 * path has a backslash or an encoded NUL, CR or LF, which later readers might understand differently.
 */
function findPathEnd(target: string): number | undefined {
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

export const MAX_PORT = 65_535;

// RFC 3986 section 3.2.2 without the sub-delimiters. Real names do not have these. With the comma, a list of hosts would match as one
// name.
const HOST = /^(?:(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+|\[[0-9A-Fa-f:.]+\])(?::(\d{0,5}))?$/;

/** Whether a string is a host with or without a port. */
export function isHost(host: string): boolean {
  const [found, port = ''] = HOST.exec(host) ?? [];
  return found !== undefined && Number(port) <= MAX_PORT && (!host.startsWith('[') || net.isIPv6(toHostName(host)));
}

/** Converts a host for a comparison: to lower case, without its port and the brackets of an IPv6 address. */
export function toHostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  return name.toLowerCase();
}

/** Checks `allowedHosts`, and returns its names. Throws `TypeError` if it is not a list of names and addresses without a port. */
export function checkAllowedHosts(hosts: unknown): ReadonlySet<string> {
  if (!Array.isArray(hosts) || hosts.length === 0) throw new TypeError('allowedHosts must be a list of host names');
  return new Set(Array.from(hosts, checkAllowedHost));
}

function checkAllowedHost(host: unknown): string {
  const bracketed = typeof host === 'string' && net.isIPv6(host) ? `[${host}]` : host;
  if (typeof bracketed !== 'string' || !isHost(bracketed) || /:\d*$/.test(bracketed.replace(/^\[.*\]$/, ''))) {
    throw new TypeError(`allowedHosts must have names or addresses without a port: ${JSON.stringify(host)}`);
  }
  return toHostName(bracketed);
}
