/** Which headers the server reads, and which heads it rejects before it looks up a route. */
import { findHeader } from '../../src/http/head.ts';
import { Head } from '../../src/http/head.ts';
import { CONDITION_HEADERS } from '../../src/http/preconditions.ts';
import { makeRejection } from '../../src/errors/problem.ts';
import { assert, suite } from '../support/facts.ts';

const HOST = ['Host', 'a'] as const;

const HOST_IS_WRONG = 'The request must name one valid host.';
const LENGTH_IS_UNCLEAR = 'The length of the body is not clear.';

const read = suite('a header that the server reads');
for (const [name, property] of [
  ['Host', 'host'],
  ['Content-Type', 'contentType'],
  ['Content-Encoding', 'contentEncoding'],
  ['Expect', 'expectation'],
  ['Upgrade', 'upgrade'],
  ['Sec-WebSocket-Version', 'websocketVersion'],
] as const) {
  for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
    read(`${spelling} -> ${property}, unchanged`, () => assert.is(new Head(['X', 'y', spelling, 'Some Value', 'Z', 'y'])[property], 'Some Value'));
  }
  read(`no ${name} -> undefined, even with other names of the same length`, () => {
    assert.is(new Head(['x'.repeat(name.length), 'Some Value'])[property], undefined);
    assert.is(new Head([])[property], undefined);
  });
}
for (const [name, property] of [['Content-Encoding', 'contentEncoding'], ['Expect', 'expectation'], ['Upgrade', 'upgrade']] as const) {
  read(`two lines of ${name} -> one list`, () => {
    const head = new Head([...HOST, name, 'a', name.toLowerCase(), 'b']);
    assert.is(head[property], 'a, b');
    assert.is(head.findRejection('1.1'), undefined);
  });
}
for (const name of CONDITION_HEADERS.reads) {
  read(`${name} -> isConditional`, () => {
    assert.equal([new Head([...HOST, name, 'x']).isConditional, new Head([...HOST, name.toLowerCase(), 'x']).isConditional], [true, true]);
    assert.is(new Head([...HOST, 'x'.repeat(name.length), 'x']).isConditional, false);
  });
}

const asked = suite('a header that is rarely read');
for (const [headers, value, why] of [
  [[...HOST, 'Origin', 'http://b'], 'http://b', 'as it was sent'],
  [['ORIGIN', 'http://B', ...HOST], 'http://B', 'by its name in other letters'],
  [['Origin', ''], '', 'empty'],
  [['Origin', 'http://a', 'X', 'y', 'origin', 'http://b'], 'http://a, http://b', 'two lines, as one list'],
  [[...HOST, 'Expect', 'origin', 'x-origin', 'y'], undefined, 'not there, whatever other lines have'],
  [[], undefined, 'not there'],
] as const) {
  asked(`${why}: ${JSON.stringify(headers)} -> ${value}`, () => assert.is(findHeader(headers, 'origin'), value));
}

const bodies = suite('the body that a head declares');
for (const [headers, hasBody, declaredBytes] of [
  [[], false, 0],
  [['Content-Length', '0'], false, 0],
  [['Content-Length', '7'], true, 7],
  [['Content-Length', '1000'], true, 1000],
  [['content-length', '9007199254740991'], true, 9007199254740991],
  [['Transfer-Encoding', 'chunked'], true, undefined],
  [['TRANSFER-ENCODING', 'Chunked'], true, undefined],
  [['x'.repeat(14), '7', 'x'.repeat(17), 'chunked'], false, 0],
] as const) {
  bodies(`${headers.join(': ') || 'nothing'} -> hasBody ${hasBody}, declaredBytes ${declaredBytes}`, () => {
    const head = new Head([...HOST, ...headers]);
    assert.is(head.hasBody, hasBody);
    assert.is(head.declaredBytes, declaredBytes);
    assert.is(head.findRejection('1.1'), undefined);
  });
}

const accepted = suite('an accepted head');
for (const [version, headers, why] of [
  ['1.1', ['Host', 'zoo.example:80'], 'a host'],
  ['1.0', [], 'HTTP/1.0 without a host'],
  ['1.0', ['Host', 'zoo.example', 'Content-Length', '7'], 'HTTP/1.0 with a host and a length'],
  ['1.1', [...HOST, 'Content-Type', 'application/json'], 'one Content-Type'],
  ['1.1', [...HOST, 'Accept', 'a', 'Accept', 'b', 'Cookie', 'a', 'Cookie', 'b'], 'other headers twice'],
  ['1.1', [...HOST, 'X-Content_Length', '7', 'Content_Type', 'a'], 'other names with an underscore'],
] as const) {
  accepted(why, () => assert.is(new Head(headers).findRejection(version), undefined));
}
accepted('2,000 header lines', () => assert.is(new Head(lines(2000)).findRejection('1.1'), undefined));

