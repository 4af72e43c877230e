/** Ids as text: a codec parses a percent-decoded path segment, and formats an id for `Location` and the body of a Create. */
import { DecodeFailure } from '../errors/decode-failure.ts';

/** Path text to id, and back. Both ways are synchronous: a promise is answered 500, and logged. */
export interface IdCodec<Id> {
  /** Reads an id. Throws if the text is none; the message goes to the client with a 400. An `ApiError` keeps its kind. */
  readonly parse: (text: string) => Id;
  /** Writes an id as text. */
  readonly format: (id: Id) => string;
}

/** As `parse`, but returns the failure: to create and throw an `Error` takes microseconds. */
export type TryParse = (text: string) => unknown;

/** The `tryParse` of the built-in codec that has this `parse`. A host may copy a codec and replace its `parse` or `format`. */
export function tryParseOf(parse: unknown): TryParse | undefined {
  return [integer, uint64, uuid].find(({ codec }) => codec.parse === parse)?.tryParse;
}

interface BuiltIn<Id> {
  readonly codec: IdCodec<Id>;
  readonly tryParse: TryParse;
}

/** Makes a codec of two functions that return `undefined` for what is no id. */
function builtIn<Id>(
  expected: string,
  parse: (text: string) => Id | undefined,
  format: (id: Id) => string | undefined,
): BuiltIn<Id> {
  const message = `id: expected ${expected}`;
  const failure = new DecodeFailure(message);
  const orThrow = <T>(value: T | undefined): T => {
    if (value === undefined) throw new TypeError(message);
    return value;
  };
  return {
    codec: { parse: (text) => orThrow(parse(text)), format: (id) => orThrow(format(id)) },
    tryParse: (text) => parse(text) ?? failure,
  };
}

/** Any text is an id. */
export const stringId: IdCodec<string> = {
  parse: (text) => text,
  format: (id) => id,
};

// One spelling for each number: no `+`, no leading zeros, no `-0`, no white space, no exponent, no `0x`.
const DECIMAL = /^(?:0|-?[1-9]\d*)$/;

const integer = builtIn<number>(
  `a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  (text) => asInteger(DECIMAL.test(text) ? Number(text) : NaN),
  (id) => asInteger(id)?.toString(),
);

/** Decimal integers from -(2^53 - 1) to 2^53 - 1, which a `number` holds exactly. Throws `TypeError` for any other text or id. */
export const integerId: IdCodec<number> = integer.codec;

function asInteger(id: number): number | undefined {
  return Number.isSafeInteger(id) ? id : undefined;
}

const UINT64_MAX = 2n ** 64n - 1n;
// Limits the digits to those of 2^64, so that no time goes into longer text.
const UINT64_TEXT = /^(?:0|[1-9]\d{0,19})$/;

const uint64 = builtIn<bigint>(
  `a decimal integer from 0 to ${UINT64_MAX}`,
  (text) => asUint64(UINT64_TEXT.test(text) ? BigInt(text) : -1n),
  (id) => asUint64(id)?.toString(),
);

/** Decimal integers from 0 to 2^64 - 1, as `bigint`. Throws `TypeError` for any other text or id. */
export const uint64Id: IdCodec<bigint> = uint64.codec;

function asUint64(id: bigint): bigint | undefined {
  return typeof id === 'bigint' && id >= 0n && id <= UINT64_MAX ? id : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const uuid = builtIn<string>('a UUID, such as 123e4567-e89b-12d3-a456-426614174000', asUuid, asUuid);

/** UUIDs of any version (RFC 9562 section 4), in lower case. Reads either case. Throws `TypeError` for any other text or id. */
export const uuidId: IdCodec<string> = uuid.codec;

function asUuid(id: string): string | undefined {
  return UUID.test(id) ? id.toLowerCase() : undefined;
}
