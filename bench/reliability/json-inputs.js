/** JSON texts of about 1 MiB: one ordinary, the others made to be hard to read. */
const SIZE = 2 ** 20;

/** Records of names and numbers, as an API sends them. */
export const ORDINARY = list((index) => JSON.stringify({ id: index, name: `animal ${index}`, legs: index % 9, weight: index / 4, lethal: index % 2 === 0 }));

/** What it is, the text, and whether restpoint reads it. */
export const HOSTILE = [
  ['200,000 nested arrays', nestedArrays(200_000), true],
  ['200,000 nested arrays, and an escape', `["\\u0061",${nestedArrays(199_999)}]`, true],
  ['524,288 nested arrays', nestedArrays(SIZE / 2), false],
  ['524,280 nested arrays, and an escape', `["\\u0061",${nestedArrays(SIZE / 2 - 8)}]`, false],
  ['349,525 nested arrays, and spaces', '[ '.repeat(SIZE / 3) + ']'.repeat(SIZE / 3), false],
  ['262,143 nested arrays, and numbers', `${'[1,'.repeat(SIZE / 4 - 1)}1${']'.repeat(SIZE / 4 - 1)}`, true],
  ['nested objects', nestedObjects('a'), true],
  ['nested objects, and an escape', nestedObjects('\\u0061'), true],
  ['empty arrays', list(() => '[]'), true],
  ['empty arrays, and an escape', `["\\u0061",${list(() => '[]').slice(1)}`, true],
  ['one string', `"${'a'.repeat(SIZE - 2)}"`, true],
  ['one string of `\\u0041`', `"${'\\u0041'.repeat(SIZE / 6)}"`, true],
  ['one string of `\\"`', `"${'\\"'.repeat(SIZE / 2 - 1)}"`, true],
  ['one string of `\\"`, and a number to look at', `[1234567890123456,"${'\\"'.repeat(SIZE / 2 - 20)}"]`, true],
  ['one string of U+FFFD', `"${'\ufffd'.repeat(SIZE / 3 - 1)}"`, true],
  ['50,000 keys', keys(''), true],
  ['50,000 keys, and an escape', keys('\\u0061'), true],
  ['50,000 keys, an escape, and `1e100` as values', keys('\\u0061', undefined, '1e100'), true],
  ['50,000 keys that are numbers, and an escape', `{"\\u0061":1,${keys('', (index) => index * 80_000).slice(1)}`, true],
  ['one number of a million digits', '1'.repeat(SIZE), false],
  ['the same behind a point', `0.${'1'.repeat(SIZE - 2)}`, true],
  ['integers of 17 digits, exact', list((index) => String(2n ** 54n + 4n * BigInt(index))), true],
  ['integers of 300 digits, exact', list(() => String(2n ** 996n)), true],
  ['numbers of 15 digits', list(() => '123456789012345'), true],
  ['a string of 15 digits and a comma', `"${'123456789012345,'.repeat(SIZE / 16 - 1)}"`, true],
  ['`1e5` and the like', list((index) => `1e${index % 90}`), true],
  ['`1e100` and the like', list((index) => `1e${100 + (index % 200)}`), true],
  ['digits, and a number to look at', `[1234567890123456,${list(() => '1').slice(1)}`, true],
  ['`"__proto__"` as values', list(() => '"__proto__"'), true],
  ['`"__proto__"` as values of objects', list(() => '{"a":"__proto__"}'), true],
  ['white space', `${' '.repeat(SIZE - 1)}1`, true],
];

function list(item) {
  const items = [];
  for (let length = 2; ; ) {
    const next = item(items.length);
    length += next.length + 1;
    if (length > SIZE) return `[${items.join(',')}]`;
    items.push(next);
  }
}

function nestedArrays(depth) {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function nestedObjects(key) {
  const depth = Math.floor(SIZE / (key.length + 6));
  return `${`{"${key}":`.repeat(depth)}1${'}'.repeat(depth)}`;
}

function keys(prefix, name = (index) => `key ${index}`, value = 1) {
  return `{${Array.from({ length: 50_000 }, (_, index) => `"${prefix}${name(index)}":${value}`).join(',')}}`;
}
