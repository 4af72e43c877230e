/** A list in pages that clients can sort: the subject's endpoint, requests for it, and the rules, implemented independently of the server. */
import { createHash } from 'node:crypto';
import { defineEndpoint, integerId, stringId, type ApiServer } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import type { Random } from '../support/random.ts';
import type { CallLog } from './call-log.ts';
import type { Draft } from './draft.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { bytesOf } from './operation.ts';
import { isQuery } from './queries.ts';

interface Item {
  readonly id: number;
  readonly name: string;
  readonly legs: number;
}

// With equal keys, and with some that look like something else.
const NAMES = ['b', 'a', '', '-name', '["name"]', '\u00e9\ud83d\udc1c', '\ud800', '\0', "' OR 1=1 --", 'b', 'a&b=c#', 'x'.repeat(60)];
const ITEMS: readonly Item[] = NAMES.map((name, id) => ({ id, name, legs: (id * 7) % 3 }));
const MAX = 5;
const STANDARD = 3;

const compare = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);

/** Registers it with a server. */
export function registerPages(server: ApiServer, log: CallLog): void {
  server.registerEndpoint('/page', defineEndpoint({
    id: integerId,
    list: {
      etag: 'body',
      cache: { maxAgeSeconds: 60 },
      use: pages({
        cursor: (item: Item) => item.id, codec: integerId, max: MAX, default: STANDARD, prev: true, envelope: true,
        sort: { name: stringId, legs: integerId },
      }),
      run: ({ page: { by, descending, after, take } }) => {
        log.begin(`page ${by ?? 'id'} ${descending ? 'down' : 'up'} ${take}`).end();
        const key = (item: Item): string | number => (by === undefined ? 0 : item[by]);
        const isBehind = (item: Item): boolean => {
          if (after === undefined) return true;
          const order = (by === undefined ? 0 : compare(key(item), after.key)) || compare(item.id, after.id);
          return descending ? order < 0 : order > 0;
        };
        const sorted = [...ITEMS].sort((one, other) => compare(key(one), key(other)) || compare(one.id, other.id));
        if (descending) sorted.reverse();
        return sorted.filter(isBehind).slice(0, take);
      },
    },
  }));
}

/** The response to a query, by the rules. `undefined` for one that must be rejected. */
export function pageFor(text: string): ExpectedResponse | undefined {
  if (!isQuery(text)) return undefined;
  const given = new URLSearchParams(text);
  const asked = ['limit', 'sort', 'after', 'before'].map((name) => given.getAll(name));
  const [[limit = String(STANDARD)] = [], [sort] = [], [after] = [], [before] = []] = asked;
  const isRight = asked.every(({ length }) => length < 2) && /^\d+$/.test(limit) && Number(limit) > 0 && /^(?:-?(?:name|legs))?$/.test(sort ?? '') && sort !== '';
  if (!isRight || (after !== undefined && before !== undefined)) return undefined;
  const by = sort?.replace('-', '') as 'name' | 'legs' | undefined;
  const isDown = sort?.startsWith('-') === true;
  // All items of the list in the order of the client.
  const list = [...ITEMS].sort((one, other) => (by === undefined ? 0 : compare(one[by], other[by])) || one.id - other.id);
  if (isDown) list.reverse();
  const cursor = after ?? before;
  const position = cursor === undefined ? undefined : positionIn(cursor, sort ?? '', by);
  if (cursor !== undefined && position === undefined) return undefined;
  const order = (item: Item): number => {
    const rising = position === undefined ? 1 : (by === undefined ? 0 : compare(item[by], position.key)) || item.id - position.id;
    return isDown && position !== undefined ? -rising : rising;
  };
  const size = Math.min(Number(limit), MAX);
  const isBack = before !== undefined;
  const rest = isBack ? list.filter((item) => order(item) < 0) : list.filter((item) => order(item) > 0);
  const page = isBack ? rest.slice(-size) : rest.slice(0, size);
  const link = (name: string, item: Item | undefined): string => {
    const kept = [...given].filter(([each]) => each !== 'after' && each !== 'before');
    const parts = [sort ?? '', String(item?.id), ...(by === undefined ? [] : [String(item?.[by])])];
    return `?${new URLSearchParams([...kept, [name, base64Url(parts)]])}`;
  };
  const isMore = rest.length > page.length;
  const links = page.length === 0 ? [] : [
    ...(isBack || isMore ? [['next', link('after', page.at(-1))] as const] : []),
    ...((isBack ? isMore : after !== undefined) ? [['prev', link('before', page[0])] as const] : []),
  ];
  const body = bytesOf(JSON.stringify({ items: page, ...Object.fromEntries(links) }));
  const tag = `"${createHash('sha256').update(Buffer.from(body, 'latin1')).digest('base64url')}"`;
  const header = links.map(([relation, url]) => `<${url}>; rel="${relation}"`).join(', ');
  return {
    status: 200, body, tag, invocation: `page ${by ?? 'id'} ${isDown !== isBack ? 'down' : 'up'} ${size + 1}`,
    headers: { 'content-type': 'application/json', etag: tag, 'cache-control': 'max-age=60', ...(links.length === 0 ? {} : { link: header }) },
  };
}

