/** JSON that is rejected: for its numbers, by the issues of a schema, by a function that throws. */
import { ApiError, type StandardSchemaV1 } from '../../../src/index.ts';
import { checkDecoder, SCHEMA_MAKERS } from '../../support/serve-decoder.ts';
import { makeRevokedProxy } from '../../support/failing-operations.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, suite } from '../../support/facts.ts';

const INEXACT = '400 Bad arguments: the body has a number that cannot be represented exactly @';

const numbers = suite('B7: a number that a double cannot hold exactly');
for (const [json, why, at = '#'] of [
  ['18446744073709551615', 'the largest of 64 bits'],
  ['9007199254740993', 'one over 2^53'],
  ['-9007199254740993', 'one below -2^53'],
  ['[1,{"legs":9007199254740993}]', 'deep inside', '#/1/legs'],
  ['{"9":9007199254740993}', 'after a key that is a number', '#/9'],
  ['["\\"",9007199254740993]', 'after an escaped quote', '#/1'],
  ['1e400', 'beyond the range'],
  ['-1e400', 'beyond the range, negative'],
  ['1E+0400', 'beyond the range, with leading zeros in the exponent'],
  ['123456789e301', 'beyond the range by its digits and its exponent'],
  ['1.5e999', 'a fraction beyond the range'],
  ['9'.repeat(400), 'beyond the range in digits alone'],
] as readonly (readonly [string, string, string?])[]) {
  numbers(`${why} -> 400, and no operation is invoked`, () => checkDecoder((value) => value, `${INEXACT}${at}`, { body: json }));
}
for (const [json, pointer] of [
  ['1e400', '#'],
  ['{"a":{"b":[1,1e400]}}', '#/a/b/1'],
  ['[{"a":[],"b":{}},{"c":1,"d~/é\\u0041":-9007199254740993}]', '#/1/d~0~1%C3%A9A'],
  ['{"a":"1e400","b":"{[,:","c":[[],["]"],1e400],"d":1e400}', '#/c/2'],
  ['{"":{"__proto__":1e400}}', '#//__proto__'],
  // A name is repeated only if it is short.
  [`{"${'a'.repeat(998)}":1e400}`, `#/${'a'.repeat(998)}`],
  [`{"${'a'.repeat(999)}":1e400}`, '#'],
  [`${'{"a":'.repeat(600)}1e400${'}'.repeat(600)}`, '#'],
] as const) {
  numbers(`${json.slice(0, 60)} -> 400 with the pointer ${pointer.slice(0, 60)}`, () => checkDecoder((value) => value, `${INEXACT}${pointer}`, { body: json }));
}
for (const [json, value] of [
  ['9007199254740992', 2 ** 53],
  ['-9007199254740992', -(2 ** 53)],
  ['9007199254740994', 2 ** 53 + 2],
  ['18446744073709551616', 2 ** 64],
  ['0.1', 0.1],
  ['0.12345678901234567890', 0.12345678901234568],
  ['1e308', 1e308],
  ['1e-400', 0],
  ['"18446744073709551615"', '18446744073709551615'],
  ['{"18446744073709551615":1}', { '18446744073709551615': 1 }],
  ['"1e400"', '1e400'],
] as const) {
  numbers(`${json} has no such number -> accepted`, () => checkDecoder((decoded) => decoded, undefined, { body: json, received: [value, value, value] }));
}

const ISSUES: readonly (readonly [why: string, issues: readonly StandardSchemaV1.Issue[], sent: string])[] = [
  ['a property', [{ message: 'expected 6', path: ['legs'] }], 'expected 6 @#/legs'],
  ['no place', [{ message: 'expected a pet' }], 'expected a pet @#'],
  ['the whole', [{ message: 'expected a pet', path: [] }], 'expected a pet @#'],
  ['an item', [{ message: 'no', path: ['legs', 0, { key: 'toes' }] }], 'no @#/legs/0/toes'],
  ['two properties', [{ message: 'one', path: ['a'] }, { message: 'two', path: ['b'] }], 'one; two @#/a @#/b'],
  ['a name to escape', [{ message: 'no', path: ['a/b~c', 'd e', '你', ''] }], 'no @#/a~1b~0c/d%20e/%E4%BD%A0/'],
  ['a name that is a lone surrogate', [{ message: 'no', path: ['\ud800'] }], 'no @#/%EF%BF%BD'],
];

const schemas = suite('B8: a Standard Schema');
for (const [kind, makeSchema] of SCHEMA_MAKERS) {
  schemas(`${kind}: the operation gets its output`, () => (
    checkDecoder(makeSchema((value) => ({ value: { wrapped: value } })), undefined, { body: '[1]', received: [{ wrapped: [1] }, { wrapped: [1] }, { wrapped: [1] }] })
  ));
  const failure = new Error('the schema is broken');
  schemas(`${kind} that throws -> 500, logged, and the operation is not invoked`, () => (
    checkDecoder(makeSchema(() => { throw failure; }), '500', { logged: 'Internal error: the schema is broken', cause: failure })
  ));
  for (const [why, issues, sent] of ISSUES) {
    schemas(`${kind} with issues at ${why} -> 400 with them, and the operation is not invoked`, () => checkDecoder(makeSchema(() => ({ issues })), `400 Bad arguments: ${sent}`));
  }
}

const functions = suite('B8: a decoder function');
for (const [why, thrown, detail] of [
  ['an Error', new RangeError('legs: expected 6'), 'legs: expected 6'],
  ['what a store reports as not found', Object.assign(new Error('no such table'), { code: 'P2025' }), 'no such table'],
  ['a string', 'legs: expected 6', 'legs: expected 6'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['an object that cannot be made text', Object.create(null), 'an error without a message'],
  ['a revoked proxy', makeRevokedProxy(), 'an error without a message'],
] as const) {
  for (const [way, decode] of [
    ['throws', () => { throw thrown; }],
    ['rejects with', async () => { throw thrown; }],
  ] as const) {
    functions(`${way} ${why} -> 400 with its message, and the operation is not invoked`, () => checkDecoder(decode, `400 Bad arguments: ${detail} @#`));
  }
}
for (const [way, decode] of [
  ['throws', () => { throw ApiError.argument('legs: expected 6', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); }],
  ['rejects with', async () => { throw ApiError.argument('legs: expected 6', { errors: [{ detail: 'odd', pointer: '#/legs' }] }); }],
] as const) {
  functions(`${way} an Argument error -> its own problem`, () => checkDecoder(decode, '400 Bad arguments: legs: expected 6 {"errors":[{"detail":"odd","pointer":"#/legs"}]}'));
}
for (const [way, decode] of [
  ['throws', () => { throw Promise.reject(new Error('not awaited')); }],
  ['rejects with', async () => { throw Promise.reject(new Error('not awaited')); }],
] as const) {
  functions(`${way} a rejected promise -> 400, and nothing is unhandled`, async () => {
    assert.equal(await captureUnhandled(() => checkDecoder(decode, '400 Bad arguments: [object Promise] @#')), []);
  });
}
for (const [way, decode] of [
  ['returns', (json: unknown) => ({ wrapped: json })],
  ['promises', async (json: unknown) => ({ wrapped: json })],
] as const) {
  functions(`${way} the value that the operation gets`, () => checkDecoder(decode, undefined, { body: '[1]', received: [{ wrapped: [1] }, { wrapped: [1] }, { wrapped: [1] }] }));
}
