/** An endpoint at its path, with its operations. Made once, at registration. */
import type { CheckedCodec, Declaration, DeclaredOperation, HostFunction } from '../../endpoint/declaration.ts';
import type { Decode } from '../../endpoint/decoder.ts';
import type { Kind } from '../../endpoint/kinds.ts';
import { pathOf } from '../../endpoint/routes.ts';
import { ApiError, isApiError } from '../../errors/api-error.ts';
import { DecodeFailure } from '../../errors/decode-failure.ts';
import { disown, nameOf } from '../../errors/thenable.ts';
import { parseJson } from '../../http/json.ts';
import { refuseTooLong } from '../../http/text-length.ts';
import type { Settings } from '../settings/options.ts';

const NOT_ENCODED = new DecodeFailure('the id is not percent-encoded UTF-8');
const NO_INPUT = new DecodeFailure('the operation takes no input');
// Clients remove the segments `.` and `..`, and the server refuses a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
const UNREACHABLE_ESCAPES = /%0[0AD]/;

export class ServedEndpoint {
  readonly base: string;
  readonly id: CheckedCodec;
  readonly operations: readonly Operation[];
  readonly settings: Settings;
  readonly #receiver: object;
  readonly #isNotFound: HostFunction | undefined;
  readonly #errorFrom: HostFunction | undefined;

  constructor(base: string, { receiver, id, operations, isNotFound, errorFrom }: Declaration, settings: Settings) {
    this.base = base;
    this.id = id;
    this.settings = settings;
    this.#receiver = receiver;
    this.#isNotFound = isNotFound;
    this.#errorFrom = errorFrom;
    this.operations = operations.map((declared) => new Operation(this, declared));
  }

  /** Whether a failure means "not found", by the endpoint's `isNotFound` or else by the server's. */
  isNotFound(failure: unknown): boolean {
    if (this.#isNotFound !== undefined) return this.#isNotFound.call(this.#receiver, failure) as boolean;
    const { isNotFound } = this.settings;
    return isNotFound(failure);
  }

  /** Makes an `ApiError` of what an operation threw. Asks the endpoint's `errorFrom`, the server's, then `isNotFound`. */
  errorFrom(thrown: unknown): ApiError {
    disown(thrown);
    return this.#ownErrorFrom(thrown) ?? ApiError.from(thrown, (failure) => this.isNotFound(failure));
  }

  #ownErrorFrom(thrown: unknown): ApiError | undefined {
    if (isApiError(thrown)) return thrown;
    const { errorFrom } = this.settings;
    try {
      return errorOrNothing(this.#errorFrom?.call(this.#receiver, thrown)) ?? errorOrNothing(errorFrom?.(thrown));
    } catch (failure) {
      disown(failure);
      return undefined;
    }
  }

  /** Parses the id in a segment of a path. Returns a `DecodeFailure` if it is no id. Throws if the codec fails. */
  parseId(segment: string): unknown {
    const text = decodeSegment(segment);
    return text === undefined ? NOT_ENCODED : this.id.parse(text);
  }

  /** The path of the item with this id. `undefined` if no request can have the id in its path. */
  locationOf(idText: string): string | undefined {
    const segment = encodeURIComponent(idText);
    if (segment === idText ? UNREACHABLE_IDS.includes(idText) : UNREACHABLE_ESCAPES.test(segment)) return undefined;
    refuseTooLong(idText.length + this.base.length + segment.length);
    return `${this.base}/${segment}`;
  }
}

export class Operation {
  readonly endpoint: ServedEndpoint;
  readonly kind: Kind;
  readonly name: string;
  readonly #decode: Decode | undefined;
  readonly #receiver: object;
  readonly #run: HostFunction;
  readonly #stringify: HostFunction | undefined;

  constructor(endpoint: ServedEndpoint, { kind, name, receiver, run, decode, stringify }: DeclaredOperation) {
    this.endpoint = endpoint;
    this.kind = kind;
    this.name = name;
    this.#decode = decode;
    this.#receiver = receiver;
    this.#run = run;
    this.#stringify = stringify;
  }

  /** Method and path, for messages. */
  get routeText(): string {
    return `${this.kind.method} ${pathOf(this.endpoint.base, this)}`;
  }

  /** Decodes a body. Returns the value, a `DecodeFailure`, or a promise of either. Throws if the decoder fails. */
  decode(bytes: Buffer): unknown {
    const decode = this.#decode;
    if (decode === undefined) return bytes.length === 0 || parseJson(bytes) === null ? undefined : NO_INPUT;
    const json = parseJson(bytes);
    return json instanceof DecodeFailure ? json : decode(json);
  }

  /** Calls the host's function with the id and the input, if the operation has them, and with the request. */
  run(id: unknown, input: unknown, request: unknown): unknown {
    const run = this.#run;
    const receiver = this.#receiver;
    const takesInput = this.#decode !== undefined;
    if (this.kind.suffix === '/:id') return takesInput ? run.call(receiver, id, input, request) : run.call(receiver, id, request);
    return takesInput ? run.call(receiver, input, request) : run.call(receiver, request);
  }

  /** Encodes a result as the body of the reply. Throws if the host's `stringify` or codec fails, or the result cannot be sent. */
  encode(result: unknown): string {
    const { answer } = this.kind;
    if (answer === 'nothing') return '';
    const text = answer === 'json' ? this.#toJson(result) : this.endpoint.id.format(result);
    refuseTooLong(text.length);
    return text;
  }

  #toJson(result: unknown): string {
    const json: unknown = this.#stringify === undefined ? JSON.stringify(result) : this.#stringify.call(this.#receiver, result);
    if (typeof json === 'string') return json;
    if (this.#stringify === undefined) throw new TypeError(`JSON can not carry a result of type ${typeof result}`);
    disown(json);
    throw new TypeError(`a result was written as ${nameOf(json)}`);
  }
}

function errorOrNothing(value: unknown): ApiError | undefined {
  if (isApiError(value)) return value;
  disown(value);
  return undefined;
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
