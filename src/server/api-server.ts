/** The class of the library. `Dispatcher` serves what is registered, and `LifeCycle` starts and stops the server. */
import type { SecureContextOptions } from 'node:tls';
import type { CheckedEndpoints } from '../declaration/checked-declaration.ts';
import type { Contract } from '../declaration/contract.ts';
import type { SubPath } from '../declaration/declaration.ts';
import type { AnyDecoder } from '../declaration/decoder.ts';
import type { Declaration } from '../declaration/define-endpoint.ts';
import { type DescribedServer, Endpoint, ENDPOINT_OPTIONS, type EndpointDefaults, type ServerInternals } from '../endpoint/endpoint.ts';
import type { Interceptors } from '../declaration/interceptor.ts';
import { checkInterceptors } from '../endpoint/checked-interceptor.ts';
import { findHandlerParts } from '../endpoint/handler.ts';
import { type AnyContextFunction, listResources } from '../endpoint/context.ts';
import { formatOperation, type Operation } from '../endpoint/operation.ts';
import { listDiscoveries, listRoutes, parseRoot } from '../endpoint/routes.ts';
import type { Route } from '../declaration/request.ts';
import { anything, type Checked, checkObject, type Shape, shape, strings } from '../util/options.ts';
import type { ListenAddress, Write } from './address.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { Dispatch } from './exchange/exchange.ts';
import { type Fetch, makeFetch } from './exchange/memory/fetch.ts';
import { LifeCycle, type StartResult } from './life-cycle.ts';
import { makeLoggedLine } from './settings/logger.ts';
import type { Middleware } from './listeners/listeners.ts';
import { NodeMessages } from './exchange/memory/node/message-maker.ts';
import type { MountHandler, MountOptions } from './listeners/mounts.ts';
import { makeNestedCall } from './exchange/memory/nested-call.ts';
import { findOwner, makeRequestListener, type MountableListener } from './listeners/request-listener.ts';
import { type ApiServerOptions, checkServerOptions, type Settings } from './settings/server-options.ts';
import { RequestValidator } from './dispatch/request-validator.ts';
import { makeResourceMetadata } from './dispatch/resource-metadata.ts';
import { isInstance } from '../util/promises.ts';
import { type UpgradeHandler, type UpgradeOptions, Upgrades } from './listeners/upgrades.ts';

/**
 * Options of all endpoints that are registered together.
 *
 * @example
 * ```ts
 * import { rateLimit } from 'restpoint/interceptors';
 *
 * server.registerEndpoints({ '/pet': pet }, { use: rateLimit({ limit: 100, windowSeconds: 60 }) });
 * ```
 */
export interface EndpointsOptions<Scopes extends readonly string[] = readonly string[], Use extends Interceptors = Interceptors> {
  /**
   * Interceptors of all operations, outermost first. The interceptors of endpoints run inside them. The types of operations do not have
   * what these add to the request: for that, set `use` of an endpoint.
   */
  readonly use?: Use;
  /** The scopes that callers need, unless the operation or its endpoint has `scopes`. Their contexts must support scopes. */
  readonly scopes?: Scopes;
}

/** `server.registerEndpoints(endpoints, options)`: {@link EndpointsOptions}. */
export const ENDPOINTS_OPTIONS: Shape<Checked<EndpointsOptions, 'scopes'>> = shape({ use: anything('interceptors'), scopes: strings([]) });

/**
 * Serves REST endpoints under one root prefix.
 *
 * @example
 * ```ts
 * const server = new ApiServer('/v1');
 * server.registerEndpoint('/pet', { id: integerId, get: (id) => db.find(id) }); // GET /v1/pet/7
 * await server.start('127.0.0.1:8080');
 * ```
 */
