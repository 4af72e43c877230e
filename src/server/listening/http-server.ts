/** Node's servers, with the limits of the settings: one that is made here, with TLS or without, or one of the host's own. */
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import { http, tlsModules } from '../../node.ts';
import { RequestClass } from '../node-internals/incoming.ts';
import { setCreationLimits } from '../node-internals/servers.ts';
import type { Settings } from '../settings/options.ts';
import type { TlsOptions } from '../settings/tls-options.ts';

// How often Node looks for connections that have timed out.
const CHECKING_MS = 500;

/** Makes a server. Throws Node's error if a certificate or a key in `tls` is invalid. */
export function createHttpServer(settings: Settings, tls: TlsOptions | undefined): Server {
  const options = httpOptions(settings);
  const server = tls === undefined ? http.createServer(options) : createTlsServer(options, tls, settings.limits.headersMs);
  limitConnections(server, settings);
  return server;
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
