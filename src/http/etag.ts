/** Entity tags, and the lists of them in `If-Match` and `If-None-Match` (RFC 9110 sections 8.8.3 and 13.1). */

const ANY = /^[ \t]*\*[ \t]*$/;
// One element of a list, which may be empty (section 5.6.1.2), with the comma behind it.
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
// The rest is escaped: by RFC 9110, quotes, white space and control characters; by us, what some recipients split or unescape.
const PLAIN = /^[\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]*$/;
const ESCAPED = /[^\x21\x23\x24\x26-\x2b\x2d-\x5b\x5d-\x7e]+/g;

/** The tags of a list; `*` for any. A malformed list has none. */
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

/** Whether a list names a tag, where neither may be weak. */
export function namesStrongTag(list: string, tag: string): boolean {
  const tags = parseTags(list);
  return tags === '*' || (!isWeak(tag) && tags.includes(tag));
}

/** The strong tag of a version, whose characters that no tag can have are percent-encoded. Throws `URIError` for a lone surrogate. */
export function formatTag(version: string): string {
  return PLAIN.test(version) ? `"${version}"` : `"${version.replace(ESCAPED, encodeURIComponent)}"`;
}

/** The versions whose tags a list names; `*` for any. A tag that `formatTag` cannot have made stands for itself. */
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
