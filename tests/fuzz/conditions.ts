/** The conditions of a request (RFC 9110 section 13), implemented independently of the server. None of the subject's items has a date. */
import { joinHeader } from './heads.ts';
import type { ReadRequest } from './reference.ts';

/** A list of entity tags, which is empty if it is malformed, or `*`. */
type Tags = readonly string[] | '*';

/** What is known of an item. */
export interface Item {
  /** `undefined` if nobody knows. */
  readonly exists: boolean | undefined;
  readonly tag: string | undefined;
}

export interface Conditions {
  readonly ifMatch: Tags | undefined;
  readonly ifNoneMatch: Tags | undefined;
  /** Whether there is an `If-Unmodified-Since` that can be compared. */
  readonly isDated: boolean;
}

// The date of the corpus.
const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

/** The conditions of a request. `undefined` if it has none. */
export function conditionsIn(request: ReadRequest): Conditions | undefined {
  const [ifMatch, ifNoneMatch] = [tagsOf(joinHeader(request, 'if-match')), tagsOf(joinHeader(request, 'if-none-match'))];
  const isDated = ifMatch === undefined && joinHeader(request, 'if-unmodified-since') === DATE;
  return ifMatch === undefined && ifNoneMatch === undefined && !isDated ? undefined : { ifMatch, ifNoneMatch, isDated };
}

/** Whether a change depends on whether there is an item, or on its date. Items have no versions, so no tag names one. */
export function dependOnItem({ ifMatch, ifNoneMatch, isDated }: Conditions): boolean {
  return (ifMatch === '*' || ifNoneMatch === '*' || isDated) && ifMatch?.length !== 0 && ifNoneMatch?.length !== 0;
}

/** Whether the conditions of a change are met. */
export function allowChange({ ifMatch, ifNoneMatch }: Conditions, item: Item): boolean {
  return isMatched(ifMatch, item) && ifNoneMatch?.length !== 0 && !isNamed(ifNoneMatch, item);
}

/** The status of the response to a GET that succeeds, if its conditions are not met. */
export function statusOfUnmetRead({ ifMatch, ifNoneMatch }: Conditions, tag: string | undefined): 304 | 412 | undefined {
  const item = { exists: true, tag };
  if (!isMatched(ifMatch, item)) return 412;
  return isNamed(ifNoneMatch, item) ? 304 : undefined;
}

function isMatched(ifMatch: Tags | undefined, { exists, tag = '' }: Item): boolean {
  return ifMatch === undefined || (ifMatch === '*' ? exists !== false : ifMatch.includes(tag));
}

function isNamed(ifNoneMatch: Tags = [], { exists, tag }: Item): boolean {
  return ifNoneMatch === '*' ? exists === true : ifNoneMatch.some((named) => named.replace(/^W\//, '') === tag);
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

function tagsOf(list: string | undefined): Tags | undefined {
  if (list === undefined || list === '*') return list;
  // No header can have a zero, so it can stand for a tag.
  const isList = list.replace(TAG, '\0').split(',').every((element) => /^[ \t]*\0?[ \t]*$/.test(element));
  return isList ? (list.match(TAG) ?? []) : [];
}
