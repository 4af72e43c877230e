/**
 * The POSTs that a page of another origin may have sent without asking. A browser sends what a form could send at once,
 * with the user's cookies or from inside the user's network; for anything else it asks first, with a preflight, and a
 * server that does not answer that never sees the request:
 *
 *   Content-Type: application/json     asked for
 *   Authorization: Bearer …            asked for, unlike what the browser attaches by itself
 *   PUT, PATCH, DELETE                 asked for
 *   POST without any of these          sent at once
 *
 * The model is Go's `http.CrossOriginProtection`. Clients that are no browsers send none of the headers that it goes by.
 */
import { fieldValue, type Head } from './head.ts';
import { isJsonType } from './media-type.ts';
import { ErrorResponse } from './error-response.ts';
import { readTarget } from './target.ts';

/** The answer to such a POST. */
export const UNASKED: ErrorResponse = new ErrorResponse(415, 'From a page of another origin, a POST must have the Content-Type application/json.');

/** What is asked of a request. */
export interface RequestLine {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names and values alternating, as Node has them. */
  readonly rawHeaders: readonly string[];
}

const FOREIGN_SITE = /(?:cross|same)-site/i;
const WEB_ORIGIN = /^(https?):\/\/([^/]+)$/i;
const HTTP_PORT = /:(?:80)?$/;
const HTTPS_PORT = /:(?:443)?$/;
// A scheme that browsers attach by themselves, or none, on any of the `Authorization` lines, which are joined by commas.
const ATTACHED = /(?:^|,)[ \t]*(?:(?:basic|digest|negotiate|ntlm)(?![!#$%&'*+.^_`|~0-9a-z-])|$|,)/i;

/** Says whether a request is a POST that a page of another origin may have sent without asking. */
export function isUnaskedPost(request: RequestLine, head: Head): boolean {
  if (request.method !== 'POST' || (head.contentType !== undefined && isJsonType(head.contentType))) return false;
  if (!isForeign(request, head)) return false;
  const authorization = fieldValue(request.rawHeaders, 'authorization');
  return authorization === undefined || ATTACHED.test(authorization);
}

/** Whether a browser says that the page is of another origin than this server. */
function isForeign(request: RequestLine, head: Head): boolean {
  const { rawHeaders } = request;
  const site = fieldValue(rawHeaders, 'sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return false;
  if (site !== undefined && FOREIGN_SITE.test(site)) return true;
  // Older browsers do not send it, and over plain HTTP to another host than localhost none does. A value that is not
  // known is ignored, as Fetch Metadata section 2.3 asks; `Origin` decides then.
  const origin = fieldValue(rawHeaders, 'origin');
  return origin !== undefined && !isOriginOf(origin, hostOf(request, head));
}

/** With absolute-form, the authority stands in for `Host` (RFC 9112 section 3.2.2). */
function hostOf({ url = '' }: RequestLine, head: Head): string | undefined {
  return readTarget('POST', url)?.authority ?? head.host;
}

/**
 * Compares names and ports. The scheme of the request is not known here, since a proxy may end TLS: a port that is left
 * out is the default port of the origin's scheme.
 */
function isOriginOf(origin: string, host: string | undefined): boolean {
  const [, scheme, authority] = WEB_ORIGIN.exec(origin) ?? [];
  if (scheme === undefined || authority === undefined || host === undefined) return false;
  const defaultPort = scheme.toLowerCase() === 'https' ? HTTPS_PORT : HTTP_PORT;
  return withoutPort(authority, defaultPort) === withoutPort(host, defaultPort);
}

function withoutPort(authority: string, defaultPort: RegExp): string {
  return authority.toLowerCase().replace(defaultPort, '');
}
