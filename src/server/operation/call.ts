/** A request on its way through its operation: the parts that are decoded, and the remaining time of the user's functions. */
import type { AsyncResource } from 'node:async_hooks';
import type { DecodedHead } from '../../endpoint/head-decoders.ts';
import type { Operation } from '../../endpoint/operation.ts';
import type { ApiRequest, RequestInternals, Route } from '../../declaration/request.ts';
import { ApiError } from '../../errors/api-error.ts';
import { makeRejection, Rejection } from '../../errors/problem.ts';
import type { RequestHead } from '../../http/cross-origin.ts';
import { findHeader } from '../../http/head.ts';
import { findNamedVersions } from '../../http/preconditions.ts';
import { findBase, type ResourceLocation } from '../../http/protected-resource.ts';
import { sliceQuery } from '../../http/target.ts';
import { asyncHooks } from '../../node.ts';
import { skipSegment, skipWildcard } from '../../router/pattern.ts';
import { adopt, formatError, isAbortError, shortenString } from '../../util/promises.ts';
import { clearTimeout, performance, setTimeout } from '../../util/timers.ts';
import { logWithId, makeRequestError, makeRequestLine } from '../settings/logger.ts';
import type { Exchange } from '../exchange/exchange.ts';

const NO_PARAMS: Readonly<Record<string, never>> = Object.freeze({});
// It only ends `serve`, and is never sent: a different response was sent, or the client has left.
const OVER = makeRejection('operation-time');
const TIMEOUT = makeRejection('operation-time', 'The operation took too long.');

export class Call implements RequestInternals {
  readonly operation: Operation;
  readonly exchange: Exchange;
  /** The path of the request, as it was sent. */
  readonly path: string;
  readonly request: OperationRequest;
  /** The decoded query and headers. Without a decoder of the query, made when the operation first reads it. */
  head: DecodedHead | undefined;
  /** Set if the operation reads its body itself. */
  stream: { hasThrown(thrown: unknown): boolean } | undefined;
  /** Set if the operation has interceptors, and runs in them. */
  chain: { isDeclared(error: unknown, status: number): boolean } | undefined;
  /** The error that was thrown while the conditions of the request were compared. The operation has not run. */
  conditionError: { readonly thrown: unknown } | undefined;
  /** Set if the result is a stream: the async context of the interceptors that the operation ran in. */
  streamContext: AsyncResource | undefined;
  #controller: AbortController | undefined;
  #userTime: Deadline | undefined;

  constructor(operation: Operation, exchange: Exchange, path: string) {
    this.operation = operation;
    this.exchange = exchange;
    this.path = path;
    this.request = new OperationRequest(this);
  }

  /** The query of the target, with its `?`. */
  get queryString(): string {
    return sliceQuery(this.exchange.url);
  }

  get requestHead(): RequestHead {
    return this.exchange;
  }

  get resource(): ResourceLocation {
    const { exchange: { url, rawHeaders, isSecure, settings }, operation: { endpoint } } = this;
    return { base: findBase({ url, rawHeaders, isSecure }, settings), path: endpoint.root };
  }

  /** The URL of `/` of the server, with the prefix that an app has removed. Throws if it is not known. */
  get baseUrl(): string {
    const { exchange: { baseUrl, settings: { proxy } }, resource: { base } } = this;
    if (proxy.url !== undefined) return proxy.url;
    if (base !== undefined && baseUrl !== undefined) return base + baseUrl;
    throw new TypeError('the request names a host that may be anyone\'s: set the option proxy.url, or allowedHosts');
  }

  /** The URL of an item of the endpoint. */
  formatUrl(id: unknown): string {
    const { baseUrl, operation, path } = this;
    const { endpoint } = operation;
    if (endpoint.id === undefined) throw new TypeError('urlOf needs endpoint.id: a singleton has no items');
    const idString = endpoint.id.format(id, 'urlOf takes an id of the endpoint: it got');
    const location = endpoint.formatLocation(sliceCollection(operation, path), idString);
    if (location === undefined) throw new TypeError(`urlOf: no path can have the id ${JSON.stringify(shortenString(idString))}`);
    return baseUrl + location;
  }

