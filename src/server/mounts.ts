/**
 * A host's own `(request, response)` listeners, each mounted at a route and everything below it.
 *
 *   mounted at /files:   /files  /files/a  /files/a/b   but not  /filesX
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorAnswer } from '../errors/problem.ts';
import { textOf } from '../errors/thrown.ts';
import { queryOf } from '../http/target.ts';
import { Prefixes } from '../router/prefixes.ts';
import type { Exchange } from './connection/exchange.ts';
import { replyError } from './reply/error-reply.ts';
import { catchRejection, replyFailure, share } from './reply/host-listener.ts';
import { failureOf } from './settings/logger.ts';
import type { Settings } from './settings/options.ts';

/**
 * A Connect-style listener. `request.url` is the target without the route: at least `/`, with the query. The whole target is
 * `request.originalUrl`. The listener may return a promise, and may throw.
 */
export type MountHandler = (request: MountRequest, response: ServerResponse) => unknown;

/** A request as a mounted handler sees it. */
export type MountRequest = IncomingMessage & { originalUrl?: string };

export class Mounts {
  readonly #settings: Settings;
  readonly #routes = new Prefixes<Mount>('*');

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Adds a mount. Throws `TypeError` when its route is malformed or taken, or the handler is not a function. */
  add(route: unknown, handler: unknown): void {
    const path = this.#routes.check(route);
    this.#routes.insert(path, new Mount(path, handlerFrom(handler), this.#settings));
  }

  /** The deepest mount that serves a path. */
  find(path: string): Mount | undefined {
    return this.#routes.find(path);
  }
}

function handlerFrom(handler: unknown): MountHandler {
  if (typeof handler !== 'function') throw new TypeError(`handler must be a function: ${typeof handler}`);
  return handler as MountHandler;
}

class Mount {
  readonly route: string;
  readonly #handler: MountHandler;
  readonly #settings: Settings;

  constructor(route: string, handler: MountHandler, settings: Settings) {
    this.route = route;
    this.#handler = handler;
    this.#settings = settings;
  }

  /** Calls the handler. Replies if it throws or rejects. */
  handle(exchange: Exchange, path: string): void {
    const { request, response } = exchange;
    exchange.fieldsBeforeMount = exchange.middlewareFields;
    const onError = (thrown: unknown): void => this.#replyError(exchange, thrown);
    share(exchange, onError);
    const handler = this.#handler;
    try {
      if (exchange.expectsContinue) response.writeContinue();
      stripRoute(request, this.route, path);
      catchRejection(handler(request, response), onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  /** Replies with the headers of middleware, and without those that the handler has set. */
  #replyError(exchange: Exchange, thrown: unknown): void {
    const { response, middlewareFields } = exchange;
    const { exposeInternalErrors, formatProblem, logger } = this.#settings;
    const error = errorAnswer(500, exposeInternalErrors ? textOf(thrown) : undefined);
    logger.error(failureOf(exchange.request, `* ${this.route}`, textOf(thrown), thrown));
    if (!response.writableEnded) exchange.observer?.fail(thrown);
    const reply = (): void => {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      for (const [name, value] of middlewareFields) response.setHeader(name, value);
      replyError(exchange, error, formatProblem);
    };
    replyFailure(exchange, reply, formatProblem, error);
  }
}

/** Removes the route from a request's target, as Connect does. */
export function stripRoute(request: MountRequest, route: string, path: string): void {
  const target = request.url ?? '';
  const rest = route === '/' ? path : path.slice(route.length) || '/';
  // It is set already if the host's own code has mounted this server.
  request.originalUrl ??= target;
  request.url = rest + queryOf(target);
}
