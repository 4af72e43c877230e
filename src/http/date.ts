/** Dates in header fields (RFC 9110 section 5.6.7). */

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
// The last two are obsolete, and still to be read.
const FORMATS: readonly RegExp[] = [
  `^${DAY}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT$`,
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${TIME} GMT$`,
  `^${DAY} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`,
].map((format) => new RegExp(format));
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MAX_YEARS_AHEAD = 50;

/** The time of an HTTP date in milliseconds since 1970; `undefined` for any other text, also for one that `Date.parse` reads. */
export function parseDate(text: string, now: number = Date.now()): number | undefined {
  const parts = FORMATS.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const readNumber = (name: string): number => Number(parts[name]);
  const [day, hour, minute, second] = [readNumber('day'), readNumber('hour'), readNumber('minute'), readNumber('second')];
  const month = MONTHS.indexOf(parts['month'] ?? '');
  const date = new Date(0);
  date.setUTCFullYear(toFullYear(parts['year'] ?? '', now), month, day);
  // A month that has no such day would make it one of the next month.
  if (month === -1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 60) return undefined;
  return date.setUTCHours(hour, minute, second);
}

/** A year of two digits that seems to be far ahead is past. */
function toFullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + MAX_YEARS_AHEAD ? year - 100 : year;
}
