/** The position in the response to a body that is not JSON: the first byte that JSON cannot have there. */
import { Rejection } from '../../src/errors/problem.ts';
import { parseJsonString } from '../../src/http/json.ts';
import { readCaseCount, Random } from '../support/random.ts';
import { assert, suite } from '../support/facts.ts';

/** The position in the message. `undefined` for a string that is JSON, and for a message without a position. */
function findByte(text: string): number | undefined {
  const rejected = parseJsonString(text, false);
  const detail = rejected instanceof Rejection ? String(rejected.problem.detail) : '';
  const [, end, byte] = / JSON: it (?:has an error|(ends too early),) at byte (\d+)$/.exec(detail) ?? [];
  if (byte !== undefined) assert.is(end !== undefined, Number(byte) === Buffer.byteLength(text), detail);
  return byte === undefined ? undefined : Number(byte);
}

const positions = suite('B5: the first error in a string that is not JSON');
for (const [text, byte, why] of [
  [' \n', 2, 'white space alone'],
  ['{', 1, 'an object without its end'],
  ['[', 1, 'a list without its end'],
  ['[1', 2, 'a list without its end, behind a value'],
  ['{"name"', 7, 'a name without its colon'],
  ['{"name":', 8, 'a name without its value'],
  ['{"name" 1}', 8, 'a value without a colon'],
  ['{"name": "ant"', 14, 'an object without its end, behind a value'],
  ['{"name": "ant",}', 15, 'a comma after the last property'],
  ['[1,]', 3, 'a comma after the last item'],
  ['[,1]', 1, 'a comma before the first item'],
  ['{,}', 1, 'a comma before the first property'],
  ['[1 2]', 3, 'items without a comma'],
  ['{"a":1 "b":2}', 7, 'properties without a comma'],
  ['[1}', 2, 'a list that ends like an object'],
  ['{"a":1]', 6, 'an object that ends like a list'],
  [']', 0, 'an end without its beginning'],
  ['{} {}', 3, 'two values'],
  ['{}\0', 2, 'a NUL after the value'],
  ["{'a':1}", 1, 'single quotes'],
  ['{a:1}', 1, 'a name without quotes'],
  ['{1:1}', 1, 'a number as a name'],
  ['// ant', 0, 'a comment'],
  ['undefined', 0, 'undefined'],
  ['NaN', 0, 'NaN'],
  ['nan', 1, 'a word that begins like null'],
  ['tru', 3, 'a word without its end'],
  ['trueish', 4, 'a word with more at its end'],
  ['False', 0, 'a word in upper case'],
  ['-', 1, 'a minus alone'],
  ['-x', 1, 'a minus before a letter'],
  ['+1', 0, 'a plus'],
  ['01', 1, 'a leading zero'],
  ['.5', 0, 'a fraction alone'],
  ['1.', 2, 'a point without digits'],
  ['1.e5', 2, 'a point before an exponent'],
  ['1e', 2, 'an exponent without digits'],
  ['1E+', 3, 'an exponent with a sign alone'],
  ['1e+-1', 3, 'an exponent with two signs'],
  ['1.5.5', 3, 'two points'],
  ['0x10', 1, 'hexadecimal'],
  ['1_000', 1, 'an underscore'],
  ['1n', 1, 'a bigint'],
  ['"ant', 4, 'text without its end'],
  ['"a\nb"', 2, 'a line break in text'],
  ['"\\', 2, 'a backslash at the end'],
  ['"\\x41"', 2, 'an escape that JSON has not'],
  ['"\\u00e"', 6, 'an escape with three digits'],
  ['"\\u00', 5, 'an escape without its end'],
  ['"\\u00gg"', 5, 'an escape with other digits'],
  ['\ufeff{}', 0, 'a byte order mark'],
  ['\u00a0{}', 0, 'white space that JSON has not'],
  ['["caf\u00e9" x', 9, 'behind a character of two bytes'],
  ['["\u{1f41c}" x', 8, 'behind a character of four bytes'],
  ['[1, 2, 3, 4, 5, undefined, 6, 7, 8, 9]', 16, 'far from both ends'],
  ['undefined, 1, 2, 3, 4, 5', 0, 'at the beginning of a longer text'],
  ['[1, 2, 3, 4, 5, 6, 7, 8,]', 24, 'at the end of a longer text'],
  ['[1, 2, 3, 4, 5, 6, 7, 8', 23, 'a longer text that ends too early'],
  ['["8, 9, 10, 11,]", 8, 9, 10, 11,]', 32, 'at the end, with the same characters before'],
  ['["is it at position 5", x, "or at position 7"]', 24, 'between strings that say a position'],
  ['["\u2026 is not valid JSON", undefined, "is not valid JSON"]', 26, 'between strings that say that they are not JSON'],
  [`["${'a'.repeat(50_000)}", undefined]`, 50_005, 'behind a long text'],
  ['['.repeat(1000), 1000, 'lists without their ends, nested as deeply as they may be'],
] as const) {
  positions(`${why}: ${JSON.stringify(text.slice(0, 40))} -> ${byte}`, () => {
    assert.throws(() => JSON.parse(text), (thrown: unknown) => thrown instanceof SyntaxError);
    assert.is(findByte(text), byte);
  });
}
positions('no position where the same twenty characters come again', () => {
  const rejected = parseJsonString('["1, 2, 3, 4, x, 5, 6, 7, 8", 1, 2, 3, 4, x, 5, 6, 7, 8]', false);
  assert.instance(rejected, Rejection);
  assert.is((rejected as Rejection).problem.detail, 'Bad arguments: the body is not JSON');
});

