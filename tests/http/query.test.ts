/** A query as an object: read as forms are, and rejected where something would have to be replaced. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Rejection } from '../../src/errors/problem.ts';
import { parseQuery } from '../../src/http/query.ts';

const parsed = suite('O9: a query');
for (const [query, lists, expected] of [
  ['', [], {}],
  ['a=1', [], { a: '1' }],
  ['a=1&b=2', [], { a: '1', b: '2' }],
  ['a=1&a=2', [], { a: ['1', '2'] }],
  ['a=1&b=2&a=3&a=4', [], { a: ['1', '3', '4'], b: '2' }],
  ['a=1', ['a'], { a: ['1'] }],
  ['', ['a', 'b'], { a: [], b: [] }],
  ['b=1&a=2&a=3', ['a'], { a: ['2', '3'], b: '1' }],
  ['a', [], { a: '' }],
  ['a=', [], { a: '' }],
  ['=1', [], { '': '1' }],
  ['&&a=1&', [], { a: '1' }],
  ['a=b=c', [], { a: 'b=c' }],
  ['a+b=c+d', [], { 'a b': 'c d' }],
  ['a%20b=c%2Bd', [], { 'a b': 'c+d' }],
  ['%c3%a4=%F0%9F%90%9C', [], { 'ä': '🐜' }],
  ['a%26b=%3D', [], { 'a&b': '=' }],
  ['constructor=1&toString=2&toString=3&hasOwnProperty=4', [], { constructor: '1', toString: ['2', '3'], hasOwnProperty: '4' }],
] as const) {
  parsed(`${JSON.stringify(query)}${lists.length > 0 ? `, lists: ${lists.join()}` : ''} -> ${JSON.stringify(expected)}`, () => {
    const result = parseQuery(query, new Map(lists.map((name) => [name, true])));
    assert.equal(result, expected);
    assert.is(Object.getPrototypeOf(result), Object.prototype);
  });
}
for (const [query, expected] of [['', {}], ['a=1', { a: ['1'] }], ['a=1&a=2', { a: ['1', '2'] }]] as const) {
  parsed(`${JSON.stringify(query)} with an optional list -> ${JSON.stringify(expected)}`, () => {
    assert.equal(parseQuery(query, new Map([['a', false]])), expected);
  });
}
const TAGS = new Map<string, boolean | string>([['tag', false], ['tag[]', 'tag']]);
for (const [query, expected] of [
  ['tag[]=a&tag[]=b', { tag: ['a', 'b'] }],
  ['tag%5B%5D=a', { tag: ['a'] }],
  ['tag=a&tag[]=b&tag=c', { tag: ['a', 'b', 'c'] }],
  ['tag[]', { tag: [''] }],
  ['tag[0]=a&tag[][]=b&a[]=c', { 'tag[0]': 'a', 'tag[][]': 'b', 'a[]': 'c' }],
] as const) {
  parsed(`${JSON.stringify(query)}, with a list that has a second name -> ${JSON.stringify(expected)}`, () => assert.equal(parseQuery(query, TAGS), expected));
}
parsed('of 1,000 pairs is read', () => {
  assert.is(Object.keys(parseQuery(Array.from({ length: 1000 }, (_, at) => `p${at}=1`).join('&'), new Map())).length, 1000);
});
parsed.run();

const rejected = suite('O9: a query that is rejected');
rejected('for a second name of a list __proto__', () => {
  const failure = parseQuery('__proto__[]=1', new Map<string, boolean | string>([['__proto__', true], ['__proto__[]', '__proto__']]));
  assert.is((failure as Rejection).problem.detail, 'Bad arguments: the query has a parameter named "__proto__"');
});
for (const [query, why, detail] of [
  ['a=%', 'half an escape', 'the query is not percent-encoded UTF-8'],
  ['%zz=1', 'an escape that is none', 'the query is not percent-encoded UTF-8'],
  ['a=%ff', 'bytes that are not UTF-8', 'the query is not percent-encoded UTF-8'],
  ['a=%ed%a0%80', 'half a surrogate pair', 'the query is not percent-encoded UTF-8'],
  ['__proto__=1', 'a name __proto__', 'the query has a parameter named "__proto__"'],
  ['%5F_proto__=1', 'a name __proto__, escaped', 'the query has a parameter named "__proto__"'],
  ['a=1&'.repeat(1001), 'more than 1,000 pairs', 'the query has more than 1,000 parameters'],
  ['&'.repeat(100_000), 'more than 1,000 empty pairs', 'the query has more than 1,000 parameters'],
] as const) {
  rejected(`for ${why}`, () => {
    const failure = parseQuery(query, new Map());
    assert.instance(failure, Rejection);
    assert.is((failure as Rejection).problem.detail, `Bad arguments: ${detail}`);
  });
}
rejected.run();
