/**
 * Takes the requests that a host passes on, from its own server or app. A request that the host has destroyed has lost its socket. Requests
 * of `light-my-request`, of Fastify's `inject` and of serverless adapters came over no connection: their socket is no stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NOSNIFF } from '../http/headers.ts';
import { errorAnswer } from '../errors/problem.ts';
import { asyncHooks, net } from '../node.ts';
import { textOf } from '../util/promises.ts';
import type { ExchangeDispatcher } from './connection/connection.ts';
import { Connections } from './connection/connections.ts';
import type { Exchange } from './connection/exchange.ts';
import type { Owner } from './connection/owner.ts';
import type { UserListeners } from './connection/user-listeners.ts';
import type { Dispatcher } from './dispatcher.ts';
import { outerExchangeOf, prepareForListener } from './host-listener.ts';
import { hostPrefixOf } from './host-prefix.ts';
import { hasTurn, isInjected, onFirstRead, onTurn, socketOf } from './node/messages.ts';
import { isRealSocket } from './node/sockets.ts';
import { requestFailure } from './logger.ts';
import type { Settings } from './options.ts';
import { answerToError } from './problem-formatter.ts';

/** A listener for `http.createServer`, and for `app.use` of Express, Connect and the like. */
export type MountableListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

/** The requests that this server's own connections have accepted and passed to the host, until the host hands them back. */
export class AcceptedRequests {
  // `undefined` once a request is dispatched.
  readonly #exchanges = new WeakMap<IncomingMessage, Exchange | undefined>();

  add(exchange: Exchange): void {
    this.#exchanges.set(exchange.request, exchange);
  }

  /** Whether the host has handed a request back. */
  isTaken({ request }: Exchange): boolean {
    return this.#exchanges.get(request) === undefined;
  }

  /** Dispatches such a request, once. Returns `false` for any other. */
  take(request: IncomingMessage, dispatch: (exchange: Exchange) => void): boolean {
    const exchange = this.#exchanges.get(request);
    if (exchange === undefined) return this.#exchanges.has(request);
    this.#exchanges.set(request, undefined);
    if (!exchange.isOpen) return true;
    exchange.hostPrefix = hostPrefixOf(request);
    dispatch(exchange);
    return true;
  }
}

/**
 * Passes each request to the listeners of `createServer`, which hand those for routes back to `requestListener`. They are called in the turn of
 * the request, so that it counts as one in flight, and `stop` waits for its response.
 */
export function dispatcherTo(
  listeners: UserListeners, accepted: AcceptedRequests, { logger }: Settings, requestListener: MountableListener,
): ExchangeDispatcher {
  const dispatch = (exchange: Exchange): void => {
    const { request, response } = exchange;
    accepted.add(exchange);
    prepareForListener(exchange, (thrown) => {
      logger.error(requestFailure(request, 'a listener of createServer', textOf(thrown), thrown));
      exchange.abandon();
    });
    // Whoever reads the body asks the client for it.
    if (exchange.expectsContinue) onFirstRead(request, () => accepted.isTaken(exchange) || !exchange.isOpen || exchange.sendContinue());
    const event = eventFor(exchange);
    if (listeners.has(event)) listeners.call(event, request, response);
    // Without a listener, Node responds 417, and so does the validation of the request.
    else if (event === 'checkExpectation' || !listeners.has('request')) requestListener(request, response);
    else listeners.call('request', request, response);
  };
  return { dispatch };
}

/** The event that Node emits for a request. */
function eventFor({ expectsContinue, request }: Exchange): string {
  if (expectsContinue) return 'checkContinue';
  return request.headers.expect !== undefined && request.httpVersion === '1.1' ? 'checkExpectation' : 'request';
}

// The servers of request listeners, for hosts that mount one server in another.
const owners = new WeakMap<object, Owner>();

/** The server whose `requestListener` a listener is; `undefined` for any other listener. */
export function ownerOf(listener: object): Owner | undefined {
  return owners.get(listener);
}

