/** Dates in headers (RFC 9110 section 5.6.7). */

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
// The last two are obsolete, but clients may still send them.
const FORMATS: readonly RegExp[] = [
  `^${DAY}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${TIME} GMT$`,
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${TIME} GMT$`,
  `^${DAY} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`,
].map((format) => new RegExp(format));
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MAX_YEARS_AHEAD = 50;

/** Parses an HTTP date into milliseconds since 1970. Returns `undefined` for anything else, even if `Date.parse` would accept it. */
export function parseDate(header: string, now: number = Date.now()): number | undefined {
  const parts = FORMATS.map((format) => format.exec(header)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const readNumber = (name: string): number => Number(parts[name]);
  const [day, hour, minute, second] = [readNumber('day'), readNumber('hour'), readNumber('minute'), readNumber('second')];
  const month = MONTHS.indexOf(parts['month'] ?? '');
  const date = new Date(0);
  date.setUTCFullYear(toFullYear(parts['year'] ?? '', now), month, day);
  // `Date` takes 31 June as 1 July.
  if (month === -1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 60) return undefined;
  return date.setUTCHours(hour, minute, second);
}

/** Completes a year of two digits. One that seems to be more than 50 years ahead is in the past (RFC 9110 section 5.6.7). */
function toFullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + MAX_YEARS_AHEAD ? year - 100 : year;
}

let second = 0;
let formatted = '';

/** Formats the present time, once a second. */
export function formatNow(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) formatted = new Date(now * 1000).toUTCString();
  second = now;
  return formatted;
}
