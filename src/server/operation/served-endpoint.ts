/** An endpoint at its path, and its operations: what handlers work on, made once at registration. */
import type { BytesInput } from '../../endpoint/bytes.ts';
import type { Declaration } from '../../endpoint/declared/declaration.ts';
import type { DeclaredId } from '../../endpoint/declared/declared-id.ts';
import type { DeclaredOperation } from '../../endpoint/declared/declared-operation.ts';
import type { Kind } from '../../endpoint/kinds.ts';
import { pathOf, type Route } from '../../endpoint/routes.ts';
import { ApiError, isApiError } from '../../errors/api-error.ts';
import type { HostFunction } from '../../errors/members.ts';
import { decodeFailure, ErrorAnswer } from '../../errors/problem.ts';
import { disown } from '../../errors/thrown.ts';
import { parseJson } from '../../http/json.ts';
import { parseQuery } from '../../http/query.ts';
import { refuseTooLong } from '../../http/text-length.ts';
import type { Settings } from '../settings/options.ts';
import { writtenText } from '../settings/stringify.ts';
import { parametersOf, type PathParameter } from './path-parameters.ts';

const NO_INPUT = decodeFailure('the operation takes no input');
// Clients remove the segments `.` and `..`, and the server refuses a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
const UNREACHABLE_ESCAPES = /%0[0AD]/;

export class ServedEndpoint {
  readonly base: string;
  /** `undefined` for a singleton. */
  readonly id: DeclaredId | undefined;
  readonly params: ReadonlyMap<string, DeclaredId>;
  readonly hasContext: boolean;
  readonly operations: readonly Operation[];
  readonly settings: Settings;
  /** The host's object that declares it. */
  readonly receiver: object;
  readonly #context: HostFunction | undefined;
  readonly #isNotFound: HostFunction | undefined;
  readonly #errorFrom: HostFunction | undefined;

  constructor(base: string, declaration: Declaration, settings: Settings) {
    if (settings.requireContext && declaration.context === undefined) {
      throw new TypeError('endpoint.context is required by the server: () => undefined admits anyone');
    }
    this.base = base;
    this.id = declaration.id;
    this.params = declaration.params;
    this.hasContext = declaration.context !== undefined;
    this.settings = settings;
    this.receiver = declaration.receiver;
    this.#context = declaration.context;
    this.#isNotFound = declaration.isNotFound;
    this.#errorFrom = declaration.errorFrom;
    this.operations = declaration.operations.map((declared) => new Operation(this, declared));
  }

  get isSingleton(): boolean {
    return this.id === undefined;
  }

  /** Calls the host's `context`. */
  askContext(request: unknown): unknown {
    return this.#context?.call(this.receiver, request);
  }

  /** Whether a failure means "not found", by the endpoint's `isNotFound` or else by the server's. */
  isNotFound(failure: unknown): boolean {
    if (this.#isNotFound !== undefined) return this.#isNotFound.call(this.receiver, failure) as boolean;
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
      return errorOrNothing(this.#errorFrom?.call(this.receiver, thrown)) ?? errorOrNothing(errorFrom?.(thrown));
    } catch (failure) {
      disown(failure);
      return undefined;
    }
  }

  /** The path of a new item, below the path where it was created. `undefined` if no request can have the id in its path. */
  locationOf(path: string, idText: string): string | undefined {
    const segment = encodeURIComponent(idText);
    if (segment === idText ? UNREACHABLE_IDS.includes(idText) : UNREACHABLE_ESCAPES.test(segment)) return undefined;
    refuseTooLong(idText.length + path.length + segment.length);
    return path.endsWith('/') ? path + segment : `${path}/${segment}`;
  }
}

export class Operation {
  readonly endpoint: ServedEndpoint;
  readonly kind: Kind;
  readonly name: string;
  /** Whether its path has the id of an item. */
  readonly isOnItem: boolean;
  /** Where the parameters are in its path, in order, with their codecs. The id of an item has no name. */
  readonly parameters: readonly PathParameter[];
  readonly takesBody: boolean;
  readonly takesQuery: boolean;
  readonly contentType: Settings['contentType'];
  /** What it accepts as its body, if it reads the bytes itself. */
  readonly bytes: BytesInput | undefined;
  readonly bodyBytes: number;
  /** How long the body may take to arrive. `undefined` if the server's limit holds. */
  readonly requestMs: number | undefined;
  readonly operationMs: number;
  readonly #declared: DeclaredOperation;
  #route: Route | undefined;

