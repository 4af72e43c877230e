/** The start and the stop of an `ApiServer`. */
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { disownCall, formatError } from '../util/promises.ts';
import { events, tlsModules } from '../node.ts';
import { type ListenAddress, parseAddress, formatBaseUrl } from './address.ts';
import { makeServer } from './exchange/node/http-server.ts';
import type { ConnectionOwner, Dispatch, Stoppable } from './exchange/exchange.ts';
import type { Upgrades } from './listeners/upgrades.ts';
import { RunningServer } from './exchange/node/running-server.ts';
import { makeLoggedError } from './settings/logger.ts';
import type { Settings } from './settings/server-options.ts';
import { renewTls, type TlsOptions } from './settings/tls-options.ts';

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
export class LifeCycle implements ConnectionOwner {
  /** Whether `stop` was called, and nothing has begun to serve since. */
  isStopCalled = false;
  readonly inner: Set<Stoppable> = new Set();
  readonly preparations: Set<() => unknown> = new Set();
  readonly #settings: Settings;
  readonly #dispatch: Dispatch;
  readonly #upgrades: Upgrades;
  #server: RunningServer | undefined;
  // Made when it is first needed.
  #stopController: AbortController | undefined;
  #tls: TlsOptions | undefined;
  // Whether requests have come from `requestListener` or `fetch`.
  #isUsed = false;
  #starting: Promise<StartResult> | undefined;
  #stopPromise: Promise<void> | undefined;

  constructor(settings: Settings, dispatch: Dispatch, upgrades: Upgrades) {
    this.#settings = settings;
    this.#dispatch = dispatch;
    this.#upgrades = upgrades;
    this.#tls = settings.tls;
  }

  get stopping(): AbortSignal {
    return this.#controller.signal;
  }

  async start(address: ListenAddress): Promise<StartResult> {
    if (this.#stopPromise !== undefined) return this.#notStarted(new Error('the server is stopping'));
    if (this.#server !== undefined) return this.#notStarted(new Error('the server is already started: stop it first'));
    try {
      for (const { preparations = [] } of this.#parts()) for (const prepare of preparations) prepare();
      this.#server = new RunningServer(this.#settings, this.#dispatch, this, makeServer(this.#settings, this.#tls));
    } catch (error) {
      return this.#notStarted(error);
    }
    this.renew();
    this.#starting = this.#open(this.#server, address);
    return this.#starting;
  }

  markUsed(): void {
    this.#isUsed = true;
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#parts(), (part) => part.stopSelf()));
  }

  stopSelf(): Promise<void> {
    this.isStopCalled = true;
    if (this.#isUsed || this.#server !== undefined) this.#controller.abort();
    this.#stopPromise ??= this.#close().finally(() => (this.#stopPromise = undefined));
    return this.#stopPromise;
  }

  renew(): void {
    if (!this.isStopCalled) return;
    this.isStopCalled = false;
    // A signal can abort only once.
    if (this.#stopController?.signal.aborted === true) this.#stopController = undefined;
    for (const inner of this.inner) inner.renew?.();
  }

  setSecureContext(options: SecureContextOptions): void {
    if (this.#tls === undefined) throw new TypeError('setSecureContext needs the option tls: new ApiServer(root, { tls })');
    const tls = renewTls(this.#tls, options);
    tlsModules().tls.createSecureContext(tls);
    this.#server?.setSecureContext(tls);
    this.#tls = tls;
  }

  get #controller(): AbortController {
    if (this.#stopController === undefined) {
      const { signal } = (this.#stopController = new AbortController());
      // Any number of streams may listen to it. A signal of a test environment with a DOM has no maximum.
      disownCall(() => events.setMaxListeners(0, signal));
    }
    return this.#stopController;
  }

  /** This server and all servers that are mounted in it. Two servers can be mounted in each other, so each is visited once. */
  #parts(): ReadonlySet<Stoppable> {
    const all = new Set<Stoppable>([this]);
    // The loop also visits what it adds.
    for (const { inner = [] } of all) for (const each of inner) all.add(each);
    return all;
  }

  async #open(running: RunningServer, address: ListenAddress): Promise<StartResult> {
    try {
      const bound = await running.open(parseAddress(address));
      this.#upgrades.serve(running);
      return { ok: true, url: formatBaseUrl(bound, this.#tls === undefined ? 'http' : 'https'), address: bound };
    } catch (error) {
      this.#server = undefined;
      return this.#notStarted(error);
    }
  }

  #notStarted(cause: unknown): StartResult {
    const error = formatError(cause);
    this.#settings.logger.error(makeLoggedError(`the server is not started: ${error}`, cause, true));
    return { ok: false, error };
  }

  async #close(): Promise<void> {
    await this.#starting;
    await this.#server?.close();
    this.#server = undefined;
  }
}
