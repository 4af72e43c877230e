/** The main class of the library: registers endpoints and handlers, starts and stops the server. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { declarationOf } from '../endpoint/declared/declaration.ts';
import type { AnyDecoder } from '../endpoint/decoder.ts';
import type { ApiEndpoint, SubPath } from '../endpoint/endpoint.ts';
import type { DescribedServer, Registered } from '../endpoint/registered.ts';
import { basePath, discoveriesOf, listOf, parseRoot, routesOf, type Route } from '../endpoint/routes.ts';
import { textOf } from '../errors/api-error.ts';
import { tlsModules } from '../node.ts';
import { parseAddress, urlOf, type ListenAddress } from './address.ts';
import { Attachments } from './attachments.ts';
import { Connections } from './connection/connections.ts';
import type { Exchange } from './connection/exchange.ts';
import { acceptHandedOn, passOn } from './connection/handed-on.ts';
import { Dispatcher } from './dispatcher.ts';
import { Listener } from './listener.ts';
import type { Middleware } from './middleware.ts';
import type { MountHandler } from './mounts.ts';
import { ServedEndpoint } from './operation/served-endpoint.ts';
import { isHttp2, refuseHttp2 } from './reply/http2-refusal.ts';
import { settingsFrom, type ApiServerOptions, type Settings } from './settings/options.ts';
import { renewedTls, type TlsOptions } from './settings/tls-options.ts';
import { StopSignal } from './stop-signal.ts';
import { Upgrades, type UpgradeHandler, type UpgradeOptions } from './upgrades.ts';

/** What `start` resolves to: the address of the server, or why it does not listen. */
export type StartResult =
  | {
      readonly ok: true;
      /** The base URL, without the root prefix: `http://127.0.0.1:8080`; with `tls`, `https://127.0.0.1:8443`. */
      readonly url: string;
      /** The address as Node has it; for a Unix socket, its path. */
      readonly address: AddressInfo | string | null;
    }
  | { readonly ok: false; readonly error: string };

/** A listener for `http.createServer`, and for `app.use` of Express, Connect and the like. */
export type MountableListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/** A server of REST endpoints under one root prefix. */
export class ApiServer implements DescribedServer {
  /**
   * Replies to requests of a host's own server or app, and in tests without a port. An app that calls it with `next`, as Express and
   * Connect do, gets back the requests for paths that are not served here: in their turn, with their bodies unread.
   *
   * The host sets the timeouts of its server and closes it, unless it gives the server to `attach`.
   */
  readonly requestListener: MountableListener;

  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  readonly #upgrades: Upgrades;
  readonly #attachments: Attachments;
  // Endpoints and not their routes, which take more memory and are made again when the host asks.
  readonly #registered: (ServedEndpoint | Route)[] = [];
  readonly #stopSignal = new StopSignal();
  #tls: TlsOptions | undefined;
  #listener: Listener | undefined;
  #starting: Promise<StartResult> | undefined;
  #stopping: Promise<void> | undefined;

