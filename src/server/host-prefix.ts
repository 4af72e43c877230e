/**
 * The path of a request before the routers of a host's app, which remove the beginning that they are mounted at:
 *
 *   app.use('/api', server.requestListener)   GET /api/v1/pet   ->   `url` is "/v1/pet", the prefix "/api"
 *
 * `Location` and observers need the whole path.
 */
import { readTarget } from '../http/target.ts';

/** The members that a host's router sets on a request whose target it has shortened. Express sets both, Connect only `originalUrl`. */
interface Shortened {
  readonly url?: string | undefined;
  readonly originalUrl?: unknown;
  readonly baseUrl?: unknown;
}

/**
 * The beginning of the path that a host's router has removed. `''` if it has removed nothing. `undefined` if no path can begin with
 * that: a client may have sent it, and after `//` a browser would read a host.
 */
export function hostPrefixOf({ url = '', originalUrl, baseUrl }: Shortened): string | undefined {
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
