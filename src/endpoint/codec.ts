/** A codec of the host's, checked: it parses the text of a path segment, and formats an id or a parameter. */
import { decodeFailureFrom } from '../errors/decode-failure.ts';
import { functionFrom, type HostFunction, membersOf } from '../errors/members.ts';
import { decodeFailure } from '../errors/problem.ts';
import { disown, isThenable, nameOf } from '../errors/thrown.ts';
import { builtInWith } from './id-codec.ts';

export class Codec {
  readonly #codec: object;
  readonly #name: string;
  readonly #parse: (text: string) => unknown;
  readonly #format: HostFunction;

  /** `path` names the codec in the `TypeError` for anything else. Messages to clients call it `name`. */
  constructor(value: unknown, path: string, name = 'id') {
    const codec = membersOf(value, path);
    const parse = functionFrom(codec['parse'], `${path}.parse`);
    const format = functionFrom(codec['format'], `${path}.format`);
    if (parse === undefined || format === undefined) throw new TypeError(`${path} must have parse and format`);
    this.#codec = codec;
    this.#name = name;
    this.#parse = tryParseOf(parse, name) ?? parse;
    this.#format = format;
  }

  /** Parses a segment as it was sent. Returns the id or a `ErrorAnswer`. Throws a codec's `ApiError`, and for a promise. */
  parse(segment: string): unknown {
    return this.#parseText(decodeSegment(segment));
  }

  /** Parses the rest of a path, as `parse` does. `%2F` counts as a slash: generated clients escape it. */
  parseRest(rest: string): unknown {
    const text = decodeSegment(rest);
    if (text?.split('/').some((segment) => NO_SEGMENT.test(segment)) === true) {
      return decodeFailure(`the ${this.#name} has an empty segment, ".", ".." or a backslash`);
    }
    return this.#parseText(text);
  }

  #parseText(text: string | undefined): unknown {
    if (text === undefined) return decodeFailure(`the ${this.#name} is not percent-encoded UTF-8`);
    let id: unknown;
    try {
      id = this.#parse.call(this.#codec, text);
    } catch (thrown) {
      return decodeFailureFrom(thrown);
    }
    if (!isThenable(id)) return id;
    disown(id);
    throw new TypeError(`an id was parsed as ${nameOf(id)}`);
  }

  /** Throws the codec's error, and `TypeError` if it returns no string. */
  format(id: unknown): string {
    const text = this.#format.call(this.#codec, id);
    if (typeof text === 'string') return text;
    disown(text);
    throw new TypeError(`an id was formatted as ${nameOf(text)}`);
  }
}

/** As the `parse` of a built-in codec, but returns a `ErrorAnswer` instead of throwing; `undefined` for any other `parse`. */
function tryParseOf(parse: HostFunction, name: string): ((text: string) => unknown) | undefined {
  const builtIn = builtInWith(parse);
  if (builtIn === undefined) return undefined;
  const failure = decodeFailure(`${name}: expected ${builtIn.expected}`);
  return (text) => builtIn.read(text) ?? failure;
}

const NO_SEGMENT = /^\.{0,2}$|\\/;

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
