/** V15: Which strings are HTTP dates: the examples of RFC 9110 section 5.6.7, and strings that `Date.parse` reads. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDate } from '../../src/http/date.ts';

const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);
const NOW = Date.UTC(2026, 0, 1);

const dates = suite('an HTTP date');
for (const [text, time] of [
  ['Sun, 06 Nov 1994 08:49:37 GMT', EXAMPLE],
  ['Sunday, 06-Nov-94 08:49:37 GMT', EXAMPLE],
  ['Sun Nov  6 08:49:37 1994', EXAMPLE],
  ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
  ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
  ['Friday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1)],
  ['Saturday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1)],
] as const) {
  dates(`${text} -> ${new Date(time).toISOString()}`, () => assert.is(parseDate(text, NOW), time));
}
for (const text of [
  '', 'Sun', '1994-11-06T08:49:37Z', '06 Nov 1994 08:49:37 GMT', 'sun, 06 nov 1994 08:49:37 gmt', 'Sun, 6 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 24:00:00 GMT',
  'Sun, 06 Nov 1994 08:60:00 GMT', 'Sun, 06 Nov 1994 08:49:61 GMT', 'Tue, 31 Feb 2024 00:00:00 GMT', 'Sun, 06 Foo 1994 08:49:37 GMT', '0', '1000',
]) {
  dates(`${JSON.stringify(text)} is none`, () => assert.is(parseDate(text), undefined));
}
dates.run();
