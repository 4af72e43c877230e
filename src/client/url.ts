/** The URL of a request: the segments of ids and parameters, and the query. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { QueryParameters } from './options.ts';

/** A segment, with its slash. Throws `TypeError` for a text that a URL would fold away: empty, `.` or `..`. */
export function segment(text: string): string {
  if (/^\.{0,2}$|\p{Cs}/u.test(text)) throw new TypeError(`no path segment: "${text}"`);
  return `/${encodeURIComponent(text)}`;
}

/** The segments of an id or a parameter: one, or as many as a wildcard's text has. */
export function segmentsOf(codec: IdCodec<any>, value: unknown): string {
  const text = codec.format(value);
  return '~tail' in codec ? text.split('/').map(segment).join('') : segment(text);
}

const PARAMETER = /\/[:*]([^/]+)/g;

/** Makes a function that puts parameters into a sub-path. Throws `TypeError` if they are not those of the sub-path. */
export function pathWith(
  path: string, codecs: Readonly<Record<string, IdCodec<any>>>,
): (params: Readonly<Record<string, unknown>>) => string {
  const named = Array.from(path.matchAll(PARAMETER), ([, name]) => name).sort().join();
  const declared = Object.keys(codecs).sort().join();
  if (named !== declared) throw new TypeError(`${path} needs other params than "${declared}"`);
  // The sub-path `/` is the root itself.
  if (path === '/') return () => '';
  return (params) => path.replace(PARAMETER, (_, name: string) => segmentsOf(codecs[name]!, params[name]));
}

/** The query with its `?`, or an empty text. */
export function queryText(query: QueryParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, given] of query instanceof URLSearchParams ? query : Object.entries(query)) {
    for (const value of [given].flat()) {
      // A date of another window is no instance of this one's.
      if (value != null) search.append(name, (value as Partial<Date>).toISOString?.() ?? String(value));
    }
  }
  return String(search) && `?${search}`;
}
