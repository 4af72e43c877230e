/** Entity tags: which a condition names, by the examples of RFC 9110 and variants that clients send, and those of versions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/random.ts';
import { namesStrongTag, namesTag, namesVersionTag, formatTag, parseTags, parseVersions } from '../../src/http/preconditions.ts';

const names = suite('V14: the tags that If-None-Match names');
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
  assert.is(namesTag(`"1"${' '.repeat(16_000)}x`, '"1"'), false);
  assert.is(namesTag(`${' ,'.repeat(8_000)}x`, '"1"'), false);
});
names.run();

const lists = suite('V20: a list of entity tags');
for (const [list, tags] of [
  ['*', '*'],
  ['\t* ', '*'],
  ['"1"', ['"1"']],
  ['W/"1",\t"2" , ""', ['W/"1"', '"2"', '""']],
  [', "1",, ,"2",', ['"1"', '"2"']],
  ['"a,b\\"', ['"a,b\\"']],
  ['"\xe4"', ['"\xe4"']],
] as const) {
  lists(`${JSON.stringify(list)} -> ${JSON.stringify(tags)}`, () => assert.equal(parseTags(list), tags));
}
for (const list of ['', ' ', ',', '1', '"1', '1"', '"1" "2"', '"1"2', '"1", 2', 'w/"1"', 'W/1', 'W"1"', 'W/ "1"', '"a b"', '"\x7f"', '*, *', '*\xa0', '"1", *', '*"1"', "'1'", '"""']) {
  lists(`${JSON.stringify(list)} has none`, () => assert.equal(parseTags(list), []));
}
lists.run();

const strong = suite('V13: the tags that If-Match names');
for (const [list, tag, isNamed] of [
  ['"1"', '"1"', true],
  ['"2", "1"', '"1"', true],
  ['*', '"1"', true],
  ['*', 'W/"1"', true],
  ['"2"', '"1"', false],
  ['W/"1"', '"1"', false],
  ['"1"', 'W/"1"', false],
  ['W/"1"', 'W/"1"', false],
  ['"1", x', '"1"', false],
] as const) {
  strong(`${list} ${isNamed ? 'names' : 'does not name'} ${tag}`, () => assert.is(namesStrongTag(list, tag), isNamed));
}
strong.run();

const ofVersion = suite('V13: the tags of a version that If-Match names');
for (const [list, tag, isNamed] of [
  ['"1"', '"1"', true],
  ['*', '"1"', true],
  // What nginx and Apache make of the tag of a response that they compress.
  ['W/"1"', '"1"', true],
  ['"1-gzip"', '"1"', true],
  ['"2", W/"1-br"', '"1"', true],
  // A version of the user can end so.
  ['"1-gzip"', '"1-gzip"', true],
  ['"1"', '"1-gzip"', false],
  ['"1-gzip-gzip"', '"1"', false],
  ['"1-zip"', '"1"', false],
  ['"2"', '"1"', false],
  ['W/"1", x', '"1"', false],
  // Not the tag of a version, but one that an operation has set.
  ['W/"1"', 'W/"1"', false],
] as const) {
  ofVersion(`${list} ${isNamed ? 'names' : 'does not name'} ${tag}`, () => assert.is(namesVersionTag(list, tag), isNamed));
}
ofVersion.run();

const versions = suite('V1: the tag of a version');
for (const [version, tag] of [
  ['5', '"5"'],
  ['', '""'],
  ['2026-01-31T23:59:59.000Z', '"2026-01-31T23:59:59.000Z"'],
  ['a+/=_-.~!#$&\'()*:;<>?@[]^`{|}', '"a+/=_-.~!#$&\'()*:;<>?@[]^`{|}"'],
  ['a"b', '"a%22b"'],
  ['100%', '"100%25"'],
  ['%22', '"%2522"'],
  ['a, b', '"a%2C%20b"'],
  ['\\', '"%5C"'],
  ['\r\nX: y', '"%0D%0AX:%20y"'],
  ['\0\x7f', '"%00%7F"'],
  ['ä', '"%C3%A4"'],
  ['\u{1f418}', '"%F0%9F%90%98"'],
  ['W/"1"', '"W/%221%22"'],
] as const) {
  versions(`${JSON.stringify(version)} -> ${tag}, and back`, () => {
    assert.is(formatTag(version), tag);
    assert.equal(parseTags(tag), [tag]);
    assert.equal(parseVersions(tag), [version]);
  });
}
versions('at random: no two have one tag, since each can be read back', () => {
  const random = new Random(7);
  for (let count = 0; count < 2_000; count += 1) {
    const length = random.below(12);
    const points = Array.from({ length }, () => random.pick([random.below(0x80), random.below(0x80), random.below(0xd800), 0x10000 + random.below(0x100000)]));
    const version = String.fromCodePoint(...points);
    const tag = formatTag(version);
    assert.match(tag, /^"[\x21\x23-\x7e]*"$/);
    assert.equal(parseVersions(`"x", ${tag} ,W/"y"`), ['x', version, 'y']);
  }
});
for (const [list, expected] of [
  ['*', '*'],
  ['"1", W/"2", "a%22b"', ['1', '2', 'a"b']],
  ['"1-gzip", W/"2-br"', ['1-gzip', '1', '2-br', '2']],
  ['"100%"', ['100%']],
  ['"%ff"', ['%ff']],
  ['1', []],
] as const) {
  versions(`in ${list} -> ${JSON.stringify(expected)}`, () => assert.equal(parseVersions(list), expected));
}
versions.run();
