/** One of Node's servers and its connections, from `listen` until it is closed. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { clearTimeout, setTimeout } from '../../../util/timers.ts';
import type { Settings } from '../../settings/server-options.ts';
import type { TlsOptions } from '../../settings/tls-options.ts';
import type { ConnectionOwner, Dispatch } from '../exchange.ts';
import { rejectConnect, takeClientError } from './client-errors.ts';
import { Connections } from './connections.ts';
import { Incoming } from './internals/incoming.ts';
import { settleShapes } from './internals/requests.ts';
import { getTransport, parseByEvents } from './internals/sockets.ts';
import { getConnectionEvent, listen, stopListening } from './internals/servers.ts';

// How long destroyed sockets may take to close.
const CLOSING_MS = 50;

export class RunningServer {
  readonly server: Server;
  readonly connections: Connections;
  readonly #settings: Settings;
  readonly #handshakes = new Handshakes();

  constructor(settings: Settings, dispatch: Dispatch, owner: ConnectionOwner, server: Server) {
    // V8 sizes all request objects by the first ones.
    settleShapes(() => new Incoming(undefined as unknown as Socket));
    this.server = server;
    this.#settings = settings;
    this.connections = new Connections({ settings, dispatch, isInOrder: true, owner });
    this.#listenToRequests();
    this.#listenToConnections();
  }

  /** Listens. Rejects with Node's error if that fails. */
  async open(options: ListenOptions): Promise<AddressInfo | string | null> {
    const { server } = this;
    await listen(server, options);
    server.on('error', (error) => this.#settings.logger.error(error));
    return server.address();
  }

  /** Rejects new connections, sends the responses in flight, and resolves when the last connection is closed. */
  async close(): Promise<void> {
    const { stopGraceMs, lingerMs } = this.#settings;
    // Node's callback comes before the last `close` events.
    const noneLeft = new Promise<void>((resolve) => stopListening(this.server, () => resolve(this.connections.whenNoneLeft())));
    this.connections.drain(lingerMs);
    this.#handshakes.drain(lingerMs);
    let isOver = await settlesWithin(stopGraceMs, noneLeft);
    if (!isOver) {
      this.connections.destroy();
      this.#handshakes.destroy();
      isOver = await settlesWithin(CLOSING_MS, noneLeft);
    }
    // Ends the timer that checks for timeouts.
    const ended = new Promise<void>((resolve) => this.server.close(() => resolve()));
    // If connections are left, this may never end: Bun does not report handshakes, so they could not be destroyed.
    if (isOver) await ended;
  }

  /** Replaces the TLS options for new connections. The server must have TLS. */
  setSecureContext(tls: TlsOptions): void {
    const server = this.server as Partial<HttpsServer>;
    // Bun has no such method.
    if (server.setSecureContext === undefined) throw new Error('this engine cannot replace a certificate while it listens');
    server.setSecureContext(tls);
  }

  #listenToRequests(): void {
    const accept = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse): void => {
      this.connections.get(request.socket).accept(request, response, expectsContinue, '');
    };
    this.server.on('request', accept(false));
    this.server.on('checkContinue', accept(true));
    // The dispatcher rejects it with 417, in its turn.
    this.server.on('checkExpectation', accept(false));
  }

  #listenToConnections(): void {
    const { server, connections } = this;
    if (getConnectionEvent(server) === 'connection') {
      server.on('connection', (socket) => connections.get(socket));
    } else {
      server.on('connection', (transport) => this.#handshakes.begin(transport));
      server.on('secureConnection', (socket: Socket) => {
        this.#handshakes.finish(socket);
        parseByEvents(socket);
        connections.get(socket);
      });
    }
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => takeClientError(connections, error, socket as Socket));
    server.on('connect', (request, socket) => rejectConnect(connections.get(socket as Socket), request, socket as Socket));
  }
}

/** Resolves to whether a promise resolves within a number of milliseconds. */
async function settlesWithin(ms: number, promise: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const isInTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}

/**
 * TLS connections that have not finished their handshake. `node:http` does not know them yet, so its limits do not apply, and nothing
 * else ends them when the server stops.
 */
export class Handshakes {
  readonly #open = new Set<Socket>();
  readonly #forget: (this: Socket) => void;
  // How long a handshake may take while the server stops. `undefined` until it stops.
  #lingerMs: number | undefined;

  constructor() {
    const open = this.#open;
    this.#forget = function () {
      open.delete(this);
    };
  }

  /** Called with the socket that carries the bytes. */
  begin(transport: Socket): void {
    this.#open.add(transport);
    transport.once('close', this.#forget);
    if (this.#lingerMs !== undefined) this.#endSoon([transport], this.#lingerMs);
  }

  /** Called with the TLS socket when its handshake is finished. */
  finish(socket: Socket): void {
    const transport = getTransport(socket);
    transport.off('close', this.#forget);
    this.#open.delete(transport);
  }

  /** Destroys each connection, open or new, whose handshake takes longer than `lingerMs` from now or from its beginning. */
  drain(lingerMs: number): void {
    this.#lingerMs = lingerMs;
    this.#endSoon([...this.#open], lingerMs);
  }

  #endSoon(transports: readonly Socket[], lingerMs: number): void {
    if (lingerMs === 0) this.destroy(transports);
    else setTimeout(() => this.destroy(transports), lingerMs).unref();
  }

  destroy(transports: Iterable<Socket> = this.#open): void {
    for (const transport of transports) if (this.#open.has(transport)) transport.destroy();
  }
}
