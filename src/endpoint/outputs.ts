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

/** Decodes a result before it is sent as JSON; or the format in which it is sent. */
export type Output = Decode | Format;

/** The decoders and formats of results: one for all of them, or one for each status. */
export class DeclaredOutputs {
  readonly #forAll: Output | undefined;
  readonly #byStatus = new Map<number, Output | null>();

  constructor(output: unknown, path: string) {
    if (typeof output === 'function' || '~standard' in checkObject(output, path) || !isPlainObject(checkObject(output, path))) {
      this.#forAll = createOutput(output, path);
      return;
    }
    for (const [status, decoder] of Object.entries(checkObject(output, path))) {
      if (ERROR_STATUS.test(status)) throw new TypeError(`${path} cannot declare ${status}: declare it in errors`);
      if (!STATUS.test(status)) throw new TypeError(`${path} must have statuses from 200 to 399: ${JSON.stringify(status)}`);
      this.#byStatus.set(Number(status), decoder === null ? null : createOutput(decoder, `${path}.${status}`));
    }
  }

  /** `null` for a status without a body, and `undefined` for one that the operation does not declare. */
  find(status: number): Output | null | undefined {
    return this.#forAll !== undefined && status < 300 ? this.#forAll : this.#byStatus.get(status);
  }

  /** Whether a result can be an event stream. */
  get isEndless(): boolean {
    return [this.#forAll, ...this.#byStatus.values()].some((output) => typeof output === 'object' && output?.types?.includes('text/event-stream') === true);
  }

  /** Whether a result can be a stream of items. */
  get isSequence(): boolean {
    return [this.#forAll, ...this.#byStatus.values()].some((output) => typeof output === 'object' && output?.isSequence === true);
  }

  /** The status of a plain result as JSON. `undefined` if the operation declares none for it. */
  findJsonStatus({ result, status }: OperationKind): number | undefined {
    if (this.#forAll !== undefined) return result === 'id' ? 201 : 200;
    return [status, 200, 201].find((each) => Boolean(this.#byStatus.get(each)));
  }

  /** The status of a plain result that is not sent, where none is declared with a decoder. */
  findBodilessStatus({ result, status }: OperationKind): number | undefined {
    return (result === 'nothing' ? [status, 200] : [status]).find((each) => this.#byStatus.get(each) === null);
  }
}

/** How a plain result is sent: by `status`, else as `output` has it, else by the kind. */
export function choosePlainResult(kind: OperationKind, declared: unknown, outputs: DeclaredOutputs | undefined, path: string): { readonly result: OperationKind['result']; readonly status: number } {
  if (declared !== undefined) {
    const status = checkInteger(declared, path, 200, 299);
    return { result: isBodiless(status) || outputs?.find(status) === null ? chooseWithoutBody(kind, status) : 'json', status };
  }
  const status = outputs?.findJsonStatus(kind);
  if (status !== undefined) return { result: 'json', status };
  const bodiless = outputs?.findBodilessStatus(kind);
  return bodiless === undefined ? { result: kind.result, status: kind.status } : { result: chooseWithoutBody(kind, bodiless), status: bodiless };
}

/** The 201 of a create has a `Location`, which is made of its result. */
function chooseWithoutBody({ result }: OperationKind, status: number): OperationKind['result'] {
  return result === 'id' && status === 201 ? 'id' : 'nothing';
}

/** The decoders of the properties that errors have, by status. */
export function createErrorDecoders(errors: unknown, path: string): Map<number, Decode> {
  const decoders = new Map<number, Decode>();
  for (const [status, decoder] of Object.entries(checkObject(errors, path))) {
    if (!ERROR_STATUS.test(status)) throw new TypeError(`${path} must have statuses from 400 to 599: ${status}`);
    if (decoder !== null) decoders.set(Number(status), createBodyDecoder(decoder, `${path}.${status}`));
  }
  return decoders;
}

/** Decodes a value before it is sent. If the decoder rejects it, throws or rejects with `TypeError`: that is the user's error. */
export function decodeOutput(decode: Decode, value: unknown, message: string, options?: ErrorOptions): MaybePromise<unknown> {
  const decoded = decode(value);
  return isThenable(decoded) ? adopt(decoded).then((settled) => acceptOutput(settled, message, options)) : acceptOutput(decoded, message, options);
}

function acceptOutput(decoded: unknown, message: string, options?: ErrorOptions): unknown {
  if (!Rejection.is(decoded)) return decoded;
  const { cause, problem } = decoded;
  throw cause === undefined ? new TypeError(`${message}: ${problem.detail}`, options) : new TypeError(`${message}: ${formatError(cause)}`, { cause });
}

function createOutput(decoder: unknown, path: string): Output {
  const format = findFormat(decoder);
  if (format === undefined) return createBodyDecoder(decoder, path);
  if (format.encode === undefined) throw new TypeError(`${path} cannot be: the format only decodes`);
  return format;
}
