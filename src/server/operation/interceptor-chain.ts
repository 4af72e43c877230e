/** Runs an operation in its interceptors, the first outermost, and calls their `onRequest` before anything of the request is decoded. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallInternals, EarlyInterceptor, RunningInterceptor } from '../../endpoint/checked-interceptor.ts';
import type { InterceptedCall, MatchedRequest, OperationResponse, RunOptions } from '../../declaration/interceptor.ts';
import { findStatus, type OperationKind } from '../../declaration/kinds.ts';
import { GivenProblem } from '../../declaration/reply.ts';
import type { Route } from '../../declaration/request.ts';
import { isBytes, isNodeStream, isStream } from '../../util/stream.ts';
import { ApiError } from '../../errors/api-error.ts';
import { checkAddedHeaders, mergeHeaders, type ResponseHeaders } from '../../util/headers.ts';
import { anything, type Checked, checkObject, shape, type Shape } from '../../util/options.ts';
import { joinObjects } from '../../util/join-objects.ts';
import { adopt, checkAwaited, disownAll, formatError, isThenable, PromiseWatch } from '../../util/promises.ts';
import type { BodyStream } from './body.ts';
import type { Call } from './call.ts';
import { findEarlyComparison, type ItemRequest, runIfMet } from './conditions.ts';
import { EncodedResponse, encodeResult, findReturnedError } from './encode-result.ts';
import { OperationStreams } from './operation-streams.ts';

export class InterceptorChain {
  readonly #call: Call;
  readonly #interceptors: readonly RunningInterceptor[];
  readonly #input: unknown;
  readonly #body: Uint8Array | undefined;
  // The errors, thrown or returned. Each has the index of the innermost interceptor that failed with it.
  readonly #failures = new Map<unknown, number>();
  readonly #watch = new PromiseWatch();
  readonly #streams: OperationStreams;
  // The index of the interceptor that has compared the conditions for the next run of the operation.
  #comparedAt: number | undefined;

  constructor(call: Call, interceptors: readonly RunningInterceptor[], input: unknown, body: Uint8Array | BodyStream | undefined) {
    this.#call = call;
    this.#interceptors = interceptors;
    this.#input = input;
    this.#body = isBytes(body) ? body : undefined;
    this.#streams = new OperationStreams(call.exchange);
    call.chain = this;
  }

  /** Returns the result of the outermost interceptor, or a promise of it. */
  start(): unknown {
    const fail = (thrown: unknown): never => {
      this.#end(undefined);
      throw thrown;
    };
    try {
      const result = this.#invoke(0, this.#call.request, this.#input);
      return result instanceof Promise ? result.then((sent: unknown) => this.#end(sent), fail) : this.#end(result);
    } catch (thrown) {
      return fail(thrown);
    }
  }

  /** Whether the error was thrown or returned by an interceptor that declares its status. */
  isDeclared(error: unknown, status: number): boolean {
    // An error that is not here is from the outermost interceptor. An error of the operation has the index after the last interceptor.
    return this.#interceptors[this.#failures.get(error) ?? 0]?.errors.has(status) === true;
  }

  /** Takes note of the error or the stream of a result of the interceptor at `index`. `source` is the result that it was made from. */
  note(result: unknown, index: number, source?: unknown): void {
    if (GivenProblem.is(result)) this.#noteFailure(result, index);
    this.#streams.addResult(result, source);
  }

  /** Returns the promise that an interceptor gets of a function. If it rejects, and the interceptor does not wait for it, logs that. */
  watch<T>(promise: Promise<T>, index: number, name: string): Promise<T> {
    const { path, around, internals } = this.#interceptors[index] as RunningInterceptor;
    if (around === internals.around) return promise;
    return this.#watch.watch(promise, (thrown) => {
      if (this.#call.isAbort(thrown)) return;
      this.#call.logFailure(`${path}.around did not wait for ${name}, and ${name} failed: ${formatError(thrown)}`, thrown);
    });
  }

  /**
   * Finds how the interceptor at `index` compares the conditions of the request. `undefined` if no `get` is called for it, if an outer
   * interceptor has compared them, or if an inner one may send a stored response, which needs no comparison.
   */
  findComparison(index: number, request: object): (() => Promise<void>) | undefined {
    const compare = findEarlyComparison(this.#call, request as ItemRequest);
    // An earlier run of this interceptor, or of an inner one, may have compared them: that does not count for a new run.
    const isCompared = this.#comparedAt !== undefined && this.#comparedAt < index;
    if (compare === undefined || isCompared) return undefined;
    if (this.#interceptors.some(({ internals: { replays } }, at) => replays === true && at > index)) return undefined;
    return async () => {
      await compare();
      this.#comparedAt = index;
    };
  }

  /** Calls the interceptor at `index`, which may run the next one; after the last, calls the operation. */
  #invoke(index: number, request: object, input: unknown): unknown {
    const interceptor = this.#interceptors[index];
    if (interceptor === undefined) return this.#runOperation(request, input);
    const { declared, around, path } = interceptor;
    // The runs that are pending, or have a result.
    let results = 0;
    const run = async (adds: unknown, options: unknown): Promise<unknown> => {
      let result: unknown;
      results += 1;
      try {
        const runRequest = adds === undefined ? request : withAdded(request, adds);
        const runInput = options === undefined ? input : chooseInput(input, options, path);
        result = await this.#invoke(index + 1, runRequest, runInput);
        this.note(result, index + 1);
        return result;
      } catch (thrown) {
        this.#noteFailure(thrown, index + 1);
        throw thrown;
      } finally {
        if (result === undefined) results -= 1;
      }
    };
    const finish = (result: unknown): unknown => {
      // After a forgotten `return`, each get would be a 404.
      if (result !== undefined || results === 0) return EncodedResponse.restoreCopy(result);
      throw new TypeError(`${path}.around returned undefined, not the result of run(): return await run()`);
    };
    const view = new CallView(this.#call, this, index, request, input, this.#body);
    const returned = around.call(declared, view, (adds?: unknown, options?: unknown) => this.watch(run(adds, options), index, 'run()'));
    return isThenable(returned) ? adopt(returned).then(finish) : finish(returned);
  }

  #runOperation(request: object, input: unknown): unknown {
    // After a timeout, and when the client has left, the operation does not run. That is not an error, so the reason of `signal` says it.
    if (!this.#call.exchange.isOpen) {
      const { signal } = this.#call;
      throw signal.aborted ? signal.reason : ApiError.argument('the request was over before the operation ran');
    }
    this.#streams.addInput(input);
    const isCompared = this.#comparedAt !== undefined;
    // If the operation runs again, its conditions are compared again.
    this.#comparedAt = undefined;
    const { itemId } = request as ItemRequest;
    const returned = isCompared ? this.#call.operation.run(itemId, input, request) : runIfMet(this.#call, request as ItemRequest, input);
    return isThenable(returned) ? adopt(returned) : returned;
  }

  #noteFailure(error: unknown, index: number): void {
    if (!this.#failures.has(error)) this.#failures.set(error, index);
  }

  #end(sent: unknown): unknown {
    this.#call.streamContext = this.#streams.send(sent);
    this.#watch.end();
    return sent;
  }
}

