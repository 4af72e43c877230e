/** Validates a request, and passes it through middleware to the handler of its route. Routes of endpoints win over mounts. */
import type { EndpointRoute } from '../endpoint/routes.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { ASTERISK } from '../http/target.ts';
import { Router } from '../router/router.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { replyError } from './connection/error-reply.ts';
import type { Exchange } from './connection/exchange.ts';
import { replyAllow } from './connection/reply.ts';
import { MiddlewareChain, type Middleware } from './middleware.ts';
import { Mounts, type MountHandler } from './mounts.ts';
import { serve } from './operation/serve.ts';
import type { Operation } from './operation/served-endpoint.ts';
import { RequestValidator } from './request-validator.ts';
import type { Settings } from './settings/options.ts';

/** Replies to the requests of a route. `segment` is the text in place of `:id`, as it was sent. */
type Handler = (exchange: Exchange, segment: string) => void;

// Seconds (RFC 9110 section 10.2.3). Most requests take milliseconds.
const TOO_BUSY = new ErrorResponse(503, 'The server has too many requests in work.', ['Retry-After', '1']);
const UNKNOWN_PATH = new ErrorResponse(404, 'Nothing is served at this path.');

export class Dispatcher {
  readonly #settings: Settings;
  readonly #router = new Router<Handler>();
  readonly #mounts: Mounts;
  readonly #middleware: MiddlewareChain;
  readonly #validator: RequestValidator;
  readonly #concurrency: ConcurrencyLimit;
  // One for each value of `Allow`. There are few, and all endpoints share them.
  readonly #discoveryHandlers = new Map<string, Handler>();
  // The value of `Allow` for each list of methods that the router returns.
  readonly #allows = new Map<readonly string[], string>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mounts = new Mounts(settings);
    this.#middleware = new MiddlewareChain(settings);
    this.#validator = new RequestValidator(settings);
    this.#concurrency = new ConcurrencyLimit(settings.limits.inFlight);
  }

  /** The first of these routes that is taken. `undefined` if all are free. */
  firstTaken(routes: readonly EndpointRoute<Operation>[]): EndpointRoute<Operation> | undefined {
    return routes.find(({ method, pattern }) => this.#router.conflictOf(method, pattern) !== undefined);
  }

  /** Adds all of these routes. Throws `TypeError`, and adds none, if one of them is taken. */
  addRoutes(routes: readonly EndpointRoute<Operation>[]): void {
    for (const { method, pattern } of routes) this.#router.refuseTaken(method, pattern);
    for (const route of routes) this.#router.insert(route.method, route.pattern, this.#handlerFor(route));
  }

  addMount(route: string, handler: MountHandler): void {
    this.#mounts.add(route, handler);
  }

  /** Throws `TypeError` if the listener is not a function, or takes four parameters. */
  addMiddleware(listener: Middleware): void {
    this.#middleware.add(listener);
  }

  dispatch(exchange: Exchange): void {
    const path = this.#validator.validate(exchange);
    if (path === undefined) return;
    if (!this.#concurrency.enter(exchange)) {
      replyError(exchange, TOO_BUSY, this.#settings.formatProblem);
      return;
    }
    if (this.#middleware.isEmpty) this.#route(exchange, path);
    else this.#runMiddleware(exchange, path);
  }

  #runMiddleware(exchange: Exchange, path: string): void {
    const { request } = exchange;
    const { url } = request;
    this.#middleware.run(exchange, () => {
      const newPath = request.url === url ? path : this.#validator.validate(exchange);
      if (newPath !== undefined) this.#route(exchange, newPath);
    });
  }

  #route(exchange: Exchange, path: string): void {
    const { method = '' } = exchange.request;
    const match = this.#router.match(method === 'HEAD' ? 'GET' : method, path);
    if (match !== undefined) match.value(exchange, match.parameter);
    else this.#dispatchUnmatched(exchange, path);
  }

  #dispatchUnmatched(exchange: Exchange, path: string): void {
    if (path === ASTERISK) {
      replyAllow(exchange, 200, allowOf([...this.#router.methods(), 'OPTIONS']));
      return;
    }
    const methods = this.#router.methodsAt(path);
    const mount = this.#mounts.find(path);
    if (methods.length > 0) replyAllow(exchange, 405, this.#allowOf(methods));
    else if (mount !== undefined) mount.handle(exchange, path);
    else replyError(exchange, UNKNOWN_PATH, this.#settings.formatProblem);
  }

  #handlerFor(route: EndpointRoute<Operation>): Handler {
    const { operation } = route;
    if (operation !== undefined) return (exchange, segment) => serve(operation, exchange, segment);
    const { allow } = route;
    let handler = this.#discoveryHandlers.get(allow);
    if (handler === undefined) this.#discoveryHandlers.set(allow, (handler = (exchange) => replyAllow(exchange, 200, allow)));
    return handler;
  }

  #allowOf(methods: readonly string[]): string {
    let allow = this.#allows.get(methods);
    if (allow === undefined) this.#allows.set(methods, (allow = allowOf(methods)));
    return allow;
  }
}

// The order of RFC 9110 section 9.3; PATCH is RFC 5789's.
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The value of `Allow`. HEAD is allowed wherever GET is, without a route. */
function allowOf(methods: readonly string[]): string {
  return METHODS.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method)).join(', ');
}
