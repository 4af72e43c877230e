/**
 * A list in pages. Each page begins after the last item of the previous page:
 *
 *   list: { use: pages({ cursor: (pet: Pet) => pet.id }), run: ({ page }) => pets.after(page.after, page.take) }
 *
 *   GET /v1/pet?limit=2&tag=a   ->   Link: <?limit=2&tag=a&after=7>; rel="next"
 */
import type { CallInternals, InterceptorInternals } from '../endpoint/checked-interceptor.ts';
import type { IdCodec } from '../declaration/id-codec.ts';
import type { InterceptedCall, Interceptor, OperationResponse } from '../declaration/interceptor.ts';
import { formatKinds, isKind, type OperationKind } from '../declaration/kinds.ts';
import { findReply } from '../declaration/reply.ts';
import { boolean, checkInteger, checkObject, functionOr, integer, option, required, type Shape, shape, string } from '../util/options.ts';
import { findInternals } from '../util/internals.ts';
import { checkAwaited, checkSync, formatError, isInstance } from '../util/promises.ts';
import { isJsonType } from '../http/media-type.ts';
import { sliceQuery } from '../http/target.ts';
import {
  describeEnvelope, formatCursor, type KeyCodec, pageQuery, type PageQuery, type PageSettings, SORT, UnlinkableError,
} from './page-query.ts';
import type { Pages, SortOption } from './page-types.ts';

/** The literal types of options. */
interface PagesLiterals {
  readonly limit: string;
  readonly after: string;
  readonly sort: unknown;
  readonly prev: boolean;
  readonly before: string;
  readonly envelope: boolean;
}

/**
 * The options of `pages`. Without a `codec`, cursors are strings.
 *
 * @example
 * ```ts
 * const options = { cursor: (pet) => pet.id, codec: integerId } satisfies PagesOptions<StoredPet, typeof integerId>;
 * defineEndpoint({ id: integerId, list: { use: pages(options), run: ({ page: { after = 0, take } }) => db.list({ after, take }) } });
 * ```
 */
export interface PagesOptions<Item, Codec extends IdCodec<any> | undefined = undefined, Of extends PagesLiterals = PagesLiterals> {
  /**
   * Returns the cursor of an item: an ascending id, or a time of creation with an id. The list must be sorted by it. It must be unique, and
   * never change, or items are sent twice or left out while the list changes. With `sort`, it must be an id: it follows the sort key.
   */
  readonly cursor: (item: Item) => CursorOf<Codec, string | number | bigint>;
  /** Parses and formats cursors. A cursor that it rejects gets 400. Without it, the operation gets cursors as strings. */
  readonly codec?: Codec;
  /** The longest page that a client gets. @default 100 */
  readonly max?: number;
  /** The length of a page if the client does not set one. @default 20, or `max` if that is less */
  readonly default?: number;
  /** The name of the query parameter for the length of a page. @default "limit" */
  readonly limit?: Of['limit'];
  /** The name of the query parameter for the cursor. @default "after" */
  readonly after?: Of['after'];
  /**
   * What clients can sort by, with `?sort=name` and `?sort=-name`: properties of the items, which are strings, numbers or dates and never
   * missing. The operation gets `page.by`, `page.descending`, and `page.after` with the `key` and the `id` of an item. Without `?sort=`,
   * `page.by` is `undefined`.
   *
   * A list of names: keys are strings, a date in ISO 8601. An object with a codec for each name: keys are what the codec parses, and a
   * cursor that it rejects gets 400. Give codecs where the database rejects some strings, such as those that are not numbers.
   *
   * @default clients cannot sort
   * @example
   * ```ts
   * pages({ cursor: (pet: StoredPet) => pet.id, codec: integerId, sort: { name: stringId, legs: integerId } });
   * ```
   */
  readonly sort?: Of['sort'] extends SortOption<NoInfer<Item>, Of['sort']> ? Of['sort'] : SortOption<NoInfer<Item>, Of['sort']>;
  /** Whether clients can go back, by a link to the previous page. The operation must then sort as `page.descending` says. @default false */
  readonly prev?: Of['prev'];
  /** The name of the query parameter for the cursor of a previous page. @default "before" */
  readonly before?: Of['before'];
  /**
   * Whether the body is `{ items, next, prev }`: the list, and the URLs of the links. A property for which there is no page is left out.
   *
   * @default false: the body is the list
   */
  readonly envelope?: Of['envelope'];
}

