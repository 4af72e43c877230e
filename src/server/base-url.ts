/**
 * The path at which the routers of an app have mounted the server, which they remove from `request.url`:
 *
 *   app.use('/api', server.requestListener)   GET /api/v1/pet   ->   `url` is "/v1/pet", the base URL "/api"
 *
 * `Location` and observers need the whole path.
 */
import { readTarget } from '../http/target.ts';

/** The properties that routers set on a request when they shorten its target. Express sets both, Connect only `originalUrl`. */
interface MountedRequest {
  readonly url?: string | undefined;
  readonly originalUrl?: unknown;
  readonly baseUrl?: unknown;
}

/**
 * The beginning of the path that routers have removed, or `''`. `undefined` if no path can begin with it. A client may have sent it:
 * after `//`, a browser would read a host.
 */
export function findBaseUrl({ url = '', originalUrl, baseUrl }: MountedRequest): string | undefined {
  const base = typeof baseUrl === 'string' ? baseUrl : '';
  const removed = typeof originalUrl === 'string' ? findRemoved(originalUrl, url) : '';
  // The two differ if the app has also rewritten the rest, or has mounted the server within a mount.
  const prefix = removed.startsWith(base) ? removed : base;
  if (prefix === '') return prefix;
  return prefix[0] === '/' && prefix[1] !== '/' && readPath(prefix) === prefix ? prefix : undefined;
}

function findRemoved(whole: string, rest: string): string {
  const path = readPath(whole);
  const end = readPath(rest);
  if (path === undefined || end === undefined) return '';
  if (path.endsWith(end)) return path.slice(0, path.length - end.length);
  // If nothing is left, routers keep a slash.
  return end === '/' ? path : '';
}

function readPath(target: string): string | undefined {
  return readTarget('GET', target)?.path;
}
