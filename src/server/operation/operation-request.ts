/** The `request` argument of an operation. `query` and `signal` are made when the operation first reads them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '../../endpoint/request.ts';
import type { Route } from '../../endpoint/routes.ts';
import { queryOf } from '../../http/target.ts';
import { asyncHooks } from '../../node.ts';
import { shared } from '../node-internals/incoming.ts';
import { socketOf } from '../node-internals/requests.ts';

const NO_PARAMS: Readonly<Record<string, never>> = Object.freeze({});

export abstract class OperationRequest implements ApiRequest<unknown, object, unknown> {
  context: unknown = undefined;
  params: object = NO_PARAMS;
  /** The id of the item. */
  itemId: unknown = undefined;
  abstract readonly route: Route;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #query: unknown;
  #controller: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
  }

  get raw(): IncomingMessage {
    return shared(this.#request);
  }

  /** Adds a parameter of the path. */
  setParam(name: string, value: unknown): void {
    if (this.params === NO_PARAMS) this.params = {};
    // A parameter can have the name `__proto__`, for which an assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(this.params, name, { value, enumerable: true });
    else (this.params as Record<string, unknown>)[name] = value;
  }

  get query(): unknown {
    // `URLSearchParams` drops the leading `?` itself.
    return (this.#query ??= new URLSearchParams(this.queryText));
  }

  set query(decoded: unknown) {
    this.#query = decoded;
  }

  /** The query of the target, with its `?`. */
  get queryText(): string {
    return queryOf(this.#request.url ?? '');
  }

  get signal(): AbortSignal {
    return (this.#controller ??= this.#abortOnLeave()).signal;
  }

  /** Aborts `signal`, even if the operation reads it only later. */
  abort(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  #abortOnLeave(): AbortController {
    const controller = new AbortController();
    const response = this.#response;
    // After the reply it does not matter that the client leaves, and no event would remove the listeners.
    const socket = socketOf(this.#request, response);
    if (response.writableEnded || socket === null) return controller;
    // Events of the socket have the socket's async context. The listeners of `signal` must run in that of the operation.
    const context = new asyncHooks.AsyncResource('RESTPOINT_SIGNAL');
    const abort = (): void => {
      if (response.writableEnded) return;
      context.runInAsyncScope(() => controller.abort(new DOMException('the client left', 'AbortError')));
    };
    if (socket.destroyed || response.destroyed) abort();
    // The connection may be kept after the reply, so the listener is removed then. The socket of an injected request may emit no
    // events, but its response does.
    socket.once?.('close', abort);
    response.once('close', () => {
      socket.off?.('close', abort);
      abort();
    });
    return controller;
  }
}
