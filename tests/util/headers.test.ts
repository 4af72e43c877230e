/** Shows which headers of a user are sent, and which are rejected, by a `TypeError` that names the field. */
import { checkHeaders, FRAMING_HEADERS, hasHeader, mergeHeaders, toHeadersObject } from '../../src/util/headers.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const accepted = suite('headers of a user');
for (const [headers, list, why] of [
  [{}, [], 'none'],
  [{ ETag: '"1"', 'X-Mood': 'calm' }, ['ETag', '"1"', 'X-Mood', 'calm'], 'strings, in their order and as they are spelt'],
  [{ 'X-Empty': '' }, ['X-Empty', ''], 'an empty value'],
  [{ 'X-Tab': 'a\tb c~' }, ['X-Tab', 'a\tb c~'], 'tabs and spaces'],
  [{ "!#$%&'*+.^_`|~-9": 'x' }, ["!#$%&'*+.^_`|~-9", 'x'], 'every character of a token'],
  [{ constructor: 'a', toString: 'b', ['__proto__']: 'c' }, ['constructor', 'a', 'toString', 'b', '__proto__', 'c'], 'the names of Object.prototype'],
  [Object.assign(Object.create(null), { A: 'b' }), ['A', 'b'], 'an object without a prototype'],
  [{ 'X-None': [] }, [], 'an empty list'],
  ...['Set-Cookie', 'Link', 'Vary', 'Cache-Control', 'Allow', 'WWW-Authenticate', 'Proxy-Authenticate', 'Warning', 'Via', 'Accept-Ranges',
    'Content-Encoding', 'Content-Language', 'Authentication-Info', 'X-Own'].map((name) => {
    return [{ [name]: ['a', 'b'] }, [name, 'a', name, 'b'], `two lines of ${name}`] as const;
  }),
] as const) {
  accepted(why, () => assert.equal(checkHeaders(headers), list));
}

const rejected = suite('E6: headers that are rejected');
for (const [headers, message, why] of [
  [{ 'a b': 'x' }, 'header name is not valid: "a b"', 'a space in a name'],
  [{ 'a\r\nb': 'x' }, 'header name is not valid: "a\\r\\nb"', 'a line break in a name'],
  [{ 'a:': 'x' }, 'header name is not valid: "a:"', 'a colon in a name'],
  [{ 'é': 'x' }, 'header name is not valid: "é"', 'a name outside of ASCII'],
  [{ '': 'x' }, 'header name is not valid: ""', 'an empty name'],
  ...['a\r\nB: c', 'a\nb', 'a\rb', 'a\0b', 'a\x7f', 'é', '€'].map((value) => {
    return [{ 'X-A': value }, 'header X-A must have only printable ASCII', `the value ${JSON.stringify(value)}`] as const;
  }),
  [{ 'X-A': ['a', 'b\n'] }, 'header X-A must have only printable ASCII', 'a line break in a list'],
  [{ 'X-A': 7 }, 'header X-A must be a string: number', 'a number'],
  [{ 'X-A': undefined }, 'header X-A must be a string: undefined', 'undefined'],
  [{ 'X-A': null }, 'header X-A must be a string: object', 'null'],
  [{ 'X-A': ['a', 7] }, 'header X-A must be a string: number', 'a number in a list'],
  [{ 'X-A': [['a']] }, 'header X-A must be a string: object', 'a list in a list'],
  [{ ETag: '"1"', etag: '"2"' }, 'header etag occurs twice', 'a name in two cases'],
  [{ Link: ['a'], LINK: [] }, 'header LINK occurs twice', 'a list in two cases'],
  ...['Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'TE', 'CONNECTION', 'te'].map((name) => {
    return [{ [name]: 'x' }, `header ${name} cannot be set: the server sets it`, `the framing field ${name}`] as const;
  }),
  ...['Location', 'Content-Type', 'ETag', 'Date', 'Last-Modified', 'Retry-After', 'Age', 'Expires', 'Server', 'Content-Range',
    'Content-Location', 'location'].map((name) => {
    return [{ [name]: ['x'] }, `header ${name} must be a string, not a list`, `a list for ${name}`] as const;
  }),
  ...([
    ['a Map', new Map([['A', 'b']])],
    ['a Headers object', new Headers({ A: 'b' })],
    ['a list', ['A', 'b']],
    ['text', 'A: b'],
    ['null', null],
    ['undefined', undefined],
  ] as const).map(([why, headers]) => [headers, 'headers must be a plain object of names and values', why] as const),
] as const) {
  rejected(why, () => assert.throws(() => checkHeaders(headers), isTypeError(message)));
}
rejected('a caller can reject other fields', () => {
  assert.throws(() => checkHeaders({ 'Content-Type': 'a/b' }, new Set([...FRAMING_HEADERS, 'content-type'])), /header Content-Type cannot be set/);
  assert.equal(checkHeaders({ 'Content-Length': '3' }, new Set()), ['Content-Length', '3']);
  assert.throws(() => checkHeaders({ 'Content-Length': ['3'] }, new Set()), /header Content-Length must be a string/);
});

const objects = suite('a list of headers as an object');
for (const [list, entries, why] of [
  [[], [], 'none'],
  [['ETag', '"1"', 'X-Empty', ''], [['ETag', '"1"'], ['X-Empty', '']], 'strings, in their order'],
  [['Link', '<a>', 'ETag', '"1"', 'Link', '<b>', 'Link', '<c>'], [['Link', ['<a>', '<b>', '<c>']], ['ETag', '"1"']], 'several lines'],
  [['vary', 'a', 'ETag', '"1"', 'Vary', 'b', 'VARY', 'c'], [['vary', ['a', 'b', 'c']], ['ETag', '"1"']], 'several lines, in different cases'],
  [['constructor', 'a', '__proto__', 'b', '__proto__', 'c'], [['constructor', 'a'], ['__proto__', ['b', 'c']]], 'the names of Object.prototype'],
] as const) {
  objects(why, () => {
    const headers = toHeadersObject(list);
    assert.equal(Object.entries(headers), entries);
    assert.is(Object.getPrototypeOf(headers), Object.prototype);
  });
}

const looking = suite('the look-up of a header');
looking('finds a name in any case, and no value', () => {
  assert.ok(hasHeader(['WWW-Authenticate', 'Allow'], 'www-authenticate'));
  assert.not.ok(hasHeader(['WWW-Authenticate', 'Allow'], 'allow'));
  assert.not.ok(hasHeader([], 'allow'));
});

const merged = suite('a header of two sources');
for (const [name, lines] of [
  ['Vary', ['a', 'b']], ['Set-Cookie', ['a', 'b']], ['Link', ['a', 'b']], ['RateLimit', ['a']],
  ['ETag', ['a']], ['Cache-Control', ['a']], ['WWW-Authenticate', ['a']],
] as const) {
  merged(`${name} has ${lines.length === 1 ? 'the line of the first' : 'the lines of both'}`, () => {
    assert.equal(mergeHeaders([name, 'a'], [name.toLowerCase(), 'b', 'X-Other', 'c']).filter((_, at) => at % 2 === 1), [...lines, 'c']);
  });
}
merged('RateLimit has the lines of both, if it is given as a list', () => {
  assert.equal(mergeHeaders(['RateLimit', 'a'], ['ratelimit', 'b', 'Vary', 'c'], new Set(['ratelimit'])), ['RateLimit', 'a', 'ratelimit', 'b', 'Vary', 'c']);
});