  get signal(): AbortSignal {
    return (this.#controller ??= abortOnLeave(this.exchange)).signal;
  }

  /** The time that all functions of the user have together. Made when the server first waits for one. */
  get userTime(): Deadline {
    return (this.#userTime ??= new Deadline(this.operation.operationMs, () => this.#timeOut()));
  }

  /**
   * Lets the user's time run until a promise of the user is settled. When the time is over, sends a 503. Even then the promise is waited
   * for: a late stream must be closed, and a late error logged.
   */
  wait<T>(promised: PromiseLike<T>): Promise<T> {
    const promise = adopt(promised);
    const time = this.userTime;
    const pause = (): void => time.pause();
    time.run();
    promise.then(pause, pause);
    return promise;
  }

  /** Returns the result of a step before the operation. Throws if it is a rejection, and after a timeout: the operation must not run. */
  accept<T>(value: T): Exclude<T, Rejection> {
    if (value instanceof Rejection) throw value;
    if (!this.exchange.isOpen) throw OVER;
    return value as Exclude<T, Rejection>;
  }

  /** Calls a function that makes, sends or closes a stream of the user. */
  inStreamContext<T>(call: () => T): T {
    return this.streamContext === undefined ? call() : this.streamContext.runInAsyncScope(call);
  }

  /** Adds headers to any response. */
  addHeaders(headers: readonly string[]): void {
    this.exchange.addHeaders(headers);
    if (this.operation.caching?.control !== undefined) this.#keepCacheControl(headers);
  }

  /** Whether the client has caused an error. Such errors are not logged, since a client could fill the log. */
  isClientError(thrown: unknown): boolean {
    const { conditionError, stream } = this;
    return (conditionError !== undefined && conditionError.thrown === thrown) || stream?.hasThrown(thrown) === true;
  }

  /**
   * Whether an error says only that `signal` has aborted, because the client has left or after a timeout. Such errors are not logged: the
   * operation has passed the signal on, and a timeout has been logged.
   */
  isAbort(thrown: unknown): boolean {
    return this.#controller !== undefined && isAbortError(thrown, this.#controller.signal);
  }

  /** Rejects the request. */
  reject(rejection: Rejection): void {
    if (rejection.cause !== undefined) this.logFailure(`a decoder failed: ${formatError(rejection.cause)}`, rejection.cause);
    try {
      this.exchange.sendError(rejection);
    } catch (thrown) {
      // The user's message can be too long, and the user's code can have replaced methods of the response.
      this.abandon(thrown);
    }
  }

  /** Ends the exchange after its response could not be written, or only in part. */
  abandon(thrown: unknown): void {
    const { exchange } = this;
    this.logFailure(ApiError.internal(formatError(thrown)).message, thrown);
    if (!exchange.isEnded) exchange.observer?.fail(thrown);
    exchange.abandon();
  }

  /** Logs a failure, with the route. `status` is of the response, if the failure is the reason for it. */
  logFailure(message: string, cause: unknown, status?: number): void {
    const error = makeRequestError(this.exchange, this.#routeName, shortenString(message), cause);
    logWithId(this.exchange.settings.logger, this.exchange, error, status);
  }

  logUnawaited(what: string, thrown: unknown): void {
    this.logFailure(`nothing waits for the promise of ${what}, which failed: ${formatError(thrown)}`, thrown);
  }

  /** Logs a failure in one line, with the route. */
  logLine(message: string, status?: number): void {
    const line = makeRequestLine(this.exchange, this.#routeName, shortenString(message));
    logWithId(this.exchange.settings.logger, this.exchange, line, status);
  }

  get #routeName(): string {
    const { method, path } = this.operation.route;
    return `${method} ${path}`;
  }

  /** Keeps a `Cache-Control` that an interceptor adds to all responses. It replaces the header of `cache`. */
  #keepCacheControl(added: readonly string[]): void {
    const control = findHeader(added, 'cache-control');
    if (control === undefined || !this.exchange.isOpen || this.exchange.hasSet('cache-control')) return;
    this.exchange.setEarly(['Cache-Control', control]);
  }

  /** Sends the 503, then aborts `signal`, even if the operation reads it only later. */
  #timeOut(): void {
    if (!this.exchange.isOpen) return;
    const reason = new DOMException(`the operation took longer than ${this.operation.operationMs} ms`, 'TimeoutError');
    this.logLine(reason.message, TIMEOUT.problem.status);
    this.exchange.observer?.fail(reason);
    this.reject(TIMEOUT);
    (this.#controller ??= new AbortController()).abort(reason);
  }
}

/** The `request` of an operation. */
export class OperationRequest implements ApiRequest<unknown, object, unknown> {
  context: unknown = undefined;
  params: object = NO_PARAMS;
  itemId: unknown = undefined;
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get raw(): ApiRequest['raw'] {
    return this.#call.exchange.raw;
  }

  get id(): string | undefined {
    return this.#call.exchange.id;
  }

  get route(): Route {
    return this.#call.operation.route;
  }

  get query(): unknown {
    const call = this.#call;
    const head = (call.head ??= { query: undefined, headers: undefined, byInterceptor: [] });
    // `URLSearchParams` drops the leading `?` itself.
    return (head.query ??= { value: new URLSearchParams(call.queryString) }).value;
  }

  get headers(): unknown {
    return this.#call.head?.headers;
  }

  get lastEventId(): string | undefined {
    const value = findHeader(this.#call.exchange.rawHeaders, 'last-event-id');
    // Node decodes headers as Latin-1.
    return value === undefined ? undefined : Buffer.from(value, 'latin1').toString();
  }

  get ifMatch(): readonly string[] | '*' | undefined {
    return findNamedVersions(this.#call.exchange.rawHeaders, 'if-match');
  }

  get ifNoneMatch(): readonly string[] | '*' | undefined {
    return findNamedVersions(this.#call.exchange.rawHeaders, 'if-none-match');
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get client(): string | undefined {
    return this.#call.exchange.clientAddress;
  }

  get baseUrl(): string {
    return this.#call.baseUrl;
  }

  get urlOf(): (id: unknown) => string {
    return (id) => this.#call.formatUrl(id);
  }

  get ' internal'(): RequestInternals {
    return this.#call;
  }
}

/** Returns the path of an endpoint, of a path that one of its operations has. Below it, it ends with a slash. */
function sliceCollection({ kind, parameters }: Operation, path: string): string {
  if (!kind.isOfItem) return kind.isNamed ? path.slice(0, path.lastIndexOf('/') + 1) : path;
  let [start, end] = [0, 0];
  for (const { gap, slashesAfter } of parameters) {
    start = end + gap;
    end = slashesAfter === undefined ? skipSegment(path, start) : skipWildcard(path, slashesAfter);
  }
  return path.slice(0, start);
}

/** Makes the controller of a request's signal, in the async context of its operation. */
function abortOnLeave(exchange: Exchange): AbortController {
  const controller = new AbortController();
  // After the response, it does not matter whether the client leaves.
  if (exchange.isEnded) return controller;
  // The listeners of `signal` must run in the async context of the operation, and events of the socket run in the socket's.
  const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
  exchange.onLeave(() => context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError'))));
  return controller;
}

/**
 * The time that the user's functions have for a request: context, decoders, operation and output together. It runs only while the server
 * waits for one of them, and not while they wait for the body.
 */
class Deadline {
  // Infinity without a limit.
  #remainingMs: number;
  readonly #onOver: () => void;
  #countedAt = 0;
  // Set while the server waits for the user's functions.
  #timer: NodeJS.Timeout | undefined;
  // Whether they still wait for the client. `undefined` if they do not.
  #isLate: (() => boolean) | undefined;

  /** `onOver` is called after `ms` milliseconds of running; never if that is 0. */
  constructor(ms: number, onOver: () => void) {
    this.#remainingMs = ms === 0 ? Infinity : ms;
    this.#onOver = onOver;
  }

  run(): void {
    if (this.#remainingMs === Infinity || this.#timer !== undefined) return;
    this.#countedAt = performance.now();
    // This timer must not keep the process alive. An open connection does.
    this.#timer = setTimeout(() => this.#ring(), Math.max(1, this.#remainingMs)).unref();
  }

  pause(): void {
    this.#count();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Stops the time until `release`, even if `run` is called: an operation can ask for its body before the server waits for it. The time
   * goes on if `isLate` says that the client has sent all: the user's code may have paused the rest, or have read it.
   */
  hold(isLate: () => boolean): void {
    if (!isLate()) return;
    this.#count();
    this.#isLate = isLate;
  }

  /** Ends `hold`. */
  release(): void {
    this.#count();
    this.#isLate = undefined;
  }

  #count(): void {
    if (this.#timer === undefined) return;
    const now = performance.now();
    if (this.#isLate === undefined) this.#remainingMs -= now - this.#countedAt;
    this.#countedAt = now;
  }

  #ring(): void {
    this.pause();
    if (this.#isLate?.() === false) this.#isLate = undefined;
    if (this.#remainingMs > 0) this.run();
    else this.#onOver();
  }
}
