/** A server of Node's that serves requests: its connections, until it is closed. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { Incoming } from '../node/incoming.ts';
import { settleShapes } from '../node/messages.ts';
import { connectionEventOf, listen } from '../node/servers.ts';
import { parseByEvents } from '../node/sockets.ts';
import type { Settings } from '../options.ts';
import type { TlsOptions } from '../tls-options.ts';
import { ClientErrors } from './client-errors.ts';
import type { ExchangeDispatcher } from './connection.ts';
import { Connections } from './connections.ts';
import { Handshakes } from './handshakes.ts';
import type { HttpServer } from './http-server.ts';
import type { Owner } from './owner.ts';

/** Receives the requests and upgrades of a running server. */
export interface Receiver {
  readonly dispatcher: ExchangeDispatcher;
  readonly owner: Owner;
  readonly upgrades: {
    /** Called with each server that begins to serve. */
    serve(httpServer: HttpServer, connections: Connections): void;
    /** Called with each server that is closed. */
    forget(closed: Server): void;
  };
}

// How long sockets that are destroyed may take to close.
const CLOSING_MS = 50;

export class RunningServer {
  readonly httpServer: HttpServer;
  readonly #settings: Settings;
  readonly #receiver: Receiver;
  readonly #connections: Connections;
  readonly #handshakes = new Handshakes();

  constructor(settings: Settings, receiver: Receiver, httpServer: HttpServer) {
    // V8 decides by the first requests how much room all of them have.
    settleShapes(Incoming);
    this.httpServer = httpServer;
    this.#settings = settings;
    this.#receiver = receiver;
    this.#connections = new Connections({ settings, dispatcher: receiver.dispatcher, isInOrder: true, owner: receiver.owner });
    this.#listenToRequests();
    this.#listenToConnections();
  }

  /** Listens. Rejects with Node's error if that fails. */
  async open(options: ListenOptions): Promise<AddressInfo | string | null> {
    const { server } = this.httpServer;
    await listen(server, options);
    this.serveUpgrades();
    server.on('error', (error) => this.#settings.logger.error(error));
    return server.address();
  }

  /** Takes the upgrades of its connections from now on. */
  serveUpgrades(): void {
    this.#receiver.upgrades.serve(this.httpServer, this.#connections);
  }

  /** Refuses new connections, replies to the requests in flight, and resolves when the last connection is closed. */
  async close(): Promise<void> {
    const { stopGraceMs, stopLingerMs } = this.#settings;
    // Node calls this before the last `close` events, and does not count connections that a host passed to it.
    const noneLeft = new Promise<void>((resolve) => this.httpServer.stopListening(() => resolve(this.#connections.whenNoneLeft())));
    this.#connections.drain(stopLingerMs);
    this.#handshakes.drain(stopLingerMs);
    let isOver = await settlesWithin(stopGraceMs, noneLeft);
    if (!isOver) {
      this.#destroy();
      isOver = await settlesWithin(CLOSING_MS, noneLeft);
    }
    this.#receiver.upgrades.forget(this.httpServer.server);
    const ended = new Promise<void>((resolve) => this.httpServer.end(resolve));
    // Some handshakes are not known, so they are not waited for: those that began before a host's server was attached, and all on Bun.
    if (isOver) await ended;
  }

  /** Uses other options of TLS for new connections. The server must have TLS. */
  setSecureContext(tls: TlsOptions): void {
    const server = this.httpServer.server as Partial<HttpsServer>;
    // Bun has no such method.
    if (server.setSecureContext === undefined) throw new Error('this engine cannot replace a certificate while it listens');
    server.setSecureContext(tls);
  }

  #destroy(): void {
    this.#connections.destroy();
    this.#handshakes.destroy();
    this.httpServer.destroyUnknown();
  }

  #listenToRequests(): void {
    const accept = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse): void => {
      this.#connections.of(request.socket).accept(request, response, expectsContinue, '');
    };
    this.httpServer.on('request', accept(false));
    this.httpServer.on('checkContinue', accept(true));
    // It is refused with 417 in its turn, as an invalid request.
    this.httpServer.on('checkExpectation', accept(false));
  }

  #listenToConnections(): void {
    const { httpServer } = this;
    const errors = new ClientErrors(this.#connections);
    if (connectionEventOf(httpServer.server) === 'connection') {
      httpServer.on('connection', (socket: Socket) => this.#connections.of(socket));
    } else {
      httpServer.on('connection', (transport: Socket) => this.#handshakes.begin(transport));
      httpServer.on('secureConnection', (socket: Socket) => this.#established(socket));
    }
    httpServer.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => errors.take(error, socket));
    httpServer.onConnect((request, socket) => errors.refuseConnect(request, socket));
  }

  #established(socket: Socket): void {
    this.#handshakes.finish(socket);
    parseByEvents(socket);
    this.#connections.of(socket);
  }
}

/** Whether a promise resolves within so many milliseconds. */
async function settlesWithin(ms: number, promise: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const isInTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}
