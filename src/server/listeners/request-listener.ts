/**
 * `ApiServer.requestListener`, to which apps and other servers pass requests. Two kinds have no usable socket: a destroyed request has lost
 * it, and an injected one (`light-my-request`, Fastify's `inject`) has one that is not a stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { makeRejection } from '../../errors/problem.ts';
import { NOSNIFF } from '../../util/headers.ts';
import { readTarget } from '../../http/target.ts';
import { net } from '../../node.ts';
import { Connections } from '../exchange/node/connections.ts';
import { findSocket } from '../exchange/node/internals/requests.ts';
import { isRealSocket } from '../exchange/node/internals/sockets.ts';
import type { NodeExchange } from '../exchange/node/node-exchange.ts';
import { type ConnectionOwner, type Dispatch, makeResponseToHead } from '../exchange/exchange.ts';
import type { Settings } from '../settings/server-options.ts';
import { findOuterExchange } from './listeners.ts';

/** A listener for `http.createServer`, and for `app.use` of Express, Connect and the like. */
export type MountableListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

// The servers of request listeners, for a server that is mounted in a server.
const owners = new WeakMap<object, ConnectionOwner>();

/** Returns the server of a `requestListener`; `undefined` for any other listener. */
export function findOwner(listener: object): ConnectionOwner | undefined {
  return owners.get(listener);
}

/** Makes `ApiServer.requestListener`. `serves`: whether `dispatch` serves a request, or it is passed on. */
export function makeRequestListener(
  dispatch: Dispatch, serves: (request: IncomingMessage) => boolean, settings: Settings, owner: ConnectionOwner,
): MountableListener {
  const dispatchJoined = (exchange: NodeExchange): void => {
    const outer = findOuterExchange(exchange.request);
    // Within a different server, observers get the request once, and both servers stop together.
    if (outer !== undefined && outer !== exchange) {
      exchange.observer = outer.observer;
      outer.connection.owner.inner.add(owner);
    }
    dispatch(exchange);
  };
  // Asynchronous middleware of Express and Connect passes pipelined requests on late and in any order. Its server sets the timeouts.
  const unlimited = { ...settings, limits: { ...settings.limits, sendMs: Infinity }, unsentBytes: Infinity };
  // `stop` drains none of them: the app closes its own server.
  const connections = new Connections({ settings: unlimited, dispatch: dispatchJoined, isInOrder: false, owner });
  const listener: MountableListener = (request, response, next) => {
    if (typeof next === 'function' && !serves(request)) next();
    else if (isHttp2(request)) rejectHttp2(request, response, settings);
    else {
      const socket = findSocket(request, response);
      const connection = connections.get(isRealSocket(socket) ? socket : standInFor(response));
      connection.accept(request, response, false, findBaseUrl(request));
    }
    owner.markUsed();
  };
  owners.set(listener, owner);
  return listener;
}

/** Makes a socket without a connection, which closes with the response. `light-my-request` and Fastify's `inject` need it. */
function standInFor(response: ServerResponse): Socket {
  const socket = new net.Socket();
  // A write to it fails and closes it.
  socket.on('error', () => {});
  // Without this, the code that injected the request would not learn that there is no response.
  socket.once('close', () => response.destroy());
  response.once('close', () => socket.destroy());
  return socket;
}

const NO_HTTP2 = makeRejection('http-version', 'This server has no HTTP/2. A proxy in front of it can speak HTTP/2 with clients.');

/** Whether a request came over an HTTP/2 server. A request over HTTP/1.1 has no property `stream`, whatever version it names. */
function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request;
}

/** Responds 505: the requests and responses of HTTP/2 differ from those of HTTP/1.1 in ways that matter. */
function rejectHttp2(request: IncomingMessage, response: ServerResponse, settings: Settings): void {
  // The client may leave, and an `error` event without a listener would end the process.
  for (const stream of [request, response]) stream.on('error', () => {});
  const { status, headers, body } = makeResponseToHead(settings, NO_HTTP2, request.socket.remoteAddress, request);
  const all = [...NOSNIFF, ...headers, 'Content-Length', String(Buffer.byteLength(body))];
  response.writeHead(status, Object.fromEntries(toPairs(all)));
  response.end(body);
  request.resume();
}

// Headers that HTTP/2 does not have: Node throws for them. `formatProblem` cannot set the other ones of RFC 9113 section 8.2.2.
const OF_CONNECTION: ReadonlySet<string> = new Set(['http2-settings', 'proxy-connection']);

function* toPairs(headers: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!OF_CONNECTION.has(name.toLowerCase())) yield [name, value];
  }
}

/** The properties that routers set on a request when they shorten its target. Express sets both, Connect only `originalUrl`. */
interface MountedRequest {
  readonly url?: string | undefined;
  readonly originalUrl?: unknown;
  readonly baseUrl?: unknown;
}

/**
 * The beginning of the path that routers have removed, or `''`. `undefined` if no path can begin with it. A client may have sent it:
 * after `//`, a browser would read a host. `Location` and observers need the whole path.
 *
 *   app.use('/api', server.requestListener)   GET /api/v1/pet   ->   `url` is "/v1/pet", the base URL "/api"
 */
export function findBaseUrl({ url = '', originalUrl, baseUrl }: MountedRequest): string | undefined {
  const base = typeof baseUrl === 'string' ? baseUrl : '';
  const removed = typeof originalUrl === 'string' ? findRemoved(originalUrl, url) : '';
  // The two differ if the app has also rewritten the rest, or has mounted the server within a mount.
  const prefix = removed.startsWith(base) ? removed : base;
  if (prefix === '') return prefix;
  return prefix[0] === '/' && prefix[1] !== '/' && readPath(prefix) === prefix ? prefix : undefined;
}

function findRemoved(whole: string, rest: string): string {
  const path = readPath(whole);
  const end = readPath(rest);
  if (path === undefined || end === undefined) return '';
  if (path.endsWith(end)) return path.slice(0, path.length - end.length);
  // If nothing is left, routers keep a slash.
  return end === '/' ? path : '';
}

function readPath(target: string): string | undefined {
  return readTarget('GET', target)?.path;
}
