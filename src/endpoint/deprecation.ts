/** The header fields of an operation that is deprecated: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to more about it. */
import { knownMembersOf, oneOf, textFrom } from '../util/options.ts';

/** When an operation is deprecated, in dates: a `Date`, or a text as `2026-01-31`. */
export interface Deprecation {
  readonly since: Date | string;
  /** When it stops to work. Not before `since`. */
  readonly sunset?: Date | string;
  /** The URL of a page about it. */
  readonly link?: string;
}

const NO_FIELDS: readonly string[] = [];
// RFC 3986 section 2, and no `>`, which would end it.
const URI = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/;

/** Returns the fields of every answer: none for `true` and `false`. Throws `TypeError` for anything else. */
export function deprecationFields(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object') {
    oneOf(value ?? false, path, [false, true]);
    return NO_FIELDS;
  }
  const { since, sunset, link } = knownMembersOf(value, path, ['since', 'sunset', 'link']);
  const begins = timeOf(since, `${path}.since`);
  const fields = ['Deprecation', `@${Math.floor(begins / 1000)}`];
  if (sunset !== undefined) {
    const ends = timeOf(sunset, `${path}.sunset`);
    // RFC 9745 section 4.
    if (ends < begins) throw new TypeError(`${path}.sunset must not be before ${path}.since`);
    fields.push('Sunset', new Date(ends).toUTCString());
  }
  const url = textFrom(link, `${path}.link`);
  if (url === undefined) return fields;
  if (!URI.test(url)) throw new TypeError(`${path}.link must be a URL: ${JSON.stringify(url)}`);
  return [...fields, 'Link', `<${url}>; rel="deprecation"`];
}

function timeOf(date: unknown, path: string): number {
  const time = date instanceof Date ? date.getTime() : typeof date === 'string' ? Date.parse(date) : NaN;
  if (Number.isNaN(time)) throw new TypeError(`${path} must be a date: ${String(date)}`);
  return time;
}
