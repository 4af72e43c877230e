/**
 * Ids as strings: a codec parses a percent-decoded path segment, and formats an id for `Location` and the body of a Create. This file
 * imports nothing, so that a client can have the codecs without the server.
 */

/**
 * Turns a path segment into an id, and back. Both functions are synchronous: returning a promise is a 500.
 *
 * @example
 * ```ts
 * const hexId: IdCodec<number> = {
 *   parse: (segment) => {
 *     if (!/^[0-9a-f]{1,8}$/.test(segment)) throw new Error('expected up to eight hexadecimal digits');
 *     return parseInt(segment, 16);
 *   },
 *   format: (id) => id.toString(16),
 *   schema: { type: 'string', pattern: '^[0-9a-f]{1,8}$' },
 * };
 * ```
 */
export interface IdCodec<Id> {
  /** Parses an id. Throws for a segment that is not an id: the client gets a 400 with the message. An `ApiError` keeps its kind. */
  readonly parse: (segment: string) => Id;
  /** Formats an id. */
  readonly format: (id: Id) => string;
  /** The JSON Schema of a formatted id, for OpenAPI documents. @default any string that a path can have */
  readonly schema?: object;
  /**
   * Of a codec that reads several segments, as `wildcardId` does: whether segments can be empty, as in `a//b`, `dir/` and `/a`. An empty
   * id has no path. Default: `false`, which gets 400.
   */
  readonly emptySegments?: boolean;
}

interface BuiltInCodec<Id> extends IdCodec<Id> {
  /** As `parse`, but returns `undefined` instead of throwing, since creating an `Error` takes 2 µs (1.3 on Node 26). */
  readonly read: (segment: string) => Id | undefined;
  /** Describes the segments that it reads. */
  readonly expected: string;
}

/** The parsing half of a built-in codec. */
export type BuiltIn = Pick<BuiltInCodec<unknown>, 'read' | 'expected'>;

/** Returns the built-in codec with this `parse`. The user may have copied the codec and replaced its `format`. */
export function findBuiltIn(parse: unknown): BuiltIn | undefined {
  return [integer, uint64, uuid].find((codec) => codec.parse === parse);
}

interface CodecParts<Id> extends IdCodec<Id> {
  readonly expected: string;
  /** Only a segment that it matches is passed to `parse`. Without it, any segment is. */
  readonly pattern?: RegExp;
  /** Checks the result of `parse`, and the argument of `format`. */
  readonly isId: (id: Id) => boolean;
  readonly schema: object;
}

function makeBuiltIn<Id>(getParts: () => CodecParts<Id>): BuiltInCodec<Id> {
  const { expected, pattern, isId, parse, format, schema } = getParts();
  const checked = (id: Id): Id | undefined => (isId(id) ? id : undefined);
  const read = (segment: string): Id | undefined => (pattern?.test(segment) === false ? undefined : checked(parse(segment)));
  const checkId = (id: Id | undefined): Id => {
    if (id !== undefined) return id;
    // A `TypeError` without a code would be taken for a bug of a user's codec that calls this one.
    throw Object.assign(new TypeError(`id: expected ${expected}`), { code: 'ERR_INVALID_ARG_VALUE' });
  };
  return { expected, read, parse: (segment) => checkId(read(segment)), format: (id) => format(checkId(checked(id))), schema };
}

/** Parses one or more segments of a path. */
export interface WildcardCodec extends IdCodec<string> {
  readonly ' internal': 'wildcard';
}

/**
 * Reads one or more segments, joined by `/`: an id, which is the rest of the path, or a parameter `*name` of a sub-path. `%2F` is the same
 * as `/`. A path with an empty segment, `.`, `..` or a backslash, escaped or not, gets 400. A copy with `emptySegments` reads empty
 * segments too.
 *
 * Such an id is a key, and not a path of a file system: names such as `CON` and `a:b`, and links, have meanings there.
 *
 * @example
 * ```ts
 * const files = new Map<string, string>();
 * // GET /v1/file/notes/todo.txt calls get('notes/todo.txt').
 * server.registerEndpoint('/file', { id: wildcardId, get: (path) => files.get(path) });
 * // The keys of an object store: a//b and dir/ are keys of their own.
 * server.registerEndpoint('/object', { id: { ...wildcardId, emptySegments: true }, get: (key) => files.get(key) });
 * // GET /v1/repo/a/b/tag/7 calls get('7', …) with the name 'a/b'.
 * server.registerEndpoint('/repo/*name/tag', {
 *   params: { name: wildcardId }, id: stringId, get: (tag, { params }) => `${params.name}:${tag}`,
 * });
 * ```
 */
