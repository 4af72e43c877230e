/**
 * `(request, response, next)` listeners, each mounted at a route and everything below it.
 *
 *   mounted at /files:   /files  /files/a  /files/a/b   but not  /filesX
 */
import type { ServerResponse } from 'node:http';
import { type AnyContextFunction, isAnyone } from '../../endpoint/context.ts';
import { Endpoint } from '../../endpoint/endpoint.ts';
import { findHandlerParts, type HandledRequest, type Respond } from '../../endpoint/handler.ts';
import { Operation, PRIVATE } from '../../endpoint/operation.ts';
import type { ContextRequest, Route } from '../../declaration/request.ts';
import { isApiError } from '../../errors/api-error.ts';
import { makeRejection, type Rejection } from '../../errors/problem.ts';
import type { Outgoing } from '../../http/response.ts';
import { boolean, functionOr, shape, type Shape } from '../../util/options.ts';
import { adopt, isThenable } from '../../util/promises.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { NodeExchange } from '../exchange/node/node-exchange.ts';
import { getHeaderEntries } from '../exchange/node/response-headers.ts';
import { logRequestError } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';
import {
  callListener, type MountRequest, prepareForListener, readMounted, reportFailure, respondToFailure, stripRoute, toListenerRejection,
} from './listeners.ts';
import { toNode } from '../exchange/memory/node/message-maker.ts';

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
  /**
   * Authenticates the caller of every request at the route and below it, as the `context` of an operation does, before the handler gets the
   * request. Upgrades that `registerUpgrade` hands over, and preflights of a mount with `cors: false`, are not covered. With `requireContext`
   * of the server, each mount needs one: `anyone` of `restpoint/auth` opens it.
   *
   * @example
   * ```ts
   * const { METRICS_TOKEN = '' } = process.env;
   * const scraper = bearer((token) => METRICS_TOKEN !== '' && secretsEqual(token, METRICS_TOKEN));
   * server.mount('/metrics', (_request, response) => void response.end('requests 7'), { context: scraper });
   * ```
   * @default none: the handler gets the requests of all callers
   */
  readonly context?: (request: ContextRequest) => unknown;
}

/** The options after their check. */
interface CheckedMountOptions extends Omit<Required<MountOptions>, 'context'> {
  readonly context: AnyContextFunction | undefined;
}

/** Rejects a path without a route or a mount. */
export const UNKNOWN_PATH: Rejection = makeRejection('path', 'Nothing is served at this path.');

/** `server.mount(route, handler, options)`: {@link MountOptions}. */
export const MOUNT_OPTIONS: Shape<CheckedMountOptions> = shape({
  inFlight: boolean(true), cors: boolean(true), context: functionOr<AnyContextFunction>(),
});

export class Mount {
  readonly route: Route;
  /** Whether `limits.inFlight` does not count its requests. */
  readonly isExempt: boolean;
  /** Whether the option `cors` of the server does not cover it. */
  readonly hasOwnCors: boolean;
  /** `serve` authenticates the callers as of this operation. `undefined` if the handler gets the requests of all callers. */
  readonly guard: Operation | undefined;
  readonly #handler: MountHandler;
  // Set for a handler of this package, which responds without Node's messages.
  readonly #respond: Respond | undefined;
  readonly #settings: Settings;

  /** `path` is the checked route. Throws `TypeError` when the handler is not a function, or an option is invalid. */
  constructor(path: string, handler: MountHandler, options: MountOptions, settings: Settings) {
    if (typeof handler !== 'function') throw new TypeError(`handler must be a function: ${typeof handler}`);
    const { inFlight, cors, context } = MOUNT_OPTIONS.check(options, 'options');
    this.route = Object.freeze({ method: '*', path });
    this.guard = context === undefined || isAnyone(context) ? undefined : makeGuard(this.route, context, handler, settings);
    this.isExempt = !inFlight;
    this.hasOwnCors = !cors;
    this.#handler = handler;
    this.#respond = findHandlerParts(handler)?.respond;
    this.#settings = settings;
  }

  /** Whether the handler gets Node's messages. */
  get isListener(): boolean {
    return this.#respond === undefined;
  }

