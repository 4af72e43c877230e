/** From an admitted request to what answers it: endpoints first, then mounts. */
import { Router } from '../router/router.ts';
import { RequestValidator } from './request-validator.ts';
import type { Exchange } from './connection/exchange.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { callMount, Mounts, type MountHandler } from './mounts.ts';
import type { Settings } from './settings/options.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { replyAllow, replyError } from './connection/reply.ts';
import type { BoundRoute, Handler } from './routes.ts';
import { ASTERISK } from '../http/target.ts';

// In seconds (RFC 9110 section 10.2.3): what is in work is in work for milliseconds, mostly.
const TOO_BUSY = new ErrorResponse(503, 'The server has too many requests in work.', ['Retry-After', '1']);
const UNKNOWN_PATH = new ErrorResponse(404, 'Nothing is served at this path.');

export class Dispatcher {
  readonly #settings: Settings;
  readonly #router = new Router<Handler>();
  readonly #mounts = new Mounts();
  // The values of `Allow`, by what the router gave.
  readonly #allows = new Map<readonly string[], string>();
  readonly #validator: RequestValidator;
  readonly #concurrency: ConcurrencyLimit;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#validator = new RequestValidator(settings);
    this.#concurrency = new ConcurrencyLimit(settings.limits.inFlight);
  }

  /** The first of some routes that is taken, or `undefined` when all are free. */
  firstTaken(routes: readonly BoundRoute[]): BoundRoute | undefined {
    return routes.find(({ method, pattern }) => this.#router.conflictOf(method, pattern) !== undefined);
  }

  /** Adds routes, all or none. Throws `TypeError` when one of them is taken. */
  addRoutes(routes: readonly BoundRoute[]): void {
    for (const { method, pattern } of routes) this.#router.refuseTaken(method, pattern);
    for (const { method, pattern, handler } of routes) this.#router.insert(method, pattern, handler);
  }

  /** Adds a mount. Throws `TypeError` when its route is no path or is taken, or the handler is no function. */
  addMount(route: string, handler: MountHandler): void {
    this.#mounts.add(route, handler);
  }

  /** Sees to it that a request is answered. */
  dispatch(exchange: Exchange): void {
    const path = this.#validator.validate(exchange);
    if (path === undefined) return;
    if (!this.#concurrency.enter(exchange)) {
      replyError(exchange, TOO_BUSY);
      return;
    }
    const { method = '' } = exchange.request;
    const match = this.#router.match(method === 'HEAD' ? 'GET' : method, path);
    if (match !== undefined) match.value(exchange, match.parameter);
    else this.#withoutRoute(exchange, path);
  }

  #withoutRoute(exchange: Exchange, path: string): void {
    if (path === ASTERISK) {
      replyAllow(exchange, 200, allowOf([...this.#router.methods(), 'OPTIONS']));
      return;
    }
    const methods = this.#router.methodsAt(path);
    const mount = this.#mounts.find(path);
    if (methods.length > 0) replyAllow(exchange, 405, this.#allowOf(methods));
    else if (mount !== undefined) callMount(exchange, mount, path, this.#settings);
    else replyError(exchange, UNKNOWN_PATH);
  }

  #allowOf(methods: readonly string[]): string {
    let allow = this.#allows.get(methods);
    if (allow === undefined) this.#allows.set(methods, (allow = allowOf(methods)));
    return allow;
  }
}

// As RFC 9110 section 9.3 has them.
const ALLOW_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** The value of `Allow`: HEAD comes with GET, without being a route. */
function allowOf(methods: readonly string[]): string {
  return ALLOW_ORDER.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method)).join(', ');
}
