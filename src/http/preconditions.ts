/**
 * The conditions of a request (RFC 9110 section 13), in the order of section 13.2.2:
 *
 *   If-Match, or else If-Unmodified-Since       false   ->   412
 *   If-None-Match, or else If-Modified-Since    false   ->   304 to GET and HEAD, 412 to others
 *
 * A date is compared only if it is valid and the representation has one (sections 13.1.3 and 13.1.4). For `If-Range`, see ranges.ts.
 */
import { cryptoModule } from '../node.ts';
import { parseDate } from './date.ts';
import { findHeader } from './head.ts';
import type { HeaderNames } from '../util/headers.ts';
import { isSafe } from './methods.ts';

/** The headers of conditions, and the validator that clients keep for them. */
export const CONDITION_HEADERS = {
  reads: ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'], adds: ['ETag'],
} as const;

/** The headers of parts (section 14). Not in ranges.ts, which only `ranges` loads. */
export const RANGE_HEADERS: HeaderNames = { reads: ['Range', 'If-Range'], adds: ['Accept-Ranges', 'Content-Range'] };

/** The validators of the current representation, which conditions are compared with. */
export interface Current {
  /** `undefined` if it is not known. */
  readonly exists: boolean | undefined;
  readonly etag: string | undefined;
  /** Whether the tag names a version of the item, and not the bytes of one representation. */
  readonly isVersion: boolean;
  readonly lastModified: string | undefined;
}

export const UNKNOWN: Current = { exists: undefined, etag: undefined, isVersion: false, lastModified: undefined };
export const MISSING: Current = { ...UNKNOWN, exists: false };
export const EXISTING: Current = { ...UNKNOWN, exists: true };

/** Returns the status of the response if the conditions of a request are not met, or else `undefined`. */
export function findUnmetStatus(method: string, rawHeaders: readonly string[], current: Current): 304 | 412 | undefined {
  const ifMatch = findHeader(rawHeaders, 'if-match');
  if (ifMatch === undefined) {
    if (isModifiedSince(findHeader(rawHeaders, 'if-unmodified-since'), current) === true) return 412;
  } else if (!isMatch(ifMatch, current)) {
    return 412;
  }
  const reads = isSafe(method);
  const ifNoneMatch = findHeader(rawHeaders, 'if-none-match');
  if (ifNoneMatch === undefined) {
    return reads && isModifiedSince(findHeader(rawHeaders, 'if-modified-since'), current) === false ? 304 : undefined;
  }
  // If the condition is malformed, a change must not be made, but a representation can be sent.
  if (isNamed(ifNoneMatch, current) || (!reads && parseTags(ifNoneMatch).length === 0)) return reads ? 304 : 412;
  return undefined;
}

function isMatch(ifMatch: string, { exists, etag, isVersion }: Current): boolean {
  if (ANY.test(ifMatch)) return exists !== false;
  return etag !== undefined && (isVersion ? namesVersionTag(ifMatch, etag) : namesStrongTag(ifMatch, etag));
}

function isNamed(ifNoneMatch: string, { exists, etag }: Current): boolean {
  if (ANY.test(ifNoneMatch)) return exists === true;
  return etag !== undefined && namesTag(ifNoneMatch, etag);
}

/** Compares dates. Returns `undefined` if one of them is missing or invalid. */
function isModifiedSince(date: string | undefined, { lastModified }: Current): boolean | undefined {
  const since = date === undefined ? undefined : parseDate(date);
  const modified = lastModified === undefined ? undefined : parseDate(lastModified);
  return since === undefined || modified === undefined ? undefined : modified > since;
}

/** Finds the versions that a condition names. */
export function findNamedVersions(
  rawHeaders: readonly string[], condition: 'if-match' | 'if-none-match',
): readonly string[] | '*' | undefined {
  const list = findHeader(rawHeaders, condition);
  return list === undefined ? undefined : parseVersions(list);
}

