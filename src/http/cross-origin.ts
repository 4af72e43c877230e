/**
 * Cross-origin POSTs that browsers send as a simple request, that is without a preflight. Such a request has the user's cookies,
 * or comes from inside the user's network. For other requests, browsers send a preflight, which this server grants only
 * to the origins of the option `cors`:
 *
 *   Content-Type: application/json     preflight
 *   Authorization: Bearer …            preflight, unlike the schemes that browsers send by themselves
 *   PUT, PATCH, DELETE                 preflight
 *   POST without any of these          simple request
 *
 * The model is Go's `http.CrossOriginProtection`. Clients other than browsers send none of the headers that are checked.
 */
import { type Rejection, makeRejection } from '../errors/problem.ts';
import { findHeader, type Head } from './head.ts';
import { isJsonType, parseMediaType } from './media-type.ts';
import { readTarget } from './target.ts';

/** Rejects a cross-origin simple POST. */
export const CROSS_ORIGIN_SIMPLE_POST: Rejection = makeRejection(
  'cross-origin-post', 'From a page of a different origin, a POST must have the Content-Type application/json.',
);

/** What these functions read of a request. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
  /** Whether the page that has sent it has an origin that `cors` lists. */
  readonly isListed: boolean;
}

const CROSS_ORIGIN_SITE = /(?:cross|same)-site/i;
const WEB_ORIGIN = /^(https?):\/\/([^/]+)$/i;
const HTTP_PORT = /:(?:80)?$/;
const HTTPS_PORT = /:(?:443)?$/;
// The schemes that browsers send by themselves, or no scheme. Commas join several `Authorization` lines.
const BROWSER_CREDENTIALS = /(?:^|,)[ \t]*(?:(?:basic|digest|negotiate|ntlm)(?![!#$%&'*+.^_`|~0-9a-z-])|$|,)/i;

// Browsers need no preflight for these (Fetch standard, CORS-safelisted request-header).
const SIMPLE_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];

/** Whether a browser may send this `Content-Type` without a preflight. A missing or malformed one counts as such. */
export function isSimpleType(contentType = ''): boolean {
  const type = parseMediaType(contentType);
  return type === undefined || SIMPLE_TYPES.includes(type);
}

/** Whether a request may be a cross-origin POST that was sent without a preflight. */
export function isCrossOriginSimplePost(request: RequestHead, head: Head): boolean {
  if (request.method !== 'POST' || (head.contentType !== undefined && isJsonType(head.contentType))) return false;
  if (!isCrossOrigin(request, head.host) || request.isListed) return false;
  const authorization = findHeader(request.rawHeaders, 'authorization');
  return authorization === undefined || BROWSER_CREDENTIALS.test(authorization);
}

/** Whether the page that has sent a request has a different origin than the server. `host` is the value of `Host`. */
export function isCrossOrigin({ url = '', rawHeaders }: Pick<RequestHead, 'url' | 'rawHeaders'>, host: string | undefined): boolean {
  const site = findHeader(rawHeaders, 'sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return false;
  if (site !== undefined && CROSS_ORIGIN_SITE.test(site)) return true;
  // If `Sec-Fetch-Site` is missing or unknown, `Origin` decides. Older browsers do not send it. Over plain HTTP no browser does,
  // except to localhost. Unknown values are to be ignored (Fetch Metadata section 2.3).
  const origin = findHeader(rawHeaders, 'origin');
  // With absolute-form, the authority stands in for `Host` (RFC 9112 section 3.2.2).
  return origin !== undefined && !hasOrigin(origin, readTarget('POST', url)?.authority ?? host);
}

/** Compares names and ports. The origin's scheme decides the default port: a proxy may end TLS, so the host's scheme is not known. */
function hasOrigin(origin: string, host: string | undefined): boolean {
  const [, scheme, authority] = WEB_ORIGIN.exec(origin) ?? [];
  if (scheme === undefined || authority === undefined || host === undefined) return false;
  const defaultPort = scheme.toLowerCase() === 'https' ? HTTPS_PORT : HTTP_PORT;
  return withoutPort(authority, defaultPort) === withoutPort(host, defaultPort);
}

function withoutPort(authority: string, defaultPort: RegExp): string {
  return authority.toLowerCase().replace(defaultPort, '');
}
