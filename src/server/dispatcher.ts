/** Validates a request, and passes it through middleware to the handler of its route. Routes of endpoints win over mounts. */
import type { IncomingMessage } from 'node:http';
import { allowOfDiscovery, memberOf, type Discovery, type OperationRoute } from '../endpoint/routes.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { ASTERISK, readTarget } from '../http/target.ts';
import { shapeOf } from '../router/pattern.ts';
import { Router } from '../router/router.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { replyError } from './reply/error-reply.ts';
import type { Exchange } from './connection/exchange.ts';
import { replyAllow } from './reply/reply.ts';
import { MiddlewareChain, type Middleware } from './middleware.ts';
import { Mounts, type MountHandler } from './mounts.ts';
import { isObserved, observe } from './observers.ts';
import { serve } from './operation/serve.ts';
import type { Operation } from './operation/served-endpoint.ts';
import { RequestValidator } from './request-validator.ts';
import type { Settings } from './settings/options.ts';

/** Replies to the requests of a route. `path` is the path of the request, as it was sent. */
type Handler = (exchange: Exchange, path: string) => void;

// Seconds (RFC 9110 section 10.2.3). Most requests take milliseconds.
const TOO_BUSY = new ErrorResponse(503, 'The server has too many requests in work.', ['Retry-After', '1']);
const UNKNOWN_PATH = new ErrorResponse(404, 'Nothing is served at this path.');

/** What a path answers to `OPTIONS`, once an endpoint is there that answers it. */
interface Discovered {
  readonly methods: string[];
  allow: string;
  answers: boolean;
}

export class Dispatcher {
  readonly #settings: Settings;
  readonly #router = new Router<Handler>();
  readonly #mounts: Mounts;
  readonly #middleware: MiddlewareChain;
  readonly #validator: RequestValidator;
  readonly #concurrency: ConcurrencyLimit;
  // What each path answers to `OPTIONS`, by the shape of its pattern: endpoints can share a path.
  readonly #discovered = new Map<string, Discovered>();
  // The value of `Allow` for each list of methods that the router gives.
  readonly #allows = new Map<readonly string[], string>();

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#mounts = new Mounts(settings);
    this.#middleware = new MiddlewareChain(settings);
    this.#validator = new RequestValidator(settings);
    this.#concurrency = new ConcurrencyLimit(settings.limits.inFlight);
  }

  /** Adds the routes of operations, all or none. Throws `TypeError` when one of them is taken. */
  addRoutes(routes: readonly OperationRoute<Operation>[]): void {
    for (const { method, pattern } of routes) this.#router.refuseTaken(method, pattern);
    for (const { method, pattern, operation } of routes) {
      this.#router.insert(method, pattern, (exchange, path) => {
        if (isObserved()) serveObserved(operation, exchange, path);
        else serve(operation, exchange, path);
      });
    }
  }

  /** Adds methods to a path's discovery. Returns whether the path answers `OPTIONS` from now on. */
  addDiscovery({ pattern, methods, answers }: Discovery): boolean {
    const discovered = this.#discoveredAt(shapeOf(pattern));
    discovered.methods.push(...methods);
    discovered.allow = allowOfDiscovery(discovered.methods);
    if (!answers || discovered.answers) return false;
    discovered.answers = true;
    const { text } = pattern;
    const reply = (exchange: Exchange): void => replyAllow(exchange, 200, discovered.allow);
    this.#router.insert('OPTIONS', pattern, (exchange) => observed(exchange, 'OPTIONS', text, reply));
    return true;
  }

  #discoveredAt(shape: string): Discovered {
    let discovered = this.#discovered.get(shape);
    if (discovered === undefined) this.#discovered.set(shape, (discovered = { methods: [], allow: '', answers: false }));
    return discovered;
  }

  addMount(route: string, handler: MountHandler): void {
    this.#mounts.add(route, handler);
  }

  /** Throws `TypeError` if the listener is not a function, or takes four parameters. */
  addMiddleware(listener: Middleware): void {
    this.#middleware.add(listener);
  }

  /** Whether a request is for a path that has a route or a mount. `true` also if its target is invalid: that is refused. */
  serves({ method = '', url = '' }: IncomingMessage): boolean {
    const target = readTarget(method, url);
    if (target === undefined || target.path === ASTERISK) return true;
    return this.#router.methodsAt(target.path).length > 0 || this.#mounts.find(target.path) !== undefined;
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
    const handler = this.#router.match(method === 'HEAD' ? 'GET' : method, path);
    if (handler !== undefined) handler(exchange, path);
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
    else if (mount !== undefined) observed(exchange, '*', mount.route, () => mount.handle(exchange, path));
    else replyError(exchange, UNKNOWN_PATH, this.#settings.formatProblem);
  }

  #allowOf(methods: readonly string[]): string {
    let allow = this.#allows.get(methods);
    if (allow === undefined) this.#allows.set(methods, (allow = allowOf(methods)));
    return allow;
  }
}

/** Serves a request of a route that is no operation's, and publishes it if anyone subscribes. */
function observed(exchange: Exchange, method: string, path: string, reply: (exchange: Exchange) => void): void {
  if (isObserved()) observe(exchange, { method, path }, undefined, reply.bind(undefined, exchange));
  else reply(exchange);
}

/** A function of its own: a closure in the handler would cost every request, observed or not. */
function serveObserved(operation: Operation, exchange: Exchange, path: string): void {
  observe(exchange, operation.route, memberOf(operation), () => serve(operation, exchange, path));
}

// The order of RFC 9110 section 9.3; PATCH is RFC 5789's.
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The value of `Allow`. HEAD is allowed wherever GET is, without a route. */
function allowOf(methods: readonly string[]): string {
  return METHODS.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method)).join(', ');
}
