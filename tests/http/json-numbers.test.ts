/** Which numbers of a body are accepted, and which are rejected because a double cannot hold them. */
import { Rejection } from '../../src/errors/problem.ts';
import { parseJsonBody } from '../../src/http/json.ts';
import { assert, suite } from '../support/facts.ts';

function parse(body: string): unknown {
  return parseJsonBody(Buffer.from(body));
}

const HUGE = '9'.repeat(309);

/** Every place where JSON can have a number. */
const PLACES = [
  (number: string) => number,
  (number: string) => ` ${number}\n`,
  (number: string) => `[${number}]`,
  (number: string) => `[0,${number},0]`,
  (number: string) => `{"a":{"b":${number}}}`,
  (number: string) => `{"a":1,"b" : ${number} }`,
] as const;

const exact = suite('a number that a double holds, or that has a fraction or an exponent');
for (const number of [
  '0',
  '-0',
  '7',
  '-7',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '-9007199254740992',
  '9007199254740994',
  '18446744073709551616',
  '-18446744073709551616',
  '100000000000000000000',
  `1${'0'.repeat(22)}`,
  '0.1',
  '-0.1',
  '0.30000000000000004',
  '3.14159265358979323846264338327950288',
  '0.12345678901234567890',
  '9007199254740992.5',
  '-9007199254740992.25',
  '9007199254740991.99999999999999999999',
  `${'0.1234567890'}${'1'.repeat(400)}`,
  '1e3',
  '1E3',
  '1e+3',
  '1e-3',
  '1.5E+03',
  '1e300',
  '-1e308',
  '1.7976931348623157e308',
  '1e0000000000000000001',
  '12345678901234567890e0',
  '12345678901234567890.5e0',
  '9007199254740993.0E1',
  '5e-324',
  '1e-300',
]) {
  exact(`${number} is read in every place`, () => {
    for (const place of PLACES) assert.equal(parse(place(number)), JSON.parse(place(number)));
  });
}

const inexact = suite('B7: a number that a double does not hold');
for (const [number, why] of [
  ['9007199254740993', 'the first integer that is rounded'],
  ['-9007199254740993', 'the first negative integer that is rounded'],
  ['9007199254740995', 'sixteen digits'],
  ['12345678901234567', 'seventeen digits'],
  ['18446744073709551615', 'the greatest of 64 bits'],
  ['-9223372036854775809', 'below the smallest integer of 64 bits'],
  ['100000000000000000001', 'near one that is exact'],
  ['1'.repeat(308), '308 digits'],
  ['9007199254740993.0', 'the first integer that is rounded, with a fraction'],
  ['-9007199254740993.5', 'a negative one, with a fraction'],
  ['123456789012345678.90', 'an amount of money with cents'],
  [`12345678901234567890.${'1'.repeat(400)}`, 'with a long fraction'],
  [HUGE, 'an integer beyond the range of a double'],
  [`-${HUGE}`, 'a negative integer beyond the range of a double'],
  [`${HUGE}.5`, 'beyond the range of a double, with a fraction'],
  [`${'9'.repeat(300)}e10`, 'beyond the range of a double by its digits and its exponent'],
  [`${'9'.repeat(300)}.5E+10`, 'beyond the range of a double by its digits, fraction and exponent'],
  ['1e400', 'beyond the range of a double'],
  ['-1e400', 'beyond the range of a double, negative'],
  ['1E400', 'beyond the range of a double, with E'],
  ['1e+400', 'beyond the range of a double, with a plus'],
  ['1.5e400', 'beyond the range of a double, with a fraction and an exponent'],
  ['1.8e308', 'just beyond the range of a double'],
  ['1e309', 'just beyond the range of a double'],
  ['10e308', 'just beyond the range of a double'],
  ['1e00309', 'an exponent with leading zeros'],
  ['1e99999999999999999999', 'an exponent beyond all measure'],
] as const) {
  inexact(`${why}: ${number.slice(0, 24)} -> rejected in every place, with a message that does not repeat it`, () => {
    for (const place of PLACES) {
      const failure = parse(place(number));
      assert.instance(failure, Rejection);
      assert.is((failure as Rejection).problem.detail, 'Bad arguments: the body has a number that cannot be represented exactly');
    }
  });
}

const BAD = '9007199254740993';

for (const [body, pointer] of [
  [BAD, '#'],
  [`[0,[1, 2],{"a":3},${BAD}]`, '#/3'],
  [`{"a":[0,{"b":1}],"c/d":{"e":[],"\\u0066":${BAD}.5}}`, '#/c~1d/f'],
] as const) {
  inexact(`${body}: its pointer is ${pointer}`, () => assert.is((parse(body) as Rejection).json.split('"pointer":')[1], `"${pointer}"}]}`));
}

const strings = suite('digits in text');
for (const [body, why] of [
  [`"${BAD}"`, 'text of digits'],
  ['"1e400"', 'text with an exponent'],
  [`{"${BAD}":"${BAD}"}`, 'key and value'],
  [`"\\"${BAD}"`, 'after an escaped quote'],
  [`"\\\\\\"${BAD}"`, 'after an escaped backslash and an escaped quote'],
  [`["\\\\","${BAD}"]`, 'after text that ends in an escaped backslash'],
  [`{"a\\"":"\\"${BAD}"}`, 'after a key with an escaped quote'],
  [`"\\u0022${BAD}"`, 'after a quote in hexadecimal'],
  [`["","",":${BAD},"]`, 'after empty text'],
  [`["${BAD}",1.5,-2,"-${BAD}"]`, 'around numbers'],
  [`["- ${BAD}",{":${BAD}":",${BAD}"},"\\n[${BAD}\\t${BAD}.5"]`, 'where a number could begin'],
] as const) {
  strings(`${why}: ${body} -> read`, () => assert.equal(parse(body), JSON.parse(body)));
}
for (const [body, why] of [
  [`["x",${BAD}]`, 'text'],
  [`["\\"",${BAD}]`, 'an escaped quote'],
  [`["\\\\",${BAD}]`, 'an escaped backslash'],
  [`["\\\\\\"",${BAD}]`, 'an escaped backslash and an escaped quote'],
  [`["\\\\\\\\",${BAD}]`, 'two escaped backslashes'],
  [`["\\u005c",${BAD}]`, 'a backslash in hexadecimal'],
  [`{"a\\"b":${BAD}}`, 'a key with an escaped quote'],
  [`["",${BAD}]`, 'empty text'],
  [`["${BAD}",${BAD}]`, 'the same digits in text'],
  [`[9007199254740992,0.1,1e300,${BAD}]`, 'numbers that pass'],
  [`[-${BAD.slice(0, 15)},-${BAD}]`, 'a negative number that passes'],
] as const) {
  strings(`before a number: ${why}, ${body} -> the number is rejected`, () => assert.instance(parse(body), Rejection));
}
