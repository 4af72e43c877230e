/** Entity tags, and the lists of them in `If-Match` and `If-None-Match` (RFC 9110 sections 8.8.3 and 13.1). */
import { cryptoModule } from '../node.ts';

/** Makes the strong tag of a body. A string is sent as UTF-8. */
export type FormatTag = (body: string | Uint8Array) => string;

/** Returns the function that makes tags of bodies. Loads `node:crypto`, which other servers do not need. */
export function loadTagFormatter(): FormatTag {
  const { hash } = cryptoModule();
  // With a weaker hash, a client could make two different bodies with the same tag.
  return (body) => `"${hash('sha256', body, 'base64url')}"`;
}

const ANY = /^[ \t]*\*[ \t]*$/;
// One element of a list, which may be empty (section 5.6.1.2), with the comma after it.
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
// Other characters are escaped. RFC 9110 does not allow quotes, white space and control characters; some recipients split at commas or
// unescape backslashes.
const PLAIN = /^[\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]*$/;
const ESCAPED = /[^\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]+/g;

/** Parses a list of tags; `*` means any. Returns an empty list if it is malformed. */
export function parseTags(list: string): readonly string[] | '*' {
  if (ANY.test(list)) return '*';
  const tags: string[] = [];
  for (ELEMENT.lastIndex = 0; ELEMENT.lastIndex < list.length;) {
    const element = ELEMENT.exec(list);
    if (element === null) return [];
    if (element[1] !== undefined) tags.push(element[1]);
  }
  return tags;
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

/** Formats the strong tag of a version. Percent-encodes characters that are not allowed in tags. Throws `URIError` for a lone surrogate. */
export function formatTag(version: string): string {
  return PLAIN.test(version) ? `"${version}"` : `"${version.replace(ESCAPED, encodeURIComponent)}"`;
}

/** Parses a list of tags into versions; `*` means any. A tag that `formatTag` cannot have made is taken as it is. */
export function parseVersions(list: string, comparison: 'strong' | 'weak'): readonly string[] | '*' {
  const tags = parseTags(list);
  if (tags === '*') return tags;
  return tags.filter((tag) => comparison === 'weak' || !isWeak(tag)).map((tag) => decodeVersion(removeWeakness(tag).slice(1, -1)));
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
