/**
 * Merges the headers of a response. If several sources set the same header, the first of these wins:
 *
 *   1. the operation's response
 *   2. an app or middleware, which set it on the `ServerResponse`
 *   3. the default headers
 *
 * `Vary`, `Set-Cookie` and `Link` are lists, which get the lines of all sources.
 */
import type { ServerResponse } from 'node:http';
import { filterHeaders, FRAMING_HEADERS, isList, mergeHeaders } from '../../http/headers.ts';

/** A header as `getHeaders` of a response has it. */
export type HeaderEntry = readonly [name: string, value: string | number | readonly string[]];

// These headers are set by the code that writes the body.
const FRAMING: readonly string[] = ['Content-Length', '', 'Transfer-Encoding', ''];
const ASCII = /^[\t\x20-\x7e]*$/;

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
    return [value].flat().map(String).filter((line) => ASCII.test(line)).flatMap((line) => [name, line]);
  });
}

/** Sets headers on a response. They replace headers of the same name, except lists. Then adds the defaults that are missing. */
export function setHeaders(response: ServerResponse, headers: readonly string[], defaults: readonly string[]): void {
  const replaced = [...FRAMING, ...headers];
  for (let at = 0; at < replaced.length; at += 2) {
    const name = replaced[at] ?? '';
    if (response.hasHeader(name) && !isList(name.toLowerCase())) response.removeHeader(name);
  }
  const all = mergeHeaders(headers, filterHeaders(defaults, (lowerCase) => isList(lowerCase) || !response.hasHeader(lowerCase)));
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at] ?? '';
    const value = all[at + 1] ?? '';
    const before = response.getHeader(name);
    // `appendHeader` would change the user's own array.
    response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }
}
