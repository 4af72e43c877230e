/** Entity tags, and the condition that a client sets with them (RFC 9110 sections 8.8.3 and 13.1.2). */

// The opaque part, with its quotes: weak comparison leaves the prefix out.
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Whether `If-None-Match` names an entity tag, so that the client has the answer already. The comparison is weak. */
export function namesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.replace(/^W\//, '');
  return [...ifNoneMatch.matchAll(OPAQUE_TAG)].some(([named]) => named === opaque);
}
