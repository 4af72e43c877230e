/** A codec of the host's, checked: it parses the text of a path segment, and formats an id or a parameter. */
import { toDecodeRejection } from '../errors/decode-failure.ts';
import { checkBoolean, checkFunction, checkObject, formatValue, type UserFunction } from '../util/options.ts';
import { createDecodeRejectionAt, type Rejection } from '../errors/problem.ts';
import { disown, isThenable, describeType, formatError } from '../util/promises.ts';
import { isStandardSchema } from './decoder.ts';
import { type BuiltIn, findBuiltIn, isBuiltIn } from './id-codec.ts';

export class Codec {
  readonly #codec: object;
  readonly #name: string;
  readonly #parse: UserFunction;
  readonly #builtIn: BuiltIn | undefined;
  // That of a built-in codec is always the same.
  #failure: Rejection | undefined;
  readonly #format: UserFunction;
  /** Whether the rest of a path can have empty segments. */
  readonly emptySegments: boolean;

  /** `path` names the codec in the `TypeError` for anything else. Messages to clients call it `name`. */
  constructor(value: unknown, path: string, name = 'id') {
    if (isStandardSchema(value)) {
      throw new TypeError(`${path} must be a codec, and not a schema, which only parses: uuidId, integerId, or your own { parse, format }`);
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

  /** Parses a segment as it was sent. Returns the id or a `Rejection`. Throws a codec's `ApiError`, and for a promise. */
  parse(segment: string): unknown {
    return this.#parseText(decodeSegment(segment));
  }

  /** Parses the rest of a path, as `parse` does. `%2F` counts as a slash: generated clients escape it. */
  parseRest(rest: string): unknown {
    const text = decodeSegment(rest);
    const wrong = this.emptySegments ? DOTS_OR_BACKSLASH : NO_SEGMENT;
    if (text?.split('/').some((segment) => wrong.test(segment)) === true) {
      return this.#reject(`the ${this.#name} has ${this.emptySegments ? '' : 'an empty segment, '}".", ".." or a backslash`);
    }
    return this.#parseText(text);
  }

  #reject(message: string): Rejection {
    return createDecodeRejectionAt({ parameter: this.#name }, message, [this.#name]);
  }

  #parseText(text: string | undefined): unknown {
    const name = this.#name;
    if (text === undefined) return this.#reject(`the ${name} is not percent-encoded UTF-8`);
    const builtIn = this.#builtIn;
    if (builtIn !== undefined) return builtIn.read(text) ?? (this.#failure ??= this.#reject(`${name}: expected ${builtIn.expected}`));
    let id: unknown;
    try {
      id = this.#parse.call(this.#codec, text);
    } catch (thrown) {
      return toDecodeRejection(thrown, { locate: () => ({ parameter: name }), status: 400, base: [name] });
    }
    if (!isThenable(id)) return id;
    disown(id);
    throw new TypeError(`an id was parsed as ${describeType(id)}`);
  }

  /**
   * The text of a new id. Throws `TypeError`, whose message begins with `fault`, for a value that is no id, such as the item; the error of
   * a host's codec that fails; and `TypeError` if it returns no string.
   */
  format(id: unknown, message: string): string {
    if (id === undefined || id === null) throw new TypeError(`${message} ${String(id)}`);
    let text: unknown;
    try {
      text = this.#format.call(this.#codec, id);
      if (typeof text !== 'string') throw new TypeError(`an id was formatted as ${describeType(text)}`);
    } catch (cause) {
      disown(text);
      // A host's codec can fail for other reasons than its argument.
      if (!isBuiltIn(this.#format) && MAY_BE_IDS.includes(typeof id)) throw cause;
      throw new TypeError(`${message} ${describeType(id)} (${formatError(cause)})`, { cause });
    }
    // So a codec whose `format` is `String` writes an item.
    if (text === '[object Object]') throw new TypeError(`${message} ${describeType(id)} (${text})`);
    return text;
  }
}

const MAY_BE_IDS: readonly string[] = ['string', 'number', 'bigint'];
const NO_SEGMENT = /^\.{0,2}$|\\/;
const DOTS_OR_BACKSLASH = /^\.{1,2}$|\\/;

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
