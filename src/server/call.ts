/** A request on its way through its operation: the parts that are decoded, and the remaining time of the user's functions. */
import type { IncomingMessage } from 'node:http';
import type { DecodedHead } from '../endpoint/head-decoders.ts';
import type { Operation } from '../endpoint/operation.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import type { Route } from '../endpoint/routes.ts';
import { createRejection, Rejection } from '../errors/problem.ts';
import { findHeader } from '../http/head.ts';
import { findNamedVersions } from '../http/preconditions.ts';
import { findOrigin, type ResourceLocation } from '../http/protected-resource.ts';
import { findQuery } from '../http/target.ts';
import { asyncHooks } from '../node.ts';
import { adopt } from '../util/promises.ts';
import type { BodyStream } from './body-stream.ts';
import { keepCacheControl } from './caching.ts';
import type { Exchange } from './connection/exchange.ts';
import { Deadline } from './deadline.ts';
import { respondTimeout } from './error-responses.ts';
import type { InterceptorChain } from './interceptor-chain.ts';
import { shareRequest } from './node/incoming.ts';
import { findSocket } from './node/messages.ts';

const NO_PARAMS: Readonly<Record<string, never>> = Object.freeze({});
// It only ends `serve`, and is never sent: a different response was sent, or the client has left.
const OVER = createRejection(503);

export class Call {
  readonly operation: Operation;
  readonly exchange: Exchange;
  /** The path of the request, as it was sent. */
  readonly path: string;
  readonly request: OperationRequest;
  /** The decoded query and headers. Without a decoder of the query, made when the operation first reads it. */
  head: DecodedHead | undefined;
  /** Set if the operation reads its body itself. */
  stream: BodyStream | undefined;
  /** Set if the operation has interceptors, and runs in them. */
  chain: InterceptorChain | undefined;
  /** The error that was thrown while the conditions of the request were compared. The operation has not run. */
  conditionError: { readonly thrown: unknown } | undefined;
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
    return findQuery(this.exchange.request.url ?? '');
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

  /** Adds headers to any response. */
  addHeaders(headers: readonly string[]): void {
    this.exchange.addHeaders(headers);
    if (this.operation.caching?.control !== undefined) keepCacheControl(this.exchange, headers);
  }

  /** Whether the client has caused an error. Such errors are not logged, since a client could fill the log. */
  isClientError(thrown: unknown): boolean {
    return this.conditionError?.thrown === thrown || this.stream?.hasThrown(thrown) === true;
  }

  /** Sends the 503, then aborts `signal`, even if the operation reads it only later. */
  #timeOut(): void {
    if (!this.exchange.isOpen) return;
    const reason = respondTimeout(this);
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

  get raw(): IncomingMessage {
    return shareRequest(this.#call.exchange.request);
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
    const value = findHeader(this.#call.exchange.request.rawHeaders, 'last-event-id');
    // Node decodes headers as Latin-1.
    return value === undefined ? undefined : Buffer.from(value, 'latin1').toString();
  }

  get ifMatch(): readonly string[] | '*' | undefined {
    return findNamedVersions(this.#call.exchange.request.rawHeaders, 'if-match');
  }

  get ifNoneMatch(): readonly string[] | '*' | undefined {
    return findNamedVersions(this.#call.exchange.request.rawHeaders, 'if-none-match');
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** For `restpoint/auth`: which protected resource the request is for. */
  get ' resource'(): ResourceLocation {
    const { exchange: { request, settings }, operation: { endpoint } } = this.#call;
    return { origin: findOrigin(request, settings.allowedHosts), path: endpoint.root };
  }
}

/** Makes the controller of a request's signal, in the async context of its operation. */
function abortOnLeave({ request, response }: Exchange): AbortController {
  const controller = new AbortController();
  // After the response, it does not matter whether the client leaves, and no event would remove the listeners.
  const socket = findSocket(request, response);
  if (response.writableEnded || socket === null) return controller;
  // The listeners of `signal` must run in the async context of the operation, and events of the socket run in the socket's.
  const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
  const abort = (): void => {
    if (response.writableEnded) return;
    context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError')));
  };
  if (socket.destroyed || response.destroyed) abort();
  // A connection can have many requests, so the listener is removed after each response. The socket of an injected request may not emit
  // events, but its response does.
  socket.once?.('close', abort);
  response.once('close', () => {
    socket.off?.('close', abort);
    abort();
  });
  return controller;
}