  /**
   * Throws `TypeError` when the root is neither `""` nor a path such as `/v1`, and for an option that is unknown or
   * out of range.
   */
  constructor(root: string, options: ApiServerOptions = {}) {
    this.#root = parseRoot(root);
    this.#settings = settingsFrom(options);
    this.#tls = this.#settings.tls;
    this.#dispatcher = new Dispatcher(this.#settings);
    this.#upgrades = new Upgrades(this.#settings);
    this.#attachments = new Attachments(this.#settings, this.#dispatcher, this.#upgrades);
    const dispatch = (exchange: Exchange): void => this.#dispatcher.dispatch(exchange);
    // A host may pass requests on late and in any order. Its own server sets the timeouts.
    const connections = new Connections<Exchange>(dispatch, false, Infinity);
    this.requestListener = (request, response, next) => {
      if (typeof next === 'function' && !this.#dispatcher.serves(request)) passOn(response, next);
      else if (isHttp2(request)) refuseHttp2(request, response, this.#settings.formatProblem);
      else if (this.#attachments.has(request)) this.#attachments.take(request);
      else acceptHandedOn(connections, request, response);
    };
  }

  /** The method and path of every route, in order of registration. A mount's method is `*`. */
  get routes(): readonly Route[] {
    const discovered = new Set<string>();
    return this.#registered.flatMap((each) => (each instanceof ServedEndpoint ? listOf(each, discovered) : each));
  }

  /** For `restpoint/openapi`, and not for hosts: it can change in any release. */
  get '~registered'(): Registered {
    return { root: this.#root, formatsProblems: this.#settings.formatProblem !== undefined, all: this.#registered };
  }

  /**
   * Aborts when `stop` begins, so that streams without an end can end. The next `start` replaces it: read it when a stream begins.
   */
  get stopping(): AbortSignal {
    return this.#stopSignal.signal;
  }

  /**
   * Adds an endpoint's routes under `root + subpath`, at any time. Throws `TypeError`, and adds nothing, when the sub-path, the
   * name of an operation or a member of the endpoint is invalid, or a route is taken.
   */
  registerEndpoint<
    Path extends string, Schema extends AnyDecoder | undefined, Id = unknown, CreateInput = unknown, CreateQuery = unknown,
    ListQuery = unknown, GetQuery = unknown, UpdateInput = unknown, UpdateQuery = unknown, PatchInput = unknown, PatchQuery = unknown,
    DeleteQuery = unknown, Inputs = {}, Queries = {}, Results = {}, ItemInputs = {}, ItemQueries = {}, ItemResults = {},
    Context = undefined, Params = {}, Item = unknown, Output = unknown,
  >(
    subpath: SubPath<Path, Params>,
    endpoint: ApiEndpoint<
      Id, Schema, Inputs, Context, Params, Item, CreateInput, CreateQuery, ListQuery, GetQuery, UpdateInput, UpdateQuery,
      PatchInput, PatchQuery, DeleteQuery, Queries, Results, ItemInputs, ItemQueries, ItemResults, Output
    >,
  ): void {
    const declaration = declarationOf(endpoint);
    const base = basePath(this.#root, subpath, declaration.params.keys());
    const served = new ServedEndpoint(base, declaration, this.#settings);
    const routes = routesOf(served);
    this.#dispatcher.addRoutes(routes);
    this.#registered.push(served);
    for (const { method, pattern } of routes) this.#log(method, pattern.text);
    for (const discovery of discoveriesOf(served)) {
      if (this.#dispatcher.addDiscovery(discovery)) this.#log('OPTIONS', discovery.pattern.text);
    }
  }

  /**
   * Mounts a `(request, response)` listener at a route and at everything below it, for every method. The root is not put
   * before the route. Throws `TypeError` when the route is malformed, or another mount has it.
   */
  registerHandler(route: string, handler: MountHandler): void {
    this.#dispatcher.addMount(route, handler);
    this.#registered.push({ method: '*', path: route });
    this.#log('*', route);
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
    this.#registered.push({ method: 'UPGRADE', path: route });
    this.#log('UPGRADE', route);
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
  }

  /**
   * Listens. Never rejects: when the server cannot listen, the result says why, the failure is logged, and the server can be
   * started again.
   */
  async start(address: ListenAddress): Promise<StartResult> {
    if (this.#stopping !== undefined) return this.#notStarted(new Error('the server is stopping'));
    if (this.#listener !== undefined) return this.#notStarted(new Error('the server is already started'));
    if (!this.#attachments.isEmpty) return this.#notStarted(new Error('the server is attached to a server of the host'));
    try {
      this.#listener = new Listener(this.#settings, (exchange) => this.#dispatcher.dispatch(exchange), this.#upgrades, { tls: this.#tls });
    } catch (error) {
      return this.#notStarted(error);
    }
    this.#stopSignal.renew();
    this.#starting = this.#open(this.#listener, address);
    return this.#starting;
  }

  /**
   * Gives an `http.Server` or `https.Server` of the host's own this server's limits, its handling of connections, and `stop`, which
   * then closes it too. The host lets it listen, before or after. The requests go to the listeners that the host has for them, among
   * them those that pass requests to `requestListener`. If it has none, they are answered here.
   *
   * Throws `TypeError` when the server is not one of HTTP/1 or is attached already, when this server is started or stopping, and with
   * the option `tls`: whether such a server has TLS is decided where it is made.
   */
  attach(server: HttpServer | HttpsServer): void {
    if (this.#stopping !== undefined) throw new TypeError('the server is stopping');
    if (this.#listener !== undefined) throw new TypeError('the server is already started');
    // The host would think that it serves TLS.
    if (this.#tls !== undefined) throw new TypeError('attach cannot have the option tls: make an https.Server with it');
    if (this.#attachments.isEmpty) this.#stopSignal.renew();
    this.#attachments.attach(server);
  }

  /**
   * Refuses new connections, closes idle ones, replies to the requests in flight, and resolves when the last connection is
   * closed, after `stopGraceMs` at the latest. Does nothing before `start`. The server can be started again afterwards.
   */
  stop(): Promise<void> {
    if (this.#listener !== undefined || !this.#attachments.isEmpty) this.#stopSignal.abort();
    this.#stopping ??= this.#close().finally(() => (this.#stopping = undefined));
    return this.#stopping;
  }

  /**
   * Replaces the certificate of a server with `tls`, also while it serves. New connections get it, and open ones go on. Of the options
   * of TLS, those that are left out stay as they are.
   *
   * Throws `TypeError` without the option `tls`, for a certificate without its key, and for options that Node takes only when it makes
   * a server, such as `SNICallback`. Throws Node's error if the certificate or the key is invalid. Then nothing changes.
   */
  setSecureContext(options: SecureContextOptions): void {
    if (this.#tls === undefined) throw new TypeError('setSecureContext needs the option tls');
    const tls = renewedTls(this.#tls, options);
    tlsModules().tls.createSecureContext(tls);
    this.#listener?.setSecureContext(tls);
    this.#tls = tls;
  }

  #log(method: string, path: string): void {
    this.#settings.logger.info(`route: ${method} ${path}`);
  }

  async #open(listener: Listener, address: ListenAddress): Promise<StartResult> {
    try {
      const bound = await listener.open(parseAddress(address));
      return { ok: true, url: urlOf(bound, this.#tls === undefined ? 'http' : 'https'), address: bound };
    } catch (error) {
      this.#listener = undefined;
      return this.#notStarted(error);
    }
  }

  #notStarted(cause: unknown): StartResult {
    const error = textOf(cause);
    this.#settings.logger.error(new Error(`the server is not started: ${error}`, { cause }));
    return { ok: false, error };
  }

  async #close(): Promise<void> {
    await this.#starting;
    await Promise.all([this.#listener?.close(), this.#attachments.close()]);
    this.#listener = undefined;
  }
}