type CursorOf<Codec, Default = string> = Codec extends IdCodec<infer Cursor> ? Cursor : Default;

/**
 * Makes an interceptor for a `list` that returns an array. It adds a limit and a cursor to the query, and to the response a `Link` to the
 * next page (RFC 8288), which keeps the rest of the query. A limit over `max` is `max`, and a malformed one gets 400. Clients can sort with
 * `sort`, and go back with `prev`. `codec` parses and formats the cursor; without it, cursors are strings.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   list: {
 *     use: pages({ cursor: (pet: StoredPet) => pet.id, codec: integerId, max: 100 }),
 *     run: ({ page: { after = 0, take } }) => db.list({ after, take }),
 *   },
 * });
 * ```
 * @throws `TypeError` for an invalid option, and at registration for an operation of a different kind.
 */
export function pages<
  Item, Codec extends IdCodec<any> | undefined = undefined, const Limit extends string = 'limit', const After extends string = 'after',
  const Sort = undefined, const Prev extends boolean = false, const Before extends string = 'before',
  const Envelope extends boolean = false,
>(
  options: PagesOptions<Item, Codec, { limit: Limit; after: After; sort: Sort; prev: Prev; before: Before; envelope: Envelope }>,
): Pages<CursorOf<Codec>, Limit, After, Sort, Prev extends true ? Before : never, Envelope>;
export function pages(options: unknown): Interceptor<any> & { readonly ' internal': InterceptorInternals } {
  const settings = checkPagesOptions(options);
  const around: Interceptor<any>['around'] = async (call, run) => {
    const asked = readQuery(call.query as PageQuery, settings);
    return cutPage(call, settings, asked, await run({ page: makePage(settings, asked) }));
  };
  return {
    ' internal': {
      around,
      properties: ['page'],
      resultHeaders: { Link: settings.prev ? `${NEXT} ${PREVIOUS}` : NEXT },
      check: ({ path, kind, method, sendsStream }) => {
        if (!isKind(canHavePages, kind, method)) {
          const instead = method === 'POST' && kind !== 'create' ? '. A search by POST takes after and limit in its input, and returns next' : '';
          throw new TypeError(`${path} must not have pages: only ${formatKinds(canHavePages)} can have them${instead}`);
        }
        if (settings.envelope && sendsStream) throw new TypeError(`${path} must not have pages with envelope: its output is a stream`);
      },
      ...(settings.envelope && { describeResult: describeEnvelope(settings) }),
    },
    query: pageQuery(settings),
    around,
  };
}

const NEXT = 'The URL of the next page with `rel="next"`, if there is one (RFC 8288).';
const PREVIOUS = 'The URL of the previous page with `rel="prev"`, if there is one.';

const canHavePages = ({ readsItems }: OperationKind): boolean => readsItems;
const MAX = Number.MAX_SAFE_INTEGER - 1;

/** The checked options. */
interface CheckedPagesOptions extends Omit<PageSettings, 'default'> {
  readonly default: number | undefined;
  readonly cursor: (item: unknown) => unknown;
  readonly prev: boolean;
  readonly envelope: boolean;
}

/** `pages(options)`: {@link PagesOptions}. */
export const PAGES_OPTIONS: Shape<CheckedPagesOptions> = shape({
  max: integer(1, MAX, 100),
  default: integer(1, MAX),
  limit: string('limit'),
  after: string('after'),
  cursor: required(functionOr()),
  codec: option('`{ parse, format }`', checkCodec, undefined),
  sort: option('a list of names, or an object of codecs', checkSort, undefined),
  prev: boolean(),
  before: string(),
  envelope: boolean(),
});

