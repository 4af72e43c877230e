/**
 * How an endpoint's ids stand in a path. A codec reads the text of one segment, already percent-decoded, and
 * writes an id back for `Location` and for the body of a Create.
 */

/** Path text to id, and back. */
export interface IdCodec<Id> {
  /** Reads an id. Throws when the text is none; the message goes to the client, with a 400. */
  readonly parse: (text: string) => Id;
  /** Writes an id as text. */
  readonly format: (id: Id) => string;
}

/** Any text is an id. */
export const stringId: IdCodec<string> = {
  parse: (text) => text,
  format: (id) => id,
};

// One spelling for each number: no `+`, no leading zeros, no `-0`, no white space, no exponent, no `0x`.
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

// What a client can cause is thrown as one error that was made before: to make an `Error` takes microseconds, for a
// stack that nobody reads.
const NO_SAFE_INTEGER = new TypeError(
  `id: expected a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
);

/** Decimal integers from -(2^53 - 1) to 2^53 - 1, the ones that a `number` holds exactly. Throws `TypeError` for any other. */
export const integerId: IdCodec<number> = {
  parse: (text) => safeInteger(DECIMAL.test(text) ? Number(text) : NaN),
  format: (id) => String(safeInteger(id)),
};

function safeInteger(id: number): number {
  if (Number.isSafeInteger(id)) return id;
  throw NO_SAFE_INTEGER;
}

const UINT64_MAX = 2n ** 64n - 1n;
// 2^64 has twenty digits: longer text is refused before anything is computed from it.
const UINT64_TEXT = /^(?:0|[1-9]\d{0,19})$/;
const NO_UINT64 = new TypeError(`id: expected a decimal integer from 0 to ${UINT64_MAX}`);

/** Decimal integers from 0 to 2^64 - 1, as `bigint`. Throws `TypeError` for any other. */
export const uint64Id: IdCodec<bigint> = {
  parse: (text) => uint64(UINT64_TEXT.test(text) ? BigInt(text) : -1n),
  format: (id) => String(uint64(id)),
};

function uint64(id: bigint): bigint {
  if (typeof id === 'bigint' && id >= 0n && id <= UINT64_MAX) return id;
  throw NO_UINT64;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NO_UUID = new TypeError('id: expected a UUID, such as 123e4567-e89b-12d3-a456-426614174000');

/** UUIDs of any version (RFC 9562 section 4), read in either case and written in lower case. Throws `TypeError` for any other. */
export const uuidId: IdCodec<string> = {
  parse: uuid,
  format: uuid,
};

function uuid(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  throw NO_UUID;
}