export class ApiServer implements DescribedServer {
  /**
   * Serves requests of an app, or of a server of your own. An app that passes `next` to it, as Express and Connect do, gets back the
   * requests for paths that are not served here: in their turn, with their bodies unread.
   *
   * The app's server keeps its own timeouts, and `stop` does not close it.
   *
   * @example
   * ```ts
   * import express from 'express';
   *
   * const app = express();
   * app.use('/api', server.requestListener);
   * ```
   */
  readonly requestListener: MountableListener;

  /**
   * Sends a request to this server without a port, as the global `fetch` does over the network: in tests, for a client in the same
   * process, and in frameworks that have a `Request` and want a `Response`. Works before `start` too.
   *
   * A path gets the first of `allowedHosts` as its `Host`, or else `localhost`. Middleware, limits and all rules apply. The operation
   * runs in the async context of the call. Redirects are returned, and no body is decoded.
   *
   * Rejects as `fetch` does: with `TypeError` for an invalid URL, and if the connection closes before the response; with the reason of a
   * signal that aborts. Also with `TypeError` from `stop` on until the next `start`. `stop` waits for the responses to earlier calls.
   *
   * @example
   * ```ts
   * const response = await server.fetch('/v1/pet/1');
   * ```
   */
  readonly fetch: Fetch;

  readonly ' internal': ServerInternals;

  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #upgrades: Upgrades;
  readonly #lifeCycle: LifeCycle;
  readonly #addMetadata: ReturnType<typeof makeResourceMetadata>;
  // All registrations, in order.
  readonly #registered: (Endpoint | Route)[] = [];