function base64Url(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function positionIn(cursor: string, sort: string, by: 'name' | 'legs' | undefined): { readonly id: number; readonly key: string | number } | undefined {
  try {
    const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as readonly string[];
    const isOurs = Array.isArray(parts) && base64Url(parts.map(String)) === cursor && parts[0] === sort && parts.length === (by === undefined ? 2 : 3);
    const [, id = '', key = ''] = parts;
    if (!isOurs || !isInteger(id) || (by === 'legs' && !isInteger(key))) return undefined;
    return { id: Number(id), key: by === 'legs' ? Number(key) : key };
  } catch {
    return undefined;
  }
}

function isInteger(text: string): boolean {
  return /^(?:0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text));
}

const SORTS: [string, ...string[]] = ['', '', 'name', '-name', 'legs', '-legs'];
const LIMITS: [string, ...string[]] = ['1', '2', '3', '5', '6', '007', '0', '-1', '1e1', '', '99999999999999999999', '%31', '+1'];
const ODD: [string, ...string[]] = ['sort=', 'sort=born', 'sort=name&sort=name', 'sort[]=name', 'sort=__proto__', '__proto__=1', 'after=', 'before=%00', 'after=%ff', 'after=W10', 'tag=%C3%A9&tag=b+c', '10=a', 'sort=-', 'limit=1&limit=2', 'a=<>"', 'before=WyIiLCI1Il0'];
const CHANGES: [(cursor: string) => string, ...((cursor: string) => string)[]] = [
  (cursor) => `${cursor}=`, (cursor) => `${cursor}A`, (cursor) => cursor.slice(1), (cursor) => Buffer.from(`${Buffer.from(cursor, 'base64url')} `).toString('base64url'), (cursor) => cursor.toLowerCase(), () => '7',
];

/** A request for a page, most often with a cursor that could come from a link. */
export function pageRequest(random: Random, _marker: string, plain: Omit<Draft, 'method' | 'target'>): Draft {
  const sort = random.pick(SORTS);
  const by = sort.replace('-', '');
  const item = ITEMS[random.below(ITEMS.length)] ?? { id: 0, name: '', legs: 0 };
  const key = by === 'name' ? [item.name] : by === 'legs' ? [random.pick([String(item.legs), String(item.legs), '01', 'NaN', '1e3', ' 1'])] : [];
  const id = random.pick([String(item.id), String(item.id), String(item.id), '99', '-1', '1.0', '9007199254740993', '']);
  const cursor = base64Url([random.below(10) === 0 ? random.pick(SORTS) : sort, id, ...key]);
  const sent = random.below(8) === 0 ? random.pick(CHANGES)(cursor) : cursor;
  const parts = [
    sort === '' ? [] : `sort=${sort}`, random.below(2) === 0 ? `limit=${random.pick(LIMITS)}` : [],
    random.below(3) > 0 ? `${random.pick(['after', 'before'])}=${sent}` : [], random.below(6) === 0 ? random.pick(ODD) : [],
  ].flat();
  const condition = random.below(6) === 0 ? [`If-None-Match: ${random.pick(['*', tagOf(parts), `W/${tagOf(parts)}, "a"`])}`] : [];
  return { ...plain, headers: condition, method: random.pick(['GET', 'GET', 'HEAD']), target: `/v1/page${parts.length === 0 ? '' : `?${parts.join('&')}`}` };
}

/** The tag that a client has after its first request for this page. */
function tagOf(parts: readonly string[]): string {
  return pageFor(`?${parts.join('&')}`)?.tag ?? '"t"';
}
