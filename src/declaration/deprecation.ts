/** The headers of a deprecated operation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to more about it. */
import { checkBoolean, checkString, option, required, type Shape, shape } from '../util/options.ts';
import { isInstance } from '../util/promises.ts';

/**
 * The dates of a deprecation: each a `Date`, or a string such as `2026-01-31`.
 *
 * @example
 * ```ts
 * const deprecated: Deprecation = { since: '2026-01-31', sunset: '2026-12-31', link: 'https://app.example/v2' };
 * defineEndpoint({ id: integerId, get: { deprecated, run: (id) => db.find(id) } });
 * ```
 */
export interface Deprecation {
  /** When it became deprecated: a date, or a string in ISO 8601. */
  readonly since: Date | string;
  /** When the operation will be removed. Not before `since`. */
  readonly sunset?: Date | string;
  /** The URL of a page about the deprecation. */
  readonly link?: string;
}

const NO_HEADERS: readonly string[] = [];
// The characters of a URI (RFC 3986 section 2). A `>` would end it in the header.
const URI = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

interface CheckedDeprecation {
  readonly since: number;
  readonly sunset: number | undefined;
  readonly link: string | undefined;
}

/** `deprecated: dates`: {@link Deprecation}. */
export const DEPRECATION_OPTIONS: Shape<CheckedDeprecation> = shape({
  since: required<number>(option('a date', checkDate, 0)),
  sunset: option<number | undefined>('a date', checkDate, undefined),
  link: option<string | undefined>('a URL', checkLink, undefined),
});

/** Returns the headers of every response: none for `true` and `false`. Throws `TypeError` for an invalid option. */
export function makeDeprecationHeaders(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object') {
    checkBoolean(value ?? false, path);
    return NO_HEADERS;
  }
  const { since, sunset, link } = DEPRECATION_OPTIONS.check(value, path);
  // RFC 9745 section 4.
  if (sunset !== undefined && sunset < since) throw new TypeError(`${path}.sunset must not be before ${path}.since`);
  return [
    'Deprecation', `@${Math.floor(since / 1000)}`,
    ...(sunset === undefined ? [] : ['Sunset', new Date(sunset).toUTCString()]),
    ...(link === undefined ? [] : ['Link', `<${link}>; rel="deprecation"`]),
  ];
}

function checkDate(date: unknown, path: string): number {
  const time = isInstance(date, Date) ? date.getTime() : typeof date === 'string' ? Date.parse(date) : NaN;
  if (Number.isNaN(time)) throw new TypeError(`${path} must be a date: ${String(date)}`);
  return time;
}

function checkLink(value: unknown, path: string): string {
  const url = checkString(value, path);
  if (!URI.test(url)) throw new TypeError(`${path} must be a URL: ${JSON.stringify(url)}`);
  return url;
}
