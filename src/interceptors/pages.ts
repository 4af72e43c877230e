/**
 * A list in pages. Each page begins after the last item of the previous page:
 *
 *   list: { use: pages({ cursor: (pet: Pet) => pet.id }), run: ({ page }) => pets.after(page.after, page.take) }
 *
 *   GET /v1/pet?limit=2&tag=a   ->   Link: <?limit=2&tag=a&after=7>; rel="next"
 */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { InterceptedCall, Interceptor } from '../endpoint/interceptor.ts';
import { findReply } from '../endpoint/reply.ts';
import { checkInteger, checkObject, functionOr, integer, option, required, type Shape, shape, string } from '../util/options.ts';
import { findQuery } from '../http/target.ts';
import { type PageQuery, pageQuery, type PageSettings } from './page-query.ts';

/** The page that an operation must return, as `request.page`. */
export interface Page<After = string> {
  /** The maximum of items to return: one more than the page has, which shows that there is a next page. */
  readonly take: number;
  /** The cursor of the item after which the page begins; `undefined` for the first page. */
  readonly after: After | undefined;
}

/** The interceptor that `pages` makes. */
export interface Pages<After, LimitName extends string, AfterName extends string>
  extends Interceptor<{ readonly page: Page<After> }> {
  /** Only a type: the query that a client can send. */
  readonly ' query'?: { readonly [Name in LimitName]?: number } & { readonly [Name in AfterName]?: string | number | bigint };
}

interface CommonOptions<Limit, After> {
  /** The longest page that a client gets. @default 100 */
  readonly max?: number;
  /** The length of a page if the client does not set one. @default 20, or `max` if that is less */
  readonly default?: number;
  /** The name of the query parameter for the length of a page. @default "limit" */
  readonly limit?: Limit;
  /** The name of the query parameter for the cursor. @default "after" */
  readonly after?: After;
}

/** The options of `pages`. */
export interface PagesOptions<Item, Limit extends string = string, After extends string = string> extends CommonOptions<Limit, After> {
  /**
   * Returns the cursor of an item: an ascending id, or a time of creation with an id. The list must be sorted by it. It must be unique, and
   * never change, or items are sent twice or left out while the list changes.
   */
  readonly cursor: (item: Item) => string | number | bigint;
  readonly codec?: undefined;
}

/** The options of `pages` with cursors of any type. */
export interface CodedPagesOptions<Item, Cursor, Limit extends string = string, After extends string = string>
  extends CommonOptions<Limit, After> {
  /** Returns the cursor of an item, as in `PagesOptions`. */
  readonly cursor: (item: Item) => NoInfer<Cursor>;
  /** Parses and formats cursors. A cursor that it rejects is a 400. */
  readonly codec: IdCodec<Cursor>;
}

/**
 * Makes an interceptor for a `list` that returns an array. It adds a limit and a cursor to the query, and to the response a `Link` to the
 * next page (RFC 8288), which keeps the rest of the query. A limit over `max` is `max`, and a malformed one is a 400. Throws `TypeError`
 * for an invalid option, and at registration for an operation of a different kind.
 */
export function pages<Item, Cursor, const Limit extends string = 'limit', const After extends string = 'after'>(
  options: CodedPagesOptions<Item, Cursor, Limit, After>,
): Pages<Cursor, Limit, After>;
export function pages<Item, const Limit extends string = 'limit', const After extends string = 'after'>(
  options: PagesOptions<Item, Limit, After>,
): Pages<string, Limit, After>;
export function pages(options: PagesOptions<any> | CodedPagesOptions<any, any>): Interceptor<any> {
  const settings = checkOptions(options);
  return {
    query: pageQuery(settings),
    check: ({ path, kind }) => {
      if (kind !== 'list') throw new TypeError(`${path} cannot have pages: only list can`);
    },
    around: async (call, run) => {
      const query = call.query as PageQuery;
      const limit = Number(query[settings.limit] ?? settings.default);
      return cutPage(call, settings, limit, await run({ page: { take: limit + 1, after: query[settings.after] } }));
    },
  };
}

const MAX = Number.MAX_SAFE_INTEGER - 1;

/** The checked options. */
interface Settings extends Omit<PageSettings, 'default'> {
  readonly default: number | undefined;
  readonly cursor: (item: unknown) => unknown;
}

export const PAGES_OPTIONS: Shape<Settings> = shape({
  max: integer(1, MAX, 100),
  default: integer(1, MAX),
  limit: string('limit'),
  after: string('after'),
  cursor: required(functionOr()),
  codec: option('`{ parse, format }`', checkCodec, undefined),
});

function checkOptions(options: unknown): Settings & PageSettings {
  if (checkObject(options ?? {}, 'options')['cursor'] === undefined) throw new TypeError('pages needs options.cursor: (item) => item.id');
  const settings = PAGES_OPTIONS.check(options ?? {}, 'options');
  const { max, limit, after } = settings;
  if (limit === after) throw new TypeError(`options.limit and options.after must be different: ${JSON.stringify(limit)}`);
  return { ...settings, default: checkInteger(settings.default ?? Math.min(20, max), 'options.default', 1, max) };
}

function checkCodec(value: unknown, path: string): IdCodec<unknown> | undefined {
  const { parse, format } = checkObject(value, path);
  if (typeof parse !== 'function' || typeof format !== 'function') throw new TypeError(`${path} must have parse and format`);
  return value as IdCodec<unknown>;
}

/** Cuts the result to a page, and adds a link to the next one. A response without a body, such as a redirect, and a problem stay as they are. */
async function cutPage(call: InterceptedCall, settings: Settings, limit: number, result: unknown): Promise<unknown> {
  const reply = findReply(result, true);
  const items = reply === undefined ? result : reply[' reply'];
  if (reply !== undefined && (items === undefined || reply[' status'] >= 400)) return result;
  if (!Array.isArray(items)) throw new TypeError(`a list in pages must return an array: ${typeof items}`);
  const page = items.slice(0, limit);
  const { headers, ...response } = await call.encode(reply === undefined ? page : reply.withBody(page));
  if (items.length <= limit) return call.response({ ...response, headers });
  const link = Object.keys(headers).find((name) => name.toLowerCase() === 'link') ?? 'Link';
  const links = [headers[link] ?? [], formatNextLink(call, settings, page.at(-1))].flat();
  return call.response({ ...response, headers: { ...headers, [link]: links } });
}

/** Relative to the URL of the request (RFC 8288 section 3.1), so that it is right behind any proxy. */
function formatNextLink({ target }: InterceptedCall, settings: Settings, last: unknown): string {
  const query = new URLSearchParams(findQuery(target));
  query.delete(settings.after);
  query.append(settings.after, formatCursor(settings, last));
  return `<?${query}>; rel="next"`;
}

function formatCursor({ codec, cursor: getCursor }: Settings, item: unknown): string {
  const cursor = getCursor(item);
  const text = codec === undefined ? cursor : codec.format(cursor);
  // A query cannot have an unpaired surrogate: the next page would begin at a different item.
  if ((typeof text === 'string' && text.isWellFormed()) || typeof text === 'number' || typeof text === 'bigint') return String(text);
  throw new TypeError(`the cursor of an item must be a string or a number: ${typeof text}`);
}