/** `run(adds, options)`: {@link RunOptions}. */
export const RUN_OPTIONS: Shape<Checked<RunOptions>> = shape({ input: anything('a stream') });

/** Returns the input of a run. A decoded value cannot be replaced: the decoder of the operation would not have checked the new one. */
function chooseInput(input: unknown, options: unknown, path: string): unknown {
  const { input: given = input } = RUN_OPTIONS.check(options, 'options');
  if (checkAwaited(given, 'options.input') === input) return input;
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
  readonly #chain: InterceptorChain;
  readonly #index: number;

  constructor(call: Call, chain: InterceptorChain, index: number, request: object, input: unknown, body: Uint8Array | undefined) {
    const own = call.head?.byInterceptor[index];
    this.request = request;
    this.id = call.request.itemId;
    this.input = input;
    this.body = body;
    this.query = own?.query;
    this.headers = own?.headers;
    this.#call = call;
    this.#chain = chain;
    this.#index = index;
  }

  get ' internal'(): CallInternals {
    const call = this.#call;
    const compare = this.#chain.findComparison(this.#index, this.request);
    return {
      // Made when it is read: most stores of keys do not need it.
      get signal() { return call.signal; },
      operationMs: call.operation.operationMs,
      compare: compare && (() => this.#chain.watch(compare(), this.#index, 'compare()')),
      logLine: (message) => call.logLine(message),
    };
  }

  get route(): Route {
    return this.#call.operation.route;
  }

  get target(): string {
    return this.#call.exchange.url;
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

  encode(result: unknown): Promise<OperationResponse> {
    const encoding = this.#encode(result);
    return this.#chain.watch(encoding, this.#index, 'call.encode()');
  }

  async #encode(result: unknown): Promise<OperationResponse> {
    checkAwaited(result, 'the result that call.encode() takes');
    // This interceptor, or an inner one, may have encoded it already.
    const response = EncodedResponse.restoreCopy(result);
    if (EncodedResponse.is(response)) return response;
    if (findStatus(this.#call.operation.kind, result) === 404) throw ApiError.notFound();
    this.#chain.note(result, this.#index);
    try {
      const outgoing = encodeResult(this.#call, result, true);
      const encoded = EncodedResponse.encode(isThenable(outgoing) ? await outgoing : outgoing, findReturnedError(result));
      this.#chain.note(encoded, this.#index, result);
      return encoded;
    } catch (thrown) {
      disownAll(result);
      throw thrown;
    }
  }

  response(stored: OperationResponse): OperationResponse {
    return EncodedResponse.restore(checkAwaited(stored, 'the response that call.response() takes'));
  }

  addHeaders(headers: ResponseHeaders): void {
    this.#call.addHeaders(checkAddedHeaders(headers));
  }
}

/** Returns the request with further properties, as a different object for each run. */
function withAdded(request: object, adds: unknown): object {
  const added = Object.assign(Object.create(null) as object, checkObject(adds, 'the properties that an interceptor adds'));
  const names = Object.keys(added);
  if (names.length === 0) return request;
  const existing = names.find((name) => name in request);
  if (existing !== undefined) throw new TypeError(`an interceptor must not add ${existing}: the request already has it`);
  return joinObjects(request, added);
}

/**
 * Calls them one after the other, and returns the headers of all. These are added to the response at once: the next one may reject the
 * request. Returns a promise only if one of them does.
 */
export function callOnRequest(
  call: Call, interceptors: readonly EarlyInterceptor[], first = 0, added: string[] = [], request: MatchedRequest = new RequestView(call),
): string[] | Promise<string[]> {
  const add = (returned: unknown): void => {
    if (returned === undefined) return;
    const headers = checkAddedHeaders(returned);
    call.addHeaders(headers);
    added = mergeHeaders(headers, added, call.operation.defaultHeaders.lists);
  };
  for (let at = first; at < interceptors.length; at += 1) {
    const { declared, onRequest } = interceptors[at] as EarlyInterceptor;
    const returned = onRequest.call(declared, request);
    if (isThenable(returned)) {
      return call.wait(returned).then((headers) => {
        add(call.accept(headers));
        return callOnRequest(call, interceptors, at + 1, added, request);
      });
    }
    add(returned);
  }
  return added;
}

class RequestView implements MatchedRequest {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get raw(): MatchedRequest['raw'] {
    return this.#call.request.raw;
  }

  get id(): string | undefined {
    return this.#call.exchange.id;
  }

  get headers(): IncomingHttpHeaders {
    return this.#call.exchange.headers;
  }

  get route(): Route {
    return this.#call.operation.route;
  }

  get address(): string | undefined {
    return this.#call.exchange.address;
  }

  get client(): string | undefined {
    return this.#call.exchange.clientAddress;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
