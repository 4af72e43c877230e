/** The URLs of requests: segments of ids and parameters, and queries. */
import type { IdCodec, WildcardCodec } from '../declaration/id-codec.ts';
import { append } from './form-data.ts';
import type { QueryParameters } from './options.ts';

/** The codecs of the parameters in a sub-path, by name. */
export type CodecsByName = Readonly<Record<string, IdCodec<any>>>;

/** Throws `TypeError` if something is not right. */
export function check(isRight: boolean, message: string): void {
  if (!isRight) throw new TypeError(message);
}

/**
 * Makes a segment, with its slash. Throws `TypeError` for a string that is not a segment of a URL: empty, `.`, `..`, or half a surrogate
 * pair.
 */
export function escapeSegment(text: string): string {
  check(!/^\.?\.?$|[\ud800-\udfff]/u.test(text), `the path must not have a segment "${text}"`);
  return `/${encodeURIComponent(text)}`;
}

/** Formats the segment of an id or a parameter. Throws `TypeError` for a value that is missing, or needs a codec and has none. */
export function formatSegment(value: unknown, codec: IdCodec<any> | undefined): string {
  // A parameter may have the name of a method, such as `constructor`: its codec is then a function.
  const text = (value === undefined ? value : codec?.format?.(value) ?? value) as string;
  // A string, a number or a bigint.
  check(/g|r$/.test(typeof text), `the path must not have a segment "${text}": pass the id`);
  if (!(codec as Partial<WildcardCodec> | undefined)?.[' internal']) return escapeSegment(text);
  // A wildcard has several segments.
  return text.split('/').map((part) => ((codec as WildcardCodec).emptySegments && text && !part ? '/' : escapeSegment(part))).join('');
}

/** Puts parameters into a sub-path. Throws `TypeError` if one is missing, or the sub-path does not begin with `/`. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}, codecs: CodecsByName = {}): string {
  check(/^\//.test(path), `the path must begin with "/": "${path}"`);
  // The sub-path `/` is the root itself.
  return path === '/' ? '' : path.replace(/\/[:*]([^/]+)/g, (_, name: string) => formatSegment(params[name], codecs[name]));
}

/** Formats a query, with its `?`. An empty one is an empty string. */
export function formatQuery(query: QueryParameters = {}): string {
  const search = append(new URLSearchParams(), query);
  return `?${search}`.replace(/^.$/, '');
}
