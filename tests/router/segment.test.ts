/** How a segment is read: its end, and a representation of its text that no other text has. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Segment, wordsFor } from '../../src/router/segment.ts';

/** Reads a segment with a buffer for eight characters. */
function read(path: string, start = 0): Segment {
  const segment = new Segment();
  segment.makeRoom(8);
  segment.read(path, start);
  return segment;
}

function textOf({ words, length }: Segment): readonly number[] {
  return [length, ...words.subarray(0, wordsFor(length))];
}

const reading = suite('a parsed segment');
for (const [path, start, length, isFollowed] of [
  ['', 0, 0, false],
  ['/', 0, 0, true],
  ['/', 1, 0, false],
  ['//', 1, 0, true],
  ['a', 0, 1, false],
  ['abc/', 0, 3, true],
  ['/abcd/e', 1, 4, true],
  ['/abcd/e', 6, 1, false],
  ['abcdefgh', 0, 8, false],
  ['abcdefgh/', 0, 8, true],
  // Longer than the buffer: the text after it is not read.
  ['abcdefghi', 0, 9, false],
  ['abcdefghi/', 0, 9, false],
  ['abcdefghijk/', 0, 9, false],
] as const) {
  reading(`${JSON.stringify(path)} from ${start} has ${length} characters, ${isFollowed ? 'and a' : 'and no'} slash after it`, () => {
    const segment = read(path, start);
    assert.is(segment.length, length);
    assert.is(segment.isFollowed, isFollowed);
  });
}
reading('is the same in every place of a path', () => {
  const alone = read('abcdef');
  const between = read('/x/abcdef/y', 3);
  assert.equal(textOf(between), textOf(alone));
  assert.is(between.hash, alone.hash);
});
reading('contains nothing of the segment that was read before', () => {
  const segment = read('abcdefgh');
  segment.read('xy', 0);
  assert.equal(textOf(segment), textOf(read('xy')));
  assert.is(segment.hash, read('xy').hash);
});
reading('keeps a buffer for the longest text, however short the next one is', () => {
  const segment = read('abcdefgh');
  segment.makeRoom(2);
  segment.read('abcdefgh', 0);
  assert.is(segment.length, 8);
});
reading.run();

const texts = suite('the text of a segment');
for (const [one, other] of [
  ['a', 'b'],
  ['ab', 'ba'],
  ['abcd', 'abc'],
  ['abcd', 'abcdabcd'],
  ['abcdefg', 'abcdefgg'],
  // The unused rest of a word is zeros, which are not characters.
  ['a', 'a\0'],
  ['abcd', 'abcd\0'],
  ['', '\0'],
  // The bits of a byte do not reach another byte.
  ['a\x80', 'a\x81'],
  ['abc\xff', 'abc\x7f'],
  ['aa', '\u6161'],
  ['aa', '\u6161a'],
  ['aa', '\u6161\0'],
  ['abcdaa', 'abcd\u6161a'],
  ['abcd', '\u6261\0\u6463\0'],
] as const) {
  texts(`${JSON.stringify(one)} differs from ${JSON.stringify(other)}`, () => {
    assert.not.equal(textOf(read(one)), textOf(read(other)));
  });
}
texts('a text with a character beyond a byte has a length that no other text can have', () => {
  for (const path of ['\u6161', 'abc\u0100', 'abcd\u0100/']) assert.is(read(path).length, -1);
});
texts.run();
