/**
 * The responses that an operation declares: the decoders and formats of results, and the status of a plain result.
 *
 *   output: Pet                          results, and the bodies of all replies with a status from 200 to 299
 *   output: { 200: Pet, 204: null }      by status; `null` for one without a body
 *   output: { 202: Pet }                 202 is the status of a plain result
 */
import { hideReserved, replaceExtensions } from '../errors/api-error.ts';
import { Rejection } from '../errors/problem.ts';
import { BODY_HEADERS, checkHeaders, type HeaderNames, type ReplyHeaders } from '../util/headers.ts';

import { checkObject, isPlainObject } from '../util/options.ts';
import { after, checkSync, disown, disownAll, formatError, isThenable } from '../util/promises.ts';
import { makeBodyDecoder, type Decode, isStandardSchema } from './decoder.ts';
import type { MaybePromise } from '../declaration/decoder.ts';
import { findFormat, type Format, listAddedHeaders, unwrapJson } from '../declaration/format.ts';
import type { OperationKind } from '../declaration/kinds.ts';
import { findViews, type ViewInternals } from '../declaration/views.ts';

const STATUS = /^[23]\d\d$/;
const ERROR_STATUS = /^[45]\d\d$/;

/** The headers of an event stream (WHATWG HTML, section 9.2). */
export const EVENT_STREAM_HEADERS: HeaderNames = { reads: ['Last-Event-ID'] };

/** Decodes a result before it is sent as JSON, which may have media types of its own; or a format that encodes it. */
export type Output = (Decode & Pick<Format, 'types'> & { readonly hasViews?: true }) | Format;

/** The option `output`, checked: one decoder or format for all results, or one for each status. */
export class DeclaredOutputs {
  readonly #forAll: Output | undefined;
  readonly #byStatus = new Map<number, Output | null>();

  constructor(output: unknown, path: string) {
    if (typeof output === 'function' || '~standard' in checkObject(output, path) || !isPlainObject(checkObject(output, path))) {
      this.#forAll = makeOutput(output, path);
      return;
    }
    for (const [status, decoder] of Object.entries(checkObject(output, path))) {
      if (ERROR_STATUS.test(status)) throw new TypeError(`${path} must not have the status ${status}: declare it in errors`);
      if (!STATUS.test(status)) {
        throw new TypeError(`${path} must only have statuses from 200 to 399, or be a schema such as z.object({ … }): ${JSON.stringify(status)}`);
      }
      this.#byStatus.set(Number(status), decoder === null ? null : makeOutput(decoder, `${path}.${status}`));
    }
  }

  /** Returns `null` for a status without a body, and `undefined` for a status that the operation does not declare. */
  find(status: number): Output | null | undefined {
    return this.#forAll !== undefined && status < 300 ? this.#forAll : this.#byStatus.get(status);
  }

  /** Whether a result can be an event stream. */
  get isEndless(): boolean {
    return this.#formats.some(({ types }) => types?.includes('text/event-stream') === true);
  }

  /** The headers that its formats add, and that clients may need. */
  get headerNames(): readonly string[] {
    return this.#formats.flatMap(listAddedHeaders);
  }

  /** Whether a result can be a stream of items. */
  get isSequence(): boolean {
    return this.#formats.some(({ isSequence }) => isSequence === true);
  }