const PIECES: readonly [string, ...string[]] = [
  '{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '0', '1', '-', '+', '.', 'e', 'E', 'u', 'n', 'true', 'false', 'null', '"a"', '"a":', '\\u00e9', '\\n', '\\x',
  '1.5', '1e5', '[]', '{}', '\u00e9', '\u{1f41c}', '\0', 'x', '"... is not valid JSON', ' at position 5',
];

/** What a string can end with, so that it becomes JSON. The first of them that fits is enough. */
const ENDS = ['', '0', '"', '00"', '000"', '0000"', 'n"', ...['true', 'false', 'null'].flatMap((word) => [...word].map((_, at) => word.slice(at + 1)))];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Closes what is open in a string that JSON can begin with. */
function closeText(text: string): string | undefined {
  for (const end of ENDS) {
    for (const value of ['', '0', ':0', '"":0']) {
      const whole = text + end + value;
      const ends = closings(whole);
      if (isJson(whole + ends)) return whole + ends;
    }
  }
  return undefined;
}

/** The ends of the objects and lists that are open at the end of a string. */
function closings(text: string): string {
  const open: string[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]]/gs)) {
    if (token === '{') open.push('}');
    else if (token === '[') open.push(']');
    else if (token === '}' || token === ']') open.pop();
  }
  return open.reverse().join('');
}

// Each is tried with many ends, and most of them throw.
const ROUNDS = readCaseCount(100);
const agreement = suite('B5: random strings');
for (const seed of [1, 2, 3, 4]) {
  agreement(`of the seed ${seed}: JSON can begin with all before the error, and not with the error`, () => {
    const random = new Random(seed);
    for (let time = 0; time < ROUNDS; time += 1) {
      const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(PIECES)).join('');
      if (isJson(text) || text === '') continue;
      const at = findByte(text);
      const characters = Buffer.from(text).subarray(0, at).toString();
      assert.ok(text.startsWith(characters), JSON.stringify(text));
      assert.ok(closeText(characters) !== undefined, `${JSON.stringify(text)} has no error before ${characters.length}`);
      if (characters.length < text.length) assert.is(closeText(text.slice(0, characters.length + 1)), undefined, JSON.stringify(text));
    }
  });
}
