/** Which entity tags a condition names: the examples of RFC 9110, and variants that clients send. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namesTag } from '../../src/http/etag.ts';

const names = suite('the tags that If-None-Match names');
for (const [condition, tag, isNamed] of [
  ['"1"', '"1"', true],
  ['"1"', '"2"', false],
  ['W/"1"', '"1"', true],
  ['"1"', 'W/"1"', true],
  ['W/"1"', 'W/"1"', true],
  ['*', '"1"', true],
  [' * ', 'W/"1"', true],
  ['"2", W/"1"', '"1"', true],
  ['"2","1"', '"1"', true],
  ['"a,b", "1"', '"a,b"', true],
  ['"a,b"', '"b"', false],
  ['"a, b"', '"a, b"', false],
  ['""', '""', true],
  ['', '"1"', false],
  ['1', '"1"', false],
  ['"1', '"1"', false],
  ['"*"', '"1"', false],
  ['"1", *', '"2"', false],
  ['"x"', 'x', false],
] as const) {
  names(`${condition} ${isNamed ? 'names' : 'does not name'} ${tag}`, () => assert.is(namesTag(condition, tag), isNamed));
}
names('a long one in a time that grows with its length', () => {
  assert.is(namesTag('"'.repeat(16_001), '"1"'), false);
  assert.is(namesTag('W/"1",'.repeat(3000), '"2"'), false);
});
names.run();