  /** The request headers that the handler reads, if it is a handler of this package. */
  get requestHeaders(): readonly string[] {
    return findHandlerParts(this.#handler)?.requestHeaders ?? [];
  }

  /** Serves a request. */
  handle(exchange: Exchange, path: string): void {
    if (this.#respond === undefined) this.#call(toNode(exchange), path);
    else this.#handle(exchange, path, this.#respond);
  }

  #handle(exchange: Exchange, path: string, respond: Respond): void {
    const log = (thrown: unknown): void => logRequestError(this.#settings.logger, exchange, `* ${this.route.path}`, thrown);
    const send = (response: Outgoing | undefined): void => {
      if (response === undefined) exchange.sendError(UNKNOWN_PATH);
      else exchange.send(response);
    };
    const fail = (thrown: unknown): void => {
      const rejection = isApiError(thrown) ? toListenerRejection(thrown) : makeRejection('internal');
      if (rejection.problem.status >= 500 || !exchange.isOpen) log(thrown);
      if (exchange.isOpen) exchange.observer?.fail(thrown);
      exchange.sendError(rejection);
    };
    exchange.sendContinue();
    try {
      const responded = respond(makeHandled(exchange, readMounted(exchange.url, this.route.path, path), log));
      if (isThenable(responded)) adopt(responded).then(send).catch(fail);
      else send(responded);
    } catch (thrown) {
      fail(thrown);
    }
  }

  /** Calls the handler. Responds if it throws, rejects or calls `next`. */
  #call(exchange: NodeExchange, path: string): void {
    const { request, response } = exchange;
    exchange.shareResponse();
    if (this.guard !== undefined && !exchange.hasSet('cache-control')) exchange.setEarly(PRIVATE);
    exchange.headersBeforeMount = getHeaderEntries(response);
    const onError = (thrown: unknown): void => this.#fail(exchange, thrown, makeRejection('internal'));
    prepareForListener(exchange, onError);
    const handler = this.#handler;
    const call = (next: (error?: unknown) => void): unknown => {
      exchange.sendContinue();
      stripRoute(request, this.route.path, path);
      return handler(request, response, next);
    };
    callListener(exchange, call, {
      passOn: () => this.#reject(exchange, UNKNOWN_PATH),
      reject: (error) => this.#fail(exchange, error, toListenerRejection(error)),
      fail: onError,
      log: (error) => this.#log(exchange, error),
    });
  }

  #fail(exchange: NodeExchange, thrown: unknown, rejection: Rejection): void {
    reportFailure(exchange, thrown, rejection, () => this.#log(exchange, thrown));
    this.#reject(exchange, rejection);
  }

  /** Responds with the headers of middleware, and without those that the handler has set. */
  #reject(exchange: NodeExchange, rejection: Rejection): void {
    const { response } = exchange;
    respondToFailure(exchange, () => {
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      for (const [name, value] of exchange.headersBeforeMount ?? []) response.setHeader(name, value);
      exchange.sendError(rejection);
    }, rejection);
  }

  #log(exchange: NodeExchange, thrown: unknown): void {
    logRequestError(this.#settings.logger, exchange, `* ${this.route.path}`, thrown);
  }
}

/** Makes the operation whose context admits the callers of a mount. It is never run. */
function makeGuard(route: Route, context: AnyContextFunction, handler: MountHandler, settings: Settings): Operation {
  const endpoint = new Endpoint(route.path === '/' ? '' : route.path, '/', { context, get: handler }, settings);
  const [{ kind, pattern }] = endpoint.operations as readonly [Operation];
  return new Operation(endpoint, kind, '', handler, {}, { pattern, parameters: [], route });
}

/** A request as the handlers of this package see it: no messages of Node are made for it. */
export function makeHandled(
  exchange: Exchange, { removed, url }: ReturnType<typeof readMounted>, log: (thrown: unknown) => void,
): HandledRequest {
  const { baseUrl: base = '', method, rawHeaders, isSecure, isListed } = exchange;
  return {
    method, url, originalUrl: base + exchange.url, baseUrl: base + removed, route: removed, rawHeaders, isSecure, isListed, log,
    get raw() {
      return exchange.raw;
    },
    get request() {
      return { socket: exchange.client, rawHeaders, id: exchange.id };
    },
    response: { once: (_, call) => exchange.onClose(call) },
    collect: (take) => exchange.collect(take),
    discard: () => exchange.discard(),
  };
}