/** Makes `ApiServer.requestListener`. */
export function requestListenerOf(dispatcher: Dispatcher, accepted: AcceptedRequests, settings: Settings, owner: Owner): MountableListener {
  const dispatch = (exchange: Exchange): void => {
    const outer = outerExchangeOf(exchange.request);
    if (outer !== undefined && outer !== exchange) joinOuter(exchange, outer, owner);
    dispatcher.dispatch(exchange);
  };
  // A host may pass requests on late and in any order. Its own server sets the timeouts.
  const limits = { ...settings.limits, sendMs: Infinity, unsentBytes: Infinity };
  // `stop` drains none of them: the host closes its own server.
  const connections = new Connections({ settings: { ...settings, limits }, dispatcher: { dispatch }, isInOrder: false, owner });
  const listener: MountableListener = (request, response, next) => {
    if (typeof next === 'function' && !dispatcher.serves(request)) passOn(response, next);
    else if (isHttp2(request)) refuseHttp2(request, response, settings);
    else if (!accepted.take(request, dispatch)) accept(connections, request, response);
    owner.markUsed();
  };
  owners.set(listener, owner);
  return listener;
}

/** A request of a server that is mounted in another one: observers follow it as one, and both servers stop together. */
function joinOuter(exchange: Exchange, outer: Exchange, owner: Owner): void {
  exchange.observer = outer.observer;
  outer.connection.owner.inner.add(owner);
}

/** Passes a request to its connection, now or when its response gets a socket. */
function accept(connections: Connections, request: IncomingMessage, response: ServerResponse): void {
  const socket = socketOf(request, response);
  if (socket === null && !isInjected(request)) {
    inTurn(response, () => accept(connections, request, response));
    return;
  }
  restoreRawHeaders(request);
  const connection = connections.of(isRealSocket(socket) ? socket : standInFor(response));
  connection.accept(request, response, false, hostPrefixOf(request));
}

/** Passes a request on to the host's next listener, when all replies before it have been sent (RFC 9112 section 9.3.2). */
function passOn(response: ServerResponse, next: () => void): void {
  if (hasTurn(response)) next();
  else inTurn(response, () => next());
}

/** Node would call this in the async context of the request before. */
function inTurn(response: ServerResponse, call: () => void): void {
  onTurn(response, asyncHooks.AsyncResource.bind(call));
}

/** A request that was injected may have its header fields in `headers` alone. */
function restoreRawHeaders(request: IncomingMessage): void {
  if (request.rawHeaders.length > 0) return;
  request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((line) => [name, line]));
}

/** A socket without a connection. It closes with the response. */
function standInFor(response: ServerResponse): Socket {
  const socket = new net.Socket();
  // A write to it fails and closes it.
  socket.on('error', () => {});
  // Without it, the code that injected the request would not learn that there is no reply.
  socket.once('close', () => response.destroy());
  let isClosed = false;
  response.once('close', () => {
    isClosed = true;
    socket.destroy();
  });
  // Node's server emits `close` then. Some adapters do not, and the request would stay in flight.
  response.once('finish', () => setImmediate(() => isClosed || response.emit('close')));
  return socket;
}

const NO_HTTP2 = errorAnswer(505, 'This server has no HTTP/2. A proxy in front of it can speak HTTP/2 with clients.');

/** Whether a request came over a host's HTTP/2 server. A request over HTTP/1.1 has no member `stream`, whatever version it names. */
function isHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2 && 'stream' in request;
}

/** Replies 505: the requests and responses of HTTP/2 differ from those of HTTP/1.1 in ways that matter. */
function refuseHttp2(request: IncomingMessage, response: ServerResponse, settings: Settings): void {
  // The client may leave, and an `error` event without a listener would end the process.
  for (const stream of [request, response]) stream.on('error', () => {});
  const { status, headers, body } = answerToError(settings, NO_HTTP2, request);
  response.writeHead(status, Object.fromEntries(pairsOf([...NOSNIFF, ...headers, 'Content-Length', String(Buffer.byteLength(body))])));
  response.end(body);
  request.resume();
}

// Node throws at these. `formatProblem` cannot give the other fields that HTTP/2 has not (RFC 9113 section 8.2.2).
const OF_CONNECTION: ReadonlySet<string> = new Set(['http2-settings', 'proxy-connection']);

function* pairsOf(headers: readonly string[]): Generator<[name: string, value: string]> {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (!OF_CONNECTION.has(name.toLowerCase())) yield [name, value];
  }
}
