/** The items of a list that comes in pages. */
import { formatUrl, isSameHost, NOWHERE } from './location.ts';
import { ProblemError } from './problem-error.ts';
import type { SentRequest, Success } from './request.ts';

/**
 * The items, page after page. A page is a list, or an object with the list as `items`. The next page is at `next` of this object, or at
 * the `Link` with `rel="next"` (RFC 8288), and is requested when all items of the page before are used. A link to a different origin is
 * not followed, nor one that was followed before.
 */
export async function* each(firstUrl: string, send: (request: SentRequest) => Promise<Success>): AsyncGenerator<unknown> {
  const seen = new Set<string>();
  let url: string | undefined = firstUrl;
  while (url && !seen.has(url)) {
    seen.add(url);
    const request = { method: 'GET', url };
    const { response, value } = await send(request);
    const { items, next } = (Array.isArray(value) ? { items: value } : Object(value)) as { items?: unknown; next?: unknown };
    if (!Array.isArray(items)) throw new ProblemError({ detail: 'The response is not a list.' }, response, request);
    yield* items;
    const link = typeof next === 'string' ? next : findNext(response.headers);
    const here: URL = new URL(url, response.url || NOWHERE);
    const target: URL = new URL(link ?? '', here);
    url = link !== undefined && isSameHost(here, target) ? formatUrl(target) : undefined;
  }
}

// Finds the targets of a `Link`, and each `rel` with `next`. Matches other quoted strings too, to skip them: a title can look like a link
// (RFC 8288 B.3).
const PARTS = /<([^>]*)>|;\s*rel\s*=\s*"?(?:[^";,]*\s)?(next)(?![^\s";,])|"(?:\\.|[^"\\])*"?/gi;

function findNext(headers: Headers): string | undefined {
  let link = '';
  for (const [, target, next] of (headers.get('link') ?? '').matchAll(PARTS)) {
    link = target ?? link;
    if (next) return link;
  }
  return undefined;
}
