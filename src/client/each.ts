/** The items of a list that comes in pages. */
import { ProblemError } from './problem-error.ts';
import type { SentRequest, Success } from './request.ts';

/**
 * The items, page after page. The next page is that of the header `Link` with `rel="next"` (RFC 8288), and is requested when all items of
 * the page before are used. A link to a different origin is not followed, nor one that was followed before.
 */
export async function* each(firstUrl: string, send: (request: SentRequest) => Promise<Success>): AsyncGenerator<unknown> {
  const seen = new Set<string>();
  let url: string | undefined = firstUrl;
  while (url && !seen.has(url)) {
    seen.add(url);
    const request = { method: 'GET', url };
    const { response, value } = await send(request);
    if (!Array.isArray(value)) throw new ProblemError({ detail: 'The response is not a list.' }, response, request);
    yield* value;
    url = findNext(response, url);
  }
}

// The targets of a `Link`, and where a `rel` has `next`. Other strings are skipped, since a title can look like a link (RFC 8288 B.3).
const PARTS = /<([^>]*)>|;\s*rel\s*=\s*"?(?:[^";,]*\s)?(next)(?![^\s";,])|"(?:\\.|[^"\\])*"?/gi;
// A base may be only a path. The response of a browser has its URL; that of a custom `fetch` may have none.
const NOWHERE = 'http://x.invalid';

function findNext({ headers, url: ownUrl }: Response, url: string): string | undefined {
  let link = '';
  for (const [, target, next] of (headers.get('link') ?? '').matchAll(PARTS)) {
    link = target ?? link;
    if (!next) continue;
    const here = new URL(url, ownUrl || NOWHERE);
    const { origin, href } = new URL(link, here);
    return origin === here.origin ? href.replace(NOWHERE, '') : undefined;
  }
  return undefined;
}
