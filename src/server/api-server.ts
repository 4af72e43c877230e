/** The main class of the library: what a host registers. `Dispatcher` serves it, and `LifeCycle` starts and stops it. */
import type { SecureContextOptions } from 'node:tls';
import type { CheckedEndpoints } from '../endpoint/checked-declaration.ts';
import type { Contract } from '../endpoint/contract.ts';
import type { SubPath } from '../endpoint/declaration.ts';
import type { AnyDecoder } from '../endpoint/decoder.ts';
import type { Declaration } from '../endpoint/define-endpoint.ts';
import { type DescribedServer, Endpoint, type EndpointDefaults, type Registered } from '../endpoint/endpoint.ts';
import { type Interceptors, interceptorsFrom } from '../endpoint/interceptor.ts';
import type { NestedCall } from '../endpoint/nested.ts';
import { memberOf, type Operation } from '../endpoint/operation.ts';
import { discoveriesOf, listOf, parseRoot, type Route } from '../endpoint/routes.ts';
import { anything, type Checked, checkObject, type Shape, shape, strings } from '../util/options.ts';
import type { ListenAddress } from './address.ts';
import { Dispatcher } from './dispatcher.ts';
import { type Fetch, makeFetch } from './fetch.ts';
import { LifeCycle, type StartResult } from './life-cycle.ts';
import type { Middleware } from './middleware.ts';
import type { MountHandler, MountOptions } from './mounts.ts';
import { makeNestedCall } from './nested-call.ts';
import { findOwner, makeRequestListener, type MountableListener } from './request-listener.ts';
import { type ApiServerOptions, type Settings, checkServerOptions } from './options.ts';
import { OfferedRequests } from './shared-server.ts';
import { type UpgradeHandler, type UpgradeOptions, Upgrades } from './upgrades.ts';

/** The members that endpoints which are registered together have in common. */
export interface EndpointsOptions<Scopes extends readonly string[] = readonly string[], Use extends Interceptors = Interceptors> {
  /**
   * What all operations run in, outside of what their endpoints run in: one, or a list whose first is the outermost. The types of operations
   * do not have what it adds to the request: `use` of an endpoint is for that.
   */
  readonly use?: Use;
  /** The scopes that callers need, unless the operation or its endpoint has `scopes`. The contexts must know scopes. */
  readonly scopes?: Scopes;
}

export const ENDPOINTS_OPTIONS: Shape<Checked<EndpointsOptions, 'scopes'>> = shape({ use: anything('interceptors'), scopes: strings([]) });

/** A server of REST endpoints under one root prefix. */
export class ApiServer implements DescribedServer {
  /**
   * Replies to requests of a host's own server or app, and in tests without a port. An app that calls it with `next`, as Express and
   * Connect do, gets back the requests for paths that are not served here: in their turn, with their bodies unread.
   *
   * That server keeps its own timeouts, and `stop` does not close it. The option `createServer` changes that.
   */
  readonly requestListener: MountableListener;

  /**
   * Sends a request to this server without a port, as the global `fetch` does over the network: for tests, for a client in the same
   * process, and for hosts that have a `Request` and want a `Response`. Works before `start` too.
   *
   *   const response = await server.fetch('/v1/pet/1');
   *
   * A path gets the first of `allowedHosts` as its `Host`, or else `localhost`. Middleware, limits and all rules apply. The operation
   * runs in the async context of the call. Redirects are returned, and no body is decoded.
   *
   * Rejects as `fetch` does: with `TypeError` for an invalid URL, and if the connection closes before the answer; with the reason of a
   * signal that aborts. Also with `TypeError` from the call of `stop` on until the next `start`. `stop` waits for the answers to
   * earlier calls.
   */
  readonly fetch: Fetch;

  /** For `restpoint/mcp`, and not for hosts: it can change in any release. */
  readonly ' nested': NestedCall;

  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #upgrades: Upgrades;
  readonly #lifeCycle: LifeCycle;
  // What was registered, in order.
  readonly #registered: (Endpoint | Route)[] = [];

