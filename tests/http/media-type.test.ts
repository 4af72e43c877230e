/** Which values of `Content-Type` are read as JSON. */
import { runInNewContext } from 'node:vm';
import { findBoundary, isJsonType, normalizeBodyType, parseMediaType } from '../../src/http/media-type.ts';
import { assert, suite } from '../support/facts.ts';

const json = suite('a type that is JSON in UTF-8');
for (const type of [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/Json',
  'application/json;charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; Charset=Utf-8',
  'application/json; charset="utf-8"',
  'application/json; charset="UTF-8"',
  'application/json ; charset=utf-8',
  'application/json\t;\tcharset=utf-8\t',
  'application/json;',
  'application/json; ',
  'application/json;;charset=utf-8;',
  'application/json; ; ',
  'application/json; version=1',
  'application/json; version=1; charset=utf-8',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; profile="a; b=\\"c\\""',
  'application/json; x=""',
  'application/json; x="; charset=latin1"',
  'application/json; x="\\"; charset=latin1"; charset=utf-8',
  'application/json; charsets=latin1',
  'application/json; x-charset=latin1',
  'application/problem+json',
  'application/vnd.api+json; ext="https://zoo.example/a,b"',
  'image/svg+json',
  'application/a+b+JSON',
  "!#$%&'*+.^_`|~-/x+json",
]) {
  json(`${JSON.stringify(type)} is read`, () => assert.ok(isJsonType(type)));
}

const other = suite('a different type, or a malformed one');
for (const [type, why] of [
  ['', 'empty'],
  ['json', 'no type'],
  ['application', 'no subtype'],
  ['application/', 'an empty subtype'],
  ['/json', 'an empty type'],
  ['text/plain', 'what a form can send across sites'],
  ['text/plain; charset=utf-8', 'what a form can send across sites'],
  ['text/plain; application/json', 'JSON as a parameter'],
  ['multipart/form-data; boundary=application/json', 'JSON as a boundary'],
  ['application/x-www-form-urlencoded', 'what a form can send across sites'],
  ['text/json', 'no registered type'],
  ['application/json5', 'a longer subtype'],
  ['application/jsonp', 'a longer subtype'],
  ['application/json-seq', 'a longer subtype'],
  ['application/xjson', 'a longer subtype'],
  ['xapplication/json', 'a longer type'],
  ['application/+json', 'a suffix alone'],
  ['application/json+xml', 'another suffix'],
  ['application/a+jsonx', 'another suffix'],
  ['application/a+json/b', 'two slashes'],
  [' application/json', 'white space before it'],
  ['application /json', 'white space inside it'],
  ['application/json charset=utf-8', 'no semicolon'],
  ['application/json, text/plain', 'a list'],
  ['application/json, application/json', 'a list'],
  ['application/json; charset=latin1', 'a different charset'],
  ['application/json; charset=utf-16', 'a different charset'],
  ['application/json; charset=utf8', 'a charset that has no such name'],
  ['application/json; charset="utf-8 "', 'a charset that has no such name'],
  ['application/json; charset=""', 'an empty charset'],
  ['application/json; charset=utf-8; charset=latin1', 'a second charset'],
  ['application/json; charset=latin1; charset=utf-8', 'a first charset'],
  ['application/json; x="; charset=utf-8"; charset=latin1', 'a different charset after one in quotes'],
  ['application/json; x=1; CHARSET=latin1', 'a charset in upper case'],
  ['application/json;charset="latin1"', 'a different charset in quotes'],
  ['application/vnd.api+json; charset=latin1', 'a different charset'],
  ['application/json; charset=', 'a parameter without a value'],
  ['application/json; charset', 'a parameter without a value'],
  ['application/json; =utf-8', 'a parameter without a name'],
  ['application/json; charset = utf-8', 'white space in a parameter'],
  ['application/json; charset=utf-8 x', 'text after a parameter'],
  ['application/json; x="', 'a quote that is not closed'],
  ['application/json; x="a\\"', 'a quote that is not closed'],
  ['application/json; x="a"b', 'text after a quote'],
  ["application/json; charset='utf-8'", 'single quotes are not quotes'],
  ['application/json;\u00a0charset=utf-8', 'white space that HTTP does not have'],
  ['application/json\n', 'a line break'],
] as const) {
  other(`${JSON.stringify(type)}, ${why} -> not read`, () => {
    assert.not.ok(isJsonType(type));
  });
}

const essence = suite('a media type without its parameters');
for (const [type, expected] of [
  ['image/png', 'image/png'],
  ['Image/PNG; a=b', 'image/png'],
  ['text/plain ; charset="utf-8" ', 'text/plain'],
  ['a+b/c.d', 'a+b/c.d'],
  ['image', undefined],
  ['image/', undefined],
  ['image/png a', undefined],
  ['image/png; a', undefined],
  ['*/png;a="', undefined],
  ['', undefined],
] as const) {
  essence(`${JSON.stringify(type)} -> ${expected}`, () => assert.is(parseMediaType(type), expected));
}

const normal = suite('K1: the type of a body in one spelling');
for (const [type, expected, boundary] of [
  ['application/json', 'application/json', undefined],
  ['Application/JSON ; charset="UTF-8"', 'application/json', undefined],
  ['application/vnd.api+json; Ext="a"; charset=utf-8', 'application/vnd.api+json; ext="a"', undefined],
  ['application/json; boundary=a', 'application/json; boundary="a"', undefined],
  ['application/x-www-form-urlencoded;charset=UTF-8', 'application/x-www-form-urlencoded', undefined],
  ['application/x-www-form-urlencoded; charset=latin1', 'application/x-www-form-urlencoded; charset="latin1"', undefined],
  ['multipart/form-data; boundary=a', 'multipart/form-data', 'a'],
  ['Multipart/Mixed; start="a"; BOUNDARY="a b"', 'multipart/mixed; start="a"', 'a b'],
  ['multipart/form-data; boundary=a; boundary=b', 'multipart/form-data', undefined],
  ['multipart/form-data; boundary=""', 'multipart/form-data', undefined],
  ['multipart/form-data', 'multipart/form-data', undefined],
  ['Text/Plain; charset=utf-8', 'Text/Plain; charset=utf-8', undefined],
  ['image', 'image', undefined],
] as const) {
  normal(`${type} -> ${expected}`, () => assert.equal([normalizeBodyType(type), findBoundary(type)], [expected, boundary]));
}

const hostile = suite('a type that is made to be expensive');
for (const [type, why] of [
  [`application/json${'; '.repeat(8000)}@`, 'parameters without anything'],
  [`application/json${';\t \t '.repeat(3000)}@`, 'white space between semicolons'],
  [`application/json${'; a=b '.repeat(2500)}@`, 'parameters'],
  [`application/json${';a="\\"'.repeat(2500)}`, 'quotes that are not closed'],
  [`${'a+json'.repeat(2500)}/`, 'suffixes without a subtype'],
  [`a/${'+json'.repeat(3000)}@`, 'suffixes'],
] as const) {
  hostile(`${why} -> not read, in a short time`, () => {
    // Without its rule the pattern would practically never end, so the test has a time limit from outside.
    assert.is(runInNewContext('isJsonType(type)', { isJsonType, type }, { timeout: 10_000 }), false);
    assert.is(runInNewContext('parseMediaType(type)', { parseMediaType, type }, { timeout: 10_000 }), undefined);
  });
}
