/**
 * Connect-style listeners: middleware and mounts. They get Node's own request and response, and may do anything
 * with these streams.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isApiError, toRejection } from '../../errors/api-error.ts';
import { makeProblem, makeRejection, Rejection } from '../../errors/problem.ts';
import { sliceQuery } from '../../http/target.ts';
import { adopt, formatClientError, isThenable, readProperty } from '../../util/promises.ts';
import { clearTimeout, setTimeout } from '../../util/timers.ts';
import { Incoming } from '../exchange/node/internals/incoming.ts';
import { hasHead, onFirstRead } from '../exchange/node/internals/requests.ts';
import type { NodeExchange } from '../exchange/node/node-exchange.ts';
import { keepVary } from '../exchange/node/response-headers.ts';
import { logRequestError } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';

/** A request as listeners see it. Connect and Express set these two where they mount a listener. */
export type MountRequest = IncomingMessage & {
  /** The whole target. */
  originalUrl?: string;
  /** The beginning of the path that `url` lacks. */
  baseUrl?: string;
  /** The id, if the server has the option `requestId`. */
  id?: string;
  /** The route of the mount, without the path at which an app has mounted this server. */
  ' internal'?: string;
};

/** Removes the route from a request's target, as Connect does. */
export function stripRoute(request: MountRequest, route: string, path: string): void {
  const target = request.url ?? '';
  const { removed, url } = readMounted(target, route, path);
  // They are set already if an app has mounted this server.
  request.originalUrl ??= target;
  request.baseUrl = (request.baseUrl ?? '') + removed;
  request[' internal'] = removed;
  request.url = url;
}

/** Returns what a mount removes from a target, and the rest. */
export function readMounted(target: string, route: string, path: string): { readonly removed: string; readonly url: string } {
  const removed = route === '/' ? '' : route;
  return { removed, url: (path.slice(removed.length) || '/') + sliceQuery(target) };
}

export type OnError = (thrown: unknown) => void;

// The exchange of each request that a listener has got, for a server that is mounted as a listener.
const exchanges = new WeakMap<IncomingMessage, NodeExchange>();

/** The exchange of a server that has passed a request to a listener. */
export function findOuterExchange(request: IncomingMessage): NodeExchange | undefined {
  return exchanges.get(request);
}

/**
 * Prepares an exchange for a listener. If the listener writes a body of a different length than its head declares, `onMismatch` gets the
 * error. The `onMismatch` of an earlier listener no longer does.
 */
export function prepareForListener(exchange: NodeExchange, onMismatch: OnError): void {
  const { request, response, connection } = exchange;
  const isFirst = exchange.onMismatch === undefined;
  exchange.onMismatch = onMismatch;
  exchange.shareResponse();
  if (!isFirst) return;
  exchanges.set(request, exchange);
  if (exchange.variesByOrigin) keepVary(response);
  if (request instanceof Incoming) request.share();
  // The listener may destroy either stream, and an `error` event without a listener would end the process.
  request.on('error', ignoreError);
  response.on('error', ignoreError);
  if (connection.closesAfterResponse) response.setHeader('Connection', 'close');
  limitDeclaredLength(exchange);
  response.once('close', () => {
    // Every garbage collection visits the map: with old requests in it, a Get with middleware takes 1.5 times as long on Node 20, and 1.4
    // times on Node 26 (CPU time).
    exchanges.delete(request);
    connection.forgetResponded(exchange);
  });
}

/** The outcomes of a call of a listener. */
export interface Outcomes {
  /** Called for `next()`. */
  passOn(): void;
  /** Called for `next(error)`. */
  reject(error: unknown): void;
  /** Called with the error that the listener throws, or that its promise rejects with. */
  fail(thrown: unknown): void;
  /** Called with an error that changes no response. */
  log(error: unknown): void;
}

