/** Node's servers as a `RunningServer` uses them, and the limits that they enforce themselves. */
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { http, tlsModules } from '../../node.ts';
import { Incoming } from '../node/incoming.ts';
import { closeListeningSocket, setCreationLimits } from '../node/servers.ts';
import type { Settings } from '../options.ts';
import type { TlsOptions } from '../tls-options.ts';

/** Called with a request that asks to leave HTTP, its socket, and the bytes that came behind it. */
export type OnSwitch = (event: string, request: IncomingMessage, socket: Socket, head: Buffer) => void;

export type PassOn = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** A server of Node's, made by `OwnServer` or by a host. */
export interface HttpServer {
  readonly server: Server;
  /** Why `start` fails while it is in use. */
  readonly inUse: string;
  /** Listens to an event of the server. */
  on(event: string, listener: (...values: never[]) => void): unknown;
  /** Listens to CONNECT, unless others answer it. */
  onConnect(refuse: (request: IncomingMessage, socket: Socket) => void): void;
  /** Listens to the upgrades that others want. */
  onSwitch(take: OnSwitch): void;
  /** Lets Node emit upgrades. */
  expectUpgrades(take: OnSwitch): void;
  /** Whether others want an upgrade. */
  wantsUpgrade(request: IncomingMessage): boolean;
  /** Passes an upgrade or a CONNECT on to others. `undefined` if there are none who take it. */
  passerOn(event: string): PassOn | undefined;
  /** Closes the listening socket, and no connection. `closed` is called when its connections have closed too. */
  stopListening(closed: () => void): void;
  /** Destroys the connections that the running server does not know. */
  destroyUnknown(): void;
  /** Called when all connections have closed. */
  end(ended: () => void): void;
}

// How often Node looks for connections that have timed out.
const CHECKING_MS = 500;

/** A server that was made here, and not by a host. */
export class OwnServer implements HttpServer {
  readonly server: Server;
  readonly inUse = 'the server is already started';

  /** Throws Node's error if a certificate or a key in `tls` is invalid. */
  constructor(settings: Settings, tls: TlsOptions | undefined) {
    const options = httpOptions(settings);
    this.server = tls === undefined ? http.createServer(options) : createTlsServer(options, tls, settings);
    limitConnections(this.server, settings);
  }

  on(event: string, listener: (...values: never[]) => void): void {
    this.server.on(event, listener as () => void);
  }

  onConnect(refuse: (request: IncomingMessage, socket: Socket) => void): void {
    this.server.on('connect', (request, socket) => refuse(request, socket as Socket));
  }

  onSwitch(): void {}

  expectUpgrades(take: OnSwitch): void {
    this.server.on('upgrade', (request, socket, head) => take('upgrade', request, socket as Socket, head));
  }

  wantsUpgrade(): boolean {
    return false;
  }

  passerOn(): undefined {}

  stopListening(closed: () => void): void {
    closeListeningSocket(this.server, closed);
  }

  destroyUnknown(): void {}

  end(ended: () => void): void {
    // Not called before, since it destroys connections whose last reply is not flushed. It ends the server's timer.
    this.server.close(() => ended());
  }
}

/** Sets the limits of a host's server, which it did not get when it was made. */
export function limitHostServer(server: Server, settings: Settings): void {
  const { headersTimeout = 0, requestTimeout = 0, keepAliveTimeout = 0, maxHeaderSize = 0 } = httpOptions(settings);
  Object.assign(server, { headersTimeout, requestTimeout, keepAliveTimeout });
  setCreationLimits(server, maxHeaderSize, CHECKING_MS);
  limitConnections(server, settings);
}

function limitConnections(server: Server, { limits: { connections } }: Settings): void {
  // Over a limit, Node drops header lines silently. Our own check refuses the request.
  server.maxHeadersCount = 0;
  if (connections !== Infinity) server.maxConnections = connections;
}

function httpOptions({ limits: { headersMs, requestMs, keepAliveMs, headerBytes } }: Settings): ServerOptions<typeof IncomingMessage> {
  return {
    IncomingMessage: Incoming,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: CHECKING_MS,
    // Our own check also refuses a repeated and an invalid Host.
    requireHostHeader: false,
  };
}

/** A server with TLS, whose sockets behave as those without. */
function createTlsServer(options: ServerOptions<typeof IncomingMessage>, tls: TlsOptions, { limits: { headersMs }, logger }: Settings): Server {
  const { ALPNCallback, handshakeTimeout = Infinity } = tls;
  const { ALPNProtocols = ALPNCallback === undefined ? ['http/1.1'] : undefined } = tls;
  return tlsModules().https.createServer({
    ...tls,
    ...options,
    ...(ALPNProtocols !== undefined && { ALPNProtocols }),
    ...(ALPNCallback !== undefined && { ALPNCallback: withoutHttp2(ALPNCallback, logger) }),
    // Node's default is 120 s.
    handshakeTimeout: Math.min(handshakeTimeout, headersMs),
    // As for `http.createServer`.
    allowHalfOpen: true,
  });
}

type ChooseProtocol = NonNullable<TlsOptions['ALPNCallback']>;

/** Refuses a handshake in which the host's function chooses HTTP/2, which the server does not have. */
function withoutHttp2(choose: ChooseProtocol, logger: Settings['logger']): ChooseProtocol {
  return (offered) => {
    const chosen = choose(offered);
    if (chosen !== 'h2') return chosen;
    logger.error(new Error('tls.ALPNCallback must not choose "h2": the server has no HTTP/2'));
    return undefined;
  };
}
