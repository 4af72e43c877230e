/** The conditions of RFC 9110 section 13, in the order of section 13.2.2. */
import { type Current, EXISTING, MISSING, findUnmetStatus, UNKNOWN } from '../../src/http/preconditions.ts';
import { assert, suite, type Test } from '../support/facts.ts';

const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT';
const BOTH: Current = { exists: true, etag: '"1"', isVersion: false, lastModified: DATE };
const TAGGED: Current = { exists: true, etag: '"1"', isVersion: false, lastModified: undefined };
const WEAK: Current = { exists: true, etag: 'W/"1"', isVersion: false, lastModified: undefined };
const DATED: Current = { exists: true, etag: undefined, isVersion: false, lastModified: DATE };

type Conditions = Readonly<Record<string, string>>;
type Case = readonly [conditions: Conditions, current: Current, ofGet: 304 | 412 | undefined, ofPut: 304 | 412 | undefined];

const none = suite('no condition');
const match = suite('V13: If-Match');
const unmodified = suite('V16: If-Unmodified-Since');
const noneMatch = suite('V14: If-None-Match');
const modified = suite('V15: If-Modified-Since');
const several = suite('V19: several conditions');

const TABLES: readonly (readonly [suite: Test, cases: readonly Case[]])[] = [
  [none, [
    [{}, BOTH, undefined, undefined],
    [{ 'If-Range': '"2"' }, BOTH, undefined, undefined],
  ]],
  [match, [
    [{ 'If-Match': '"1"' }, TAGGED, undefined, undefined],
    [{ 'If-Match': '"2"' }, TAGGED, 412, 412],
    [{ 'If-Match': '"2", "1"' }, TAGGED, undefined, undefined],
    [{ 'If-Match': 'W/"1"' }, TAGGED, 412, 412],
    [{ 'If-Match': '"1"' }, WEAK, 412, 412],
    [{ 'If-Match': '"1"' }, DATED, 412, 412],
    [{ 'If-Match': '"1"' }, MISSING, 412, 412],
    [{ 'If-Match': '"1"' }, UNKNOWN, 412, 412],
    [{ 'If-Match': '*' }, EXISTING, undefined, undefined],
    [{ 'If-Match': '*' }, MISSING, 412, 412],
    [{ 'If-Match': '*' }, UNKNOWN, undefined, undefined],
    [{ 'If-Match': '1' }, TAGGED, 412, 412],
    [{ 'If-Match': '' }, TAGGED, 412, 412],
  ]],
  [unmodified, [
    [{ 'If-Unmodified-Since': BEFORE }, DATED, 412, 412],
    [{ 'If-Unmodified-Since': DATE }, DATED, undefined, undefined],
    [{ 'If-Unmodified-Since': AFTER }, DATED, undefined, undefined],
    [{ 'If-Unmodified-Since': BEFORE }, TAGGED, undefined, undefined],
    [{ 'If-Unmodified-Since': BEFORE }, { ...DATED, lastModified: 'yesterday' }, undefined, undefined],
    [{ 'If-Unmodified-Since': '1994-11-06' }, DATED, undefined, undefined],
    [{ 'If-Unmodified-Since': `${BEFORE}, ${BEFORE}` }, DATED, undefined, undefined],
  ]],
  [noneMatch, [
    [{ 'If-None-Match': '"1"' }, TAGGED, 304, 412],
    [{ 'If-None-Match': 'W/"1"' }, TAGGED, 304, 412],
    [{ 'If-None-Match': '"1"' }, WEAK, 304, 412],
    [{ 'If-None-Match': '"2"' }, TAGGED, undefined, undefined],
    [{ 'If-None-Match': '"1"' }, DATED, undefined, undefined],
    [{ 'If-None-Match': '"1"' }, MISSING, undefined, undefined],
    [{ 'If-None-Match': '"1"' }, UNKNOWN, undefined, undefined],
    [{ 'If-None-Match': '*' }, EXISTING, 304, 412],
    [{ 'If-None-Match': '*' }, MISSING, undefined, undefined],
    [{ 'If-None-Match': '*' }, UNKNOWN, undefined, undefined],
    [{ 'If-None-Match': '1' }, TAGGED, undefined, 412],
    [{ 'If-None-Match': '' }, MISSING, undefined, 412],
  ]],
  [modified, [
    [{ 'If-Modified-Since': BEFORE }, DATED, undefined, undefined],
    [{ 'If-Modified-Since': DATE }, DATED, 304, undefined],
    [{ 'If-Modified-Since': AFTER }, DATED, 304, undefined],
    [{ 'If-Modified-Since': DATE }, TAGGED, undefined, undefined],
    [{ 'If-Modified-Since': '1999-01-01' }, DATED, undefined, undefined],
    [{ 'If-Modified-Since': `${AFTER}, ${AFTER}` }, DATED, undefined, undefined],
  ]],
  [several, [
    // If-Match is before If-Unmodified-Since, which then does not count.
    [{ 'If-Match': '"1"', 'If-Unmodified-Since': BEFORE }, BOTH, undefined, undefined],
    [{ 'If-Match': '"2"', 'If-Unmodified-Since': AFTER }, BOTH, 412, 412],
    // If-None-Match is before If-Modified-Since, which then does not count.
    [{ 'If-None-Match': '"2"', 'If-Modified-Since': AFTER }, BOTH, undefined, undefined],
    [{ 'If-None-Match': '"1"', 'If-Modified-Since': BEFORE }, BOTH, 304, 412],
    [{ 'If-None-Match': '1', 'If-Modified-Since': AFTER }, BOTH, undefined, 412],
    // The conditions on what is changed are before those on what is sent.
    [{ 'If-Match': '"1"', 'If-None-Match': '"1"' }, BOTH, 304, 412],
    [{ 'If-Match': '"2"', 'If-None-Match': '"1"' }, BOTH, 412, 412],
    [{ 'If-Match': '"1"', 'If-None-Match': '"2"' }, BOTH, undefined, undefined],
    [{ 'If-Unmodified-Since': BEFORE, 'If-Modified-Since': AFTER }, BOTH, 412, 412],
    [{ 'If-Unmodified-Since': AFTER, 'If-Modified-Since': AFTER }, BOTH, 304, undefined],
    [{ 'If-Unmodified-Since': AFTER, 'If-None-Match': '*' }, BOTH, 304, 412],
  ]],
];

for (const [cases, table] of TABLES) {
  for (const [conditions, current, ofGet, ofPut] of table) {
    const rawHeaders = Object.entries(conditions).flatMap(([name, value]) => ['Host', 'a', name, value]);
    for (const [method, expected] of [['GET', ofGet], ['HEAD', ofGet], ['QUERY', ofPut], ['PUT', ofPut], ['POST', ofPut]] as const) {
      cases(`${method} ${JSON.stringify(conditions)} of ${JSON.stringify(current)} -> ${expected ?? 'met'}`, () => {
        assert.is(findUnmetStatus(method, rawHeaders, current), expected);
      });
    }
  }
}
