/** What an operation may ask of its request. All of it is made when it is asked for, and not before. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '../../endpoint/request.ts';
import { asyncHooks } from '../../node.ts';
import { socketOf } from '../connection/node-internals.ts';
import { Incoming } from '../connection/incoming.ts';
import { queryOf } from '../../http/target.ts';

export class OperationRequest implements ApiRequest {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #query: URLSearchParams | undefined;
  #controller: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
  }

  get raw(): IncomingMessage {
    if (this.#request instanceof Incoming) this.#request.share();
    // The operation may break it, and an error that nobody listens for would end the process.
    if (this.#request.listenerCount('error') === 0) this.#request.on('error', () => {});
    return this.#request;
  }

  get query(): URLSearchParams {
    // `URLSearchParams` takes one mark off by itself.
    return (this.#query ??= new URLSearchParams(queryOf(this.#request.url ?? '')));
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#abortedWhenTheClientLeaves()).signal;
  }

  /** Tells the operation that nobody waits for it any more. */
  abort(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  #abortedWhenTheClientLeaves(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    // Asked for after the answer: nobody can leave before it any more, and nothing would take the listener away.
    const socket = socketOf(this.#request, response);
    if (response.headersSent || socket === null) return controller;
    // The socket's events come in its own async context, and the operation's listeners belong into the operation's.
    const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
    const abort = (): void => {
      if (response.headersSent) return;
      context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError')));
    };
    if (socket.destroyed || response.destroyed) abort();
    // The socket outlives the exchange on a kept connection, so its listener has to go when the answer is out. That of a request that
    // came over no connection may have no events, but its response has them.
    socket.once?.('close', abort);
    response.once('close', () => {
      socket.off?.('close', abort);
      abort();
    });
    return controller;
  }
}