function checkPagesOptions(options: unknown): CheckedPagesOptions & PageSettings {
  if (checkObject(options ?? {}, 'options')['cursor'] === undefined) throw new TypeError('pages needs options.cursor: (item) => item.id');
  const settings = PAGES_OPTIONS.check(options ?? {}, 'options');
  const { max, limit, after, sort, prev } = settings;
  if (limit === after) throw new TypeError(`options.limit and options.after must be different: ${JSON.stringify(limit)}`);
  if (settings.before !== undefined && !prev) throw new TypeError('options.before needs options.prev: true');
  const before = prev ? settings.before ?? 'before' : undefined;
  const names = [limit, after, ...(before === undefined ? [] : [before]), ...(sort === undefined ? [] : [SORT])];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new TypeError(`options must name each parameter differently: ${JSON.stringify(twice)} is used twice`);
  }
  return { ...settings, before, default: checkInteger(settings.default ?? Math.min(20, max), 'options.default', 1, max) };
}

function checkCodec(value: unknown, path: string): IdCodec<unknown> | undefined {
  const { parse, format } = checkObject(value, path);
  if (typeof parse !== 'function' || typeof format !== 'function') throw new TypeError(`${path} must have parse and format`);
  return value as IdCodec<unknown>;
}

const KEYS: KeyCodec = { parse: (text) => text, format: formatSortKey };

function formatSortKey(key: unknown): string {
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint') return String(key);
  if (isInstance(key, Date)) return key.toISOString();
  throw new TypeError(`a sort key must be a string, a number or a Date: ${key === null ? 'null' : typeof key}`);
}

/** Checks the option `sort`. A name without a codec has keys that are strings. */
function checkSort(value: unknown, path: string): ReadonlyMap<string, KeyCodec> {
  const isList = Array.isArray(value);
  const entries = isList ? value.map((name: unknown) => [name, KEYS] as const) : Object.entries(checkObject(value, path));
  if (entries.length === 0) throw new TypeError(`${path} must have a name, such as ["name"]`);
  return new Map(entries.map(([name, codec]) => {
    // The `-` of a query is not a part of the name.
    if (typeof name !== 'string' || !/^[^-]/.test(name)) throw new TypeError(`${path} must be names of properties: ${String(name)}`);
    return [name, isList ? KEYS : checkCodec(codec, `${path}.${name}`) as KeyCodec];
  }));
}

/** The page that a client has asked for. */
interface Asked {
  readonly limit: number;
  /** The cursor, as the operation gets it. */
  readonly cursor: unknown;
  /** Whether the page before the cursor is wanted. */
  readonly isBack: boolean;
  /** As in the query; empty for the list's own order. */
  readonly sort: string;
}

function readQuery(query: PageQuery, settings: CheckedPagesOptions & PageSettings): Asked {
  const { limit, after, before, sort } = settings;
  const previous = before === undefined ? undefined : query[before];
  return {
    limit: Number(query[limit] ?? settings.default),
    cursor: previous ?? query[after],
    isBack: previous !== undefined,
    sort: sort === undefined ? '' : query[SORT] as string | undefined ?? '',
  };
}

/** Makes `request.page`. */
function makePage({ before, sort: codecs }: CheckedPagesOptions, { limit, cursor, isBack, sort }: Asked): object {
  const page = { take: limit + 1, after: cursor };
  if (codecs === undefined && before === undefined) return page;
  const descending = sort.startsWith('-') !== isBack;
  return codecs === undefined ? { ...page, descending } : { ...page, descending, by: findKeyName(sort) };
}

/** `undefined` for the list's own order. */
function findKeyName(sort: string): string | undefined {
  return sort === '' ? undefined : sort.replace(/^-/, '');
}

/**
 * Cuts the result to a page, and adds links to the next and the previous one. A response without a body, such as a redirect, and a problem
 * stay as they are.
 */
async function cutPage(call: InterceptedCall, settings: CheckedPagesOptions, asked: Asked, result: unknown): Promise<unknown> {
  const reply = findReply(result, true);
  const items = reply === undefined ? result : reply.body;
  if (reply !== undefined && (items === undefined || reply.status >= 400)) return result;
  if (!Array.isArray(items)) throw new TypeError(`a list in pages must return an array: ${typeof items}`);
  const page = items.slice(0, asked.limit);
  if (asked.isBack) page.reverse();
  const response = await call.encode(reply === undefined ? page : reply.withBody(page));
  const links = listLinks(call, settings, asked, page, items.length > page.length);
  return call.response(addLinks(settings.envelope ? wrapItems(response, links) : response, links));
}

