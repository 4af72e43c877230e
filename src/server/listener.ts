/**
 * One listening `http.Server`, from `open` to `close`: Node's settings, the events that bring requests, and what
 * becomes of what never was a request.
 */
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { http } from '../node.ts';
import { Connections } from './connection/connections.ts';
import { acceptRequest, type Exchange } from './connection/exchange.ts';
import { closeListeningSocket, discardInput } from './connection/node-internals.ts';
import { RequestClass } from './connection/incoming.ts';
import { listen } from './listen.ts';
import type { Settings } from './settings/options.ts';
import { ErrorResponse } from '../http/error-response.ts';

// How often Node looks for connections that are over their time, which bounds how late they are closed.
const CHECKING_MS = 500;

export class Listener {
  readonly #settings: Settings;
  readonly #connections: Connections<Exchange>;
  readonly #server: Server;

  constructor(settings: Settings, dispatch: (exchange: Exchange) => void) {
    this.#settings = settings;
    this.#connections = new Connections(dispatch, true, settings.limits.sendMs);
    this.#server = this.#createServer();
  }

  /** Listens. Rejects with the engine's error when that fails. */
  async open(options: ListenOptions): Promise<AddressInfo | string | null> {
    await listen(this.#server, options);
    this.#server.on('error', (error) => this.#settings.logger.error(error));
    return this.#server.address();
  }

  /** Refuses new connections, answers what is in flight, and resolves when the last connection is closed. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const grace = setTimeout(() => this.#connections.destroy(), this.#settings.stopGraceMs);
      // Node's own `close` also destroys connections whose last answer is not flushed yet, so the listener is
      // closed by itself, and Node's `close` comes when nothing is left, to end the server's timer.
      const closed = (): void => {
        clearTimeout(grace);
        this.#server.close(() => resolve());
      };
      closeListeningSocket(this.#server, closed);
      this.#connections.drain();
    });
  }

  #createServer(): Server {
    const { headersMs, requestMs, keepAliveMs, headerBytes, connections } = this.#settings.limits;
    const server = http.createServer({
      IncomingMessage: RequestClass,
      headersTimeout: Math.min(headersMs, requestMs),
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: headerBytes,
      connectionsCheckingInterval: CHECKING_MS,
      // Checked with the rest of the head, where a second Host and an invalid one are refused as well.
      requireHostHeader: false,
    });
    // Node would drop what is over the count in silence; the head is refused for it instead.
    server.maxHeadersCount = 0;
    if (connections !== Infinity) server.maxConnections = connections;
    server.on('connection', (socket: Socket) => this.#connections.of(socket));
    server.on('request', (request, response) => acceptRequest(this.#connections, request, response, false));
    server.on('checkContinue', (request, response) => acceptRequest(this.#connections, request, response, true));
    server.on('checkExpectation', (request, response) => acceptRequest(this.#connections, request, response, false));
    server.on('connect', (_request, socket) => this.#refuseConnect(socket as Socket));
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#failed(String(error.code), socket as Socket));
    return server;
  }

  /** CONNECT asks for a tunnel, with a form of target that this server does not have. */
  #refuseConnect(socket: Socket): void {
    // Node has let go of the socket by now: of its errors, and of its input, where the client's leaving is seen.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.end());
    this.#refuse(socket, MALFORMED);
    discardInput(socket);
  }

  /** Node's parser gave up on what came, or Node on waiting for it; all else that fails is the socket itself. */
  #failed(code: string, socket: Socket): void {
    const isRequest = code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const hasLeft = code === 'HPE_INVALID_EOF_STATE';
    if (isRequest && this.#connections.of(socket).isDiscarding) {
      // The parser knows nothing of what is discarded, whatever it is: the answer before it is not to be lost.
      if (hasLeft) socket.end();
    } else if (isRequest && socket.writable) {
      this.#refuse(socket, refusedFor(code), hasLeft);
    } else {
      socket.destroy();
    }
  }

  #refuse(socket: Socket, refused: ErrorResponse, hasLeft = false): void {
    this.#connections.of(socket).fail(refused.raw, hasLeft);
  }
}

const MALFORMED = new ErrorResponse(400, 'The request is not valid HTTP/1.1.');
const TOO_SLOW_A_REQUEST = new ErrorResponse(408, 'The request took too long to arrive.');
const TOO_LONG_A_HEAD = new ErrorResponse(431, 'The header section is too long.');

function refusedFor(code: string): ErrorResponse {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LONG_A_HEAD;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW_A_REQUEST : MALFORMED;
}
