/**
 * Sockets that leave HTTP (RFC 9110 section 7.8), each handed to the handler of its path:
 *
 *   GET /chat   Connection: Upgrade   Upgrade: websocket   ->   the handler at /chat
 *
 * A request that no handler takes gets the response that it would get without `Upgrade`.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { option, type Shape, shape } from '../../util/options.ts';
import { Head } from '../../http/head.ts';
import { asyncHooks } from '../../node.ts';
import { Prefixes } from '../../router/router.ts';
import type { Connection } from '../exchange/node/connection.ts';
import type { Connections } from '../exchange/node/connections.ts';
import type { RunningServer } from '../exchange/node/running-server.ts';
import { catchRejection, type MountRequest, stripRoute } from './listeners.ts';
import { shareRequest, useOriginForm } from '../exchange/node/internals/incoming.ts';
import { emitNoClose } from '../exchange/node/internals/requests.ts';
import { chooseUpgrades } from '../exchange/node/internals/servers.ts';
import { stopReading } from '../exchange/node/internals/sockets.ts';
import { logRequestError } from '../settings/logger.ts';
import type { Settings } from '../settings/server-options.ts';

/**
 * Takes over a socket. It writes the response itself: 101, or a rejection. `request.url` is the target without the route, as for a mount.
 * `head` has the bytes that came after the request. The handler may return a promise, and may throw.
 *
 * @example
 * ```ts
 * import { WebSocketServer } from 'ws';
 *
 * const sockets = new WebSocketServer({ noServer: true });
 * server.registerUpgrade('/chat', (request, socket, head) => {
 *   sockets.handleUpgrade(request, socket, head, (client) => request.once('close', () => client.close(1001)));
 * });
 * ```
 */
export type UpgradeHandler = (request: MountRequest, socket: Socket, head: Buffer) => unknown;

/**
 * The options of `registerUpgrade`.
 *
 * @example
 * ```ts
 * const options: UpgradeOptions = { protocol: 'chat' };
 * server.registerUpgrade('/chat', (_request, socket) => void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'), options);
 * ```
 */
export interface UpgradeOptions {
  /**
   * The protocol that `Upgrade` of the request must name, in any case.
   *
   * @default 'websocket'
   */
  readonly protocol?: string;
}

interface Upgrade {
  readonly route: string;
  readonly protocol: string;
  readonly handler: UpgradeHandler;
}

interface Found {
  readonly upgrade: Upgrade;
  /** The path of the request, with the route. */
  readonly path: string;
}

/** Returns the path of a valid request, or its rejection. */
interface Validator {
  check(received: Pick<IncomingMessage, 'httpVersion' | 'method' | 'url'> & { readonly head: Head }): unknown;
}

export class Upgrades {
  readonly #settings: Settings;
  readonly #validator: Validator;
  readonly #routes = new Prefixes<Upgrade>('UPGRADE');
  // The server, until there is a handler: without one, nothing in Node's server changes.
  #unchanged: RunningServer | undefined;

  constructor(settings: Settings, validator: Validator) {
    this.#settings = settings;
    this.#validator = validator;
  }