  constructor(endpoint: ServedEndpoint, declared: DeclaredOperation) {
    const { kind, name, bytes, decodeQuery, limits } = declared;
    this.endpoint = endpoint;
    this.kind = kind;
    this.name = name;
    this.isOnItem = !endpoint.isSingleton && kind.suffix.startsWith('/:id');
    this.parameters = parametersOf(endpoint, declared);
    this.takesBody = kind.decoder !== undefined;
    this.takesQuery = decodeQuery !== undefined;
    this.contentType = endpoint.settings.contentType;
    this.bytes = bytes;
    this.bodyBytes = limits.bodyBytes ?? endpoint.settings.limits.bodyBytes;
    this.requestMs = limits.requestMs;
    this.operationMs = limits.operationMs ?? endpoint.settings.limits.operationMs;
    this.#declared = declared;
  }

  /** The host's object that declares it. */
  get receiver(): object {
    return this.#declared.receiver;
  }

  /** Made when it is first needed: few hosts need those of all operations. Frozen, since requests share it. */
  get route(): Route {
    return (this.#route ??= Object.freeze({ method: this.kind.method, path: pathOf(this.endpoint, this) }));
  }

  /** Decodes a query, with its `?`. Returns the value or a `ErrorAnswer`, or a promise of them; throws when the decoder fails. */
  decodeQuery(query: string): unknown {
    const { decodeQuery, lists } = this.#declared;
    const parsed = parseQuery(query.slice(1), lists);
    return parsed instanceof ErrorAnswer ? parsed : decodeQuery?.(parsed);
  }

  /** Decodes a body. Returns the value or a `ErrorAnswer`, or a promise of them; throws when the decoder fails. */
  decode(bytes: Buffer): unknown {
    const { decode, isOptional } = this.#declared;
    if (decode === undefined) return bytes.length === 0 || parseJson(bytes) === null ? undefined : NO_INPUT;
    if (isOptional && bytes.length === 0) return undefined;
    const json = parseJson(bytes);
    return json instanceof ErrorAnswer ? json : decode(json);
  }

  /** Calls the host's function with the id and the input, if the operation has them, and with the request. */
  run(id: unknown, input: unknown, request: unknown): unknown {
    const { run, receiver, decode } = this.#declared;
    if (this.isOnItem) return decode === undefined ? run.call(receiver, id, request) : run.call(receiver, id, input, request);
    return decode === undefined ? run.call(receiver, request) : run.call(receiver, input, request);
  }

  /** Whether the host checks the bodies of replies with this status. */
  hasOutput(status: number): boolean {
    return this.#declared.outputs?.has(status) === true;
  }

  /** What the host's `output` makes of a result, or a promise of it. Throws what a decoder throws. */
  output(status: number, result: unknown): unknown {
    return this.#declared.outputs?.get(status)?.(result);
  }

  /** Encodes a result as the body of the reply. Throws if the host's `stringify` or codec fails, or the result cannot be sent. */
  encode(result: unknown): string {
    const { answer } = this.kind;
    const { id } = this.endpoint;
    if (answer === 'nothing' || (answer === 'id' && id === undefined)) return '';
    const text = answer === 'json' || id === undefined ? this.#toJson(result) : id.format(result);
    refuseTooLong(text.length);
    return text;
  }

  #toJson(result: unknown): string {
    const { stringify, receiver } = this.#declared;
    if (stringify !== undefined) return writtenText(stringify.call(receiver, result));
    const { settings } = this.endpoint;
    return settings.stringify(result);
  }
}

function errorOrNothing(value: unknown): ApiError | undefined {
  if (isApiError(value)) return value;
  disown(value);
  return undefined;
}
