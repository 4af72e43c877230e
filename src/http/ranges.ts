/**
 * Range requests (RFC 9110 section 14): which part of a representation a client asks for.
 *
 *   Range: bytes=0-499     of 1000 bytes   ->   { first: 0, last: 499 }
 *   Range: bytes=-500                      ->   { first: 500, last: 999 }
 *   Range: bytes=1000-                     ->   'unsatisfiable'
 *   Range: bytes=0-1,5-6                   ->   'whole'
 *
 * A server may ignore any `Range` (section 14.2). This one does if it is malformed, has a different unit, or asks for several ranges: few
 * clients do, and the response can be larger than the whole representation.
 */
import { findHeader } from './head.ts';

/** A part of a representation. Both positions are inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** The headers that `If-Range` is compared with. */
export interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

const BYTES_UNIT = /^bytes=(.*)$/is;
const RANGE = /^(\d*)-(\d*)$/;

/** Parses `Range`. Returns the part of a representation with `size` bytes. */
export function parseRange(range: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, set = ''] = BYTES_UNIT.exec(range ?? '') ?? [];
  // A list may have empty elements (RFC 9110 section 5.6.1.2).
  const specifiers = set.split(',').map((specifier) => specifier.trim()).filter((specifier) => specifier !== '');
  const [, first, last] = RANGE.exec(specifiers[0] ?? '') ?? [];
  if (specifiers.length !== 1 || first === undefined || last === undefined) return 'whole';
  return first === '' ? limitSuffix(last, size) : limitRange(Number(first), last === '' ? Infinity : Number(last), size);
}

function limitRange(first: number, last: number, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (last < first) return 'whole';
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable';
}

function limitSuffix(digits: string, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (digits === '') return 'whole';
  const length = Number(digits);
  if (length === 0) return 'unsatisfiable';
  // The suffix of an empty representation is satisfiable, but no `Content-Range` can describe it.
  return size === 0 ? 'whole' : { first: Math.max(0, size - length), last: size - 1 };
}

/** Finds the part that a request asks for. It is the whole if `If-Range` names a different representation (RFC 9110 section 13.1.5). */
export function findRange(
  rawHeaders: readonly string[], size: number, validators: Validators, now: number = Date.now(),
): ByteRange | 'whole' | 'unsatisfiable' {
  const condition = findHeader(rawHeaders, 'if-range');
  if (condition !== undefined && !isCurrent(condition, validators, now)) return 'whole';
  return parseRange(findHeader(rawHeaders, 'range'), size);
}

const STRONG_TAG = /^"[\x21\x23-\x7e\x80-\xff]*"$/;
const SECOND_MS = 1000;

function isCurrent(condition: string, { etag, lastModified }: Validators, now: number): boolean {
  // The parts of two representations must never be joined, so the comparison is strong.
  if (condition.includes('"')) return STRONG_TAG.test(condition) && condition === etag;
  // A representation that has changed within the last second may change again with the same date (RFC 9110 section 8.8.2.2).
  return condition === lastModified && Date.parse(lastModified) <= now - SECOND_MS;
}