/** Makes the strong tag of a body. A string is sent as UTF-8. */
export type FormatTag = (body: string | Uint8Array) => string;

/** Returns the function that makes tags of bodies. Loads `node:crypto`, which other servers do not need. */
export function loadTagFormatter(): FormatTag {
  const { hash } = cryptoModule();
  // With a weaker hash, a client could make two different bodies with the same tag.
  return (body) => `"${hash('sha256', body, 'base64url')}"`;
}

const ANY = /^[ \t]*\*[ \t]*$/;
// A tag, with the comma after it.
const ELEMENT = /((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;
// Before a tag: white space, and elements that are empty (section 5.6.1.2).
const EMPTY = /[ \t,]*/y;
// Other characters are escaped. RFC 9110 does not allow quotes, white space and control characters; some recipients split at commas or
// unescape backslashes.
const PLAIN = /^[\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]*$/;
// What `mod_deflate` and `mod_brotli` of Apache add to the tag of a response that they compress.
const SUFFIX = /-(?:gzip|br)"$/;
const ESCAPED = /[^\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]+/g;

/** Parses a list of tags; `*` means any. Returns an empty list if it is malformed. */
export function parseTags(list: string): readonly string[] | '*' {
  if (ANY.test(list)) return '*';
  const tags: string[] = [];
  for (let at = skipEmpty(list, 0); at < list.length; at = skipEmpty(list, ELEMENT.lastIndex)) {
    ELEMENT.lastIndex = at;
    const [, tag] = ELEMENT.exec(list) ?? [];
    if (tag === undefined) return [];
    tags.push(tag);
  }
  return tags;
}

function skipEmpty(list: string, at: number): number {
  EMPTY.lastIndex = at;
  EMPTY.test(list);
  return EMPTY.lastIndex;
}

/** Whether a list names a tag. The comparison is weak (section 8.8.3.2). */
export function namesTag(list: string, tag: string): boolean {
  const tags = parseTags(list);
  return tags === '*' || tags.some((named) => removeWeakness(named) === removeWeakness(tag));
}

/** Whether a list names a tag. The comparison is strong: neither may be weak (section 8.8.3.2). */
export function namesStrongTag(list: string, tag: string): boolean {
  const tags = parseTags(list);
  return tags === '*' || (!isWeak(tag) && tags.includes(tag));
}

/**
 * Whether a list names the tag of a version, as `formatTag` makes it. Unlike a tag of bytes, it still names the same version after a proxy
 * has compressed the response: nginx makes the tag weak, Apache adds a suffix.
 */
export function namesVersionTag(list: string, tag: string): boolean {
  const tags = parseTags(list);
  return tags === '*' || tags.map(removeWeakness).some((named) => named === tag || removeSuffix(named) === tag);
}

/** Formats the strong tag of a version. Percent-encodes characters that are not allowed in tags. Throws `URIError` for a lone surrogate. */
export function formatTag(version: string): string {
  return PLAIN.test(version) ? `"${version}"` : `"${version.replace(ESCAPED, encodeURIComponent)}"`;
}

/**
 * Parses a list of tags into versions; `*` means any. A tag that `formatTag` cannot have made is taken as it is. One with the suffix of a
 * proxy is followed by the version without it.
 */
export function parseVersions(list: string): readonly string[] | '*' {
  const tags = parseTags(list);
  if (tags === '*') return tags;
  return tags.map(removeWeakness).flatMap((tag) => {
    const version = decodeVersion(tag.slice(1, -1));
    return SUFFIX.test(tag) ? [version, decodeVersion(removeSuffix(tag).slice(1, -1))] : [version];
  });
}

function decodeVersion(opaque: string): string {
  try {
    return decodeURIComponent(opaque);
  } catch {
    return opaque;
  }
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/');
}

function removeWeakness(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag;
}

function removeSuffix(tag: string): string {
  return tag.replace(SUFFIX, '"');
}
