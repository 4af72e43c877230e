/** A user's codec, checked: it parses a path segment, and formats an id or a parameter. */
import { toDecodeRejection } from '../errors/decode-failure.ts';
import { checkBoolean, checkFunction, checkObject, formatValue, type UserFunction } from '../util/options.ts';
import { makeDecodeRejectionAt, type Rejection } from '../errors/problem.ts';
import { checkSync, describeType, disown, formatError } from '../util/promises.ts';
import { isStandardSchema } from './decoder.ts';
import { type BuiltIn, findBuiltIn, isBuiltIn } from '../declaration/id-codec.ts';

export class Codec {
  readonly #codec: object;
  readonly #name: string;
  readonly #parse: UserFunction;
  readonly #builtIn: BuiltIn | undefined;
  // The rejection of a built-in codec. It is always the same, so it is made once.
  #rejection: Rejection | undefined;
  readonly #format: UserFunction;
  /** Whether the rest of a path can have empty segments. */
  readonly emptySegments: boolean;

  /** Throws `TypeError`, with `path` in the message, for a value that is not a codec. Messages to clients call it `name`. */
  constructor(value: unknown, path: string, name = 'id') {
    if (isStandardSchema(value)) {
      throw new TypeError(`${path} must be a codec, not a schema: uuidId, integerId, or your own { parse, format }`);
    }
    if (typeof value !== 'object' || value === null) {
      throw new TypeError(`${path} must be a codec with parse and format, such as integerId: ${formatValue(value)}`);
    }
    const codec = checkObject(value, path);
    if (codec['parse'] === undefined || codec['format'] === undefined) throw new TypeError(`${path} must have parse and format`);
    const parse = checkFunction(codec['parse'], `${path}.parse`);
    this.#codec = codec;
    this.#name = name;
    this.#parse = parse;
    this.#builtIn = findBuiltIn(parse);
    this.#format = checkFunction(codec['format'], `${path}.format`);
    this.emptySegments = checkBoolean(codec['emptySegments'] ?? false, `${path}.emptySegments`);
  }

  /** Parses a segment as it was sent. Returns the id or a `Rejection`. Throws an `ApiError` of the codec, and `TypeError` for a promise. */
  parse(segment: string): unknown {
    return this.#parseDecoded(decodeSegment(segment));
  }

  /** Parses several segments, as `parse` does one. `%2F` counts as a slash: generated clients escape it. */
  parseSegments(segments: string): unknown {
    const decoded = decodeSegment(segments);
    if (decoded !== undefined && !getRest(this.emptySegments).test(decoded)) {
      return this.#reject(`the ${this.#name} has ${this.emptySegments ? '' : 'an empty segment, '}".", ".." or a backslash`);
    }
    return this.#parseDecoded(decoded);
  }

  #reject(message: string): Rejection {
    return makeDecodeRejectionAt({ parameter: this.#name }, message, [this.#name]);
  }

  #parseDecoded(decoded: string | undefined): unknown {
    const name = this.#name;
    if (decoded === undefined) return this.#reject(`the ${name} is not percent-encoded UTF-8`);
    const builtIn = this.#builtIn;
    if (builtIn !== undefined) {
      return builtIn.read(decoded) ?? (this.#rejection ??= this.#reject(`${name}: expected ${builtIn.expected}`));
    }
    let id: unknown;
    try {
      id = this.#parse.call(this.#codec, decoded);
    } catch (thrown) {
      return toDecodeRejection(thrown, { locate: () => ({ parameter: name }), status: 400, base: [name] });
    }
    return checkSync(id, 'parse of a codec');
  }

  /**
   * Formats a new id. Throws `TypeError`, with a message that begins with `message`, for a value that is not an id, such as the item.
   * Throws the error of a user's codec that fails, and `TypeError` if the codec does not return a string.
   */
  format(id: unknown, message: string): string {
    if (id === undefined || id === null) throw new TypeError(`${message} ${String(id)}`);
    let formatted: unknown;
    try {
      formatted = this.#format.call(this.#codec, id);
      if (typeof formatted !== 'string') {
        throw new TypeError(`format of a codec must return a string: it returned ${describeType(formatted)}`);
      }
    } catch (cause) {
      disown(formatted);
      // A user's codec can fail for other reasons than its argument.
      if (!isBuiltIn(this.#format) && MAY_BE_IDS.includes(typeof id)) throw cause;
      throw new TypeError(`${message} ${describeType(id)} (${formatError(cause)})`, { cause });
    }
    // The item instead of its id, formatted by a codec with `format: String`.
    if (formatted === '[object Object]') throw new TypeError(`${message} ${describeType(id)} (${formatted})`);
    return formatted;
  }
}

const MAY_BE_IDS: readonly string[] = ['string', 'number', 'bigint'];
// A segment that is not empty, "." or "..". No path has an encoded NUL, CR or LF.
const SEGMENT = String.raw`(?:\.{0,2}[^./\\\x00\r\n]|\.{3})[^/\\\x00\r\n]*`;
const REST = new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`);
const REST_WITH_EMPTY = new RegExp(`^(?:${SEGMENT})?(?:/(?:${SEGMENT})?)*$`);

/** Gets the pattern of the rest of a path. */
export function getRest(hasEmptySegments: boolean): RegExp {
  return hasEmptySegments ? REST_WITH_EMPTY : REST;
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
