/** One object of two. */
import { joinObjects } from '../../src/util/join-objects.ts';
import { assert, suite } from '../support/facts.ts';

class Counter {
  #count = 1;
  name = 'counter';
  get count(): number {
    return this.#count;
  }
}

const joined = suite('joinObjects');
for (const [what, first, second] of [
  ['the first', new Counter(), { tx: 7, name: 'other' }], ['the second', { tx: 7, name: 'counter' }, new Counter()],
] as const) {
  joined(`a getter of ${what} finds its private properties, and the first object's name counts`, () => {
    const both = joinObjects(first, second) as Counter & { readonly tx: number };
    assert.equal([both.count, both.tx, both.name], [1, 7, 'counter']);
    assert.equal(['count' in both, 'tx' in both, 'missing' in both, Reflect.get(both, 'missing')], [true, true, false, undefined]);
    assert.equal({ ...both }, { tx: 7, name: 'counter' });
    assert.equal(Object.keys(both).sort(), ['name', 'tx']);
  });
}
joined('a joined object can be joined again', () => {
  const all = joinObjects(joinObjects(new Counter(), { a: 1 }), { b: 2 }) as Counter;
  assert.equal([{ ...all }, all.count], [{ name: 'counter', a: 1, b: 2 }, 1]);
});
