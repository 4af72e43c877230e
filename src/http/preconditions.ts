/**
 * The conditions of a request (RFC 9110 section 13), in the order of section 13.2.2:
 *
 *   If-Match, or else If-Unmodified-Since       false   ->   412
 *   If-None-Match, or else If-Modified-Since    false   ->   304 to GET, HEAD and QUERY, 412 to others
 *
 * A date is compared only if it is valid and the representation has one (sections 13.1.3 and 13.1.4). For `If-Range`, see ranges.ts.
 */
import { parseDate } from './date.ts';
import { namesStrongTag, namesTag, parseTags, parseVersions } from './etag.ts';
import { findHeader } from './head.ts';

/** The validators of the current representation, which conditions are compared with. */
export interface Current {
  /** `undefined` if it is not known. */
  readonly exists: boolean | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export const UNKNOWN: Current = { exists: undefined, etag: undefined, lastModified: undefined };
export const MISSING: Current = { ...UNKNOWN, exists: false };
export const EXISTING: Current = { ...UNKNOWN, exists: true };

/** Whether a method only reads. A QUERY has the same conditions as a GET (RFC 10008). */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'QUERY';
}

/** Returns the status of the response if the conditions of a request are not met, or else `undefined`. */
export function findUnmetStatus(method: string, rawHeaders: readonly string[], current: Current): 304 | 412 | undefined {
  const ifMatch = findHeader(rawHeaders, 'if-match');
  if (ifMatch === undefined) {
    if (isModifiedSince(findHeader(rawHeaders, 'if-unmodified-since'), current) === true) return 412;
  } else if (!isMatch(ifMatch, current)) {
    return 412;
  }
  const reads = isRead(method);
  const ifNoneMatch = findHeader(rawHeaders, 'if-none-match');
  if (ifNoneMatch === undefined) {
    return reads && isModifiedSince(findHeader(rawHeaders, 'if-modified-since'), current) === false ? 304 : undefined;
  }
  // If the condition is malformed, a change must not be made, but a representation can be sent.
  if (isNamed(ifNoneMatch, current) || (!reads && parseTags(ifNoneMatch).length === 0)) return reads ? 304 : 412;
  return undefined;
}

function isMatch(ifMatch: string, { exists, etag }: Current): boolean {
  if (parseTags(ifMatch) === '*') return exists !== false;
  return etag !== undefined && namesStrongTag(ifMatch, etag);
}

function isNamed(ifNoneMatch: string, { exists, etag }: Current): boolean {
  if (parseTags(ifNoneMatch) === '*') return exists === true;
  return etag !== undefined && namesTag(ifNoneMatch, etag);
}

/** Compares dates. Returns `undefined` if one of them is missing or invalid. */
function isModifiedSince(date: string | undefined, { lastModified }: Current): boolean | undefined {
  const since = date === undefined ? undefined : parseDate(date);
  const modified = lastModified === undefined ? undefined : parseDate(lastModified);
  return since === undefined || modified === undefined ? undefined : modified > since;
}

/** Finds the versions that a condition names. `If-Match` compares strongly, `If-None-Match` weakly (RFC 9110 section 13.1). */
export function findNamedVersions(
  rawHeaders: readonly string[], condition: 'if-match' | 'if-none-match',
): readonly string[] | '*' | undefined {
  const list = findHeader(rawHeaders, condition);
  return list === undefined ? undefined : parseVersions(list, condition === 'if-match' ? 'strong' : 'weak');
}
