/**
 * `(request, response, next)` listeners, each mounted at a route and everything below it.
 *
 *   mounted at /files:   /files  /files/a  /files/a/b   but not  /filesX
 */
import type { ServerResponse } from 'node:http';
import type { Route } from '../endpoint/routes.ts';
import { createRejection, type Rejection } from '../errors/problem.ts';
import { boolean, type Shape, shape } from '../util/options.ts';
import { formatError } from '../util/promises.ts';
import { Prefixes } from '../router/prefixes.ts';
import type { Exchange } from './connection/exchange.ts';
import { getHeaderEntries } from './connection/response-headers.ts';
import {
  toListenerRejection, callListener, type MountRequest, prepareForListener, respondToFailure, reportFailure, stripRoute,
} from './listeners.ts';
import { logRequestError } from './logger.ts';
import type { Settings } from './options.ts';

/**
 * A Connect-style listener. `request.url` is the target without the route: at least `/`, with the query. `request.originalUrl` is the whole
 * target, and `request.baseUrl` the route. `next()` sends a 404, and `next(error)` what it sends in middleware. The listener may return a
 * promise. If it throws or rejects, the client gets 500.
 *
 * @example
 * ```ts
 * const health: MountHandler = (_request, response) => void response.end('ok');
 * server.mount('/health', health);
 * ```
 */
export type MountHandler = (request: MountRequest, response: ServerResponse, next: (error?: unknown) => void) => unknown;

/** Options of a mount. */
export interface MountOptions {
  /**
   * Whether `limits.inFlight` counts its requests. Health checks, and responses that stay open, should not count.
   *
   * @example
   * ```ts
   * server.mount('/health', (_request, response) => void response.end('ok'), { inFlight: false });
   * ```
   *
   * @default true
   */
  readonly inFlight?: boolean;
  /**
   * Whether the option `cors` of the server covers it. `false` for a handler that has its own CORS.
   *
   * @default true
   */
  readonly cors?: boolean;
}

/** Rejects a path without a route or a mount. */
export const UNKNOWN_PATH: Rejection = createRejection(404, 'Nothing is served at this path.');

export const MOUNT_OPTIONS: Shape<Required<MountOptions>> = shape({ inFlight: boolean(true), cors: boolean(true) });

export class Mounts {
  readonly #settings: Settings;
  readonly #routes = new Prefixes<Mount>('*');
  /** Whether a mount is exempt from `limits.inFlight`. */
  hasExempt = false;
  /** Whether a mount has its own CORS. */
  hasOwnCors = false;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Adds a mount. Throws `TypeError` when its route is malformed or taken, the handler is not a function, or an option is invalid. */
  add(route: unknown, handler: unknown, options: unknown): void {
    const path = this.#routes.check(route);
    if (typeof handler !== 'function') throw new TypeError(`handler must be a function: ${typeof handler}`);
    const checked = MOUNT_OPTIONS.check(options, 'options');
    this.#routes.insert(path, new Mount(path, handler as MountHandler, this.#settings, checked));
    this.hasExempt ||= !checked.inFlight;
    this.hasOwnCors ||= !checked.cors;
  }

  /** The deepest mount that serves a path. */
  find(path: string): Mount | undefined {
    return this.#routes.find(path);
  }
}

export class Mount {
  readonly route: Route;
  /** Whether `limits.inFlight` does not count its requests. */
  readonly isExempt: boolean;
  /** Whether the option `cors` of the server does not cover it. */
  readonly hasOwnCors: boolean;
  readonly #handler: MountHandler;
  readonly #settings: Settings;

  constructor(path: string, handler: MountHandler, settings: Settings, { inFlight, cors }: Required<MountOptions>) {
    this.route = Object.freeze({ method: '*', path });
    this.isExempt = !inFlight;
    this.hasOwnCors = !cors;
    this.#handler = handler;
    this.#settings = settings;
  }

  /** The request headers that the handler reads, if it is a handler of this package. */
  get requestHeaders(): readonly string[] {
    return (this.#handler as { readonly ' requestHeaders'?: readonly string[] })[' requestHeaders'] ?? [];
  }

  /** Calls the handler. Responds if it throws, rejects or calls `next`. */
  handle(exchange: Exchange, path: string): void {
    const { request, response } = exchange;
    exchange.headersBeforeMount = getHeaderEntries(response);
    const onError = (thrown: unknown): void => {
      const { exposeInternalErrors } = this.#settings;
      this.#fail(exchange, thrown, createRejection(500, exposeInternalErrors ? formatError(thrown) : undefined));
    };
    prepareForListener(exchange, onError);
    const handler = this.#handler;
    const call = (next: (error?: unknown) => void): unknown => {
      exchange.sendContinue();
      stripRoute(request, this.route.path, path);
      return handler(request, response, next);
    };
    callListener(exchange, call, {
      passOn: () => this.#reply(exchange, UNKNOWN_PATH),
      reject: (error) => this.#fail(exchange, error, toListenerRejection(error, this.#settings.exposeInternalErrors)),
      fail: onError,
      log: (error) => this.#log(exchange, error),
    });
  }

  #fail(exchange: Exchange, thrown: unknown, rejection: Rejection): void {
    reportFailure(exchange, thrown, rejection, () => this.#log(exchange, thrown));
    this.#reply(exchange, rejection);
  }

  /** Responds with the headers of middleware, and without those that the handler has set. */
  #reply(exchange: Exchange, rejection: Rejection): void {
    const { response } = exchange;
    respondToFailure(exchange, () => {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      for (const [name, value] of exchange.headersBeforeMount ?? []) response.setHeader(name, value);
      exchange.sendError(rejection);
    }, rejection);
  }

  #log({ request }: Exchange, thrown: unknown): void {
    logRequestError(this.#settings.logger, request, `* ${this.route.path}`, thrown);
  }
}