  /** Whether a result depends on the caller, by `views`. */
  get hasViews(): boolean {
    return [this.#forAll, ...this.#byStatus.values()].some((output) => typeof output === 'function' && output.hasViews);
  }

  get #formats(): readonly Format[] {
    return [this.#forAll, ...this.#byStatus.values()].filter((output) => typeof output === 'object' && output !== null);
  }

  /** Returns the status of a plain result that is sent as JSON; `undefined` if `output` declares none. */
  findJsonStatus({ result, status }: OperationKind): number | undefined {
    if (this.#forAll !== undefined) return result === 'id' ? 201 : 200;
    return [status, 200, 201, ...this.#onlySuccess].find((each) => Boolean(this.#byStatus.get(each)));
  }

  /** Returns the status of a plain result without a body; `undefined` if `output` declares none. */
  findBodilessStatus({ result, status }: OperationKind): number | undefined {
    return [status, ...(result === 'nothing' ? [200] : []), ...this.#onlySuccess].find((each) => this.#byStatus.get(each) === null);
  }

  get #onlySuccess(): readonly number[] {
    const successes = [...this.#byStatus.keys()].filter((status) => status < 300);
    return successes.length === 1 ? successes : [];
  }
}

/** How a plain result is sent. */
type PlainResult = { readonly result: OperationKind['result']; readonly status: number };

/** Chooses how a plain result is sent: by `output`, else by the kind. */
export function choosePlainResult(kind: OperationKind, outputs: DeclaredOutputs | undefined): PlainResult {
  const status = outputs?.findJsonStatus(kind);
  if (status !== undefined) return { result: 'json', status };
  const bodiless = outputs?.findBodilessStatus(kind);
  if (bodiless === undefined) return { result: kind.result, status: kind.status };
  // Even without a body, the 201 of a create has a `Location`, which is made of its result.
  return { result: kind.result === 'id' && bodiless === 201 ? 'id' : 'nothing', status: bodiless };
}

/** The properties of the errors with a status. */
export interface DeclaredError {
  /** The user's decoders, of which one accepts the properties. Documents describe them. */
  readonly decoders: readonly unknown[];
  readonly decode: Decode;
}

/** The option `errors`, checked, by status: `null` for one without a decoder. */
export type ErrorsByStatus = ReadonlyMap<number, DeclaredError | null>;

const NO_ERRORS: ErrorsByStatus = new Map();

/** Checks the option `errors`: a decoder for each status, a list of them, or `null`. */
export function checkErrors(errors: unknown, path: string): ErrorsByStatus {
  if (errors === undefined) return NO_ERRORS;
  return new Map(Object.entries(checkObject(errors, path)).map(([status, declared]) => {
    if (!ERROR_STATUS.test(status)) throw new TypeError(`${path} must only have statuses from 400 to 599: ${status}`);
    return [Number(status), declared === null ? null : makeDeclaredError(declared, `${path}.${status}`)];
  }));
}

function makeDeclaredError(declared: unknown, path: string): DeclaredError {
  if (!Array.isArray(declared)) return { decoders: [declared], decode: makeBodyDecoder(declared, path) };
  if (declared.length === 0) {
    throw new TypeError(`${path} must not be an empty list: write null for an error without properties of its own`);
  }
  const decoders = declared as readonly unknown[];
  return { decoders, decode: decoders.map((decoder, at) => makeBodyDecoder(decoder, `${path}[${at}]`)).reduce(joinDecoders) };
}

/** Makes a decoder whose result is of the first that accepts the value. */
function joinDecoders(one: Decode, other: Decode): Decode {
  return (value) => after(one(value), (decoded) => {
    return Rejection.is(decoded) ? after(other(value), (last) => (Rejection.is(last) ? joinRejections(decoded, last) : last)) : decoded;
  });
}

function joinRejections(one: Rejection, other: Rejection): Rejection {
  const problem = { ...one.problem, detail: `${one.problem.detail}; ${other.problem.detail}` };
  return new Rejection(problem, one.headers, one.cause ?? other.cause, one.reason);
}

/**
 * Returns the rejection with the properties that its declared decoder makes. Throws `TypeError`, or rejects with it, if they do not match.
 * `options` has the error that was thrown.
 */
export function decodeError(rejection: Rejection, { decode }: DeclaredError, options?: ErrorOptions): MaybePromise<Rejection> {
  const { problem } = rejection;
  const at = `errors.${problem.status}`;
  const decoded = decodeOutput(decode(hideReserved(problem)), `the error does not match ${at}`, options);
  return after(decoded, (properties) => replaceExtensions(rejection, properties, `the result of ${at}`));
}

/**
 * Returns a value as it is sent. `made` is what its decoder has made of it. Throws `TypeError`, or rejects with it, if the decoder has
 * rejected the value: that is a bug in the user's code.
 */
export function decodeOutput(made: MaybePromise<unknown>, message: string, options?: ErrorOptions): MaybePromise<unknown> {
  return after(made, (decoded) => acceptOutput(decoded, message, options));
}

function acceptOutput(decoded: unknown, message: string, options?: ErrorOptions): unknown {
  if (!Rejection.is(decoded)) return decoded;
  const { cause, problem } = decoded;
  if (cause === undefined) throw new TypeError(`${message}: ${problem.detail}`, options);
  throw new TypeError(`${message}: ${formatError(cause)}`, { cause });
}

function makeOutput(declared: unknown, path: string): Output {
  const found = findViews(declared);
  if (found !== undefined) return makeViewDecoder(found, path);
  const { decoder, types } = unwrapJson(declared);
  const format = findFormat(decoder);
  if (format === undefined) return Object.assign(makeBodyDecoder(decoder, path), types && { types });
  if (format.encode === undefined) throw new TypeError(`${path} must be a format with encode: this one only decodes`);
  return format;
}

/** Makes a decoder by the view that is chosen for a request. */
function makeViewDecoder({ views, choose }: ViewInternals, path: string): Output {
  const decoders = new Map<unknown, Decode>(views.map((view, at) => [view, makeBodyDecoder(view, `view ${at + 1} of ${path}`)]));
  const decode: Decode = (value, request) => {
    const chosen = decoders.get(checkSync(choose(request), 'choose of views'));
    if (chosen === undefined) throw new TypeError('choose of views must return one of the views');
    return chosen(value);
  };
  return Object.assign(decode, { hasViews: true } as const);
}

/** A header that an operation declares. */
interface DeclaredHeader {
  readonly name: string;
  readonly lowerCase: string;
  /** The user's decoder. Documents describe it. */
  readonly decoder: unknown;
  readonly decode: Decode;
}

/**
 * The headers that an operation declares for its successes, by name:
 *
 *   responseHeaders: { 'X-Total': z.int() }     reply(200, pets, { 'X-Total': 3 })   ->   X-Total: 3
 */
export class DeclaredHeaders {
  readonly #headers: readonly DeclaredHeader[];

  /** Throws `TypeError` for a name that no header can have or that the server sets, and for a wrong decoder. */
  constructor(declared: unknown, path: string) {
    const decoders = checkObject(declared, path);
    checkHeaders(Object.fromEntries(Object.keys(decoders).map((name) => [name, ''])), BODY_HEADERS);
    this.#headers = Object.entries(decoders).map(([name, decoder]) => {
      return { name, lowerCase: name.toLowerCase(), decoder, decode: makeBodyDecoder(decoder, `${path}.${name}`) };
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
   * Decodes the headers that a result has. Returns names and values alternating, or a promise of them. Throws or rejects with `TypeError`
   * for one that is missing or wrong.
   */
  decode(given: ReplyHeaders): MaybePromise<readonly string[]> {
    const decoded: MaybePromise<string[]>[] = [];
    try {
      for (const header of this.#headers) decoded.push(decodeHeader(header, given));
    } catch (thrown) {
      disownAll(decoded);
      throw thrown;
    }
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

function decodeHeader({ name, lowerCase, decoder, decode }: DeclaredHeader, given: ReplyHeaders): MaybePromise<string[]> {
  const value: unknown = Object.entries(given).find(([each]) => each.toLowerCase() === lowerCase)?.[1];
  const isMissing = value === undefined;
  const message = isMissing
    ? `the result has no header ${name}, but responseHeaders declares it: reply(200, body, { '${name}': … })`
    : `the header ${name} does not match responseHeaders`;
  if (isMissing && !isStandardSchema(decoder)) throw new TypeError(message);
  return after(decodeOutput(decode(value), message), (decoded) => {
    return decoded === undefined ? [] : checkHeaders({ [name]: decoded }, BODY_HEADERS, true);
  });
}
