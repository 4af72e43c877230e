/**
 * Connect-style listeners, called one after the other for every valid request, before it is routed:
 *
 *   use(helmet())   use(cors())   use(limit)   ->   route
 *
 * Each calls `next` when it is done. A request whose last listener has called it goes to its route.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerOf, ApiError, isApiError } from '../errors/api-error.ts';
import { ErrorAnswer, problemOf } from '../errors/problem.ts';
import { textOf } from '../errors/thrown.ts';
import type { Exchange } from './connection/exchange.ts';
import { onFirstRead } from './node-internals/requests.ts';
import { endFailedReply, replyError } from './reply/error-reply.ts';
import { catchRejection, replyFailure, share } from './reply/host-listener.ts';
import { failureOf } from './settings/logger.ts';
import type { Settings } from './settings/options.ts';

/**
 * A Connect-style listener. It calls `next()` to pass the request on, calls `next(error)` or throws to refuse it, or replies
 * itself. It may return a promise.
 */
export type Middleware = {
  // A method's parameters may be narrower, so listeners that are typed for Express fit.
  listener(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): unknown;
}['listener'];

export class MiddlewareChain {
  readonly #settings: Settings;
  // Replaced, and never changed: a request that is on its way keeps the list that it began with.
  #listeners: readonly Middleware[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  /** Adds a listener. Throws `TypeError` when it is no function, or takes four parameters, as Connect's error handlers do. */
  add(listener: unknown): void {
    if (typeof listener !== 'function') throw new TypeError(`middleware must be a function: ${typeof listener}`);
    const { length, name } = listener;
    if (length > 3) throw new TypeError(`middleware takes (request, response, next): "${name}" takes ${length}`);
    this.#listeners = [...this.#listeners, listener as Middleware];
  }

  /** Calls the listeners, and then `route`. Calls nothing more once a reply was sent, or the client has left. */
  run(exchange: Exchange, route: () => void): void {
    new Passage(exchange, this.#listeners, route, this.#settings).begin();
  }
}

/** One request on its way through the listeners. */
class Passage {
  readonly #exchange: Exchange;
  readonly #listeners: readonly Middleware[];
  readonly #route: () => void;
  readonly #settings: Settings;
  #isOver = false;

  constructor(exchange: Exchange, listeners: readonly Middleware[], route: () => void, settings: Settings) {
    this.#exchange = exchange;
    this.#listeners = listeners;
    this.#route = route;
    this.#settings = settings;
  }

  begin(): void {
    const { expectsContinue, request } = this.#exchange;
    if (expectsContinue) onFirstRead(request, () => this.#writeContinue());
    this.#call(0);
  }

  #call(index: number): void {
    const listener = this.#listeners[index];
    if (listener === undefined) {
      this.#finish();
      return;
    }
    const { request, response } = this.#exchange;
    let isPassedOn = false;
    const onError = (thrown: unknown): void => {
      // Another listener or the route replies to what was passed on.
      if (isPassedOn) this.#log(thrown, listener);
      else this.#fail(thrown, listener);
    };
    const next = (error?: unknown): void => {
      if (isPassedOn) return;
      isPassedOn = true;
      // Connect takes any falsy value for no error.
      if (error) this.#fail(error, listener);
      else if (this.#exchange.isOpen) this.#call(index + 1);
      // Nobody else replies, so a listener that does not go on itself lets its client wait.
      else if (isHalfReplied(response)) this.#log(new Error('next was called after a reply was begun, and does nothing'), listener);
    };
    share(this.#exchange, (thrown) => this.#fail(thrown));
    try {
      catchRejection(listener(request, response, next), onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  /** Nothing is thrown into the listener that has called `next`. */
  #finish(): void {
    this.#isOver = true;
    this.#exchange.forgetContext();
    try {
      this.#route();
    } catch (thrown) {
      this.#log(thrown);
      endFailedReply(this.#exchange, this.#settings.formatProblem);
    }
  }

  #fail(thrown: unknown, listener?: Middleware): void {
    const exchange = this.#exchange;
    const { exposeInternalErrors, formatProblem } = this.#settings;
    const answer = answerOfFailure(thrown, exposeInternalErrors);
    if (answer.problem.status >= 500 || !exchange.isOpen) this.#log(thrown, listener);
    replyFailure(exchange, () => replyError(exchange, answer, formatProblem), formatProblem);
  }

  /** Logs a failure, with the name of the listener where it is known. */
  #log(thrown: unknown, listener?: Middleware): void {
    const source = ['middleware', listener?.name].filter(Boolean).join(' ');
    this.#settings.logger.error(failureOf(this.#exchange.request, source, textOf(thrown), thrown));
  }

  /** The listener reads the body, so the client must send it. */
  #writeContinue(): void {
    if (this.#isOver || !this.#exchange.isOpen) return;
    this.#exchange.expectsContinue = false;
    this.#exchange.response.writeContinue();
  }
}

/** What answers an error of a listener. The message of an error with a status is sent only if `expose` is `true`. */
function answerOfFailure(thrown: unknown, exposeInternal: boolean): ErrorAnswer {
  if (isApiError(thrown)) return answerOf(thrown, exposeInternal);
  try {
    const { status, statusCode, expose } = Object(thrown) as Readonly<Record<string, unknown>>;
    const stated = [status, statusCode].find(isErrorStatus);
    if (stated !== undefined) return new ErrorAnswer(problemOf(stated, expose === true ? textOf(thrown) : undefined));
  } catch {
    // A getter of the error throws, so it states no status.
  }
  return answerOf(ApiError.internal(textOf(thrown), { cause: thrown }), exposeInternal);
}

function isHalfReplied({ headersSent, writableEnded, destroyed }: ServerResponse): boolean {
  return headersSent && !writableEnded && !destroyed;
}

function isErrorStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 400 && Number(value) < 600;
}
