/** Creates Node's server, itself or by the option `createServer`, with the limits that Node enforces. */
import type { RequestListener, Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { http, tlsModules } from '../../../node.ts';
import { checkSync } from '../../../util/promises.ts';
import type { CreateServer, Settings } from '../../settings/options.ts';
import type { TlsOptions } from '../../settings/tls-options.ts';
import { Incoming } from './internals/incoming.ts';
import { hasTls, isHttpServer } from './internals/servers.ts';

// How often Node checks for connections that have timed out.
const CHECKING_MS = 500;

/** Creates the server that listens. Throws Node's error if a certificate or a key in `tls` is invalid. */
export function makeServer(settings: Settings, tls: TlsOptions | undefined, listener: RequestListener): Server {
  const { createServer } = settings;
  return createServer === undefined ? makeOwnServer(settings, tls) : makeUserServer(createServer, settings, tls, listener);
}

/** Creates a server that has no listeners of an app. */
function makeOwnServer(settings: Settings, tls: TlsOptions | undefined): Server {
  const options = { IncomingMessage: Incoming, ...serverOptions(settings, tls) };
  return limitConnections(tls === undefined ? http.createServer(options) : tlsModules().https.createServer(options), settings);
}

const usedServers = new WeakSet<Server>();

function makeUserServer(createServer: CreateServer, settings: Settings, tls: TlsOptions | undefined, listener: RequestListener): Server {
  const options = serverOptions(settings, tls);
  const server: unknown = checkSync(createServer(listener, options), 'createServer');
  if (!isHttpServer(server)) throw new TypeError('createServer must return an http.Server or an https.Server');
  if (usedServers.has(server)) throw new TypeError('createServer must return a new server: this one was used before');
  if (server.listening) throw new TypeError('createServer must return a server that does not listen: start does that');
  // Otherwise the option `tls` would be ignored, and nothing would be encrypted.
  if (tls !== undefined && !hasTls(server)) {
    throw new TypeError('createServer must return an https.Server, because of the option tls: https.createServer(options, listener)');
  }
  checkKeptOptions(server, options);
  usedServers.add(server);
  return limitConnections(server, settings);
}

// The options that Node keeps as properties. `insecureHTTPParser` would accept invalid framing.
const KEPT: readonly string[] = [
  'headersTimeout', 'requestTimeout', 'keepAliveTimeout', 'maxHeaderSize', 'connectionsCheckingInterval', 'requireHostHeader',
  'allowHalfOpen', 'insecureHTTPParser',
] satisfies (keyof ServerOptions)[];

/** Checks that a server was created with the options that `createServer` got, as far as its engine keeps them. */
function checkKeptOptions(server: Server, options: ServerOptions): void {
  const expected = http.createServer(options);
  for (const name of KEPT) {
    const [value, needed] = [server, expected].map((each): unknown => Reflect.get(each, name));
    if (value === needed) continue;
    const how = 'as http.createServer(options, listener) does';
    throw new TypeError(`createServer must make its server with the options that it gets, ${how}: ${name} is ${value}, not ${needed}`);
  }
}

function limitConnections(server: Server, { limits: { connections } }: Settings): Server {
  // Node would silently drop header lines above its limit. The server rejects such a request itself.
  server.maxHeadersCount = 0;
  if (connections !== Infinity) server.maxConnections = connections;
  return server;
}

/** The options for `http.createServer` and for `https.createServer`. */
function serverOptions({ limits, logger }: Settings, tls: TlsOptions | undefined): ServerOptions {
  const { headersMs, requestMs, keepAliveMs, headerBytes } = limits;
  return {
    ...(tls !== undefined && withoutHttp2(tls, logger)),
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytes,
    connectionsCheckingInterval: CHECKING_MS,
    // The server checks `Host` itself, and also rejects repeated and invalid ones.
    requireHostHeader: false,
    // Node's default is 120 s.
    handshakeTimeout: Math.min(tls?.handshakeTimeout ?? Infinity, headersMs),
    // `https.createServer` does not set it by default, as `http.createServer` does.
    allowHalfOpen: true,
  };
}

/** Adds the ALPN protocol. The handshake fails if `ALPNCallback` chooses HTTP/2, which the server does not support. */
function withoutHttp2(tls: TlsOptions, logger: Settings['logger']): TlsOptions {
  const { ALPNCallback: choose, ALPNProtocols = ['http/1.1'] } = tls;
  if (choose === undefined) return { ...tls, ALPNProtocols };
  return {
    ...tls,
    ALPNCallback: (offered) => {
      const chosen = choose(offered);
      if (chosen !== 'h2') return chosen;
      logger.error(new Error('tls.ALPNCallback must not choose "h2": the server has no HTTP/2'));
      return undefined;
    },
  };
}

type NodeListener = (...values: unknown[]) => void;

const REQUESTS: readonly string[] = ['request', 'checkContinue', 'checkExpectation'];
const EVENTS: readonly string[] = [...REQUESTS, 'upgrade', 'connect', 'clientError'];

/**
 * The listeners that the option `createServer` has added to its server: an app, Socket.IO or `ws`. They are removed from the server and
 * called from here:
 *
 *   request   ->   called when the previous requests of the connection have their responses
 *   upgrade   ->   called if `registerUpgrade` has no handler for it
 */
export class UserListeners {
  readonly #server: Server;
  readonly #listeners: ReadonlyMap<string, readonly NodeListener[]>;

  constructor(server: Server) {
    this.#server = server;
    this.#listeners = new Map(EVENTS.map((event) => [event, server.listeners(event) as NodeListener[]]));
    for (const event of EVENTS) server.removeAllListeners(event);
  }

  has(event: string): boolean {
    return this.#listenersFor(event).length > 0;
  }

  /** Whether this is the only listener for requests. */
  leaveRequestsTo(listener: unknown): boolean {
    return REQUESTS.every((event) => this.#listenersFor(event).every((each) => each === listener));
  }

  call(event: string, ...values: unknown[]): void {
    for (const listener of this.#listenersFor(event)) listener.apply(this.#server, values);
  }

  #listenersFor(event: string): readonly NodeListener[] {
    return this.#listeners.get(event) ?? [];
  }
}
