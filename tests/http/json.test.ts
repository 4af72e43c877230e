/** Which bodies are read as JSON, and which are rejected: not UTF-8, not JSON, `__proto__`, and with `uniqueKeys` a key twice. */
import { Rejection } from '../../src/errors/problem.ts';
import { parseJsonBody } from '../../src/http/json.ts';
import { assert, suite } from '../support/facts.ts';

const MUCH = 200_000;
const MOST = 1000;
const nest = (open: string, close: string, levels = MOST): string => open.repeat(levels) + '1' + close.repeat(levels);

/** The message for a rejected body. Throws if the body was not rejected. */
function failureOf(body: string | Buffer): string {
  const value = parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body);
  if (!(value instanceof Rejection)) throw new Error('the body was not rejected');
  return (value.problem.detail ?? '').replace(/^Bad arguments: /, '');
}

const read = suite('a body that is JSON');
for (const [body, value, why] of [
  ['null', null, 'null'],
  ['true', true, 'a boolean'],
  ['"ant"', 'ant', 'text'],
  ['{}', {}, 'an empty object'],
  ['[]', [], 'an empty list'],
  [' \t\r\n{"legs" : 6 }\n', { legs: 6 }, 'white space around it'],
  ['{"a":1,"a":2}', { a: 2 }, 'the last of two equal keys wins'],
  ['{"constructor":1,"toString":2,"hasOwnProperty":3}', { constructor: 1, toString: 2, hasOwnProperty: 3 }, 'other names that every object has'],
  ['{"name":"caf\u00e9 \u{1f41c}"}', { name: 'caf\u00e9 \u{1f41c}' }, 'what is not ASCII'],
  ['"\ufffd"', '\ufffd', 'U+FFFD, sent as itself'],
  ['"\\ufffd"', '\ufffd', 'U+FFFD, escaped'],
  ['"\\ud800"', '\ud800', 'an escaped lone surrogate'],
  ['"\\udc00\\ud800"', '\udc00\ud800', 'escaped surrogates the wrong way round'],
  ['"\\ud83d\\udc1c"', '\u{1f41c}', 'an escaped pair of surrogates'],
  ['"\\u0000"', '\0', 'an escaped NUL'],
  ['"\ufeff"', '\ufeff', 'a byte order mark inside text'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t', 'every short escape'],
] as const) {
  read(`${why}: ${JSON.stringify(body)}`, () => assert.equal(parseJsonBody(Buffer.from(body)), value));
}
for (const [what, body] of [['lists', nest('[', ']')], ['objects', nest('{"a":', '}')], ['both', nest('[0,{"a":', '}]', MOST / 2)]] as const) {
  read(`${what} in ${MOST} levels`, () => assert.equal(parseJsonBody(Buffer.from(body)), JSON.parse(body)));
}
for (const [body, why] of [
  [`[${'[],'.repeat(MUCH)}[]]`, 'any number of lists beside each other'],
  [`["${'['.repeat(MUCH + 1)}",[[]]]`, 'brackets in text'],
  [`["\\"${'['.repeat(MUCH + 1)}",[[]]]`, 'brackets in text after an escaped quote'],
] as const) {
  read(`${why}, do not count as levels`, () => assert.ok(Array.isArray(parseJsonBody(Buffer.from(body)))));
}

const nested = suite('B5: a body that is nested too deeply');
const DEEP = 'the body is nested too deeply';
for (const [body, message, why] of [
  [nest('[', ']', MOST + 1), DEEP, 'lists, in one level more'],
  [nest('{"a":', '}', MOST + 1), DEEP, 'objects, in one level more'],
  [nest('[0,', ']', MOST + 1), DEEP, 'lists with other items'],
  [`[${nest('{"a":[0,', ']}', MOST / 2)}]`, DEEP, 'both, in one level more'],
  [`[${nest('{"b":{},"a":', '}', MOST)}]`, DEEP, 'objects beside which others end'],
  [`["]${'}'.repeat(MOST)}",${nest('[', ']')}]`, DEEP, 'after closing brackets in text'],
  ['['.repeat(2 ** 20), DEEP, 'only opening brackets'],
  ['[ ['.repeat(MUCH), DEEP, 'opening brackets with spaces between them'],
  [`[["${'['.repeat(2 ** 20)}`, `the body is not JSON: it ends too early, at byte ${2 ** 20 + 3}`, 'opening brackets in text that does not end'],
] as const) {
  nested(`${why}: ${message}`, () => assert.is(failureOf(body), message));
}

const BYTES = {
  utf16: Buffer.from('\ufeff{}', 'utf16le'),
  latin1: Buffer.from('{"name":"caf\u00e9"}', 'latin1'),
};

// `json-position.test.ts` has many more, and where the error is.
const NOT_JSON = /^the body is not JSON: it (?:has an error at byte \d+|ends too early, at byte \d+)$/;

const malformed = suite('a body that is not UTF-8 or not JSON');
for (const [body, message, why] of [
  ['', 'the body is empty', 'nothing at all'],
  ['{"name":"ant",}', NOT_JSON, 'a trailing comma'],
  ['// ant\n{}', NOT_JSON, 'a comment'],
  ['Infinity', NOT_JSON, 'Infinity'],
  ['name=ant', NOT_JSON, 'a form'],
  ['\ufeff', NOT_JSON, 'a byte order mark alone'],
  [BYTES.utf16, 'the body is not UTF-8', 'UTF-16 with its byte order mark'],
  [BYTES.utf16.subarray(2), NOT_JSON, 'UTF-16 without a byte order mark'],
  [Buffer.from(BYTES.utf16).swap16(), 'the body is not UTF-8', 'UTF-16 with the high byte first'],
  [BYTES.latin1, 'the body is not UTF-8', 'Latin-1'],
  [Buffer.from('"\xc3"', 'latin1'), 'the body is not UTF-8', 'a character cut short'],
  [Buffer.from('"\xed\xa0\x80"', 'latin1'), 'the body is not UTF-8', 'a lone surrogate in bytes'],
  [Buffer.from('"\xc0\xaf"', 'latin1'), 'the body is not UTF-8', 'a character in more bytes than it needs'],
  [Buffer.from('"\xf4\x90\x80\x80"', 'latin1'), 'the body is not UTF-8', 'a character beyond Unicode'],
  [Buffer.from('"\xef\xbf\xbd\xff"', 'latin1'), 'the body is not UTF-8', 'U+FFFD, and then no UTF-8'],
] as const) {
  malformed(`${why} -> ${String(message)}`, () => assert.match(failureOf(body), message));
}

const proto = suite('a key named __proto__');
for (const [body, why] of [
  ['{"__proto__":{"admin":true}}', 'on top'],
  ['{"__proto__":null}', 'with null'],
  ['{"__proto__":7}', 'with a number'],
  ['{"a":1,"__proto__":[]}', 'after another key'],
  ['{"a":{"b":{"__proto__":1}}}', 'in an object in an object'],
  ['[[{"__proto__":1}]]', 'in a list in a list'],
  ['[null,"x",7,{"a":[{}]},{"a":[{"__proto__":1}]}]', 'among much else'],
  ['{"\\u005f_proto__":1}', 'with its first character escaped'],
  ['{"__pr\\u006Fto__":1}', 'with a character in its middle escaped'],
  ['{"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}', 'all in escapes'],
  ['{"a":{"\\u005F_proto__":{}}}', 'escaped, in an object in an object'],
  ['{"__proto__" \t\r\n:1}', 'with white space after it'],
  ['{"a":{"__proto__":1},"a":2}', 'in an object that a later key replaces'],
  [nest('{"a":', '}', MOST - 1).replace('1', '{"__proto__":1}'), `under ${MOST - 1} objects`],
] as const) {
  proto(`${why} -> rejected`, () => assert.is(failureOf(body), 'the body has a key named "__proto__"'));
}
for (const [body, value] of [
  ['"__proto__"', '__proto__'],
  ['{"name":"__proto__"}', { name: '__proto__' }],
  ['["__proto__","\\u005f_proto__",null]', ['__proto__', '__proto__', null]],
  ['{"proto":1,"__proto":2,"__proto___":3,"__PROTO__":4}', { proto: 1, __proto: 2, __proto___: 3, __PROTO__: 4 }],
  ['{"\\\\u005f_proto__":1}', { '\\u005f_proto__': 1 }],
  ['{"\\"__proto__":1,"a__proto__":2}', { '"__proto__': 1, a__proto__: 2 }],
  ['["\\"__proto__\\":"]', ['"__proto__":']],
  ['{"n\\u0061me":"\\u0061nt"}', { name: 'ant' }],
] as const) {
  proto(`${body} has no such key -> read`, () => assert.equal(parseJsonBody(Buffer.from(body)), value));
}

const unique = suite('B15: uniqueKeys');
for (const [body, why] of [
  ['{"a":1,"a":2}', 'in the one object'],
  ['{"a":1,"a":1}', 'with the same value'],
  ['{"a" \t\r\n:1,"a":2}', 'with white space before the colon'],
  ['{"a":1,"b":2,"a":3}', 'with another between'],
  ['{"":1,"":2}', 'that is empty'],
  ['{"a":1,"\\u0061":2}', 'written with an escape'],
  ['{"\\"":1,"\\u0022":2}', 'that is a quote'],
  ['{"1":1,"1":2}', 'that is an index'],
  ['{"constructor":1,"constructor":2}', 'that every object has'],
  ['[{"a":[{"b":1,"b":2}]}]', 'deep inside'],
  ['{"a":{"x":1},"a":{"x":1}}', 'with an object as its value'],
  ['{"a":{"x":1,"y":2,"z":3},"a":1}', 'whose first value is lost with its own keys'],
  [nest('{"a":', '}', MOST - 1).replace('1', '{"b":1,"b":2}'), `under ${MOST - 1} objects`],
] as const) {
  unique(`a key twice, ${why} -> rejected`, () => {
    const failure = parseJsonBody(Buffer.from(body), true);
    assert.is((failure as Rejection).problem.detail, 'Bad arguments: an object of the body has a key twice');
    assert.not.instance(parseJsonBody(Buffer.from(body)), Rejection);
  });
}
for (const [body, why] of [
  ['{}', 'no key'],
  ['null', 'no object'],
  ['"a:b"', 'text with a colon'],
  ['{"a":1,"A":2}', 'keys in other letters'],
  ['{"a":{"a":{"a":1}}}', 'in objects in each other'],
  ['[{"a":1},{"a":1}]', 'in objects beside each other'],
  ['{"a":"a\\":","b":":"}', 'text that looks like a key'],
  ['["a","a",":"]', 'strings that are items'],
  ['{"\u00e9":1,"e\u0301":2}', 'characters that look alike'],
] as const) {
  unique(`${why} -> read`, () => {
    const value = parseJsonBody(Buffer.from(body), true);
    assert.equal(value, JSON.parse(body));
  });
}