  /**
   * Makes a server that serves nothing yet. `root` is put before the sub-paths of endpoints.
   *
   * @example
   * ```ts
   * const server = new ApiServer('/v1', { limits: { bodyBytes: 1_000_000 }, cors: { origins: ['https://app.example'] } });
   * ```
   * @throws `TypeError` when the root is neither `""` nor a path such as `/v1`, and for an option that is unknown or out of range.
   */
  constructor(root: string, options: ApiServerOptions = {}) {
    this.#root = parseRoot(root);
    this.#settings = checkServerOptions(options);
    const validator = new RequestValidator(this.#settings);
    this.#upgrades = new Upgrades(this.#settings, validator);
    const dispatcher = new Dispatcher(this.#settings, this.#root, validator);
    const dispatch: Dispatch = (exchange) => dispatcher.dispatch(exchange);
    const dispatchNested: Dispatch = (exchange) => dispatcher.dispatchNested(exchange);
    this.#dispatcher = dispatcher;
    this.#lifeCycle = new LifeCycle(this.#settings, dispatch, this.#upgrades);
    this.requestListener = makeRequestListener(dispatch, (request) => dispatcher.serves(request), this.#settings, this.#lifeCycle);
    const { errorForm, jsonSchema, limits: { operationMs } } = this.#settings;
    const warned = new Set<string>();
    const warn = (message: string): void => {
      if (!warned.has(message)) this.#settings.logger.error(makeLoggedLine(message));
      warned.add(message);
    };
    this[' internal'] = {
      root: this.#root, settings: this.#settings, errorForm, operationMs, jsonSchema, all: this.#registered, warn,
      nested: makeNestedCall(this.#settings, dispatchNested, this.#lifeCycle, new NodeMessages(this.#settings, this.#lifeCycle)),
    };
    this.#addMetadata = makeResourceMetadata(this.#settings, (route, handler) => {
      this.#dispatcher.addMount(route, handler, {});
      this.#addRoute({ method: '*', path: route });
    });
    this.fetch = makeFetch(this.#settings, dispatch, this.#lifeCycle, new NodeMessages(this.#settings, this.#lifeCycle));
  }

  /**
   * The method and path of every route, in order of registration. A mount's method is `*`.
   *
   * @example
   * ```ts
   * for (const { method, path } of server.routes) console.log(method, path); // GET /v1/pet/:id
   * ```
   */
  get routes(): readonly Route[] {
    const discovered = new Set<string>();
    return this.#registered.flatMap((each) => (each instanceof Endpoint ? listRoutes(each, discovered) : each));
  }

  /**
   * Aborts when `stop` begins, so that streams without an end can end. The next `start` replaces it: read it when a stream begins.
   *
   * @example
   * ```ts
   * import { setInterval } from 'node:timers/promises';
   *
   * async function* ticks() {
   *   for await (const _ of setInterval(1000, undefined, { signal: server.stopping })) yield { time: Date.now() };
   * }
   * ```
   */
  get stopping(): AbortSignal {
    return this.#lifeCycle.stopping;
  }

  /**
   * Adds an endpoint's routes under `root + subpath`, at any time.
   *
   * @example
   * ```ts
   * server.registerEndpoint('/pet', {
   *   id: integerId,
   *   schema: Pet,
   *   create: (pet) => db.insert(pet), // POST /v1/pet
   *   get: (id) => db.find(id), // GET /v1/pet/7
   * });
   * ```
   * @throws `TypeError` if the sub-path, the name of an operation or a property of the endpoint is invalid, or a route is taken. Then
   * nothing is added.
   */
  registerEndpoint<
    Path extends string, Endpoint, Schema extends AnyDecoder | undefined,
    Id = unknown, Context = undefined, Params = {}, Item = unknown, Known = {},
  >(
    subpath: SubPath<Path, Params>,
    endpoint: Declaration<Endpoint, { id: Id; schema: Schema; context: Context; params: Params; item: Item; known: Known }>,
  ): void {
    if (typeof subpath === 'object' && subpath !== null && !Array.isArray(subpath)) {
      throw new TypeError('registerEndpoint takes a sub-path and one endpoint. For several, write registerEndpoints({ … })');
    }
    this.#addEndpoints([new Endpoint(this.#root, subpath, endpoint, this.#settings)]);
  }

  /**
   * Adds the routes of several endpoints, by their sub-paths. Returns the same object, with a type for clients: the JSON that each
   * operation takes and sends.
   *
   * @example
   * ```ts
   * const api = server.registerEndpoints({ '/pet': pet });
   * export type Api = typeof api;
   * ```
   * @throws `TypeError` as `registerEndpoint` does. Then no endpoint is added.
   */
  registerEndpoints<
    Endpoints extends Readonly<Record<string, object>> | string,
    const Scopes extends readonly string[] = [], Use extends Interceptors = Interceptors,
  >(endpoints: Endpoints & CheckedEndpoints<Endpoints, Scopes, Use>, options: EndpointsOptions<Scopes, Use> = {}): Contract<Endpoints> {
    if (typeof endpoints === 'string') {
      const call = `registerEndpoint(${JSON.stringify(endpoints)}, endpoint)`;
      throw new TypeError(`registerEndpoints takes an object. For one endpoint, write ${call}`);
    }
    const keys = Object.keys(checkObject(endpoints, 'endpoints'));
    if (Array.isArray(endpoints) || keys.some((name) => Object.hasOwn(ENDPOINT_OPTIONS.table, name))) {
      const call = "registerEndpoint('/pet', pet)";
      throw new TypeError(`registerEndpoints takes endpoints by their sub-paths: { '/pet': pet }. For one, write ${call}`);
    }
    const { scopes, use } = ENDPOINTS_OPTIONS.check(options, 'options');
    const interceptors = checkInterceptors(use, 'options.use', this.#settings.validationStatus);
    const defaults: EndpointDefaults = { ...this.#settings, scopes, interceptors };
    this.#addEndpoints(Object.entries<unknown>(endpoints).map(([subpath, declared]) => {
      try {
        return new Endpoint(this.#root, subpath, declared, defaults);
      } catch (error) {
        throw isInstance(error, TypeError) ? new TypeError(`${JSON.stringify(subpath)}: ${error.message}`, { cause: error }) : error;
      }
    }));
    return endpoints as unknown as Contract<Endpoints>;
  }

  /**
   * Mounts a `(request, response)` listener at a route and at everything below it, for every method. The root is not put before the route.
   *
   * @example
   * ```ts
   * server.mount('/health', (request, response) => void response.end('ok'));
   * ```
   * @throws `TypeError` if the route is malformed or has a mount already, and for an invalid option.
   */
  mount(route: string, handler: MountHandler, options: MountOptions = {}): void {
    const parts = findHandlerParts(handler);
    const contexts = [Object(options).context, parts?.context].filter((context) => context !== undefined) as AnyContextFunction[];
    if (contexts.length === 0 && this.#settings.requireContext) {
      const fix = 'declare it in its options. For everyone, declare anyone of restpoint/auth';
      throw new TypeError(`the mount at ${JSON.stringify(route)} needs a context, because of the option requireContext: ${fix}`);
    }
    this.#dispatcher.addMount(route, handler, options);
    this.#addRoute({ method: '*', path: route });
    this.#stopWithUs(handler);
    this.#addMetadata(route, contexts.flatMap(({ security }) => listResources(security)));
    if (parts?.prepare !== undefined) this.#lifeCycle.preparations.add(parts.prepare);
  }

  /**
   * Hands the socket of an upgrade (RFC 9110 section 7.8) to a handler, at a route and at everything below it. The root is not put
   * before the route. Only valid requests without a body that ask for `options.protocol`, which is `websocket` by default, are handed over.
   * All others get the response that they would get without `Upgrade`.
   *
   * `request` emits `close` when `stop` begins, or when the socket closes if that comes first. Sockets that are still open after
   * `stopGraceMs` are destroyed.
   *
   * @example
   * ```ts
   * import { WebSocketServer } from 'ws';
   *
   * const sockets = new WebSocketServer({ noServer: true });
   * server.registerUpgrade('/chat', (request, socket, head) => {
   *   sockets.handleUpgrade(request, socket, head, (client) => client.send('hello'));
   * });
   * ```
   * @throws `TypeError` if the route is malformed or taken, the handler is not a function, or an option is invalid.
   */
  registerUpgrade(route: string, handler: UpgradeHandler, options: UpgradeOptions = {}): void {
    this.#upgrades.add(route, handler, options);
    this.#addRoute({ method: 'UPGRADE', path: route });
  }

  /**
   * Adds middleware: a Connect-style `(request, response, next)` listener, at any time. Every valid request passes the listeners in
   * the order of `use`, before it is routed. A listener calls `next()`, or responds itself.
   *
   * - After `next(error)`, a throw or a rejection, the client gets the error: an `ApiError` as from an operation, any other error with its
   *   `status` or `statusCode` from 400 to 599, and with its message if `expose` is `true`. Without a status it is 500.
   * - Headers that a listener sets on the response are kept, unless the response to the request sets the same.
   * - A listener may change `request.url`. The request is then routed by the new one.
   * - A listener must not read the body of a request for an operation: the client would get 500.
   *
   * @example
   * ```ts
   * import helmet from 'helmet';
   *
   * server.use(helmet());
   * ```
   * @throws `TypeError` if the listener is not a function, or takes four parameters as Connect's error handlers do.
   */
  use(listener: Middleware): void {
    this.#dispatcher.addMiddleware(listener);
    this.#stopWithUs(listener);
  }

  /**
   * Listens. Never rejects: if the server cannot listen, or a document of `openApiHandler` cannot be made, the result says why, the failure
   * is logged, and the server can be started again.
   *
   * @example
   * ```ts
   * const started = await server.start({ port: Number(process.env.PORT ?? 8080) });
   * if (!started.ok) process.exit(1);
   * ```
   */
  start(address: ListenAddress | Write<'start({ port: 8080 })'>): Promise<StartResult> {
    return this.#lifeCycle.start(address as ListenAddress);
  }

  /**
   * Rejects new connections and calls of `fetch`, keeps idle connections for 50 ms, sends the responses in flight, and resolves
   * when the last connection is closed, after `stopGraceMs` at the latest. The server can be started again then. Requests of other servers
   * that reach `requestListener` are still served.
   *
   * @example
   * ```ts
   * process.once('SIGTERM', () => server.stop());
   * ```
   */
  stop(): Promise<void> {
    return this.#lifeCycle.stop();
  }

  /**
   * Replaces the certificate of a server that has the option `tls`, even while it serves. New connections get it, and open ones go on.
   * Options that are left out stay as they are.
   *
   * @example
   * ```ts
   * import { readFileSync } from 'node:fs';
   *
   * server.setSecureContext({ cert: readFileSync('cert.pem'), key: readFileSync('key.pem') });
   * ```
   * @throws `TypeError` without the option `tls`, for a certificate without its key, and for options that Node takes only when it makes a
   * server, such as `SNICallback`; Node's error if the certificate or the key is invalid. Then nothing changes.
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
      if (other !== undefined) throw makeRouteConflict(operation, other);
      byRoute.set(route, operation);
    }
    this.#addMetadata(this.#root, added.flatMap(({ context }) => listResources(context?.security)));
    this.#dispatcher.addOperations(added);
    for (const endpoint of endpoints) {
      this.#registered.push(endpoint);
      this.#hintAtMistake(endpoint);
      for (const { kind: { method }, pattern } of endpoint.operations) this.#logRoute(method, pattern.template);
      for (const discovery of listDiscoveries(endpoint)) {
        if (this.#dispatcher.addDiscovery(discovery)) this.#logRoute('OPTIONS', discovery.pattern.template);
      }
    }
  }

  /** The operation that is registered with the same route. */
  #registeredWith(operation: Operation): Operation | undefined {
    const taken = this.#dispatcher.findTaken(operation);
    if (taken === undefined) return undefined;
    const all = this.#registered.flatMap((each) => (each instanceof Endpoint ? each.operations : []));
    return all.find(({ kind: { method }, pattern }) => pattern === taken && method === operation.kind.method);
  }

  /** A sub-path can begin like the root, as pets of a zoo at `/zoo/zoo/:zoo`, or end with a slash. More often, both are mistakes. */
  #hintAtMistake({ subpath, base }: Endpoint): void {
    if (subpath.length > 1 && subpath.endsWith('/')) {
      const [path, meant] = [base.slice(0, -1), JSON.stringify(subpath.slice(0, -1))];
      const hint = `ends with a slash, so ${path} is a different path. If that is not meant, register ${meant}`;
      this.#settings.logger.info(`registerEndpoint: the sub-path ${JSON.stringify(subpath)} ${hint}`);
    }
    if (this.#root === '' || !`${subpath}/`.startsWith(`${this.#root}/`)) return;
    const meant = JSON.stringify(subpath.slice(this.#root.length) || '/');
    const hint = `so its routes begin with ${base}. If that is not meant, register ${meant}`;
    this.#settings.logger.info(`registerEndpoint: the sub-path ${JSON.stringify(subpath)} has the root in it, ${hint}`);
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

// Undeclared, so that editors do not suggest them: calls of Express and Fastify get a message that says what to write.
for (const [name, kind] of Object.entries({ get: 'get', post: 'create', put: 'update', patch: 'patch', delete: 'delete' })) {
  const message = `server.${name} does not exist: write server.registerEndpoint('/pet', { ${kind}: … })`;
  Object.defineProperty(ApiServer.prototype, name, { value: () => { throw new TypeError(message); } });
}

function makeRouteConflict(operation: Operation, other: Operation): TypeError {
  const [route = '', otherRoute = ''] = [operation, other].map(({ kind: { method }, pattern: { template } }) => `${method} ${template}`);
  const declared = [operation, other].map((each) => `${formatOperation(each)} of ${JSON.stringify(each.endpoint.subpath)}`).join(' and ');
  return new TypeError(`route ${route} conflicts with ${otherRoute}: ${declared}. Declare it once, or under a different sub-path`);
}
