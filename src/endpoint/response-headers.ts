/**
 * The headers that an operation declares for its successes, by name:
 *
 *   responseHeaders: { 'X-Total': z.int() }     reply(200, pets, { 'X-Total': 3 })   ->   X-Total: 3
 */
import { Rejection } from '../errors/problem.ts';
import { checkHeaders, FRAMING_HEADERS, type ReplyHeaders } from '../http/headers.ts';
import { checkObject } from '../util/options.ts';
import { adopt, disown, isThenable } from '../util/promises.ts';
import { createBodyDecoder, type Decode, isStandardSchema, type MaybePromise } from './decoder.ts';
import { decodeOutput } from './outputs.ts';

/** A header that an operation declares. */
interface DeclaredHeader {
  readonly name: string;
  readonly lowerCase: string;
  /** The user's decoder. Documents describe it. */
  readonly decoder: unknown;
  readonly decode: Decode;
}

const REJECTED_HEADERS: ReadonlySet<string> = new Set([...FRAMING_HEADERS, 'content-type']);

export class DeclaredHeaders {
  readonly #headers: readonly DeclaredHeader[];

  /** Throws `TypeError` for a name that no header can have or that the server sets, and for a wrong decoder. */
  constructor(declared: unknown, path: string) {
    const decoders = checkObject(declared, path);
    checkHeaders(Object.fromEntries(Object.keys(decoders).map((name) => [name, ''])), REJECTED_HEADERS);
    this.#headers = Object.entries(decoders).map(([name, decoder]) => {
      return { name, lowerCase: name.toLowerCase(), decoder, decode: createBodyDecoder(decoder, `${path}.${name}`) };
    });
  }

  /** The names of the headers, as they are declared. */
  get names(): readonly string[] {
    return this.#headers.map(({ name }) => name);
  }

  /** Lists the headers for documents. */
  list(): { readonly name: string; readonly decoder: unknown; readonly isRequired: boolean }[] {
    return this.#headers.map(({ name, decoder, decode }) => ({ name, decoder, isRequired: !acceptsNothing(decoder, decode) }));
  }

  /**
   * Decodes the headers that a result has. Returns names and values alternating, or a promise of them. Throws or rejects with `TypeError` for
   * one that is missing or wrong.
   */
  decode(given: ReplyHeaders): MaybePromise<readonly string[]> {
    const decoded = this.#headers.map((header) => decodeHeader(header, findValue(given, header.lowerCase)));
    return decoded.some(isThenable) ? Promise.all(decoded).then((lines) => lines.flat()) : (decoded as string[][]).flat();
  }
}

/** Whether a schema accepts that the header is missing. A function always needs a value. */
function acceptsNothing(decoder: unknown, decode: Decode): boolean {
  if (!isStandardSchema(decoder)) return false;
  const decoded = decode(undefined);
  disown(decoded);
  return !isThenable(decoded) && !Rejection.is(decoded);
}

function findValue(given: ReplyHeaders, lowerCase: string): unknown {
  return Object.entries(given).find(([name]) => name.toLowerCase() === lowerCase)?.[1];
}

function decodeHeader({ name, decoder, decode }: DeclaredHeader, value: unknown): MaybePromise<string[]> {
  const isMissing = value === undefined;
  const message = isMissing
    ? `the result has no header ${name}, but responseHeaders declares it: reply(200, body, { '${name}': … })`
    : `the header ${name} does not match responseHeaders`;
  if (isMissing && !isStandardSchema(decoder)) throw new TypeError(message);
  const decoded = decodeOutput(decode, value, message);
  return isThenable(decoded) ? adopt(decoded).then((settled) => formatHeader(name, settled)) : formatHeader(name, decoded);
}

function formatHeader(name: string, value: unknown): string[] {
  return value === undefined ? [] : checkHeaders({ [name]: value }, REJECTED_HEADERS, true);
}
