/** Creates Node's server, with the limits that Node enforces. */
import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { http, tlsModules } from '../../../node.ts';
import type { Settings } from '../../settings/server-options.ts';
import type { TlsOptions } from '../../settings/tls-options.ts';
import { Incoming } from './internals/incoming.ts';

// How often Node checks for connections that have timed out.
const CHECKING_MS = 500;

/** Creates the server that listens. Throws Node's error if a certificate or a key in `tls` is invalid. */
export function makeServer(settings: Settings, tls: TlsOptions | undefined): Server {
  const options = { IncomingMessage: Incoming, ...serverOptions(settings, tls) };
  const server = tls === undefined ? http.createServer(options) : tlsModules().https.createServer(options);
  const { connections } = settings.limits;
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