/** Calls a listener, and then an outcome. After `passOn` and `reject`, further errors are only logged. */
export function callListener(exchange: NodeExchange, call: (next: (error?: unknown) => void) => unknown, outcomes: Outcomes): void {
  let isOver = false;
  const next = (error?: unknown): void => {
    // Connect takes any falsy value for no error.
    if (error && isOver) outcomes.log(error);
    if (isOver) return;
    if (!error && isHalfSent(exchange.response)) {
      // The listener must end the response itself, or its client waits.
      return outcomes.log(new Error('next was called after a response was begun, and does nothing: do one of the two'));
    }
    isOver = true;
    if (error) outcomes.reject(error);
    else if (exchange.isOpen) outcomes.passOn();
  };
  const onError = (thrown: unknown): void => (isOver ? outcomes.log(thrown) : outcomes.fail(thrown));
  try {
    catchRejection(call(next), onError);
  } catch (thrown) {
    onError(thrown);
  }
}

function isHalfSent({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed;
}

/** If a listener has returned a promise, `onError` gets the reason of its rejection. */
export function catchRejection(result: unknown, onError: OnError): void {
  if (isThenable(result)) adopt(result).catch(onError);
}

/**
 * Responds for a listener that failed. If `writeHead` has thrown, or `respond` throws, `fallback` goes to the socket directly. If a part of
 * a response was sent, destroys the connection.
 */
export function respondToFailure(exchange: NodeExchange, respond: () => void, fallback?: Rejection): void {
  // A `writeHead` that threw has already changed how the response would frame a body.
  if (!exchange.isOpen || hasHead(exchange.response)) return exchange.abandon(fallback);
  try {
    respond();
  } catch {
    exchange.abandon(fallback);
  }
}

/** Reports the error of a listener to observers, and logs it unless it is the client's mistake. */
export function reportFailure(exchange: NodeExchange, thrown: unknown, { problem }: Rejection, log: () => void): void {
  if (problem.status >= 500 || !exchange.isOpen) log();
  if (!exchange.response.writableEnded) exchange.observer?.fail(thrown);
}

/** Returns the rejection for the error of a listener. The message of an error with a status is sent only if `expose` is `true`. */
export function toListenerRejection(thrown: unknown): Rejection {
  if (isApiError(thrown)) return toRejection(thrown);
  try {
    const { status, statusCode, expose } = Object(thrown) as Readonly<Record<string, unknown>>;
    const stated = [status, statusCode].find((each): each is number => Number.isInteger(each) && Number(each) >= 400 && Number(each) < 600);
    if (stated !== undefined) return new Rejection(makeProblem(stated, expose === true ? formatClientError(thrown) : undefined));
  } catch {
    // A getter of the error throws, so the status is 500.
  }
  return makeRejection('internal');
}

/**
 * Checks that a listener writes as many bytes as its `Content-Length` says: otherwise later responses would be garbled. If not, calls
 * `onMismatch` of the exchange, and writes nothing more. Node's own check throws out of `write` and `end`. The event of a stream often
 * calls these, and nobody would catch the error.
 */
function limitDeclaredLength(exchange: NodeExchange): void {
  const { response } = exchange;
  let isBroken = false;
  const guarded = <Result>(method: (...args: never[]) => Result, instead: Result) => (...args: never[]): Result => {
    if (isBroken) return instead;
    try {
      return method.apply(response, args);
    } catch (thrown) {
      if (readProperty(thrown, 'code') !== 'ERR_HTTP_CONTENT_LENGTH_MISMATCH') throw thrown;
      isBroken = true;
      // A response is also too short when its client leaves.
      if (!response.destroyed) exchange.onMismatch?.(thrown);
      return instead;
    }
  };
  const { write, end }: ServerResponse = response;
  response.strictContentLength = true;
  // `Object.assign`, because the types of both have overloads.
  Object.assign(response, { write: guarded<boolean>(write, false), end: guarded(end, response) });
}

function ignoreError(): void {}

/**
 * A Connect-style listener. It calls `next()` to pass the request on, calls `next(error)` or throws to reject it, or responds itself. It
 * may return a promise.
 *
 * @example
 * ```ts
 * const withDay: Middleware = (_request, response, next) => {
 *   response.setHeader('X-Day', String(new Date().getUTCDay()));
 *   next();
 * };
 * server.use(withDay);
 * ```
 */
export type Middleware = {
  // A method's parameters may be narrower, so listeners that are typed for Express fit.
  listener(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): unknown;
}['listener'];

/** Checks a listener. Throws `TypeError` if it is not a function, or takes four parameters as Connect's error handlers do. */
export function checkMiddleware(listener: unknown): Middleware {
  if (typeof listener === 'string') {
    throw new TypeError(`use takes one listener for all paths, not a path: "${listener}". For the requests below a path, use mount`);
  }
  if (typeof listener !== 'function') throw new TypeError(`middleware must be a function: ${typeof listener}`);
  const { length, name } = listener;
  if (length > 3) {
    throw new TypeError(`middleware takes (request, response, next): "${name}" has ${length} parameters. For errors, use mapError`);
  }
  return listener as Middleware;
}

const TIMEOUT = makeRejection('operation-time', 'The request took too long.');

/**
 * One request on its way through the listeners, one after the other, before it is routed:
 *
 *   use(helmet())   use(cors())   use(limit)   ->   route
 *
 * It ends when a response was sent, or the client has left.
 */
export class MiddlewareChain {
  readonly #exchange: NodeExchange;
  readonly #listeners: readonly Middleware[];
  readonly #route: () => void;
  readonly #settings: Settings;
  #current: Middleware | undefined;
  #isOver = false;

  constructor(exchange: NodeExchange, listeners: readonly Middleware[], route: () => void, settings: Settings) {
    this.#exchange = exchange;
    this.#listeners = listeners;
    this.#route = route;
    this.#settings = settings;
  }

  /** Calls the listeners, and then `route`. */
  begin(): void {
    const exchange = this.#exchange;
    // The listener reads the body, so the client must send it.
    if (exchange.expectsContinue) onFirstRead(exchange.request, () => this.#isOver || !exchange.isOpen || exchange.sendContinue());
    this.#call(0);
    if (!this.#isOver && exchange.isOpen) this.#limitTime();
  }

  #call(index: number): void {
    const listener = this.#listeners[index];
    this.#current = listener;
    if (listener === undefined) return this.#finish();
    const { request, response } = this.#exchange;
    const fail = (thrown: unknown): void => this.#fail(thrown, listener);
    prepareForListener(this.#exchange, (thrown) => this.#fail(thrown));
    callListener(this.#exchange, (next) => listener(request, response, next), {
      passOn: () => this.#call(index + 1), reject: fail, fail, log: (error) => this.#log(error, listener),
    });
  }

  /** Routes the request. An error of the route must not be thrown into the listener that called `next`. */
  #finish(): void {
    this.#isOver = true;
    try {
      this.#route();
    } catch (thrown) {
      this.#log(thrown);
      this.#exchange.abandon();
    }
  }

  /** A listener that neither responds nor calls `next` would keep its client waiting forever. */
  #limitTime(): void {
    const { operationMs } = this.#settings.limits;
    if (operationMs === 0) return;
    const timeout = setTimeout(() => {
      if (this.#isOver || !this.#exchange.isOpen) return;
      this.#isOver = true;
      this.#log(new Error(`neither responded nor called next within ${operationMs} ms`), this.#current);
      respondToFailure(this.#exchange, () => this.#exchange.sendError(TIMEOUT), TIMEOUT);
    }, operationMs).unref();
    this.#exchange.response.once('close', () => clearTimeout(timeout));
  }

  #fail(thrown: unknown, listener?: Middleware): void {
    const exchange = this.#exchange;
    const rejection = toListenerRejection(thrown);
    reportFailure(exchange, thrown, rejection, () => this.#log(thrown, listener));
    respondToFailure(exchange, () => exchange.sendError(rejection));
  }

  /** Logs a failure, with the name of the listener where it is known. */
  #log(thrown: unknown, listener?: Middleware): void {
    const source = ['middleware', listener?.name].filter(Boolean).join(' ');
    logRequestError(this.#settings.logger, this.#exchange, source, thrown);
  }
}