const rejected = suite('a rejected head');
for (const [version, headers, status, detail, why] of [
  ['1.1', [], 400, HOST_IS_WRONG, 'no host'],
  ['1.1', ['Host', 'a', 'Host', 'a'], 400, HOST_IS_WRONG, 'the same host twice'],
  ['1.1', ['Host', 'a', 'HOST', 'b'], 400, HOST_IS_WRONG, 'two hosts'],
  ['1.1', ['Host', '', 'Host', 'a'], 400, HOST_IS_WRONG, 'an empty host, then a valid one'],
  ['1.0', ['Host', 'a', 'host', 'a'], 400, HOST_IS_WRONG, 'two hosts in HTTP/1.0'],
  ['1.1', [...HOST, 'Content-Type', 'a/b', 'content-type', 'a/b'], 400, 'The request has more than one Content-Type.', 'a repeated Content-Type'],
  ['1.1', [...HOST, 'Content-Length', '7', 'Content-Length', '7'], 400, LENGTH_IS_UNCLEAR, 'the same length twice'],
  ['1.1', [...HOST, 'Content-Length', '7', 'content-length', '8'], 400, LENGTH_IS_UNCLEAR, 'two lengths'],
  ['1.1', [...HOST, 'Content-Length', '7, 7'], 400, LENGTH_IS_UNCLEAR, 'a list of lengths'],
  ['1.1', [...HOST, 'Content-Length', '07'], 400, LENGTH_IS_UNCLEAR, 'a length with a leading zero'],
  ['1.1', [...HOST, 'Content-Length', '00'], 400, LENGTH_IS_UNCLEAR, 'a length of two zeros'],
  ['1.1', [...HOST, 'Content-Length', '+7'], 400, LENGTH_IS_UNCLEAR, 'a length with a plus'],
  ['1.1', [...HOST, 'Content-Length', '-7'], 400, LENGTH_IS_UNCLEAR, 'a negative length'],
  ['1.1', [...HOST, 'Content-Length', '0x7'], 400, LENGTH_IS_UNCLEAR, 'a length in hexadecimal'],
  ['1.1', [...HOST, 'Content-Length', '7.0'], 400, LENGTH_IS_UNCLEAR, 'a length with a fraction'],
  ['1.1', [...HOST, 'Content-Length', ''], 400, LENGTH_IS_UNCLEAR, 'an empty length'],
  ['1.1', [...HOST, 'Content-Length', '12345678901234567'], 400, LENGTH_IS_UNCLEAR, 'a length of seventeen digits'],
  ['1.0', ['Content-Length', '07'], 400, LENGTH_IS_UNCLEAR, 'a length with a leading zero in HTTP/1.0'],
  ['1.1', [...HOST, 'Content-Length', '7', 'Transfer-Encoding', 'chunked'], 400, LENGTH_IS_UNCLEAR, 'length and coding'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'chunked', 'Content-Length', '0'], 400, LENGTH_IS_UNCLEAR, 'coding and a length of zero'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked'], 400, LENGTH_IS_UNCLEAR, 'two codings'],
  ['1.0', [...HOST, 'Transfer-Encoding', 'chunked'], 400, LENGTH_IS_UNCLEAR, 'a coding in HTTP/1.0'],
  ['1.1', [...HOST, 'Transfer-Encoding', ''], 400, 'The length of the body is not clear.', 'an empty coding'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'gzip'], 501, 'The only supported transfer coding is chunked.', 'another coding'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'gzip, chunked'], 501, 'The only supported transfer coding is chunked.', 'a list of codings'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'identity'], 501, 'The only supported transfer coding is chunked.', 'identity as a coding'],
  ['1.1', [...HOST, 'Transfer-Encoding', 'xchunked'], 501, 'The only supported transfer coding is chunked.', 'a coding much like chunked'],
  ['1.1', [...HOST, 'Content_Length', '7'], 400, LENGTH_IS_UNCLEAR, 'a length with an underscore'],
  ['1.1', [...HOST, 'TRANSFER_ENCODING', 'chunked'], 400, LENGTH_IS_UNCLEAR, 'a coding with an underscore'],
  ['1.1', ['Host', 'a', 'Host', 'b', 'Content_Length', '7'], 400, HOST_IS_WRONG, 'the first of two errors is named: the host'],
  ['1.1', ['Host', 'a', 'Host', 'b', 'Transfer_Encoding', 'x'], 400, HOST_IS_WRONG, 'the first of two errors is named: the host again'],
  ['1.1', ['Transfer_Encoding', 'x', 'Host', 'a', 'Host', 'b'], 400, LENGTH_IS_UNCLEAR, 'the first of two errors is named: the coding'],
] as const) {
  rejected(`${why} -> ${status}`, () => {
    const { problem } = new Head(headers).findRejection(version) ?? {};
    assert.equal([problem?.status, problem?.detail], [status, detail]);
  });
}
rejected('2,001 header lines -> 431, before any other check', () => {
  const tooMany = makeRejection('headers-length', 'The request has too many header lines.');
  assert.equal(new Head(lines(2001)).findRejection('1.1'), tooMany);
  assert.equal(new Head([...lines(2000), ...HOST]).findRejection('1.1'), tooMany);
});

/** Makes `count` header lines, the first of them a host. */
function lines(count: number): string[] {
  return [...HOST, ...Array.from({ length: count - 1 }, () => ['X', 'y']).flat()];
}
