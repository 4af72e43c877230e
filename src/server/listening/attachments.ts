/** The servers of the host's own to which an `ApiServer` is attached, and their requests. */
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { mountPrefixOf } from '../../http/target.ts';
import type { Exchange } from '../connection/exchange.ts';
import type { Settings } from '../settings/options.ts';
import { HostServer } from './host-server.ts';
import { Listener, type Receiver } from './listener.ts';

export class Attachments {
  readonly #settings: Settings;
  readonly #receiver: Receiver;
  readonly #listeners = new Set<Listener>();
  // `undefined` once a request is dispatched.
  readonly #requests = new WeakMap<IncomingMessage, Exchange | undefined>();

  constructor(settings: Settings, receiver: Receiver) {
    this.#settings = settings;
    this.#receiver = receiver;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Attaches a server. Throws `TypeError` when it is not one of HTTP/1, or is attached already. */
  attach(server: HttpServer | HttpsServer): void {
    const host = new HostServer(server, this.#settings, this.#receiver.serve);
    const dispatch = (exchange: Exchange): void => {
      const { request } = exchange;
      this.#requests.set(request, exchange);
      host.dispatch(exchange, () => this.#requests.get(request) === undefined);
    };
    this.#listeners.add(new Listener(this.#settings, { ...this.#receiver, dispatch }, { host }));
  }

  /** Whether a request came over an attached server, which has accepted it. */
  has(request: IncomingMessage): boolean {
    return this.#requests.has(request);
  }

  /** Dispatches such a request, once. */
  take(request: IncomingMessage): void {
    const exchange = this.#requests.get(request);
    this.#requests.set(request, undefined);
    if (exchange === undefined || !exchange.isOpen) return;
    exchange.mountPrefix = mountPrefixOf(request);
    // The host may have passed it on in another one.
    exchange.forgetContext();
    this.#receiver.dispatch(exchange);
  }

  /** Closes the servers, as `stop` closes the server's own. */
  async close(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
    this.#listeners.clear();
  }
}