/** The links to other pages. Their URLs are relative to the URL of the request, so that they are right for clients of any proxy. */
type Links = readonly (readonly [relation: 'next' | 'prev', url: string])[];

/** `hasMore`: the operation has returned one item more than the page has. */
function listLinks(call: InterceptedCall, settings: CheckedPagesOptions, asked: Asked, page: readonly unknown[], hasMore: boolean): Links {
  const { after, before } = settings;
  const { isBack, cursor } = asked;
  if (page.length === 0) return [];
  const query = new URLSearchParams(sliceQuery(call.target));
  query.delete(after);
  if (before !== undefined) query.delete(before);
  const link = (relation: 'next' | 'prev', name: string, item: unknown): Links => {
    try {
      query.append(name, formatItem(settings, asked.sort, item));
      return [[relation, `?${query}`]];
    } catch (thrown) {
      if (!(thrown instanceof UnlinkableError)) throw thrown;
      findInternals<CallInternals>(call)?.logLine?.(`a page has no link with rel="${relation}": ${thrown.message}`);
      return [];
    } finally {
      query.delete(name);
    }
  };
  // A client that goes back comes from the next page.
  const hasNext = isBack || hasMore;
  const hasPrevious = isBack ? hasMore : cursor !== undefined;
  return [
    ...(hasNext ? link('next', after, page.at(-1)) : []),
    ...(before !== undefined && hasPrevious ? link('prev', before, page[0]) : []),
  ];
}

/** Adds a `Link` (RFC 8288) beside those that the operation has sent. */
function addLinks({ headers, ...response }: OperationResponse, links: Links): OperationResponse {
  if (links.length === 0) return { ...response, headers };
  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'link') ?? 'Link';
  const all = [headers[name] ?? [], links.map(([relation, url]) => `<${url}>; rel="${relation}"`)].flat(2);
  return { ...response, headers: { ...headers, [name]: all } };
}

/** Wraps the JSON of a list. */
function wrapItems(response: OperationResponse, links: Links): OperationResponse {
  const { headers, body } = response;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (typeof body !== 'string' || !isJsonType(String(type))) throw new TypeError(`pages with envelope need JSON: ${String(type)}`);
  const properties = links.map(([relation, url]) => `,"${relation}":${JSON.stringify(url)}`);
  return { ...response, body: `{"items":${body}${properties.join('')}}` };
}

function formatItem({ codec, cursor: getCursor, sort: codecs }: CheckedPagesOptions, sort: string, item: unknown): string {
  const cursor = checkSync(getCursor(item), 'cursor');
  const id = formatId(codec === undefined ? cursor : checkSync(formatWith(codec, cursor, 'the cursor of an item'), 'codec.format'));
  if (codecs === undefined) return id;
  const name = findKeyName(sort);
  if (name === undefined) return formatCursor(sort, { id, key: undefined });
  const key = checkAwaited(Object(item)[name] as unknown, `the ${name} of an item`);
  const formatted = formatWith(codecs.get(name) as KeyCodec, key, `the sort key ${JSON.stringify(name)} of an item`);
  return formatCursor(sort, { id, key: formatSortKey(checkSync(formatted, `sort.${name}.format`)) });
}

/** Throws `UnlinkableError` for a string that the codec rejects. Any other value that it rejects is a mistake of the program. */
function formatWith(codec: KeyCodec, value: unknown, what: string): unknown {
  try {
    return codec.format(value);
  } catch (cause) {
    const message = `${what}: ${formatError(cause)}`;
    throw typeof value === 'string' ? new UnlinkableError(message, { cause }) : new TypeError(message, { cause });
  }
}

function formatId(text: unknown): string {
  // A query cannot have an unpaired surrogate: the next page would begin at a different item.
  if ((typeof text === 'string' && text.isWellFormed()) || typeof text === 'number' || typeof text === 'bigint') return String(text);
  if (typeof text === 'string') throw new UnlinkableError('the cursor of an item has half a surrogate pair: check the stored property');
  throw new TypeError(`the cursor of an item must be a string or a number: ${typeof text}`);
}
