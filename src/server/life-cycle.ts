/** The start and the stop of an `ApiServer`: of the server that it makes, and of those that it is attached to. */
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { textOf } from '../util/promises.ts';
import { events, tlsModules } from '../node.ts';
import { type ListenAddress, parseAddress, urlOf } from './address.ts';
import { OwnServer } from './connection/http-server.ts';
import type { Owner, Stoppable } from './connection/owner.ts';
import { type Receiver, RunningServer } from './connection/running-server.ts';
import { loggedError } from './logged-error.ts';
import type { Settings } from './options.ts';
import { renewedTls, type TlsOptions } from './tls-options.ts';

/** The result of `start`: the address of the server, or why it does not listen. */
export type StartResult =
  | {
      readonly ok: true;
      /** The base URL, without the root prefix: `http://127.0.0.1:8080`; with `tls`, `https://127.0.0.1:8443`. */
      readonly url: string;
      /** The address as Node has it; for a Unix socket, its path. */
      readonly address: AddressInfo | string | null;
    }
  | { readonly ok: false; readonly error: string };

/** The contract of each method is documented in `ApiServer`. */
export class LifeCycle implements Owner {
  /** Whether `stop` was called, and nothing has begun to serve since. */
  isStopCalled = false;
  readonly inner: Set<Stoppable> = new Set();
  readonly preparations: Set<() => unknown> = new Set();
  readonly #settings: Settings;
  readonly #receiver: Receiver;
  readonly #servers = new Set<RunningServer>();
  // Made when it is first needed.
  #stopController: AbortController | undefined;
  #tls: TlsOptions | undefined;
  // Whether requests have come from `requestListener` or `fetch`.
  #isUsed = false;
  #starting: Promise<StartResult> | undefined;
  #stopPromise: Promise<void> | undefined;

  constructor(settings: Settings, receiver: Omit<Receiver, 'owner'>) {
    this.#settings = settings;
    this.#receiver = { ...receiver, owner: this };
    this.#tls = settings.tls;
  }

  get stopping(): AbortSignal {
    return this.#controller.signal;
  }

  async start(address: ListenAddress): Promise<StartResult> {
    const [other] = this.#servers;
    if (this.#stopPromise !== undefined) return this.#notStarted(new Error('the server is stopping'));
    if (other !== undefined) return this.#notStarted(new Error(other.httpServer.inUse));
    let server: RunningServer;
    try {
      for (const { preparations = [] } of this.#parts()) for (const prepare of preparations) prepare();
      server = new RunningServer(this.#settings, this.#receiver, new OwnServer(this.#settings, this.#tls));
    } catch (error) {
      return this.#notStarted(error);
    }
    this.#begin(server);
    this.#starting = this.#open(server, address);
    return this.#starting;
  }

  /** Adds a host's server, of which `make` makes a running one. Throws `TypeError` if this server is in use in another way. */
  attach(make: (receiver: Receiver) => RunningServer): void {
    if (this.#stopPromise !== undefined) throw new TypeError('the server is stopping');
    const own = [...this.#servers].find(({ httpServer }) => httpServer instanceof OwnServer);
    if (own !== undefined) throw new TypeError(own.httpServer.inUse);
    // The host would think that it serves TLS.
    if (this.#tls !== undefined) throw new TypeError('attach cannot have the option tls: make an https.Server with it');
    this.#begin(make(this.#receiver));
  }

  markUsed(): void {
    this.#isUsed = true;
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#parts(), (part) => part.stopAlone()));
  }

  stopAlone(): Promise<void> {
    this.isStopCalled = true;
    if (this.#isUsed || this.#servers.size > 0) this.#controller.abort();
    this.#stopPromise ??= this.#close().finally(() => (this.#stopPromise = undefined));
    return this.#stopPromise;
  }

  renew(): void {
    if (!this.isStopCalled) return;
    this.isStopCalled = false;
    // A signal can abort only once.
    if (this.#stopController?.signal.aborted === true) this.#stopController = undefined;
    for (const inner of this.inner) inner.renew();
  }

  setSecureContext(options: SecureContextOptions): void {
    if (this.#tls === undefined) throw new TypeError('setSecureContext needs the option tls');
    const tls = renewedTls(this.#tls, options);
    tlsModules().tls.createSecureContext(tls);
    for (const server of this.#servers) server.setSecureContext(tls);
    this.#tls = tls;
  }

  get #controller(): AbortController {
    if (this.#stopController === undefined) {
      this.#stopController = new AbortController();
      // Any number of streams may listen to it.
      events.setMaxListeners(0, this.#stopController.signal);
    }
    return this.#stopController;
  }

  /** This server and those that are mounted in it. Servers can be mounted in each other, so each is visited once. */
  #parts(): ReadonlySet<Stoppable> {
    const all = new Set<Stoppable>([this]);
    // The set grows.
    for (const { inner } of all) for (const each of inner) all.add(each);
    return all;
  }

  #begin(server: RunningServer): void {
    this.#servers.add(server);
    this.renew();
  }

  async #open(server: RunningServer, address: ListenAddress): Promise<StartResult> {
    try {
      const bound = await server.open(parseAddress(address));
      return { ok: true, url: urlOf(bound, this.#tls === undefined ? 'http' : 'https'), address: bound };
    } catch (error) {
      this.#servers.delete(server);
      return this.#notStarted(error);
    }
  }

  #notStarted(cause: unknown): StartResult {
    const error = textOf(cause);
    this.#settings.logger.error(loggedError(`the server is not started: ${error}`, cause, true));
    return { ok: false, error };
  }

  async #close(): Promise<void> {
    await this.#starting;
    await Promise.all(Array.from(this.#servers, (server) => server.close()));
    this.#servers.clear();
  }
}
