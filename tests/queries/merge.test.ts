/** The change of a form: what is kept, what is a conflict, and odd values. */
import { ConflictError, merge } from '../../src/queries/index.ts';
import { makeQueried } from '../support/fake-cache.ts';
import { assert, suite } from '../support/facts.ts';

const merging = suite('merge(seen, mine)');
const proto = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}') as object;
for (const [what, seen, mine, newest, expected] of [
  ['nothing was changed by others', { a: 1, b: 1 }, { a: 2 }, { a: 1, b: 1 }, { a: 2, b: 1 }],
  ['others have changed a different property', { a: 1, b: 1 }, { a: 2 }, { a: 1, b: 3, c: 1 }, { a: 2, b: 3, c: 1 }],
  ['both have changed the same', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 3, b: 1 }, ['a']],
  ['both have changed two', { a: 1, b: 1 }, { a: 2, b: 2 }, { a: 3, b: 3 }, ['a', 'b']],
  ['both have changed it in the same way', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
  ['the form has all values, and the user changed none', { a: 1, b: 1 }, { a: 1, b: 1 }, { a: 3, b: 1 }, { a: 3, b: 1 }],
  ['nothing is mine', { a: 1 }, {}, { a: 2 }, { a: 2 }],
  ['a new property', { a: 1 }, { b: 2 }, { a: 1 }, { a: 1, b: 2 }],
  ['both have added a property', { a: 1 }, { b: 2 }, { a: 1, b: 3 }, ['b']],
  ['others have removed it', { a: 1, b: 1 }, { b: 2 }, { a: 1 }, ['b']],
  ['I have removed it', { a: 1, b: 1 }, { b: undefined }, { a: 1, b: 1 }, { a: 1, b: undefined }],
  ['I have removed it, and others have changed it', { a: 1, b: 1 }, { b: undefined }, { a: 1, b: 2 }, ['b']],
  ['both have removed it', { a: 1, b: 1 }, { b: undefined }, { a: 1 }, { a: 1, b: undefined }],
  ['equal lists and objects', { a: [1, { b: 1 }] }, { a: [2] }, { a: [1, { b: 1 }] }, { a: [2] }],
  ['lists that both have changed', { a: [1] }, { a: [1, 2] }, { a: [1, 3] }, ['a']],
  ['a date, which JSON has as a string', { a: '1970-01-01T00:00:00.000Z' }, { a: new Date(0) }, { a: 'later' }, { a: 'later' }],
  ['names in a different order', { a: { x: [{ y: 1, z: 2 }], w: 0 } }, { a: { w: 0, x: [{ z: 2, y: 1 }] } }, { a: { w: 1, x: [] } }, { a: { w: 1, x: [] } }],
  ['a database that sorts names', { a: { x: 1, y: 2 } }, { a: { x: 1, y: 3 } }, { a: { y: 2, x: 1 } }, { a: { x: 1, y: 3 } }],
  ['lists in a different order', { a: [1, 2] }, { a: [2, 1] }, { a: [1, 2, 3] }, ['a']],
  ['null', { a: null }, { a: 0 }, { a: null }, { a: 0 }],
] as readonly (readonly [string, object, object, object, unknown])[]) {
  merging(`${what}: ${JSON.stringify(expected)}`, () => {
    const given = JSON.stringify([seen, mine, newest]);
    const change = merge(seen, mine);
    if (!Array.isArray(expected)) assert.equal(change(newest), expected);
    else {
      let error;
      try {
        change(newest);
      } catch (thrown) {
        error = thrown as ConflictError<object>;
      }
      assert.ok(error instanceof ConflictError && error instanceof Error);
      assert.equal([error.name, error.message, error.fields, error.newest], ['ConflictError', `Others have changed ${expected.join(', ')}.`, expected, newest]);
    }
    assert.is(JSON.stringify([seen, mine, newest]), given);
  });
}
merging('the names of JavaScript are properties like any others', () => {
  const merged = merge({}, proto)({ a: 1 }) as { isAdmin?: true };
  assert.equal([Object.getPrototypeOf(merged) === Object.prototype, merged.isAdmin, Object.keys(merged).sort()],
    [true, undefined, ['__proto__', 'a', 'constructor']]);
});
merging('each property of a large item is read a few times, however many others there are', () => {
  let reads = 0;
  const makeItem = (name: string) => ({
    name, lines: Array.from({ length: 500 }, (_, at) => new Proxy({ [`sku${at}`]: at }, { get: (row, key) => (reads += 1, Reflect.get(row, key)) })),
  });
  const [seen, newest] = [makeItem('a'), makeItem('a')];
  assert.is(merge(seen, makeItem('b'))(newest).name, 'b');
  assert.ok(reads < 500 * 50, `${reads} reads`);
});
merging('of a conflict nothing is sent, and after it was shown the next is', async () => {
  const { q, cache, sent } = makeQueried((request) => (request.startsWith('GET') ? { legs: 5, name: 'Max' } : new Response(null, { status: 204 })));
  const save = (seen: object) => q('/pet').edit().mutationFn([1, merge(seen, { legs: 3 })], { client: cache }).catch((error: ConflictError) => error);
  const conflict = await save({ legs: 4, name: 'Rex' });
  assert.equal([conflict.fields, sent], [['legs'], ['GET /pet/1']]);
  assert.equal(await save(conflict.newest), { legs: 3, name: 'Max' });
  assert.equal(sent, ['GET /pet/1', 'GET /pet/1', 'PUT /pet/1']);
});
