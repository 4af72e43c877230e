/** One request and its answer, on their way from the connection to the handler and back. */
import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asyncHooks } from '../../node.ts';
import type { Connection, HttpPair } from './connection.ts';
import type { Connections } from './connections.ts';
import { Head } from '../../http/head.ts';
import { Incoming } from './incoming.ts';

export class Exchange implements HttpPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection<Exchange>;
  readonly head: Head;
  /** The client sends the body only after a `100 Continue` (RFC 9110 section 10.1.1). */
  expectsContinue: boolean;
  /** Nothing that comes after this request can be told apart from it, so the connection can not be kept. */
  forceClose = false;
  #context: AsyncResource | undefined;
  #onRelease: (() => void) | undefined;

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
   * Behind a request that asks for an upgrade, Node's parser drops the rest of what it had received, and takes what is
   * received next for a new request, be it the middle of a body.
   */
  get isLast(): boolean {
    return this.head.upgrade !== undefined;
  }

  /** Whether all of the request is here. */
  get isReceived(): boolean {
    return this.request.complete || !this.head.hasBody;
  }

  /** A server of the host's own makes plain requests, which hold as much as any stream does. */
  readAhead(hasRoom: () => boolean): void {
    if (this.request instanceof Incoming) this.request.readAhead(hasRoom);
  }

  /**
   * Keeps the present async context. Who has to wait is called back by another: by the request before it, by a later
   * piece of its body. The host's functions would then find that one's `AsyncLocalStorage`.
   */
  keepContext(): void {
    this.#context ??= new asyncHooks.AsyncResource('RESTPOINT_REQUEST');
  }

  /** Calls a function in the async context that was kept, else in the present one. */
  inContext(call: () => void): void {
    if (this.#context === undefined) call();
    else this.#context.runInAsyncScope(call);
  }

  /** Calls a function once, when the request is not in work any more. */
  onRelease(call: () => void): void {
    this.#onRelease = call;
  }

  release(): void {
    const call = this.#onRelease;
    this.#onRelease = undefined;
    call?.();
  }

  /** Whether the answer can still be given: nobody has begun one, and the client is there. */
  get isOpen(): boolean {
    return !this.response.headersSent && !this.response.destroyed && !this.connection.isEnding;
  }
}

/** Hands a request to its connection, that of `socket`, which begins it when its turn comes. */
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
