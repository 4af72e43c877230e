/** One request and its response, on the way from the connection to the handler and back. */
import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asyncHooks } from '../../node.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { Head } from '../../http/head.ts';
import type { HttpPair } from './pipeline.ts';

export class Exchange implements HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection<Exchange>;
  readonly head: Head;
  /** The client sends the body only after a `100 Continue` (RFC 9110 section 10.1.1). */
  expectsContinue: boolean;
  /** The end of this request is unknown, so the connection must close. */
  forceClose = false;
  /** Called when a host's listener writes a body of another length than its head declares. */
  onMismatch: ((error: unknown) => void) | undefined;
  #context: AsyncResource | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection<Exchange>,
    expectsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.expectsContinue = expectsContinue;
    this.head = new Head(request.rawHeaders);
  }

  /**
   * After a request with an upgrade, Node's parser drops what it has received, and takes the next bytes for a new request,
   * even in the middle of a body.
   */
  get isLast(): boolean {
    return this.head.upgrade !== undefined;
  }

  /** Whether the whole request has been received. */
  get isReceived(): boolean {
    return this.request.complete || !this.head.hasBody;
  }

  /**
   * Keeps the current async context. A request that has to wait is continued from a callback of another one, or of its connection:
   * the host's functions would find the wrong `AsyncLocalStorage` store there.
   */
  keepContext(): void {
    this.#context ??= new asyncHooks.AsyncResource('RESTPOINT_REQUEST');
  }

  /** Calls a function in the async context that was kept; in the current one if none was. */
  inContext(call: () => void): void {
    if (this.#context === undefined) call();
    else this.#context.runInAsyncScope(call);
  }

  /** Forgets the context that was kept: middleware may have called `next` in another one. */
  forgetContext(): void {
    this.#context = undefined;
  }

  /** Whether a listener of the host has had the response. It may have set headers, and replaced methods. */
  get isShared(): boolean {
    return this.onMismatch !== undefined;
  }

  /** Whether a reply can still be sent: none has begun, and the client is there. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isEnding;
  }
}

/** Passes a request to its connection, that of `socket`, which begins it when its turn comes. */
export function acceptRequest(
  connections: Connections<Exchange>,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
  socket: Socket = request.socket,
): void {
  const connection = connections.of(socket);
  connection.accept(new Exchange(request, response, connection, expectsContinue));
}