  /** Adds a handler. Throws `TypeError` when its route is malformed or taken, or when the handler or an option is invalid. */
  add(route: unknown, handler: unknown, options: unknown): void {
    const path = this.#routes.check(route);
    if (typeof handler !== 'function') throw new TypeError(`handler must be a function: ${typeof handler}`);
    const { protocol } = UPGRADE_OPTIONS.check(options, 'options');
    this.#routes.insert(path, { route: path, protocol, handler: handler as UpgradeHandler });
    if (this.#unchanged !== undefined) this.#listen(this.#unchanged);
    this.#unchanged = undefined;
  }

  /** Serves the upgrades of a server's connections. */
  serve(running: RunningServer): void {
    if (this.#routes.isEmpty) this.#unchanged = running;
    else this.#listen(running);
  }

  #listen({ server, connections }: RunningServer): void {
    chooseUpgrades(server, connections.sockets, (request) => this.#find(request) !== undefined);
    server.on('upgrade', (request, socket, head) => this.#take(connections, request, socket as Socket, head));
  }

  /** Returns the handler for a request. `undefined` if the request is invalid, has a body, or asks for a different protocol. */
  #find(request: IncomingMessage): Found | undefined {
    const head = new Head(useOriginForm(request).rawHeaders);
    if (head.hasBody || request.httpVersion === '1.0') return undefined;
    const path = this.#validator.check({ head, httpVersion: request.httpVersion, method: request.method, url: request.url });
    if (typeof path !== 'string') return undefined;
    const upgrade = this.#routes.find(path);
    return upgrade !== undefined && includesProtocol(head.upgrade, upgrade.protocol) ? { upgrade, path } : undefined;
  }

  #take(connections: Connections, request: IncomingMessage, socket: Socket, head: Buffer): void {
    const found = this.#find(request);
    // An engine may emit the event for every upgrade.
    if (found === undefined) return void socket.destroy();
    const id = this.#settings.requestId?.choose({ rawHeaders: request.rawHeaders, address: socket.remoteAddress }, undefined);
    if (id !== undefined) Object.assign(request, { id });
    // Since Node 24, `socket` may be a stream over the socket of the request, which waits for the end of a body.
    const { socket: carrier } = request;
    // Without `bind`, Node would call `begin` in the async context of the previous request.
    const begin = asyncHooks.AsyncResource.bind((early: Buffer) => {
      const close = this.#closing(found, request);
      emitNoClose(request);
      // Node has set a timeout after the previous response. A stream in memory has none.
      if ('setTimeout' in carrier) carrier.setTimeout(0);
      carrier.once('close', close);
      connections.release(carrier, close);
      this.#call(found, request, socket, early);
    });
    whenSwitched(connections.get(carrier), socket, head, begin);
  }

  #call(found: Found, request: MountRequest, socket: Socket, head: Buffer): void {
    const onError = (thrown: unknown): void => {
      this.#log(found, request, thrown);
      socket.destroy();
    };
    const { handler, route } = found.upgrade;
    try {
      stripRoute(request, route, found.path);
      catchRejection(handler(shareRequest(request), socket, head), onError);
    } catch (thrown) {
      onError(thrown);
    }
  }

  /** Returns a function that emits `close` on the request, once, when the socket closes or must be closed. */
  #closing(found: Found, request: IncomingMessage): () => void {
    let isEmitted = false;
    return () => {
      if (isEmitted) return;
      isEmitted = true;
      try {
        request.emit('close');
      } catch (thrown) {
        this.#log(found, request, thrown);
      }
    };
  }

  #log({ upgrade: { route } }: Found, request: IncomingMessage, thrown: unknown): void {
    const { rawHeaders, headers } = request;
    const { logger, requestId } = this.#settings;
    const id = requestId === undefined ? undefined : (request as { readonly id?: string }).id;
    logRequestError(logger, { rawHeaders, headers, id, raw: request }, `UPGRADE ${route}`, thrown);
  }
}

// Clients wait for the response to an upgrade before they use the new protocol.
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * Calls a function with the bytes after an upgrade, when the requests before it have their responses. Does not call it if the connection
 * closes before that.
 */
function whenSwitched(connection: Connection, socket: Socket, head: Buffer, begin: (head: Buffer) => void): void {
  const chunks = [head];
  let early = 0;
  // The socket is read so that the server notices when the client leaves.
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    early += chunk.length;
    if (early > MAX_EARLY_BYTES) socket.destroy();
  };
  const onEnd = (): unknown => socket.destroy();
  const removeListeners = connection.listenInPlaceOfNode(socket);
  let isWaiting = false;
  const isNow = connection.whenIdle(() => {
    removeListeners();
    if (isWaiting) {
      socket.off('data', onData).off('end', onEnd);
      stopReading(socket);
    }
    begin(Buffer.concat(chunks));
  });
  if (isNow) return;
  isWaiting = true;
  socket.on('data', onData).on('end', onEnd);
}

// A token, which can have a version (RFC 9110 section 7.8).
const PROTOCOL = /^[\w!#$%&'*+.^`|~-]+(?:\/[\w!#$%&'*+.^`|~-]+)?$/;

/** `server.registerUpgrade(route, handler, options)`: {@link UpgradeOptions}. */
export const UPGRADE_OPTIONS: Shape<Required<UpgradeOptions>> = shape({ protocol: option('a protocol', checkProtocol, 'websocket') });

function checkProtocol(value: unknown, path: string): string {
  if (typeof value === 'string' && PROTOCOL.test(value)) return value.toLowerCase();
  throw new TypeError(`${path} must be a token, such as chat: ${String(value)}`);
}

/** Whether a list of protocols includes one. */
function includesProtocol(list: string | undefined, protocol: string): boolean {
  return list !== undefined && list.split(',').some((each) => each.trim().toLowerCase() === protocol);
}