export const wildcardId: WildcardCodec = {
  ' internal': 'wildcard',
  parse: (rest) => rest,
  format: (id) => id,
};

/** Whether a codec parses several segments. */
export function isWildcard(codec: unknown): boolean {
  return (Object(codec) as Partial<WildcardCodec>)[' internal'] === 'wildcard';
}

/**
 * Reads ids that are any string, in one segment of the path.
 *
 * @example
 * ```ts
 * const zoos = new Map([['Berlin', { animals: 20_200 }]]);
 * server.registerEndpoint('/zoo', { id: stringId, get: (name) => zoos.get(name) }); // GET /v1/zoo/Berlin
 * ```
 */
export const stringId: IdCodec<string> = {
  parse: (segment) => segment,
  format: (id) => id,
};

// A bundler leaves out a codec that a page does not import: it is pure, and a function of its parts does nothing before it is called.
const integer = /* @__PURE__ */ makeBuiltIn<number>(() => ({
  expected: `a decimal integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  // One spelling for each number: no `+`, no leading zeros, no `-0`, no white space, no exponent, no `0x`.
  pattern: /^(?:0|-?[1-9]\d*)$/,
  isId: Number.isSafeInteger,
  parse: Number,
  format: String,
  schema: { type: 'integer', format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
}));

/**
 * Reads ids that are decimal integers from `-(2^53 - 1)` to `2^53 - 1`, which a `number` holds exactly. A path with any other id gets 400.
 *
 * @example
 * ```ts
 * server.registerEndpoint('/pet', { id: integerId, get: (id) => db.find(id) }); // GET /v1/pet/7 calls get(7)
 * ```
 * @throws `TypeError` from `parse` and `format`, for any other string or id.
 */
export const integerId: IdCodec<number> = integer;

const UINT64_MAX = 0xffff_ffff_ffff_ffffn;

// At most as many digits as 2^64 has: parsing longer strings would take time.
const UINT64 = /^(?:0|[1-9]\d{0,19})$/;

const uint64 = /* @__PURE__ */ makeBuiltIn<bigint>(() => ({
  expected: `a decimal integer from 0 to ${UINT64_MAX}`,
  pattern: UINT64,
  isId: (id) => typeof id === 'bigint' && id >= 0n && id <= UINT64_MAX,
  parse: BigInt,
  format: String,
  // A string, since most clients would round an integer.
  schema: { type: 'string', pattern: UINT64.source },
}));

/**
 * Reads ids that are decimal integers from 0 to `2^64 - 1`, as `bigint`. A path with any other id gets 400.
 *
 * @example
 * ```ts
 * const users = new Map([[18_446_744_073_709_551_615n, { name: 'Ann' }]]);
 * server.registerEndpoint('/user', { id: uint64Id, get: (id) => users.get(id) }); // GET /v1/user/18446744073709551615
 * ```
 * @throws `TypeError` from `parse` and `format`, for any other string or id.
 */
export const uint64Id: IdCodec<bigint> = uint64;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const uuid = /* @__PURE__ */ makeBuiltIn<string>(() => ({
  expected: 'a UUID, such as 123e4567-e89b-12d3-a456-426614174000',
  isId: (id) => UUID.test(id),
  parse: (segment) => segment.toLowerCase(),
  format: (id) => id.toLowerCase(),
  schema: { type: 'string', format: 'uuid' },
}));

/**
 * Reads ids that are UUIDs of any version (RFC 9562 section 4), in either case, and writes them in lower case. A path with any other id
 * gets 400.
 *
 * @example
 * ```ts
 * const orders = new Map([['123e4567-e89b-12d3-a456-426614174000', { total: 30 }]]);
 * server.registerEndpoint('/order', { id: uuidId, get: (id) => orders.get(id) });
 * ```
 * @throws `TypeError` from `parse` and `format`, for any other string or id.
 */
export const uuidId: IdCodec<string> = uuid;

/** Whether a `format` belongs to a codec of this file. It only fails for a value that is not an id. */
export function isBuiltIn(format: unknown): boolean {
  return [stringId, wildcardId, integer, uint64, uuid].some((codec) => codec.format === format);
}
