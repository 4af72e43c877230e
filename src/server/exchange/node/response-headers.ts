/**
 * Merges the headers of a response. If several sources set the same header, the first of these wins:
 *
 *   1. the operation's response
 *   2. an app or middleware, which set it on the `ServerResponse`
 *   3. the default headers
 *
 * Lists, such as `Vary`, `Set-Cookie` and `Link`, get the lines of all sources.
 */
import type { ServerResponse } from 'node:http';
import { filterHeaders, FRAMING_HEADERS, mergeHeaders, VALUE } from '../../../util/headers.ts';

/** A header as `getHeaders` of a response has it. */
export type HeaderEntry = readonly [name: string, value: string | number | readonly string[]];

// These headers are set by the code that writes the body.
const FRAMING: readonly string[] = ['Content-Length', '', 'Transfer-Encoding', ''];

/** Returns the headers that are set on a response. Copies lists, since a handler may append to them. */
export function getHeaderEntries(response: ServerResponse): HeaderEntry[] {
  return Object.entries(response.getHeaders()).map(([name, value = '']) => [name, Array.isArray(value) ? [...value] : value]);
}

/**
 * Returns the lines of headers for a response that is written to the socket as UTF-8. Lines that are not ASCII are left out, since
 * headers are Latin-1. So are the framing and the date, which that response sets itself.
 */
export function toHeaderLines(entries: readonly HeaderEntry[]): string[] {
  return entries.flatMap(([name, value]) => {
    if (FRAMING_HEADERS.has(name.toLowerCase()) || name.toLowerCase() === 'date') return [];
    return [value].flat().map(String).filter((line) => VALUE.test(line)).flatMap((line) => [name, line]);
  });
}

/** Sets headers on a response. They replace headers of the same name, except lists. Then adds the defaults that are missing. */
export function setHeaders(
  response: ServerResponse, headers: readonly string[], defaults: readonly string[], lists: ReadonlySet<string>,
): void {
  const replaced = [...FRAMING, ...headers];
  for (let at = 0; at < replaced.length; at += 2) {
    const name = replaced[at] ?? '';
    if (response.hasHeader(name) && !lists.has(name.toLowerCase())) response.removeHeader(name);
  }
  const all = mergeHeaders(headers, filterHeaders(defaults, (lowerCase) => lists.has(lowerCase) || !response.hasHeader(lowerCase)), lists);
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] ?? '';
    const value = all[at + 1] ?? '';
    const before = response.getHeader(name);
    // `appendHeader` would change the user's own array.
    response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }
}

const NAMES_ORIGIN = /(?:^|[,\s])(?:origin|\*)(?:$|[,\s])/i;

/**
 * Adds `Origin` to the `Vary` that an app has set before it passed the request on: the response depends on the origin of the page. Without
 * it, a cache would send the response for one origin to a different one.
 */
export function addVary(response: ServerResponse): void {
  response.setHeader('Vary', withOrigin(response.getHeader('Vary') ?? []));
}

/** Keeps `Origin` in `Vary` while middleware or a mount has the response: many handlers set the header, and do not add to it. */
export function keepVary(response: ServerResponse): void {
  const { setHeader, removeHeader } = response;
  // `writeHead` calls these for the headers that it gets, and so does `setHeaders`.
  response.setHeader = function set(this: ServerResponse, name: string, value: number | string | readonly string[]): ServerResponse {
    return setHeader.call(this, name, isVary(name) && isLines(value) ? withOrigin(value) : value);
  } as ServerResponse['setHeader'];
  response.removeHeader = function remove(this: ServerResponse, name: string): void {
    removeHeader.call(this, name);
    if (isVary(name)) addVary(this);
  };
}

function isVary(name: unknown): boolean {
  return typeof name === 'string' && name.length === 4 && name.toLowerCase() === 'vary';
}

/** Node rejects any other value. */
function isLines(value: unknown): value is string | readonly string[] {
  return typeof value === 'string' || Array.isArray(value);
}

function withOrigin(value: number | string | readonly string[]): string | string[] {
  const lines = [value].flat().map(String);
  if (lines.some((line) => NAMES_ORIGIN.test(line))) return lines;
  return lines.length === 0 ? 'Origin' : [...lines, 'Origin'];
}
