/** The face of the library: register endpoints and handlers, start, stop. */
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOf } from '../errors/api-error.ts';
import { parseAddress, urlOf, type ListenAddress } from './address.ts';
import { Connections } from './connection/connections.ts';
import { declarationOf } from '../endpoint/declaration.ts';
import { Dispatcher } from './dispatcher.ts';
import type { AnyDecoder, ApiEndpoint } from '../endpoint/endpoint.ts';
import type { Exchange } from './connection/exchange.ts';
import { acceptHandedOn } from './connection/handed-on.ts';
import { Listener } from './listener.ts';
import type { MountHandler } from './mounts.ts';
import { settingsFrom, type ApiServerOptions, type Settings } from './settings/options.ts';
import { basePath, listOf, nameOfEndpoint, parseRoot, routesOf, type Route } from './routes.ts';
import { ServedEndpoint } from './operation/served-endpoint.ts';

/** What `start` resolves to: where the server listens, or why it does not. */
export type StartResult =
  | {
      readonly ok: true;
      /** The base URL, without the root prefix: `http://127.0.0.1:8080`. */
      readonly url: string;
      /** The address as Node gives it; a Unix socket's is its path. */
      readonly address: AddressInfo | string | null;
    }
  | { readonly ok: false; readonly error: string };

/** A server of REST endpoints under one root prefix. */
export class ApiServer {
  /**
   * Answers requests for a server of the host's own, and for tests without a port. Such a server's timeouts and its
   * closing are the host's: `start` and `stop` know nothing of it.
   */
  readonly requestListener: RequestListener;

  readonly #root: string;
  readonly #settings: Settings;
  readonly #dispatcher: Dispatcher;
  // An endpoint's routes are listed when they are asked for: kept, they would take 0.3 KiB for each endpoint.
  readonly #registered: (ServedEndpoint | Route)[] = [];
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
    this.#dispatcher = new Dispatcher(this.#settings);
    const dispatch = (exchange: Exchange): void => this.#dispatcher.dispatch(exchange);
    // A host may have to wait for something before it hands a request on.
    const connections = new Connections<Exchange>(dispatch, false, Infinity);
    this.requestListener = (request, response) => acceptHandedOn(connections, request, response);
  }

  /** The method and path of every route, in order of registration. A mount's method is `*`. */
  get routes(): readonly Route[] {
    return this.#registered.flatMap((each) => (each instanceof ServedEndpoint ? listOf(each) : each));
  }

  /**
   * Adds an endpoint's routes under `root + subpath`, at any time. Throws `TypeError`, and adds nothing, when the
   * sub-path or an operation's name is no path, the endpoint is not what it should be, or a route is taken.
   */
  registerEndpoint<Id, Schema extends AnyDecoder | undefined, Inputs = {}, Item = unknown, Results = {}>(
    subpath: string,
    endpoint: ApiEndpoint<Id, Schema, Inputs, Item, Results>,
  ): void {
    const served = new ServedEndpoint(basePath(this.#root, subpath), declarationOf(endpoint), this.#settings);
    const routes = routesOf(served);
    if (this.#dispatcher.firstTaken(routes)?.method === 'OPTIONS') throw new TypeError(this.#conflictOf(served));
    this.#dispatcher.addRoutes(routes);
    this.#registered.push(served);
    for (const { method, pattern } of routes) this.#log(method, pattern.text);
  }

  /**
   * Mounts a `(request, response)` listener at a route and at everything below it, for every method. The route is
   * whole: the root is not put before it. Throws `TypeError` when it is no path, or is taken by another mount.
   */
  registerHandler(route: string, handler: MountHandler): void {
    this.#dispatcher.addMount(route, handler);
    this.#registered.push({ method: '*', path: route });
    this.#log('*', route);
  }

  /**
   * Listens. Resolves and never rejects: why the server could not listen is in the result, and logged, and it can be
   * started again.
   */
  async start(address: ListenAddress): Promise<StartResult> {
    if (this.#stopping !== undefined) return this.#notStarted(new Error('the server is stopping'));
    if (this.#listener !== undefined) return this.#notStarted(new Error('the server is already started'));
    this.#listener = new Listener(this.#settings, (exchange) => this.#dispatcher.dispatch(exchange));
    this.#starting = this.#open(this.#listener, address);
    return this.#starting;
  }

  /**
   * Refuses new connections, closes idle ones, answers what is in flight, and resolves when the last connection is
   * closed, after `stopGraceMs` at the latest. Does nothing before `start`; the server can be started again after it.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#close().finally(() => (this.#stopping = undefined));
    return this.#stopping;
  }

  /** Says which endpoint has the path of another, where nothing that either declares is in the other's way. */
  #conflictOf(served: ServedEndpoint): string {
    const isThere = (each: ServedEndpoint | Route): each is ServedEndpoint => each instanceof ServedEndpoint && each.base === served.base;
    const endpoints = [served, ...this.#registered.filter(isThere)];
    return `${endpoints.map(nameOfEndpoint).join(' conflicts with ')}: a path can have one endpoint only`;
  }

  #log(method: string, path: string): void {
    this.#settings.logger.info(`route: ${method} ${path}`);
  }

  async #open(listener: Listener, address: ListenAddress): Promise<StartResult> {
    try {
      const bound = await listener.open(parseAddress(address));
      return { ok: true, url: urlOf(bound), address: bound };
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
    await this.#listener?.close();
    this.#listener = undefined;
  }
}
