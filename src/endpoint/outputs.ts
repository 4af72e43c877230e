/**
 * The responses that an operation declares: the decoders and formats of results, and the status of a plain result.
 *
 *   output: Pet                          results, and the bodies of all replies with a status from 200 to 299
 *   output: { 200: Pet, 204: null }      by status; `null` for one without a body
 *   status: 202                          the status of a plain result
 */
import { checkInteger, checkObject, isPlainObject } from '../util/options.ts';
import { Rejection } from '../errors/problem.ts';
import { adopt, isThenable, formatError } from '../util/promises.ts';
import { isBodiless } from '../http/response.ts';
import { type Decode, createBodyDecoder, type MaybePromise } from './decoder.ts';
import { type Format, findFormat } from './format.ts';
import type { OperationKind } from './kinds.ts';

const STATUS = /^[23]\d\d$/;
const ERROR_STATUS = /^[45]\d\d$/;

/** Decodes a result before it is sent as JSON; or a format that encodes it. */
export type Output = Decode | Format;

/** The option `output`, checked: one decoder or format for all results, or one for each status. */
export class DeclaredOutputs {
  readonly #forAll: Output | undefined;
  readonly #byStatus = new Map<number, Output | null>();

  constructor(output: unknown, path: string) {
    if (typeof output === 'function' || '~standard' in checkObject(output, path) || !isPlainObject(checkObject(output, path))) {
      this.#forAll = createOutput(output, path);
      return;
    }
    for (const [status, decoder] of Object.entries(checkObject(output, path))) {
      if (ERROR_STATUS.test(status)) throw new TypeError(`${path} must not have the status ${status}: declare it in errors`);
      if (!STATUS.test(status)) throw new TypeError(`${path} must only have statuses from 200 to 399: ${JSON.stringify(status)}`);
      this.#byStatus.set(Number(status), decoder === null ? null : createOutput(decoder, `${path}.${status}`));
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

  /** The names of the headers that its formats add. */
  get headerNames(): readonly string[] {
    const all = [this.#forAll, ...this.#byStatus.values()];
    return all.flatMap((output) => (typeof output === 'object' ? Object.keys(output?.headers ?? {}) : []));
  }

  /** Whether a result can be a stream of items. */
  get isSequence(): boolean {
    return this.#formats.some(({ isSequence }) => isSequence === true);
  }

  get #formats(): readonly Format[] {
    return [this.#forAll, ...this.#byStatus.values()].filter((output) => typeof output === 'object' && output !== null);
  }

  /** Returns the status of a plain result that is sent as JSON; `undefined` if `output` declares none. */
  findJsonStatus({ result, status }: OperationKind): number | undefined {
    if (this.#forAll !== undefined) return result === 'id' ? 201 : 200;
    return [status, 200, 201].find((each) => Boolean(this.#byStatus.get(each)));
  }

  /** Returns the status of a plain result without a body; `undefined` if `output` declares none. */
  findBodilessStatus({ result, status }: OperationKind): number | undefined {
    return (result === 'nothing' ? [status, 200] : [status]).find((each) => this.#byStatus.get(each) === null);
  }
}

/** How a plain result is sent. */
type PlainResult = { readonly result: OperationKind['result']; readonly status: number };

/** Chooses how a plain result is sent: by the option `status`, else by `output`, else by the kind. */
export function choosePlainResult(
  kind: OperationKind, declared: unknown, outputs: DeclaredOutputs | undefined, path: string,
): PlainResult {
  if (declared !== undefined) {
    const status = checkInteger(declared, path, 200, 299);
    return { result: isBodiless(status) || outputs?.find(status) === null ? chooseWithoutBody(kind, status) : 'json', status };
  }
  const status = outputs?.findJsonStatus(kind);
  if (status !== undefined) return { result: 'json', status };
  const bodiless = outputs?.findBodilessStatus(kind);
  if (bodiless === undefined) return { result: kind.result, status: kind.status };
  return { result: chooseWithoutBody(kind, bodiless), status: bodiless };
}

/** Even without a body, the 201 of a create has a `Location`, which is made of its result. */
function chooseWithoutBody({ result }: OperationKind, status: number): OperationKind['result'] {
  return result === 'id' && status === 201 ? 'id' : 'nothing';
}

/** Makes the decoders of the properties of errors, by status. */
export function createErrorDecoders(errors: unknown, path: string): Map<number, Decode> {
  const decoders = new Map<number, Decode>();
  for (const [status, decoder] of Object.entries(checkObject(errors, path))) {
    if (!ERROR_STATUS.test(status)) throw new TypeError(`${path} must only have statuses from 400 to 599: ${status}`);
    if (decoder !== null) decoders.set(Number(status), createBodyDecoder(decoder, `${path}.${status}`));
  }
  return decoders;
}

/**
 * Decodes a value before it is sent. Throws `TypeError`, or rejects with it, if the decoder rejects the value: that is a bug in the
 * user's code.
 */
export function decodeOutput(decode: Decode, value: unknown, message: string, options?: ErrorOptions): MaybePromise<unknown> {
  const decoded = decode(value);
  if (!isThenable(decoded)) return acceptOutput(decoded, message, options);
  return adopt(decoded).then((settled) => acceptOutput(settled, message, options));
}

function acceptOutput(decoded: unknown, message: string, options?: ErrorOptions): unknown {
  if (!Rejection.is(decoded)) return decoded;
  const { cause, problem } = decoded;
  if (cause === undefined) throw new TypeError(`${message}: ${problem.detail}`, options);
  throw new TypeError(`${message}: ${formatError(cause)}`, { cause });
}

function createOutput(decoder: unknown, path: string): Output {
  const format = findFormat(decoder);
  if (format === undefined) return createBodyDecoder(decoder, path);
  if (format.encode === undefined) throw new TypeError(`${path} must be a format with encode: this one only decodes`);
  return format;
}
