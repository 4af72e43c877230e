/** Validates a request, and passes it through middleware to the handler of its route. Routes of endpoints win over mounts. */
import type { OperationKind } from '../../declaration/kinds.ts';
import { formatOperation, Operation } from '../../endpoint/operation.ts';
import { type AllowedMethod, type Discovery, discoveryHeaders } from '../../endpoint/routes.ts';
import type { Route } from '../../declaration/request.ts';
import type { Rejection } from '../../errors/problem.ts';
import { findHeader } from '../../http/head.ts';
import { ASTERISK, readTarget } from '../../http/target.ts';
import type { Pattern } from '../../router/pattern.ts';
import { Prefixes, Router } from '../../router/router.ts';
import { makeConcurrencyLimit } from './concurrency.ts';
import { type Exchange, UNKNOWN_METHOD } from '../exchange/exchange.ts';
import { useOriginForm } from '../exchange/node/internals/incoming.ts';
import type { NodeExchange } from '../exchange/node/node-exchange.ts';
import { Cors, isPreflight } from './cors.ts';
import { makePathHints } from './path-hints.ts';
import { abandonRequest } from '../operation/error-responses.ts';
import { type Middleware, checkMiddleware, MiddlewareChain } from '../listeners/listeners.ts';
import { Mount, type MountHandler, type MountOptions, UNKNOWN_PATH } from '../listeners/mounts.ts';
import { toNode } from '../exchange/memory/node/message-maker.ts';
import { isObserved, observe } from '../operation/observers.ts';
import type { RequestValidator } from './request-validator.ts';
import { serve } from '../operation/serve.ts';
import type { Settings } from '../settings/server-options.ts';

/** The target of a request: its operation, the discovery of its path, or a mount. */
type MatchedTarget = Operation | Discovered | Mount;

const NO_METHODS: readonly AllowedMethod[] = [];

/** The response of a path to `OPTIONS`. */
interface Discovered {
  /** Its path has the parameter names of the first endpoint at the path. */
  readonly route: Route;
  methods: readonly AllowedMethod[];
  /** The path of an item that a Custom operation is beside. Its own path is one of items too, so their methods are allowed there. */
  item: Discovered | undefined;
}

export class Dispatcher {
  readonly #settings: Settings;
  readonly #router = new Router<Operation | Discovered>();
  readonly #mounts = new Prefixes<Mount>('*');
  // Whether a mount is exempt from `limits.inFlight`, or has its own CORS.
  #hasExempt = false;
  #hasOwnCors = false;
  readonly #validator: RequestValidator;
  // Replaced by a new list, and never changed, so that a request keeps the list that it began with.
  #middleware: readonly Middleware[] = [];
  // `undefined` without a limit, so that requests need not be counted.
  readonly #admit: ((exchange: Exchange) => boolean) | undefined;
  readonly #cors: Cors | undefined;
  // By the shape of their patterns: several endpoints can have one path.
  readonly #discovered = new Map<string, Discovered>();
  // Those that were asked for since the last registration.
  readonly #optionsHeaders = new Map<Discovered, readonly string[]>();
  readonly #hint: (path: string) => void;

