/**
 * Connect-style listeners, called one after the other for every valid request, before it is routed:
 *
 *   use(helmet())   use(cors())   use(limit)   ->   route
 *
 * Each calls `next` when it is done. After the last one, the request goes to its route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRejection } from '../errors/problem.ts';
import type { Exchange } from './connection/exchange.ts';
import { toListenerRejection, callListener, prepareForListener, respondToFailure, reportFailure } from './listeners.ts';
import { onFirstRead } from './node/messages.ts';
import { logRequestError } from './logger.ts';
import type { Settings } from './options.ts';

/**
 * A Connect-style listener. It calls `next()` to pass the request on, calls `next(error)` or throws to reject it, or responds itself. It
 * may return a promise.
 *
 * @example
 * ```ts
 * const withRequestId: Middleware = (_request, response, next) => {
 *   response.setHeader('X-Request-Id', crypto.randomUUID());
 *   next();
 * };
 * server.use(withRequestId);
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
  if (length > 3) throw new TypeError(`middleware takes (request, response, next): "${name}" has ${length} parameters`);
  return listener as Middleware;
}

const TIMEOUT = createRejection(503, 'The request took too long.');

/** One request on its way through the listeners. It ends when a response was sent, or the client has left. */
export class MiddlewareChain {
  readonly #exchange: Exchange;
  readonly #listeners: readonly Middleware[];
  readonly #route: () => void;
  readonly #settings: Settings;
  #current: Middleware | undefined;
  #isOver = false;

  constructor(exchange: Exchange, listeners: readonly Middleware[], route: () => void, settings: Settings) {
    this.#exchange = exchange;
    this.#listeners = listeners;
    this.#route = route;
    this.#settings = settings;
  }

  /** Calls the listeners, and then `route`. */
  begin(): void {
    const { expectsContinue, request } = this.#exchange;
    if (expectsContinue) onFirstRead(request, () => this.#sendContinue());
    this.#call(0);
    if (!this.#isOver && this.#exchange.isOpen) this.#limitTime();
  }

  #call(index: number): void {
    const listener = this.#listeners[index];
    this.#current = listener;
    if (listener === undefined) {
      this.#finish();
      return;
    }
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
    const rejection = toListenerRejection(thrown, this.#settings.exposeInternalErrors);
    reportFailure(exchange, thrown, rejection, () => this.#log(thrown, listener));
    respondToFailure(exchange, () => exchange.sendError(rejection));
  }

  /** Logs a failure, with the name of the listener where it is known. */
  #log(thrown: unknown, listener?: Middleware): void {
    const source = ['middleware', listener?.name].filter(Boolean).join(' ');
    logRequestError(this.#settings.logger, this.#exchange.request, source, thrown);
  }

  /** The listener reads the body, so the client must send it. */
  #sendContinue(): void {
    if (!this.#isOver && this.#exchange.isOpen) this.#exchange.sendContinue();
  }
}
