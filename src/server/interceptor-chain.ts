/** Runs an operation in its interceptors, the first outermost. */
import type { InterceptedCall, OperationResponse, RunningInterceptor, RunOptions } from '../endpoint/interceptor.ts';
import { findStatus, type OperationKind } from '../endpoint/kinds.ts';
import { GivenProblem } from '../endpoint/reply.ts';
import type { Route } from '../endpoint/routes.ts';
import { isNodeStream, isStream, type Stream } from '../endpoint/stream.ts';
import { ApiError } from '../errors/api-error.ts';
import { checkAddedHeaders, type ResponseHeaders } from '../http/headers.ts';
import { anything, type Checked, checkObject, type Shape, shape } from '../util/options.ts';
import { adopt, isThenable, formatError } from '../util/promises.ts';
import type { BodyStream } from './body-stream.ts';
import type { Call } from './call.ts';
import { runIfMet } from './conditions.ts';
import type { ItemRequest } from './current-version.ts';
import { encodeResult, findReturnedError } from './encode-result.ts';
import { EncodedResponse } from './encoded-response.ts';
import { logFailure } from './error-responses.ts';
import { ResultBodies, whenSent } from './result-bodies.ts';
import { RunPromise } from './run-promise.ts';

export class InterceptorChain {
  readonly #call: Call;
  readonly #interceptors: readonly RunningInterceptor[];
  readonly #input: unknown;
  readonly #body: Uint8Array | undefined;
  // The streams that the operation has got as its input.
  #usedStreams: Set<unknown> | undefined;
  // For each interceptor, the number of its calls of `run` that are pending, or have returned a value other than `undefined`.
  readonly #results: number[] = [];
  // The errors of runs, thrown or returned. Each has the index of the innermost run that failed with it.
  readonly #failures = new Map<unknown, number>();
  // Until the interceptors have ended, they may still wait for a run that has failed.
  #unawaited: (() => void)[] | undefined = [];
  readonly #bodies: ResultBodies;

  constructor(call: Call, interceptors: readonly RunningInterceptor[], input: unknown, body: Uint8Array | BodyStream | undefined) {
    this.#call = call;
    this.#interceptors = interceptors;
    this.#input = input;
    this.#body = body instanceof Uint8Array ? body : undefined;
    this.#bodies = new ResultBodies(call.exchange.response);
  }

  /** Returns the result of the outermost interceptor, or a promise of it. */
  start(): unknown {
    let isWaitedFor = false;
    let result: unknown;
    try {
      const returned = this.#run(0, this.#call.request, this.#input);
      isWaitedFor = isThenable(returned);
      result = isWaitedFor ? this.#finishAsync(adopt(returned as PromiseLike<unknown>)) : this.#checkResult(0, returned);
      return result;
    } finally {
      if (!isWaitedFor) this.#finish(result);
    }
  }