  /** `root` is put before the sub-paths of endpoints. */
  constructor(settings: Settings, root: string, validator: RequestValidator) {
    this.#settings = settings;
    this.#validator = validator;
    const { cors, limits: { inFlight } } = settings;
    this.#admit = inFlight === Infinity ? undefined : makeConcurrencyLimit(inFlight);
    this.#cors = cors && new Cors(cors, settings);
    this.#hint = makePathHints(root, settings.logger, () => {
      return [...this.#discovered.values()].filter(({ methods }) => methods.length > 0).map(({ route }) => route.path);
    });
  }

  /** The pattern of the operation that is registered with the same route. */
  findTaken({ kind: { method }, pattern }: Operation): Pattern | undefined {
    return this.#router.findConflict(method, pattern);
  }

  /** Adds the routes of operations, which must be free. */
  addOperations(operations: readonly Operation[]): void {
    for (const operation of operations) this.#router.insert(operation.kind.method, operation.pattern, operation);
    this.#cors?.addOperations(operations);
  }

  /** Adds methods to the response of a path to `OPTIONS`. Returns whether the path is new. */
  addDiscovery({ pattern, methods, item }: Discovery): boolean {
    const before = this.#discovered.get(pattern.shape);
    const route = Object.freeze({ method: 'OPTIONS', path: pattern.template });
    const discovered: Discovered = before ?? { route, methods: NO_METHODS, item: undefined };
    // Unlike a push, this leaves no room for more, which few paths need.
    discovered.methods = discovered.methods.concat(methods);
    if (item !== undefined) discovered.item = this.#discovered.get(item.shape);
    this.#optionsHeaders.clear();
    if (before !== undefined) return false;
    this.#discovered.set(pattern.shape, discovered);
    this.#router.insert('OPTIONS', pattern, discovered);
    return true;
  }

  /** Throws `TypeError` when the route is malformed or taken, the handler is not a function, or an option is invalid. */
  addMount(route: string, handler: MountHandler, options: MountOptions): void {
    const path = this.#mounts.check(route);
    const mount = new Mount(path, handler, options, this.#settings);
    this.#mounts.insert(path, mount);
    this.#hasExempt ||= mount.isExempt;
    this.#hasOwnCors ||= mount.hasOwnCors;
    if (mount.guard !== undefined) this.#cors?.addOperations([mount.guard]);
  }

  /** Throws `TypeError` if the listener is not a function, or takes four parameters. */
  addMiddleware(listener: Middleware): void {
    this.#middleware = [...this.#middleware, checkMiddleware(listener)];
  }

  /** Whether a request is for a path that has a route or a mount. `true` also if its target is invalid, which is rejected here. */
  serves({ method = '', url = '' }: { readonly method?: string | undefined; readonly url?: string | undefined }): boolean {
    const target = readTarget(method, url);
    if (target === undefined || target.path === ASTERISK) return true;
    return this.#router.findMethods(target.path).length > 0 || this.#mounts.find(target.path) !== undefined;
  }

  dispatch(exchange: Exchange): void {
    try {
      const path = this.#validator.check(exchange);
      if (this.#cors !== undefined && this.#allowOrigin(this.#cors, exchange, path)) return;
      if (typeof path !== 'string') return rejectInvalid(exchange, path);
      if (this.#admit !== undefined && !this.#isExempt(path) && !this.#admit(exchange)) return;
      if (this.#middleware.length === 0) this.#route(exchange, path);
      else this.#runMiddleware(toNode(exchange), path);
    } catch (thrown) {
      abandonRequest(exchange, thrown);
    }
  }

  /** Dispatches a request within a request. The outer request has been counted, and has passed the middleware. */
  dispatchNested(exchange: Exchange): void {
    const path = this.#validator.check(exchange);
    if (typeof path === 'string') this.#route(exchange, path);
    else rejectInvalid(exchange, path);
  }

  /** Whether a request is for a mount that `limits.inFlight` does not count. */
  #isExempt(path: string): boolean {
    return this.#hasExempt && this.#findMount(path)?.isExempt === true;
  }

  /** The mount that serves a path. `undefined` if an endpoint has a route for any method of the path. */
  #findMount(path: string): Mount | undefined {
    const mount = path === ASTERISK ? undefined : this.#mounts.find(path);
    return mount === undefined || this.#router.findMethods(path).length > 0 ? undefined : mount;
  }

  /** Sets the headers of CORS. Returns whether the request was a preflight, to which it has responded. */
  #allowOrigin(cors: Cors, exchange: Exchange, path: string | Rejection): boolean {
    if (typeof path === 'string' && this.#hasOwnCors && this.#findMount(path)?.hasOwnCors === true) return false;
    return cors.allowOrigin(exchange) && typeof path === 'string' && this.#respondToPreflight(cors, exchange, path);
  }

  /** Responds to a preflight for a path that is served. Middleware may serve the others. */
  #respondToPreflight(cors: Cors, exchange: Exchange, path: string): boolean {
    if (!isPreflight(exchange)) return false;
    const methods = this.#router.findMethods(path);
    const target = methods.length > 0 ? this.#router.match('OPTIONS', path) : this.#findMount(path);
    if (target === undefined || (target instanceof Mount && target.hasOwnCors)) return false;
    const respond = (exchange: Exchange): void => {
      if (target instanceof Mount) return cors.respondForMount(exchange, METHODS.join(', '), target.requestHeaders);
      const operations = methods.map((method) => this.#router.match(method, path)).filter((each) => each instanceof Operation);
      cors.respondToPreflight(exchange, formatAllow(methods), operations);
    };
    if (isObserved()) observe(exchange, target.route, undefined, respond);
    else respond(exchange);
    return true;
  }

  #serveObserved(target: MatchedTarget, exchange: Exchange, path: string): void {
    const name = target instanceof Operation ? formatOperation(target) : undefined;
    // Subscribers get the same request as the handler.
    const given = target instanceof Mount && target.isListener ? toNode(exchange) : exchange;
    observe(given, target.route, name, (observed) => this.#serve(target, observed, path));
  }

  #serve(target: MatchedTarget, exchange: Exchange, path: string): void {
    if (target instanceof Operation) void serve(target, exchange, path);
    else if (target instanceof Mount) this.#serveMount(target, exchange, path);
    else exchange.send({ status: 200, headers: this.#listHeaders(target), body: undefined });
  }

  #serveMount(mount: Mount, exchange: Exchange, path: string): void {
    // Browsers send no credentials with a preflight, to which a handler with its own CORS responds.
    const isOpen = mount.guard === undefined || (mount.hasOwnCors && isPreflight(exchange));
    if (isOpen) mount.handle(exchange, path);
    // A `context` that reads `request.raw` gets the request that the handler gets: two of Node's cannot share a body.
    else void serve(mount.guard, mount.isListener ? toNode(exchange) : exchange, path, mount);
  }

  #listHeaders(discovered: Discovered): readonly string[] {
    const headers = this.#optionsHeaders.get(discovered) ?? discoveryHeaders(discovered.methods, discovered.item?.methods);
    this.#optionsHeaders.set(discovered, headers);
    return headers;
  }

  #runMiddleware(exchange: NodeExchange, path: string): void {
    const { request } = exchange;
    const { url } = request;
    const route = (): void => {
      if (request.url === url) return this.#route(exchange, path);
      exchange.head.host = findHeader(useOriginForm(request).rawHeaders, 'host');
      const newPath = this.#validator.check(exchange);
      if (typeof newPath !== 'string') return rejectInvalid(exchange, newPath);
      // A preflight gets here if nothing serves the path that it had before middleware.
      const cors = isPreflight(exchange) ? this.#cors : undefined;
      if (cors === undefined || !this.#allowOrigin(cors, exchange, newPath)) this.#route(exchange, newPath);
    };
    new MiddlewareChain(exchange, this.#middleware, route, this.#settings).begin();
  }

  #route(exchange: Exchange, path: string): void {
    const { method } = exchange;
    const target = this.#router.match(method === 'HEAD' ? 'GET' : method, path) ?? this.#findMount(path);
    if (target === undefined) this.#respondUnmatched(exchange, path);
    else if (isObserved()) this.#serveObserved(target, exchange, path);
    else this.#serve(target, exchange, path);
  }

  #respondUnmatched(exchange: Exchange, path: string): void {
    if (path === ASTERISK) {
      return exchange.send({ status: 200, headers: ['Allow', formatAllow([...this.#router.methods(), 'OPTIONS'])], body: undefined });
    }
    const methods = this.#router.findMethods(path);
    if (!METHODS.includes(exchange.method)) exchange.sendError(UNKNOWN_METHOD);
    else if (methods.length > 0) exchange.send({ status: 405, headers: ['Allow', formatAllow(methods)], body: undefined });
    else {
      this.#hint(path);
      exchange.sendError(UNKNOWN_PATH);
    }
  }
}

function rejectInvalid(exchange: Exchange, rejection: Rejection): void {
  // The connection closes, since the end of an invalid request is uncertain. With a 417 it is known.
  exchange.forceClose = rejection.problem.status !== 417;
  exchange.sendError(rejection);
}

// The order of RFC 9110 section 9.3; PATCH is RFC 5789's.
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] satisfies RoutedMethod[];

type RoutedMethod = OperationKind['method'] | 'HEAD' | 'OPTIONS';

/** The value of `Allow`. HEAD is allowed wherever GET is, without a route. */
function formatAllow(methods: readonly string[]): string {
  return METHODS.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method)).join(', ');
}
