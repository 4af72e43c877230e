/** The status of heads that two readers could understand differently. */
import { ask } from '../../client.js';
import { makeRows } from '../rows.js';

const BODY = '{"name":"ant","legs":6}';
const get = (target, ...lines) => message('GET', target, ['Host: a', ...lines], '');
const post = (...lines) => message('POST', '/v1/pet', ['Host: a', ...lines], BODY);
const JSON_TYPE = 'Content-Type: application/json';
const LENGTH = `Content-Length: ${BODY.length}`;
const CODED = ['Host: a', JSON_TYPE, 'Transfer-Encoding: gzip, chunked'];

const CASES = [
  ['two `Host` lines', get('/v1/room/a', 'Host: b')],
  ['`Host: a/b`', message('GET', '/v1/room/a', ['Host: a/b'], '')],
  ['`Host: a, b`', message('GET', '/v1/room/a', ['Host: a, b'], '')],
  ['no `Host`', message('GET', '/v1/room/a', [], '')],
  ['`Content-Length: 0023`', post(JSON_TYPE, `Content-Length: 00${BODY.length}`)],
  ['two lengths', post(JSON_TYPE, LENGTH, 'Content-Length: 5')],
  ['the same length twice', post(JSON_TYPE, LENGTH, LENGTH)],
  ['a length and `Transfer-Encoding`', post(JSON_TYPE, LENGTH, 'Transfer-Encoding: chunked')],
  ['`Content_Length` beside the length', post(JSON_TYPE, LENGTH, 'Content_Length: 5')],
  ['`Transfer_Encoding` beside the length', post(JSON_TYPE, LENGTH, 'Transfer_Encoding: chunked')],
  ['`Transfer-Encoding: gzip, chunked`', message('POST', '/v1/pet', CODED, `17\r\n${BODY}\r\n0\r\n\r\n`)],
  ['two `Content-Type` lines', post(JSON_TYPE, 'Content-Type: text/plain', LENGTH)],
  ['a header line that is folded', get('/v1/room/a', 'X: a\r\n b')],
  ['a bare CR in a header', get('/v1/room/a', 'X: a\rY: b')],
  ['2,500 header lines', get('/v1/room/a', ...Array(2500).fill('a:b'))],
  ['a fragment in the target', get('/v1/room/a#b')],
  ['`%00` in the path', get('/v1/room/a%00b')],
  ['`%0d%0a` in the path', get('/v1/room/a%0d%0ab')],
  ['a backslash in the path', get('/v1/room/a\\b')],
  ['`/v1/x/../room/a`', get('/v1/x/../room/a')],
  ['a byte outside ASCII in the path', get('/v1/room/\xe9')],
  ['a path that is not UTF-8: `%ff`', get('/v1/room/%ff')],
  ['`Expect: tea`', get('/v1/room/a', 'Expect: tea')],
];

export const title = 'Status of an ambiguous head';

export const rows = () => makeRows(CASES, async ({ port }, bytes) => (await ask(port, bytes))?.status ?? 'none');

function message(method, target, lines, body) {
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}
