/** One listening `http.Server`: its connections and their requests, until it is closed. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { Connections } from '../connection/connections.ts';
import { acceptRequest, type Exchange } from '../connection/exchange.ts';
import { Handshakes } from '../connection/handshakes.ts';
import { RequestClass } from '../node-internals/incoming.ts';
import { closeHostServer, closeListeningSocket, connectionEventOf } from '../node-internals/servers.ts';
import { settleShapes } from '../node-internals/settle-shapes.ts';
import { parseByEvents } from '../node-internals/sockets.ts';
import type { Settings } from '../settings/options.ts';
import type { TlsOptions } from '../settings/tls-options.ts';
import { ClientErrors } from './client-errors.ts';
import type { HostServer } from './host-server.ts';
import { createHttpServer, limitHostServer } from './http-server.ts';
import { listen } from './listen.ts';

/** What emits the events of a server. */
interface EventSource {
  on(event: string, listener: (...values: never[]) => void): unknown;
}

/** Where the server comes from: it is the host's own, or it is made, with TLS or without. */
interface Origin {
  readonly tls?: TlsOptions | undefined;
  readonly host?: HostServer;
}

/** A server whose connections can be upgraded. */
export interface Upgradable {
  readonly server: Server;
  readonly connections: Connections<Exchange>;
  /** The host of the server, if it is not our own. */
  readonly host: HostServer | undefined;
}

/** What listeners pass requests on to. */
export interface Receiver {
  /** Called with each request in its turn. */
  readonly dispatch: (exchange: Exchange) => void;
  /** Called with each request of a host's own server that has no listener for it. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrades: {
    /** Called with each server that begins to serve. */
    serve(served: Upgradable): void;
    /** Called with each server that is closed. */
    forget(closed: Server): void;
  };
}

// How long sockets that are destroyed may take to close.
const CLOSING_MS = 50;

export class Listener {
  readonly #settings: Settings;
  readonly #connections: Connections<Exchange>;
  readonly #handshakes = new Handshakes();
  readonly #errors: ClientErrors;
  readonly #server: Server;
  readonly #host: HostServer | undefined;
  readonly #upgrades: Receiver['upgrades'];

  /** `host` is a server of the host's own, in place of a new one. Throws Node's error if a certificate or a key in `tls` is invalid. */
  constructor(settings: Settings, { dispatch, upgrades }: Receiver, { tls, host }: Origin) {
    settleShapes(RequestClass);
    this.#settings = settings;
    this.#connections = new Connections(dispatch, true, settings.limits.sendMs);
    this.#errors = new ClientErrors(this.#connections, settings);
    this.#host = host;
    this.#server = host?.server ?? createHttpServer(settings, tls);
    if (host !== undefined) limitHostServer(host.server, settings);
    this.#listenTo(host ?? this.#server);
    this.#upgrades = upgrades;
    if (host !== undefined) this.#serveUpgrades();
  }

  /** Listens. Rejects with Node's error if that fails. */
  async open(options: ListenOptions): Promise<AddressInfo | string | null> {
    await listen(this.#server, options);
    this.#serveUpgrades();
    this.#server.on('error', (error) => this.#settings.logger.error(error));
    return this.#server.address();
  }

  /** Refuses new connections, replies to the requests in flight, and resolves when the last connection is closed. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const { stopGraceMs, stopLingerMs } = this.#settings;
      let isClosed = false;
      const closed = (): void => {
        clearTimeout(timer);
        if (!isClosed) this.#end(resolve);
        isClosed = true;
      };
      let timer = setTimeout(() => {
        this.#destroy();
        // Some handshakes are not known, so they are not waited for: those that began before a host's server was attached, and all on Bun.
        timer = setTimeout(() => (closed(), resolve()), CLOSING_MS);
      }, stopGraceMs);
      // Node's server does not wait for the events of its last connections, nor for those that a host has passed to it.
      const drained = (): void => void this.#connections.whenNoneLeft().then(closed);
      if (this.#host === undefined) closeListeningSocket(this.#server, drained);
      else closeHostServer(this.#server, drained);
      this.#connections.drain(stopLingerMs);
      this.#handshakes.drain(stopLingerMs);
    });
  }

  /** Uses other options of TLS for new connections. The server must have TLS. */
  setSecureContext(tls: TlsOptions): void {
    const server = this.#server as Partial<HttpsServer>;
    // Bun has no such method.
    if (server.setSecureContext === undefined) throw new Error('this engine cannot replace a certificate while it listens');
    server.setSecureContext(tls);
  }

  #serveUpgrades(): void {
    this.#upgrades.serve({ server: this.#server, connections: this.#connections, host: this.#host });
  }

  #destroy(): void {
    this.#connections.destroy();
    this.#handshakes.destroy();
    // A host's server may have connections from before it was attached.
    if (this.#host !== undefined) this.#server.closeAllConnections();
  }

  #end(resolve: () => void): void {
    this.#upgrades.forget(this.#server);
    // Not called before, since it destroys connections whose last reply is not flushed. It ends the server's timer, and emits `close`
    // again, which a host would see.
    if (this.#host === undefined) this.#server.close(() => resolve());
    else resolve();
    this.#host?.detach();
  }

  #listenTo(server: EventSource): void {
    const accept = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse): void => {
      acceptRequest(this.#connections, request, response, expectsContinue);
    };
    if (connectionEventOf(this.#server) === 'connection') {
      server.on('connection', (socket: Socket) => this.#connections.of(socket));
    } else {
      server.on('connection', (transport: Socket) => this.#handshakes.begin(transport));
      server.on('secureConnection', (socket: Socket) => this.#established(socket));
    }
    server.on('request', accept(false));
    server.on('checkContinue', accept(true));
    server.on('checkExpectation', accept(false));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#errors.reply(String(error.code), socket));
    // A host's server does what it did.
    if (this.#host === undefined) {
      server.on('connect', (request: IncomingMessage, socket: Socket) => this.#errors.refuseConnect(request, socket));
    }
  }

  #established(socket: Socket): void {
    this.#handshakes.finish(socket);
    parseByEvents(socket);
    this.#connections.of(socket);
  }
}