  async #finishAsync(returned: Promise<unknown>): Promise<unknown> {
    let result: unknown;
    try {
      result = this.#checkResult(0, await returned);
      return result;
    } finally {
      this.#finish(result);
    }
  }

  #finish(result: unknown): void {
    this.#bodies.end(result);
    const unawaited = this.#unawaited;
    this.#unawaited = undefined;
    unawaited?.forEach((log) => log());
  }

  /** Whether the error was thrown or returned by an interceptor that declares its status. */
  isDeclared(error: unknown, status: number): boolean {
    // An error that is not here is from the outermost interceptor. An error of the operation has the index after the last interceptor.
    return this.#interceptors[this.#failures.get(error) ?? 0]?.errors.has(status) === true;
  }

  /** Notes an error that an interceptor or the operation has returned. `index` is the index of the interceptor. */
  noteReturned(result: unknown, index: number): void {
    if (GivenProblem.is(result) && !this.#failures.has(result)) this.#failures.set(result, index);
  }

  #run(index: number, request: object, input: unknown): unknown {
    const interceptor = this.#interceptors[index];
    if (interceptor === undefined) return this.#runOperation(request, input);
    const { declared, around, path } = interceptor;
    const view = new CallView(this.#call, this.#bodies, index, request, input, this.#body);
    return around.call(declared, view, (adds?: unknown, options?: unknown) => {
      const running = this.#startRun(index + 1, () => this.#run(
        index + 1,
        adds === undefined ? request : withAdded(request, adds),
        options === undefined ? input : chooseInput(input, options, path),
      ));
      return RunPromise.of(running, (thrown, isAwaited) => this.#logUnlessAwaited(path, thrown, isAwaited));
    });
  }

  /** Logs the failure of a run, unless an interceptor waits for it. */
  #logUnlessAwaited(path: string, thrown: unknown, isAwaited: () => boolean): void {
    const log = (): void => {
      if (!isAwaited()) logFailure(this.#call, `${path}.around did not wait for run(), and run() failed: ${formatError(thrown)}`, thrown);
    };
    if (this.#unawaited === undefined) log();
    else this.#unawaited.push(log);
  }

  /** Starts the interceptor at `index`, or the operation, when the interceptor before it has called `run`. */
  async #startRun(index: number, run: () => unknown): Promise<unknown> {
    this.#count(index - 1, 1);
    try {
      const returned = run();
      const result = this.#checkResult(index, isThenable(returned) ? await adopt(returned) : returned);
      if (result === undefined) this.#count(index - 1, -1);
      this.#bodies.add(result);
      this.noteReturned(result, index);
      return result;
    } catch (thrown) {
      this.#count(index - 1, -1);
      if (!this.#failures.has(thrown)) this.#failures.set(thrown, index);
      throw thrown;
    }
  }

  #count(index: number, more: 1 | -1): void {
    this.#results[index] = (this.#results[index] ?? 0) + more;
  }

  /**
   * Returns the result of an interceptor, or of the operation. Throws `TypeError` if an interceptor has not returned the result of `run`:
   * after a forgotten `return`, each get would be a 404.
   */
  #checkResult(index: number, result: unknown): unknown {
    const interceptor = this.#interceptors[index];
    if (interceptor === undefined) return result;
    if (result !== undefined || (this.#results[index] ?? 0) === 0) return EncodedResponse.restoreCopy(this.#call.operation, result);
    throw new TypeError(`${interceptor.path}.around returned undefined, not the result of run(): return await run()`);
  }

  #runOperation(request: object, input: unknown): unknown {
    // After a timeout, and when the client has left, the operation does not run.
    if (!this.#call.exchange.isOpen) throw ApiError.argument('the request was over before the operation ran');
    if (isStream(input)) this.#useStream(input);
    return runIfMet(this.#call, request as ItemRequest, input);
  }

  /** Throws `TypeError` for a stream that an operation has got before. */
  #useStream(input: Stream): void {
    this.#usedStreams ??= new Set();
    if (this.#usedStreams.has(input)) throw new TypeError('run() must not be called again: the input is a stream, and has been read');
    this.#usedStreams.add(input);
  }
}

export const RUN_OPTIONS: Shape<Checked<RunOptions>> = shape({ input: anything('a stream') });

/** Returns the input of a run. A decoded value cannot be replaced: the decoder of the operation would not have checked the new one. */
function chooseInput(input: unknown, options: unknown, path: string): unknown {
  const { input: given = input } = RUN_OPTIONS.check(options, 'options');
  if (given === input) return input;
  if (!isStream(input) || !isStream(given)) {
    throw new TypeError(`${path}.around must not replace the input: only a stream can be replaced, and only by a stream`);
  }
  // It may fail before the operation reads it, and an `error` event without a listener would end the process.
  if (isNodeStream(given)) given.on('error', () => {});
  return given;
}

/** The call that an interceptor gets. */
class CallView implements InterceptedCall {
  readonly request: object;
  readonly id: unknown;
  readonly input: unknown;
  readonly body: Uint8Array | undefined;
  readonly query: unknown;
  readonly headers: unknown;
  readonly #call: Call;
  readonly #bodies: ResultBodies;
  readonly #index: number;

  constructor(call: Call, bodies: ResultBodies, index: number, request: object, input: unknown, body: Uint8Array | undefined) {
    const own = call.head?.byInterceptor[index];
    this.request = request;
    this.id = call.request.itemId;
    this.input = input;
    this.body = body;
    this.query = own?.query;
    this.headers = own?.headers;
    this.#call = call;
    this.#bodies = bodies;
    this.#index = index;
  }

  get route(): Route {
    return this.#call.operation.route;
  }

  get target(): string {
    return this.#call.exchange.request.url ?? '';
  }

  get contentType(): string | undefined {
    return this.#call.exchange.head.contentType;
  }

  get kind(): OperationKind['name'] {
    return this.#call.operation.kind.name;
  }

  get name(): string {
    return this.#call.operation.name;
  }

  async encode(result: unknown): Promise<OperationResponse> {
    // This interceptor, or an inner one, may have encoded it already.
    const response = EncodedResponse.restoreCopy(this.#call.operation, result);
    if (EncodedResponse.is(response)) return response;
    if (findStatus(this.#call.operation.kind, result) === 404) throw ApiError.notFound();
    this.#call.chain?.noteReturned(result, this.#index);
    const outgoing = encodeResult(this.#call, result, true);
    const encoded = EncodedResponse.encode(isThenable(outgoing) ? await outgoing : outgoing, findReturnedError(result));
    this.#bodies.replace(result, encoded);
    return encoded;
  }

  response(stored: OperationResponse): OperationResponse {
    return EncodedResponse.restore(this.#call.operation, stored);
  }

  addHeaders(headers: ResponseHeaders): void {
    this.#call.addHeaders(checkAddedHeaders(headers));
  }

  get sent(): Promise<void> {
    return whenSent(this.#call.exchange.response);
  }
}

/** Returns the request with further properties, as a different object for each run. */
function withAdded(request: object, adds: unknown): object {
  const entries = Object.entries(checkObject(adds, 'the properties that an interceptor adds'));
  if (entries.length === 0) return request;
  const added = new Map<PropertyKey, unknown>(entries);
  const existing = [...added.keys()].find((name) => name in request);
  if (existing !== undefined) throw new TypeError(`an interceptor must not add ${String(existing)}: the request already has it`);
  return new Proxy(request, {
    // A getter needs the request as its receiver, to find its private properties.
    get: (target, name) => (added.has(name) ? added.get(name) : Reflect.get(target, name, target)),
    has: (target, name) => added.has(name) || name in target,
    // So that a copy, such as `({ params, ...rest })`, has the added properties.
    ownKeys: (target) => [...Reflect.ownKeys(target), ...entries.map(([name]) => name)],
    getOwnPropertyDescriptor: (target, name) => {
      if (!added.has(name)) return Reflect.getOwnPropertyDescriptor(target, name);
      return { value: added.get(name), enumerable: true, configurable: true };
    },
  });
}