  /**
   * Throws `TypeError` when the root is neither `""` nor a path such as `/v1`, and for an option that is unknown or
   * out of range.
   */
  constructor(root: string, options: ApiServerOptions = {}) {
    this.#root = parseRoot(root);
    this.#settings = checkServerOptions(options);
    this.#upgrades = new Upgrades(this.#settings);
    this.#dispatcher = new Dispatcher(this.#settings);
    const receiver = { dispatcher: this.#dispatcher, upgrades: this.#upgrades };
    const offered = new OfferedRequests();
    this.#lifeCycle = new LifeCycle(this.#settings, receiver, offered);
    this.requestListener = makeRequestListener(this.#dispatcher, offered, this.#settings, this.#lifeCycle);
    this[' nested'] = makeNestedCall(this.#settings, { dispatch: (exchange) => this.#dispatcher.dispatchNested(exchange) }, this.#lifeCycle);
    this.fetch = makeFetch(this.#settings, this.#dispatcher, this.#lifeCycle);
  }

  /** The method and path of every route, in order of registration. A mount's method is `*`. */
  get routes(): readonly Route[] {
    const discovered = new Set<string>();
    return this.#registered.flatMap((each) => (each instanceof Endpoint ? listOf(each, discovered) : each));
  }

  /** For `restpoint/openapi`, and not for hosts: it can change in any release. */
  get ' registered'(): Registered {
    return { root: this.#root, errorForm: this.#settings.errorForm, all: this.#registered };
  }

  /**
   * Aborts when `stop` begins, so that streams without an end can end. The next `start` replaces it: read it when a stream begins.
   */
  get stopping(): AbortSignal {
    return this.#lifeCycle.stopping;
  }

  /**
   * Adds an endpoint's routes under `root + subpath`, at any time. Throws `TypeError`, and adds nothing, when the sub-path, the
   * name of an operation or a member of the endpoint is invalid, or a route is taken.
   */
  registerEndpoint<
    Path extends string, Endpoint, Schema extends AnyDecoder | undefined, Id = unknown, Context = undefined, Params = {}, Item = unknown, Known = {},
  >(subpath: SubPath<Path, Params>, endpoint: Declaration<Endpoint, Id, Schema, Known, Context, Params, Item>): void {
    this.#addEndpoints([new Endpoint(this.#root, subpath, endpoint, this.#settings)]);
  }

  /**
   * Adds the routes of several endpoints, by their sub-paths:
   *
   *   const api = server.registerEndpoints({ '/zoo': zoos, '/zoo/:zoo/pet': pets });
   *   export type Api = typeof api;
   *
   * The type of the result is for clients: what each operation takes and responds with, as JSON carries it. The value is the object that was given.
   *
   * Throws `TypeError` as `registerEndpoint` does, and then adds none of them.
   */
  registerEndpoints<
    Endpoints extends Readonly<Record<string, object>>, const Scopes extends readonly string[] = [], Use extends Interceptors = Interceptors,
  >(endpoints: Endpoints & CheckedEndpoints<Endpoints, Scopes, Use>, options: EndpointsOptions<Scopes, Use> = {}): Contract<Endpoints> {
    const { scopes, use } = ENDPOINTS_OPTIONS.check(options, 'options');
    const interceptors = interceptorsFrom(use, 'options.use', this.#settings.validationStatus);
    const defaults: EndpointDefaults = { ...this.#settings, scopes, interceptors };
    this.#addEndpoints(Object.entries(checkObject(endpoints, 'endpoints')).map(([subpath, declared]) => {
      try {
        return new Endpoint(this.#root, subpath, declared, defaults);
      } catch (error) {
        throw error instanceof TypeError ? new TypeError(`${JSON.stringify(subpath)}: ${error.message}`, { cause: error }) : error;
      }
    }));
    return endpoints as unknown as Contract<Endpoints>;
  }

  /**
   * Mounts a `(request, response)` listener at a route and at everything below it, for every method. The root is not put
   * before the route. Throws `TypeError` when the route is malformed, or another mount has it, and for an invalid option.
   */
  mount(route: string, handler: MountHandler, options: MountOptions = {}): void {
    this.#dispatcher.addMount(route, handler, options);
    this.#addRoute({ method: '*', path: route });
    this.#stopWithUs(handler);
    const { ' prepare': prepare } = handler as { readonly ' prepare'?: () => unknown };
    if (prepare !== undefined) this.#lifeCycle.preparations.add(prepare);
  }

  /**
   * Hands the socket of an upgrade (RFC 9110 section 7.8) to a handler, at a route and at everything below it. The root is not put
   * before the route. Only valid requests that ask for `options.protocol`, which is `websocket` by default, and that have no body, are
   * handed over. Others, and those for other paths, are answered as if they had asked for no upgrade.
   *
   * `request` emits `close` when `stop` begins, or when the socket closes if that comes first. Sockets that are still open after
   * `stopGraceMs` are destroyed. Throws `TypeError` when the route is malformed or taken, the handler is not a function, or an option
   * is invalid.
   */
  registerUpgrade(route: string, handler: UpgradeHandler, options: UpgradeOptions = {}): void {
    this.#upgrades.add(route, handler, options);
    this.#addRoute({ method: 'UPGRADE', path: route });
  }

  /**
   * Adds middleware: a Connect-style `(request, response, next)` listener, at any time. Every valid request passes the listeners in
   * the order of `use`, before it is routed. A listener calls `next()`, or replies itself.
   *
   * - `next(error)`, a throw and a rejection are answered. An `ApiError` is answered as one of an operation. Another error is answered
   *   with its `status` or `statusCode` from 400 to 599, and with its message if `expose` is `true`. Any other is a 500.
   * - Headers that a listener sets on the response are kept, unless the answer sets the same.
   * - A listener may change `request.url`. The request is then routed by the new one.
   * - A listener must not read the body of a request for an operation: the answer would be 500.
   *
   * Throws `TypeError` when the listener is not a function, or takes four parameters as Connect's error handlers do.
   */
  use(listener: Middleware): void {
    this.#dispatcher.addMiddleware(listener);
    this.#stopWithUs(listener);
  }

  /**
   * Listens. Never rejects: when the server cannot listen, or a document that is mounted by `openApiHandler` cannot be made, the result
   * says why, the failure is logged, and the server can be started again.
   */
  start(address: ListenAddress): Promise<StartResult> {
    return this.#lifeCycle.start(address, this.requestListener);
  }

  /**
   * Refuses new connections and calls of `fetch`, keeps idle connections for `stopLingerMs`, replies to the requests in flight, and
   * resolves when the last connection is closed, after `stopGraceMs` at the latest. The server can be started again afterwards, or for
   * the first time. Requests of other servers that reach `requestListener` are still served.
   */
  stop(): Promise<void> {
    return this.#lifeCycle.stop();
  }

  /**
   * Replaces the certificate of a server with `tls`, also while it serves. New connections get it, and open ones go on. Of the options
   * of TLS, those that are left out stay as they are.
   *
   * Throws `TypeError` without the option `tls`, for a certificate without its key, and for options that Node takes only when it makes
   * a server, such as `SNICallback`. Throws Node's error if the certificate or the key is invalid. Then nothing changes.
   */
  setSecureContext(options: SecureContextOptions): void {
    this.#lifeCycle.setSecureContext(options);
  }

  /** Adds all of them, or none. */
  #addEndpoints(endpoints: readonly Endpoint[]): void {
    const added = endpoints.flatMap(({ operations }) => operations);
    const byRoute = new Map<string, Operation>();
    for (const operation of added) {
      const route = `${operation.kind.method} ${operation.pattern.shape}`;
      const other = byRoute.get(route) ?? this.#registeredWith(operation);
      if (other !== undefined) throw makeConflict(operation, other);
      byRoute.set(route, operation);
    }
    this.#dispatcher.addOperations(added);
    for (const endpoint of endpoints) {
      this.#registered.push(endpoint);
      this.#hintAtRoot(endpoint);
      for (const { kind: { method }, pattern } of endpoint.operations) this.#logRoute(method, pattern.text);
      for (const discovery of discoveriesOf(endpoint)) {
        if (this.#dispatcher.addDiscovery(discovery)) this.#logRoute('OPTIONS', discovery.pattern.text);
      }
    }
  }

  /** The registered operation that has the route of another. */
  #registeredWith(operation: Operation): Operation | undefined {
    const taken = this.#dispatcher.findTaken(operation);
    if (taken === undefined) return undefined;
    const all = this.#registered.flatMap((each) => (each instanceof Endpoint ? each.operations : []));
    return all.find(({ kind: { method }, pattern }) => pattern === taken && method === operation.kind.method);
  }

  /** A sub-path can begin as the root does: pets of a zoo below `/zoo/zoo/:zoo`. More often, the root was written twice. */
  #hintAtRoot({ subpath, base }: Endpoint): void {
    if (this.#root === '' || !`${subpath}/`.startsWith(`${this.#root}/`)) return;
    const meant = JSON.stringify(subpath.slice(this.#root.length) || '/');
    this.#settings.logger.info(`registerEndpoint: the sub-path ${JSON.stringify(subpath)} has the root in it, so its routes begin with ${base}. If that is not meant, register ${meant}`);
  }

  #addRoute(route: Route): void {
    this.#registered.push(route);
    this.#logRoute(route.method, route.path);
  }

  #logRoute(method: string, path: string): void {
    this.#settings.logger.info(`route: ${method} ${path}`);
  }

  #stopWithUs(listener: object): void {
    const inner = findOwner(listener);
    if (inner !== undefined) this.#lifeCycle.inner.add(inner);
  }
}

function makeConflict(operation: Operation, other: Operation): TypeError {
  const [route = '', otherRoute = ''] = [operation, other].map(({ kind: { method }, pattern: { text } }) => `${method} ${text}`);
  const declared = [operation, other].map((each) => `${memberOf(each)} of ${JSON.stringify(each.endpoint.subpath)}`).join(' and ');
  return new TypeError(`route ${route} conflicts with ${otherRoute}: ${declared}. Declare it once, or under another sub-path`);
}
