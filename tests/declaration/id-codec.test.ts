/** Which strings are ids, which are rejected, and that each id has one spelling. */
import { integerId, stringId, uint64Id, uuidId } from '../../src/declaration/id-codec.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const UUID = '123e4567-e89b-12d3-a456-426614174000';

const accepted = suite('a string that is an id');
for (const [name, codec, ids] of [
  ['stringId', stringId, [['ant', 'ant'], ['', ''], ['a/b', 'a/b'], ['__proto__', '__proto__'], ['\u{1f41c}', '\u{1f41c}']]],
  ['integerId', integerId, [
    ['0', 0],
    ['7', 7],
    ['-7', -7],
    ['10', 10],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
  ]],
  ['uint64Id', uint64Id, [
    ['0', 0n],
    ['7', 7n],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
  ]],
  ['uuidId', uuidId, [[UUID, UUID], ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000']]],
] as const) {
  for (const [text, id] of ids) {
    accepted(`${name}: ${JSON.stringify(text)} is parsed, and formatted as the same text`, () => {
      assert.is(codec.parse(text), id);
      assert.is((codec.format as (value: unknown) => string)(id), text);
    });
  }
}
accepted('uuidId: upper case is parsed, and formatted in lower case', () => {
  assert.is(uuidId.parse(UUID.toUpperCase()), UUID);
  assert.is(uuidId.format(UUID.toUpperCase()), UUID);
});

const NO_NUMBERS = ['', ' ', 'ant', '+7', '07', '00', '-0', '-', ' 7', '7 ', '7\n', '7.0', '7e0', '0x7', '1_000', '7n', 'Infinity', 'NaN', '\u0667'];
const INTEGER = 'id: expected a decimal integer from -9007199254740991 to 9007199254740991';
const UINT64 = 'id: expected a decimal integer from 0 to 18446744073709551615';
const UUID_FORM = 'id: expected a UUID, such as 123e4567-e89b-12d3-a456-426614174000';

const rejected = suite('a string that is not an id');
for (const [name, codec, message, strings] of [
  ['integerId', integerId, INTEGER, [
    ...NO_NUMBERS,
    '9007199254740992',
    '-9007199254740992',
    '18446744073709551615',
    '9'.repeat(400),
  ]],
  ['uint64Id', uint64Id, UINT64, [...NO_NUMBERS, '-1', '18446744073709551616', '99999999999999999999', '1'.repeat(21), '9'.repeat(400)]],
  ['uuidId', uuidId, UUID_FORM, [
    '',
    UUID.slice(1),
    `${UUID}0`,
    `${UUID}\n`,
    `{${UUID}}`,
    `urn:uuid:${UUID}`,
    UUID.replaceAll('-', ''),
    UUID.replaceAll('-', '_'),
    UUID.replace('1', 'g'),
  ]],
] as const) {
  for (const text of strings) {
    rejected(`${name}: ${JSON.stringify(text.slice(0, 45))} -> TypeError that names the expected form and does not repeat the text`, () => {
      assert.throws(() => codec.parse(text), typeError(message));
    });
  }
}

const unwritable = suite('a result of create that is not an id');
for (const [name, codec, message, ids] of [
  ['integerId', integerId, INTEGER, [NaN, Infinity, 1.5, 2 ** 53, -(2 ** 53), '7', 7n, undefined, null]],
  ['uint64Id', uint64Id, UINT64, [-1n, 2n ** 64n, 7, '7', undefined, null]],
  ['uuidId', uuidId, UUID_FORM, ['ant', '', undefined, null, 7]],
] as const) {
  for (const id of ids) {
    unwritable(`${name}: ${typeof id} ${String(id)} -> TypeError`, () => {
      assert.throws(() => (codec.format as (value: unknown) => string)(id), typeError(message));
    });
  }
}

function typeError(message: string): (error: unknown) => boolean {
  return isTypeError(message);
}
