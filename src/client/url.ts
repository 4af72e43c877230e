/** The URL of a request: the segments of ids and parameters, and the query. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { QueryParameters } from './options.ts';

export type Codecs = Readonly<Record<string, IdCodec<any>>>;

/** A segment, with its slash. Throws `TypeError` for a text that a URL would fold away: empty, `.` or `..`. */
export function segment(text: string): string {
  if (/^\.{0,2}$|\p{Cs}/u.test(text)) throw new TypeError(`no path segment: "${text}"`);
  return `/${encodeURIComponent(text)}`;
}

/** The segment of an id or a parameter. Throws `TypeError` if it needs a codec and has none, and if there is none. */
export function segmentOf(value: unknown, codec: IdCodec<any> | undefined): string {
  // A parameter may have the name of a method, such as `constructor`: the codec of that is a function.
  const text = codec?.format?.(value) ?? (/^(st|n|bi)/.test(typeof value) ? value as string : '');
  if (!codec || !(' tail' in codec)) return segment(text);
  // The text of a wildcard has several segments.
  return text.split('/').map((part) => (codec.emptySegments && text && !part ? '/' : segment(part))).join('');
}

/** Puts parameters into a sub-path. Throws `TypeError` if one is missing. */
export function pathWith(path: string, params: Readonly<Record<string, unknown>> = {}, codecs: Codecs = {}): string {
  // The sub-path `/` is the root itself.
  return path === '/' ? '' : path.replace(/\/[:*]([^/]+)/g, (_, name: string) => segmentOf(params[name], codecs[name]));
}

/** The query with its `?`, or an empty text. */
export function queryText(query: QueryParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, given] of query instanceof URLSearchParams ? query : Object.entries(query)) {
    for (const value of [given].flat()) {
      // A date of another window is no instance of this one's.
      if (value != null) search.append(name, (value as Partial<Date>).toISOString?.() ?? value as string);
    }
  }
  return String(search) && `?${search}`;
}
