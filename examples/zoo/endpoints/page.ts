/** Lists in pages: `?limit=20&after=40` are the first 20 items whose ids are greater than 40. `Link` leads to the next page. */
import { reply } from 'restpoint';
import { integer, query, withDefault } from '../schema.ts';
import type { MaybePromise, Page } from '../store/store.ts';

/** The query of a list. */
export const PageQuery = query({
  limit: withDefault(integer(1, 100), 20),
  after: withDefault(integer(0, Number.MAX_SAFE_INTEGER), 0),
});

/** Replies with a page of the items that `find` returns. Requests one item more, to know whether there is a next page. */
export async function replyPage<T extends { readonly id: number }>(
  { limit, after }: Page, find: (page: Page) => MaybePromise<readonly T[]>,
) {
  const found = await find({ limit: limit + 1, after });
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (last === undefined || found.length === items.length) return reply(200, items);
  // Relative to the URL of the request (RFC 8288 section 3.1).
  return reply(200, items, { Link: `<?limit=${limit}&after=${last.id}>; rel="next"` });
}
