/**
 * A host's server, to which an `ApiServer` is attached. Its events come here first:
 *
 *   request   ->   in its turn, to the host's listeners. Without any, to the `ApiServer`
 *   upgrade, connect, clientError   ->   to the host's listeners, if it has any
 *
 * So its requests have their turns, its connections drain, and a listener that the host adds later is called too.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { textOf } from '../util/promises.ts';
import type { Exchange } from '../server/connection/exchange.ts';
import { type HttpServer, limitHostServer, type OnSwitch, type PassOn } from '../server/connection/http-server.ts';
import { prepareForListener } from '../server/host-listener.ts';
import { onFirstRead } from '../server/node/messages.ts';
import { STOPPED } from '../server/node/parsers.ts';
import { closeHostServer, isHttpServer } from '../server/node/servers.ts';
import { isRealSocket } from '../server/node/sockets.ts';
import { requestFailure } from '../server/logger.ts';
import type { Settings } from '../server/options.ts';
import { type EventListener, Placeholders } from './placeholders.ts';

/** Node has the member since 24.9 and 22.21, so its types for Node 20 do not. */
type UpgradingServer = Server & { shouldUpgradeCallback?: ((request: IncomingMessage) => boolean) | undefined };

// Node looks whether there are listeners for the last two.
const REQUESTS: readonly string[] = ['request', 'checkContinue', 'checkExpectation'];
const LISTENER_FIRST = 'attach: the server has a request listener already: it gets every request, and has to pass those for routes to requestListener';
const CONNECTIONS: readonly string[] = ['connection', 'secureConnection'];
const SWITCHES: readonly string[] = ['upgrade', 'connect'];

export class HostServer implements HttpServer {
  static readonly #attached = new WeakSet<Server>();

  readonly server: UpgradingServer;
  readonly inUse = 'the server is attached to a server of the host';
  readonly #settings: Settings;
  readonly #serve: (request: IncomingMessage, response: ServerResponse) => void;
  // `undefined` if the server has that of its prototype, which a tracer may replace at any time.
  readonly #ownEmit: Server['emit'] | undefined;
  readonly #chooseUpgrade: UpgradingServer['shouldUpgradeCallback'];
  readonly #intercept: Server['emit'];
  readonly #listeners = new Map<string, EventListener>();
  readonly #placeholders: Placeholders;
  // The requests that their host has not passed to the `ApiServer`, with the event to emit.
  readonly #events = new WeakMap<IncomingMessage, string>();

  /** `serve` gets the requests if the host has no listener. Throws `TypeError` for anything but an HTTP/1 server that is not attached. */
  constructor(server: UpgradingServer, settings: Settings, serve: (request: IncomingMessage, response: ServerResponse) => void) {
    if (!isHttpServer(server)) throw new TypeError('attach takes an http.Server or an https.Server');
    if (HostServer.#attached.has(server)) throw new TypeError('the server is attached already');
    HostServer.#attached.add(server);
    this.server = server;
    this.#settings = settings;
    this.#serve = serve;
    this.#ownEmit = Object.hasOwn(server, 'emit') ? server.emit : undefined;
    this.#chooseUpgrade = server.shouldUpgradeCallback;
    this.#intercept = (event: string | symbol, ...values: unknown[]) => this.#receive(event, values);
    server.emit = this.#intercept;
    this.#placeholders = new Placeholders(server);
    for (const event of REQUESTS) this.#placeholders.add(event, serve);
    // That of Socket.IO, for example, calls only listeners that were there before it. Without this line, requests for routes would wait in silence.
    if (this.takes('request')) settings.logger.info(LISTENER_FIRST);
    limitHostServer(server, settings);
  }

  /** Takes an event of the server, before the host's listeners. */
  on(event: string, listener: EventListener): void {
    this.#listeners.set(event, listener);
  }

  /** A host's server answers CONNECT as it did. */
  onConnect(): void {}

  onSwitch(take: OnSwitch): void {
    for (const event of SWITCHES) {
      this.on(event, (request: IncomingMessage, socket: Socket, head: Buffer) => take(event, request, socket, head));
    }
  }

  /** Lets Node count a listener for upgrades. */
  expectUpgrades(): void {
    this.#placeholders.add('upgrade');
  }

  wantsUpgrade(request: IncomingMessage): boolean {
    return this.takes('upgrade') && this.#chooseUpgrade?.call(this.server, request) !== false;
  }

  /** Whether the host itself listens to an event. */
  takes(event: string): boolean {
    return this.#placeholders.hasOther(event);
  }

  passerOn(event: string): PassOn | undefined {
    return this.takes(event) ? (request, socket, head) => void this.emit(event, request, socket, head) : undefined;
  }

  stopListening(closed: () => void): void {
    closeHostServer(this.server, closed);
  }

  /** A host's server may have connections from before it was attached. */
  destroyUnknown(): void {
    this.server.closeAllConnections();
  }

  /** Leaves the server to its host. */
  end(ended: () => void): void {
    ended();
    this.#placeholders.clear();
    this.#listeners.clear();
    HostServer.#attached.delete(this.server);
    if (this.server.emit !== this.#intercept) return;
    if (this.#ownEmit === undefined) Reflect.deleteProperty(this.server, 'emit');
    else this.server.emit = this.#ownEmit;
  }

  /** Emits an event to the host's listeners. */
  emit(event: string | symbol, ...values: unknown[]): boolean {
    const { emit } = this.#ownEmit === undefined ? (Object.getPrototypeOf(this.server) as Server) : { emit: this.#ownEmit };
    return Reflect.apply(emit, this.server, [event, ...values]) as boolean;
  }

  /** Passes a request to the host, in its turn. `isTaken` says whether the host has passed it on to the `ApiServer`. */
  dispatch(exchange: Exchange, isTaken: () => boolean): void {
    const { request, response } = exchange;
    prepareForListener(exchange, (thrown) => {
      this.#settings.logger.error(requestFailure(request, 'a listener of the attached server', textOf(thrown), thrown));
      exchange.abandon();
    });
    // Whoever reads the body asks the client for it.
    if (exchange.expectsContinue) onFirstRead(request, () => isTaken() || !exchange.isOpen || exchange.sendContinue());
    const event = this.#events.get(request) ?? 'request';
    // Node would answer it 417 by itself.
    if (event === 'checkExpectation' && !this.takes(event)) this.#serve(request, response);
    else this.emit(event, request, response);
  }

  #receive(event: string | symbol, values: unknown[]): boolean {
    const listener = typeof event === 'string' ? this.#listeners.get(event) : undefined;
    if (typeof event !== 'string' || listener === undefined) return this.emit(event, ...values);
    if (REQUESTS.includes(event)) {
      // The host itself may emit a request that came over no connection.
      if (!isRealSocket((values[0] as IncomingMessage).socket)) return this.emit(event, ...values);
      if (event === 'checkExpectation' || (event !== 'request' && this.takes(event))) this.#events.set(values[0] as IncomingMessage, event);
    } else if (CONNECTIONS.includes(event)) {
      // Node's own listener comes first.
      this.emit(event, ...values);
    } else if (event === 'clientError' && this.takes(event) && (values[0] as { readonly code?: unknown }).code !== STOPPED) {
      return this.emit(event, ...values);
    }
    Reflect.apply(listener, undefined, values);
    return true;
  }
}
