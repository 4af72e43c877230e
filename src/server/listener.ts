/** One listening `http.Server`: its settings, its requests, and the replies to what Node's parser refuses. */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { ErrorResponse, REQUEST_TIMEOUT } from '../http/error-response.ts';
import { http, tlsModules } from '../node.ts';
import { Connections } from './connection/connections.ts';
import { rawError, rawErrorOf } from './reply/error-reply.ts';
import { acceptRequest, type Exchange } from './connection/exchange.ts';
import { Handshakes } from './connection/handshakes.ts';
import { RequestClass } from './node-internals/incoming.ts';
import { catchInBind, closeListeningSocket, connectionEventOf, setCreationLimits } from './node-internals/servers.ts';
import { settleShapes } from './node-internals/settle-shapes.ts';
import { discardInput, parseByEvents } from './node-internals/sockets.ts';
import type { HostServer } from './host-server.ts';
import type { Upgrades } from './upgrades.ts';
import type { Settings } from './settings/options.ts';
import type { TlsOptions } from './settings/tls-options.ts';

// How often Node looks for connections that have timed out.
const CHECKING_MS = 500;

const MALFORMED = new ErrorResponse(400, 'The request is not valid HTTP/1.1.');
const HEAD_TOO_LONG = new ErrorResponse(431, 'The header section is too long.');

/** What emits the events of a server. */
interface EventSource {
  on(event: string, listener: (...values: never[]) => void): unknown;
}

/** Where the server comes from: it is the host's own, or it is made, with TLS or without. */
interface Origin {
  readonly tls?: TlsOptions | undefined;
  readonly host?: HostServer;
}

export class Listener {
  readonly #settings: Settings;
  readonly #connections: Connections<Exchange>;
  readonly #handshakes = new Handshakes();
  readonly #server: Server;
  readonly #host: HostServer | undefined;
  readonly #upgrades: Upgrades;

  /** `host` is a server of the host's own, in place of a new one. Throws Node's error if a certificate or a key in `tls` is invalid. */
  constructor(settings: Settings, dispatch: (exchange: Exchange) => void, upgrades: Upgrades, { tls, host }: Origin) {
    settleShapes(RequestClass);
    this.#settings = settings;
    this.#connections = new Connections(dispatch, true, settings.limits.sendMs);
    this.#host = host;
    const options = httpOptions(settings);
    this.#server = host?.server ?? (tls === undefined ? http.createServer(options) : createTlsServer(options, tls, settings.limits.headersMs));
    if (host !== undefined) limit(host.server, options);
    // Over a limit, Node drops header lines silently. Our own check refuses the request.
    this.#server.maxHeadersCount = 0;
    if (settings.limits.connections !== Infinity) this.#server.maxConnections = settings.limits.connections;
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
      const grace = setTimeout(() => this.#destroy(), stopGraceMs);
      const closed = (): void => {
        clearTimeout(grace);
        this.#end(resolve);
      };
      closeListeningSocket(this.#server, closed);
      this.#connections.drain(stopLingerMs);
      this.#handshakes.drain(stopLingerMs);
    });
  }

  #serveUpgrades(): void {
    this.#upgrades.serve({ server: this.#server, connections: this.#connections, host: this.#host });
  }

  /** Uses other options of TLS for new connections. The server must have TLS. */
  setSecureContext(tls: TlsOptions): void {
    (this.#server as HttpsServer).setSecureContext(tls);
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
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#replyError(String(error.code), socket));
    // A host's server does what it did.
    if (this.#host === undefined) server.on('connect', (request: IncomingMessage, socket: Socket) => this.#refuseConnect(request, socket));
  }

  #established(socket: Socket): void {
    this.#handshakes.finish(socket);
    parseByEvents(socket);
    this.#connections.of(socket);
  }

  /** Refuses CONNECT, since this server is no proxy. */
  #refuseConnect(request: IncomingMessage, socket: Socket): void {
    const connection = this.#connections.of(socket);
    // Node has removed its own listeners from the socket. A reply before this may be unfinished.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.end());
    socket.on('drain', () => connection.current?.response.emit('drain'));
    socket.on('close', () => connection.current?.request.destroy());
    this.#refuse(socket, MALFORMED, false, request);
    discardInput(socket);
  }

  /** Replies to a `clientError`: a parse error, a timeout of the request, or an error of the socket. */
  #replyError(code: string, socket: Socket): void {
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const isRequest = code.startsWith('HPE_') || isTimeout;
    const hasLeft = code === 'HPE_INVALID_EOF_STATE';
    // Node reports the timeout of a request once. An operation's own limit has a timer.
    if (isTimeout && this.#connections.of(socket).current?.isTimedByOperation === true) return;
    if (isRequest && this.#connections.of(socket).isDiscarding) {
      // These bytes are discarded anyway. To destroy the socket could lose the last reply.
      if (hasLeft) socket.end();
    } else if (isRequest && socket.writable) {
      this.#refuse(socket, responseTo(code), hasLeft);
    } else {
      socket.destroy();
    }
  }

  #refuse(socket: Socket, error: ErrorResponse, hasLeft = false, request?: IncomingMessage): void {
    const { formatProblem } = this.#settings;
    const rawFor = (broken: Exchange | undefined): string => {
      return broken === undefined ? rawError(error, request, formatProblem) : rawErrorOf(error, broken, formatProblem);
    };
    this.#connections.of(socket).fail(rawFor, hasLeft);
  }
}

function httpOptions({ limits: { headersMs, requestMs, keepAliveMs, headerBytes } }: Settings): ServerOptions<typeof IncomingMessage> {
  return {
    IncomingMessage: RequestClass,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: CHECKING_MS,
    // Our own check also refuses a repeated and an invalid Host.
    requireHostHeader: false,
  };
}

/** Sets the limits that a host's server did not get when it was made. */
function limit(server: Server, { headersTimeout = 0, requestTimeout = 0, keepAliveTimeout = 0, maxHeaderSize = 0 }: ServerOptions): void {
  Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout });
  setCreationLimits(server, maxHeaderSize, CHECKING_MS);
}

/** A server with TLS, whose sockets behave as those without. */
function createTlsServer(options: ServerOptions<typeof IncomingMessage>, tls: TlsOptions, headersMs: number): Server {
  const { ALPNProtocols = tls.ALPNCallback === undefined ? ['http/1.1'] : undefined, handshakeTimeout = Infinity } = tls;
  return tlsModules().https.createServer({
    ...tls,
    ...options,
    ...(ALPNProtocols !== undefined && { ALPNProtocols }),
    // Node's default is 120 s.
    handshakeTimeout: Math.min(handshakeTimeout, headersMs),
    // As for `http.createServer`.
    allowHalfOpen: true,
  });
}

function responseTo(code: string): ErrorResponse {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LONG;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : MALFORMED;
}

/** Starts to listen. Every failure rejects the promise. */
export function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    catchInBind(server, reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
