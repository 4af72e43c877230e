/** Which part of a representation a request asks for: the examples of RFC 9110 section 14.1.2, and what clients make of them. */
import { parseRange, findRange } from '../../src/http/ranges.ts';
import { assert, suite } from '../support/facts.ts';

const satisfied = suite('F11: a Range of 10,000 bytes');
for (const [range, first, last] of [
  ['bytes=0-499', 0, 499],
  ['bytes=500-999', 500, 999],
  ['bytes=-500', 9500, 9999],
  ['bytes=9500-', 9500, 9999],
  ['bytes=0-0', 0, 0],
  ['bytes=-1', 9999, 9999],
  ['bytes=0-', 0, 9999],
  ['bytes=9999-', 9999, 9999],
  ['bytes=0-99999', 0, 9999],
  ['bytes=-99999', 0, 9999],
  ['bytes=00-09', 0, 9],
  [`bytes=0-${'9'.repeat(400)}`, 0, 9999],
  ['Bytes=0-1', 0, 1],
  ['bytes= 0-1 ', 0, 1],
  ['bytes=,0-1,', 0, 1],
] as const) {
  satisfied(`${range.slice(0, 40)} -> ${first} to ${last}`, () => assert.equal(parseRange(range, 10_000), { first, last }));
}

const others = suite('a Range');
for (const [range, size, expected, why] of [
  [undefined, 10, 'whole', 'there is none'],
  ['bytes=10-', 10, 'unsatisfiable', 'after the end'],
  ['bytes=10-20', 10, 'unsatisfiable', 'after the end'],
  [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable', 'more digits than a number has'],
  ['bytes=-0', 10, 'unsatisfiable', 'the last 0 bytes'],
  ['bytes=0-', 0, 'unsatisfiable', 'nothing is there'],
  ['bytes=0-0', 0, 'unsatisfiable', 'nothing is there'],
  ['bytes=-5', 0, 'whole', 'a suffix of nothing'],
  ['bytes=5-2', 10, 'whole', 'malformed: it ends before it begins'],
  ['bytes=-', 10, 'whole', 'malformed: no position'],
  ['bytes=', 10, 'whole', 'malformed: no range'],
  ['bytes', 10, 'whole', 'malformed: no unit'],
  ['bytes=a-b', 10, 'whole', 'malformed: letters'],
  ['bytes=1.5-2', 10, 'whole', 'malformed: a fraction'],
  ['bytes=+1-2', 10, 'whole', 'malformed: a sign'],
  ['bytes=--1', 10, 'whole', 'malformed: two hyphens'],
  ['bytes=0-1,2-3', 10, 'whole', 'several ranges'],
  ['bytes=0-1, bytes=2-3', 10, 'whole', 'two lines'],
  ['items=0-1', 10, 'whole', 'another unit'],
  ['xbytes=0-1', 10, 'whole', 'another unit'],
] as const) {
  others(`${String(range).slice(0, 40)} of ${size} bytes, ${why} -> ${expected}`, () => assert.is(parseRange(range, size), expected));
}

const conditions = suite('V17 F11: If-Range');
const DATE = 'Sat, 29 Oct 1994 19:43:31 GMT';
const LATER = Date.parse(DATE) + 1000;
for (const [ifRange, etag, lastModified, now, isTrue, why] of [
  [undefined, '"a"', undefined, LATER, true, 'there is none'],
  ['"a"', '"a"', undefined, LATER, true, 'the same tag'],
  ['"b"', '"a"', undefined, LATER, false, 'another tag'],
  ['"a"', undefined, undefined, LATER, false, 'no tag to compare with'],
  ['W/"a"', 'W/"a"', undefined, LATER, false, 'weak tags'],
  ['"a"', 'W/"a"', undefined, LATER, false, 'a weak tag of the response'],
  ['"a", "b"', '"a"', undefined, LATER, false, 'two tags'],
  ['*', '"a"', undefined, LATER, false, 'a star, which If-Range does not have'],
  [DATE, undefined, DATE, LATER, true, 'the same date'],
  [DATE, '"a"', DATE, LATER, true, 'the same date beside a tag'],
  [DATE, undefined, DATE, LATER - 1, false, 'changed less than a second ago'],
  [DATE, undefined, 'Sat, 29 Oct 1994 19:43:30 GMT', LATER, false, 'an earlier date: no order is asked for'],
  [DATE, undefined, undefined, LATER, false, 'no date to compare with'],
  ['yesterday', undefined, 'yesterday', LATER, false, 'no date'],
  ['', '', '', LATER, false, 'nothing'],
] as const) {
  conditions(`${ifRange}: ${why} -> ${isTrue ? 'the part' : 'the whole'}`, () => {
    const lines = ifRange === undefined ? [] : ['If-Range', ifRange];
    const found = findRange(['Range', 'bytes=0-1', ...lines], 10, { etag, lastModified }, now);
    assert.equal(found, isTrue ? { first: 0, last: 1 } : 'whole');
  });
}
conditions('without Range it changes nothing', () => assert.is(findRange(['If-Range', '"a"'], 10, { etag: '"a"', lastModified: undefined }), 'whole'));
