/** A node is found only by its parent and its whole text. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Nodes, NONE, ROOT } from '../../src/router/nodes.ts';
import { Segment } from '../../src/router/segment.ts';
import { Random } from '../support/random.ts';

const LONGEST = 200;

function segmentOf(text: string): Segment {
  const segment = new Segment();
  segment.makeRoom(LONGEST);
  segment.read(text, 0);
  return segment;
}

/** Pairs of different texts, of seven characters each, whose hashes are the same. */
function collisions(count: number): (readonly [string, string])[] {
  const random = new Random(1);
  const textOf = new Map<number, string>();
  const pairs: (readonly [string, string])[] = [];
  const segment = segmentOf('');
  while (pairs.length < count) {
    const text = random.below(2 ** 32).toString(36).padStart(7, '0');
    segment.read(text, 0);
    const other = textOf.get(segment.hash);
    textOf.set(segment.hash, text);
    if (other !== undefined && other !== text) pairs.push([other, text]);
  }
  return pairs;
}

const nodes = suite('the nodes');
nodes('are empty at first, and the root has no children', () => {
  const empty = new Nodes();
  assert.not.ok(empty.hasLiterals(ROOT));
  assert.is(empty.parameterOf(ROOT), NONE);
  for (const text of ['', 'a', 'abcd']) assert.is(empty.find(ROOT, segmentOf(text)), NONE);
});

nodes('are found only below their parent, which has children from then on', () => {
  const some = new Nodes();
  const one = some.add(ROOT, segmentOf('a'));
  const other = some.add(ROOT, segmentOf('b'));
  const child = some.add(one, segmentOf('c'));
  assert.equal([ROOT, one, other, child].map((node) => some.hasLiterals(node)), [true, true, false, false]);
  assert.equal([ROOT, one, other, child].map((node) => some.find(node, segmentOf('c'))), [NONE, child, NONE, NONE]);
  assert.equal([ROOT, one, other, child].map((node) => some.find(node, segmentOf('a'))), [one, NONE, NONE, NONE]);
});

nodes('of parameters are found by their parents alone, never by a text, and can have children', () => {
  const some = new Nodes();
  const first = some.addParameter(ROOT);
  const literal = some.add(first, segmentOf('a'));
  const second = some.addParameter(literal);
  const third = some.addParameter(second);
  assert.is(new Set([ROOT, first, literal, second, third]).size, 5);
  assert.equal([ROOT, first, literal, second, third].map((node) => some.parameterOf(node)), [first, NONE, second, third, NONE]);
  assert.equal([ROOT, first, literal, second, third].map((node) => some.hasLiterals(node)), [false, true, false, false, false]);
  assert.is(some.find(first, segmentOf('a')), literal);
  for (const text of ['', 'a', ':']) assert.is(some.find(ROOT, segmentOf(text)), NONE);
});

nodes('of 10,000 parameters and literals below each other are found after the table has grown', () => {
  const some = new Nodes();
  const found: (readonly [number, number, number])[] = [];
  let parent = ROOT;
  for (let index = 0; index < 10_000; index += 1) {
    const parameter = some.addParameter(parent);
    const literal = some.add(parameter, segmentOf(`${index % 7}`.repeat(index % 40 + 1)));
    found.push([parent, parameter, literal]);
    parent = literal;
  }
  for (const [index, [above, parameter, literal]] of found.entries()) {
    assert.is(some.parameterOf(above), parameter);
    assert.is(some.find(parameter, segmentOf(`${index % 7}`.repeat(index % 40 + 1))), literal);
    assert.is(some.find(above, segmentOf('')), NONE);
  }
});

nodes('of texts of every length up to 200 are different, even with the same start', () => {
  const some = new Nodes();
  const lengths = Array.from({ length: LONGEST }, (_, index) => index + 1);
  const added = lengths.map((length) => some.add(ROOT, segmentOf('a'.repeat(length))));
  assert.is(new Set([ROOT, ...added]).size, LONGEST + 1);
  assert.equal(lengths.map((length) => some.find(ROOT, segmentOf('a'.repeat(length)))), added);
  for (const length of lengths) assert.is(some.find(ROOT, segmentOf(`${'a'.repeat(length - 1)}b`)), NONE, `${length}`);
});

nodes('of texts with the same hash are different, also before the second is added', () => {
  const pairs = collisions(3);
  for (const [one, other] of pairs) {
    assert.is(segmentOf(one).hash, segmentOf(other).hash);
    assert.is(one.length, other.length);
    const some = new Nodes();
    const first = some.add(ROOT, segmentOf(one));
    assert.is(some.find(ROOT, segmentOf(other)), NONE, `${other} beside ${one}`);
    const second = some.add(ROOT, segmentOf(other));
    assert.is.not(first, second);
    assert.equal([one, other].map((text) => some.find(ROOT, segmentOf(text))), [first, second]);
  }
});

// These tests have so many nodes that entries with the same remaining bits of their hashes often lie side by side in the table.
for (const [what, textOf] of [
  ['last', (characters: string) => `same${characters}`],
  ['first', (characters: string) => `${characters}-same`],
] as const) {
  nodes(`of 830,584 texts that differ in their ${what} three characters are found if they were added`, () => {
    const some = new Nodes();
    const segment = segmentOf('');
    const added = new Map<number, number>();
    const read = (index: number): void => {
      const codes = [index % 94, Math.floor(index / 94) % 94, Math.floor(index / 94 ** 2)].map((code) => code + 0x21);
      segment.read(textOf(String.fromCharCode(...codes).replaceAll('/', ' ')), 0);
    };
    for (let index = 0; index < 94 ** 3; index += 20) {
      read(index);
      added.set(index, some.add(ROOT, segment));
    }
    for (let index = 0; index < 94 ** 3; index += 1) {
      read(index);
      assert.is(some.find(ROOT, segment), added.get(index) ?? NONE, `${index}`);
    }
  });
}

nodes('of 50,000 parents with a child of the same name are each found below their own parent only', () => {
  const some = new Nodes();
  const segment = segmentOf('');
  const name = segmentOf('feed');
  const children = new Map<number, number>();
  for (let index = 0; index < 50_000; index += 1) {
    segment.read(`${index}`, 0);
    const parent = some.add(ROOT, segment);
    children.set(parent, some.add(parent, name));
  }
  for (const [parent, child] of children) assert.is(some.find(parent, name), child);
  for (let other = 200_000; other < 2 ** 31; other += 5_003) assert.is(some.find(other, name), NONE, `${other}`);
});
nodes.run();
