/** Shows which headers are formatted as lines, and which are left to Node. */
import { DefaultHeaders, formatLines, formatResponse } from '../../src/http/response.ts';
import { JSON_HEADERS } from '../../src/util/headers.ts';
import { assert, suite } from '../support/facts.ts';

const lines = suite('the lines of headers');
for (const [headers, expected, why] of [
  [[], '', 'none'],
  [JSON_HEADERS, 'Content-Type: application/json\r\n', 'those of JSON'],
  [['Location', '/a', 'X-Own', 'b'], 'Location: /a\r\nX-Own: b\r\n', 'two'],
  [['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'], 'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n', 'two lines of one header'],
  [['X-Empty', ''], 'X-Empty: \r\n', 'an empty value'],
  [['X', 'a\tb~'], 'X: a\tb~\r\n', 'a tab'],
  [['X', 'a\r\nb'], undefined, 'a line break in a value'],
  [['Location', 'a\nb'], undefined, 'a line break in a value of a known header'],
  [['X', 'é'], undefined, 'Latin-1'],
  [['X', '猫'], undefined, 'a character that Node rejects'],
  [['a b', 'x'], undefined, 'a space in a name'],
  [['a\r\nb', 'x'], undefined, 'a line break in a name'],
  [['', 'x'], undefined, 'an empty name'],
  ...['Connection', 'connection', 'Content-Length', 'Date', 'date', 'Expect', 'Keep-Alive', 'Trailer', 'Transfer-Encoding', 'Upgrade'].map((name) => {
    return [[name, 'x'], undefined, `${name}, which Node reads`] as const;
  }),
] as const) {
  lines(why, () => assert.is(formatLines(headers), expected));
}
lines('a name in any spelling, as often as it comes, and however many other names there were', () => {
  for (let at = 0; at < 200; at += 1) assert.is(formatLines([`X-${at}`, 'a']), `X-${at}: a\r\n`);
  for (const name of ['X-0', 'x-0', 'X-199', 'X-0']) assert.is(formatLines([name, 'a']), `${name}: a\r\n`);
  assert.is(formatLines(['X-0', 'a\nb']), undefined);
});

const defaults = suite('the lines of default headers');
for (const [list, headers, expected, why] of [
  [['A', '1', 'B', '2'], ['C', '3'], 'A: 1\r\nB: 2\r\n', 'beside others'],
  [['A', '1', 'B', '2'], ['a', '3'], 'B: 2\r\n', 'beside one of them'],
  [['A', '1'], ['A', '3'], '', 'beside all of them'],
  [['Vary', 'A', 'Link', '<a>'], ['vary', 'B', 'Link', '<b>'], 'Vary: A\r\nLink: <a>\r\n', 'that are lists'],
  [['Vary', 'A', 'B', '1'], ['vary', 'B', 'b', '2'], 'Vary: A\r\n', 'that are lists, beside one of the others'],
  [['A', 'é'], [], undefined, 'that Node must check'],
  [['Date', 'x'], [], undefined, 'that Node reads'],
] as const) {
  defaults(why, () => assert.is(new DefaultHeaders(list).linesBeside(headers), expected));
}
defaults('that are lists of an operation', () => {
  assert.is(new DefaultHeaders(['RateLimit', 'a', 'Vary', 'b'], new Set(['ratelimit'])).linesBeside(['ratelimit', 'c', 'Vary', 'd']), 'RateLimit: a\r\n');
});

const whole = suite('a whole response');
for (const [what, headers, count] of [['without a Date', [], 1], ['with one of its own', ['date', 'Thu, 01 Jan 1970 00:00:00 GMT'], 1]] as const) {
  whole(`${what} has one`, () => {
    const text = formatResponse({ status: 408, headers, body: '' });
    assert.is(text.match(/^date: .* GMT\r$/gim)?.length, count);
    assert.is(text.includes('1970'), headers.length > 0);
  });
}
