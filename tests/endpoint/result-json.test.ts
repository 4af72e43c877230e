/** A10: How a result becomes JSON, and the message for one that cannot. */
import { writeJson } from '../../src/endpoint/result-json.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const cycle: Record<string, unknown> = { name: 'Rex' };
cycle['self'] = { boss: cycle };
const withToJson: Record<string, unknown> = { toJSON: () => ({ pet: withToJson }) };
const failure = new Error('no JSON today');
const LEVELS = 100_000;
// With a `toJSON`, each V8 writes it recursively.
const deep = nest(LEVELS, { toJSON: () => 1 });

/** Something within lists, `levels` deep. */
function nest(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let at = 0; at < levels; at += 1) value = [value];
  return value;
}

const wrong = suite('a result that cannot be JSON');
for (const [why, value, message] of [
  ['a bigint', 1n, 'the result cannot be written as JSON: it is a bigint: return a string or a number'],
  ['a bigint in a property', { name: 'Rex', pet: { legs: 4, balance: 1n } },
    'the result cannot be written as JSON: pet.balance is a bigint: return a string or a number'],
  ['a bigint in a list', [{ a: 1 }, { a: [null, 2n] }], 'the result cannot be written as JSON: 1.a.1 is a bigint: return a string or a number'],
  ['a bigint from toJSON', { at: { toJSON: () => ({ n: 1n }) } }, 'the result cannot be written as JSON: at.n is a bigint: return a string or a number'],
  ['a cycle', cycle, 'the result cannot be written as JSON: self.boss refers to an object that contains it'],
  ['a cycle through toJSON', withToJson, 'the result cannot be written as JSON: pet refers to an object that contains it'],
  ['more levels than the stack has room for', { doc: { pet: deep } },
    `the result cannot be written as JSON: doc.pet${'.0'.repeat(46)}.…${'.0'.repeat(50)} is nested too deeply`],
  ['a bigint below 1,200 levels', nest(1200, 1n),
    `the result cannot be written as JSON: 0${'.0'.repeat(49)}.…${'.0'.repeat(50)} is a bigint: return a string or a number`],
  ['undefined', undefined, 'the result is undefined: return a value, or reply(204)'],
  ['an error', new RangeError('no such pet'), 'the result is an error: throw it, or return problem(status)'],
  ['a Map', new Map([['a', 1]]), 'the result cannot be written as JSON: it is a Map. Return Object.fromEntries(map)'],
  ['a Set', new Set([1]), 'the result cannot be written as JSON: it is of type Set, and JSON leaves out its items. Return [...items]'],
  ['an iterator', [1].values(), 'the result cannot be written as JSON: it is of type Array Iterator, and JSON leaves out its items. Return [...items]'],
  ['a generator', (function* () { yield 1; })(),
    'the result cannot be written as JSON: it is of type Generator, and JSON leaves out its items. Return [...items]'],
  ['parameters of a query', new URLSearchParams('a=1'),
    'the result cannot be written as JSON: it is of type URLSearchParams, and JSON leaves out its items. Return [...items]'],
  ['a function', () => 1, 'the result cannot be written as JSON: it is of type function'],
  ['a symbol', Symbol('a'), 'the result cannot be written as JSON: it is of type symbol'],
] as const) {
  wrong(`${why} -> TypeError that names the property`, () => assert.throws(() => writeJson(value), isTypeError(message)));
}
for (const [why, value] of [
  ['a toJSON', { pet: { toJSON() { throw failure; } } }],
  ['a getter', { get pet() { throw failure; } }],
  ['a toJSON of many levels', { pet: nest(1200, { toJSON() { throw failure; } }) }],
  // The search finds nothing: the second call succeeds.
  ['a toJSON, once',
    { calls: 0, pet: { toJSON() { if ((this as { isCalled?: true }).isCalled) return 1; (this as { isCalled?: true }).isCalled = true; throw failure; } } }],
] as const) {
  wrong(`an error that ${why} throws is thrown as it is`, () => assert.throws(() => writeJson(value), (thrown: unknown) => thrown === failure));
}
wrong('the error of toJSON calls that do not end is thrown as it is', () => {
  const endless = { toJSON(): unknown { return (this as typeof endless).toJSON(); } };
  assert.throws(() => writeJson({ endless }), (thrown: unknown) => thrown instanceof RangeError);
});
for (const [why, value, json] of [
  ['a Map', { legs: new Map([['left', 1]]) }, '{"legs":{}}'],
  ['a Set', [new Set([1])], '[{}]'],
  ['an iterator', { all: { items: [1].values() } }, '{"all":{"items":{}}}'],
] as const) {
  wrong(`is not ${why} within a result, which JSON writes without its items`, () => assert.is(writeJson(value), json));
}
wrong('is not a bigint with a toJSON, nor an object whose toJSON returns itself', () => {
  const own = { name: 'Rex', toJSON() { return own; } };
  const thrown = { n: Object.assign(Object(1n) as object, { toJSON: () => 1 }), own, balance: 2n };
  assert.throws(() => writeJson(thrown), /JSON: balance is a bigint/);
});
