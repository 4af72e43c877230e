/**
 * A host's own `(request, response)` listeners, each at a route and at everything below it.
 *
 *   mounted at /files:   /files  /files/a  /files/a/b   but not  /filesX
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf } from '../errors/api-error.ts';
import { adopt, isThenable } from '../errors/thenable.ts';
import { parseLiteralPath } from '../router/pattern.ts';
import { holdToLength } from './connection/declared-length.ts';
import type { Exchange } from './connection/exchange.ts';
import { Incoming } from './connection/incoming.ts';
import { hasHead } from './connection/node-internals.ts';
import type { Settings } from './settings/options.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { replyError, replyUnwritten } from './connection/reply.ts';
import { queryOf } from '../http/target.ts';

/**
 * A listener as Connect has them. It finds the route taken off `request.url` (which is at least `/`, and keeps the
 * query), and the whole target in `request.originalUrl`. It may return a promise, and may throw.
 */
export type MountHandler = (request: MountRequest, response: ServerResponse) => unknown;

/** A request as a mounted handler sees it. */
export type MountRequest = IncomingMessage & { originalUrl?: string };

/** A mounted handler and its route. */
export interface Mount {
  readonly route: string;
  readonly handler: MountHandler;
}

export class Mounts {
  // A host has few mounts, and a scan over few prefixes is faster than cutting the path into pieces.
  #longestFirst: readonly Mount[] = [];

  /** Adds a mount. Throws `TypeError` when the route is no path or is taken, or the handler no function. */
  add(route: unknown, handler: unknown): void {
    const mount = { route: parseLiteralPath('route', route), handler: handlerFrom(handler) };
    if (this.#longestFirst.some((other) => other.route === mount.route)) {
      throw new TypeError(`route * ${mount.route} conflicts with * ${mount.route}`);
    }
    this.#longestFirst = [...this.#longestFirst, mount].sort((a, b) => b.route.length - a.route.length);
  }

  /** The deepest mount that has a path. */
  find(path: string): Mount | undefined {
    return this.#longestFirst.find(({ route }) => {
      return route === '/' || (path.startsWith(route) && (path.length === route.length || path[route.length] === '/'));
    });
  }
}

function handlerFrom(handler: unknown): MountHandler {
  if (typeof handler !== 'function') throw new TypeError(`handler must be a function: ${typeof handler}`);
  return handler as MountHandler;
}

/** Lets a mounted handler answer, when the answers before its own are out. */
export function callMount(exchange: Exchange, mount: Mount, path: string, settings: Settings): void {
  const { response } = exchange;
  if (response.socket !== null) {
    callNow(exchange, mount, path, settings);
    return;
  }
  // A handler may look for the socket, or destroy its response or its request, and should not take those answers with it.
  exchange.keepContext();
  response.once('socket', () => process.nextTick(() => {
    if (exchange.isOpen) exchange.inContext(() => callNow(exchange, mount, path, settings));
  }));
}

/** Answers for the handler where it throws or rejects before it has begun. */
function callNow(exchange: Exchange, { route, handler }: Mount, path: string, settings: Settings): void {
  const { request, response, connection } = exchange;
  const fail = (thrown: unknown): void => failMount(exchange, route, thrown, settings);
  // The handler may break either stream, and an error that nobody listens for would end the process.
  if (request instanceof Incoming) request.share();
  request.on('error', ignore);
  response.on('error', ignore);
  if (exchange.expectsContinue) response.writeContinue();
  if (connection.closesNext) response.setHeader('Connection', 'close');
  holdToLength(response, fail);
  connection.releaseOnClose(exchange);
  stripRoute(request, route, path);
  try {
    const result = handler(request, response);
    if (isThenable(result)) adopt(result).catch(fail);
  } catch (thrown) {
    fail(thrown);
  }
}

function failMount(exchange: Exchange, route: string, thrown: unknown, settings: Settings): void {
  const { response, connection } = exchange;
  const refused = new ErrorResponse(500, settings.exposeInternalErrors ? textOf(thrown) : undefined);
  settings.logger.error(new Error(`* ${route}: ${textOf(thrown)}`, { cause: thrown }));
  if (exchange.isOpen && !hasHead(response)) {
    replyAfresh(exchange, refused);
  } else if (exchange.isOpen) {
    // A head that Node refused has left its traces, in how a body would be framed too, and they can not be undone.
    connection.sendLast(refused.raw, exchange);
  } else if (!response.writableEnded) {
    connection.destroy();
  }
}

/** Answers with nothing of what the handler has set; where it has broken the response, past that. */
function replyAfresh(exchange: Exchange, refused: ErrorResponse): void {
  const { response } = exchange;
  try {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    replyError(exchange, refused);
  } catch {
    replyUnwritten(exchange);
  }
}

/** Takes the route off a request's target, as a mounted handler expects it. */
function stripRoute(request: MountRequest, route: string, path: string): void {
  const target = request.url ?? '';
  const rest = route === '/' ? path : path.slice(route.length) || '/';
  // A mount within a mount keeps what the outer one saw.
  request.originalUrl ??= target;
  request.url = rest + queryOf(target);
}

function ignore(): void {}
