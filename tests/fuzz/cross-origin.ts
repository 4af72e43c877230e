/** Which POSTs a page of a different origin may have sent without a preflight. */
import { isListed } from './cors.ts';
import { isJson, mediaTypeIn } from './heads.ts';
import type { ReadRequest } from './reference.ts';

const OF_BROWSERS = ['', 'basic', 'digest', 'negotiate', 'ntlm'];

// For these too, browsers send no preflight.
const SIMPLE = ['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'];

/** What an operation does with its body. */
export type BodyUse = 'json' | 'bytes' | 'ignored';

/** Whether a request to such an operation is such a POST. */
export function isWithoutPreflight(request: ReadRequest, use: BodyUse): boolean {
  const [contentType] = findLines(request, 'content-type');
  if (request.method !== 'POST' || (contentType !== undefined && !mayLackPreflight(contentType, use))) return false;
  return isForeign(request) && !hasOwnCredentials(request);
}

function mayLackPreflight(contentType: string, use: BodyUse): boolean {
  // Where JSON is read, a body of any other type is rejected in any case.
  if (use === 'json') return false;
  return use === 'bytes' ? SIMPLE.includes(mediaTypeIn(contentType) ?? 'text/plain') : !isJson(contentType);
}

/** Whether the page that has sent a request has a different origin than the server, which does not list it. */
export function isForeign(request: ReadRequest): boolean {
  if (isListed(request)) return false;
  const site = findLines(request, 'sec-fetch-site').join(', ');
  if (/(?:cross|same)-site/i.test(site)) return true;
  if (site === 'same-origin' || site === 'none') return false;
  const origins = findLines(request, 'origin');
  const authority = /^https?:\/\/([^/?]*)/i.exec(request.target)?.[1] ?? findLines(request, 'host')[0];
  return origins.length > 0 && !(origins.length === 1 && isOriginOf(origins[0] ?? '', authority));
}

function isOriginOf(origin: string, authority: string | undefined): boolean {
  const [, scheme, named = ''] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  if (scheme === undefined || authority === undefined) return false;
  const port = scheme.toLowerCase() === 'https' ? '443' : '80';
  return expandAuthority(named, port) === expandAuthority(authority, port);
}

function expandAuthority(authority: string, defaultPort: string): string {
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? [];
  return `${name.toLowerCase()}:${port === '' ? defaultPort : port}`;
}

function hasOwnCredentials(request: ReadRequest): boolean {
  const credentials = findLines(request, 'authorization').flatMap((line) => line.split(','));
  const schemes = credentials.map((text) => /^[ \t]*([\w!#$%&'*+.^`|~-]+|.*)/.exec(text)?.[1]?.toLowerCase() ?? '');
  return schemes.length > 0 && !schemes.some((scheme) => OF_BROWSERS.includes(scheme));
}

function findLines({ headers }: ReadRequest, wanted: string): string[] {
  return headers.filter(([name]) => name === wanted).map(([, value]) => value);
}
