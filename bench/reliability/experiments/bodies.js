/** Bodies that `JSON.parse` changes without an error: the status and, where the pet was stored, what a Get returns. */
import { ask } from '../../client.js';
import { makeRows } from '../rows.js';

const CASES = [
  ['a byte that is not UTF-8', '{"name":"a\xff","legs":6}'],
  ['half a surrogate pair in bytes', '{"name":"\xed\xa0\x80","legs":6}'],
  ['`18446744073709551615`', '{"name":"a","legs":18446744073709551615}'],
  ['`9007199254740993`', '{"name":"a","legs":9007199254740993}'],
  ['`1e400`', '{"name":"a","legs":1e400}'],
  ['a key `__proto__`', '{"name":"a","legs":6,"__proto__":{"b":1}}'],
  ['the same key in escapes', '{"name":"a","legs":6,"\\u005f_proto__":{"b":1}}'],
  ['a byte order mark', '\xef\xbb\xbf{"name":"a","legs":6}'],
  ['`9007199254740992`, which is exact', '{"name":"a","legs":9007199254740992}'],
  ['U+FFFD, sent as such', '{"name":"\xef\xbf\xbd","legs":6}'],
];

export const title = 'A body that parsing would change';

export const rows = () => makeRows(CASES, store);

async function store({ port }, body) {
  const head = `POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const created = await ask(port, head + body);
  if (created?.status !== 201) return created?.status ?? 'none';
  const { body: stored } = await ask(port, `GET /v1/pet/${created.body} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return stored === body ? '201, as sent' : `201, Get gives \`${Buffer.from(stored, 'latin1')}\``;
}
