/**
 * Whose header field wins where a reply and the code around it set the same:
 *
 *   the reply   before   an app or middleware, on the response   before   the defaults of the operation
 *
 * `Vary`, `Set-Cookie` and `Link` are lists, to which each adds its lines.
 */
import type { ServerResponse } from 'node:http';
import { filterHeaders, FRAMING_HEADERS, isList, mergeHeaders } from '../../http/headers.ts';

/** A header field as a response has it. */
export type HeaderEntry = readonly [name: string, value: string | number | readonly string[]];

// The length of a body is up to whoever writes it.
const FRAMING: readonly string[] = ['Content-Length', '', 'Transfer-Encoding', ''];
const ASCII = /^[\t\x20-\x7e]*$/;

/** The header fields that are set on a response by now. Values that are lists are copied: a handler may append to them. */
export function getHeaderEntries(response: ServerResponse): HeaderEntry[] {
  return Object.entries(response.getHeaders()).map(([name, value = '']) => [name, Array.isArray(value) ? [...value] : value]);
}

/** The lines of header fields, for a reply that is written as UTF-8: other bytes of Latin-1 cannot be. It has other framing and date. */
export function toHeaderLines(entries: readonly HeaderEntry[]): string[] {
  return entries.flatMap(([name, value]) => {
    if (FRAMING_HEADERS.has(name.toLowerCase()) || name.toLowerCase() === 'date') return [];
    return [value].flat().map(String).filter((line) => ASCII.test(line)).flatMap((line) => [name, line]);
  });
}

/** Sets the headers of a response beside those that an app or middleware has set, and then the defaults that neither has. */
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
    // `appendHeader` would change a list that the user has set.
    response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
  }
}
