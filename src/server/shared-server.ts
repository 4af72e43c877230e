/**
 * Requests of a server that `createServer` has made for an app too:
 *
 *   connection   ->   its turn   ->   the listeners of the app   ->   requestListener   ->   dispatcher
 *
 * A request is offered to the app in its turn, so that it is in flight until it has its response, and `stop` waits for it.
 */
import type { IncomingMessage } from 'node:http';
import { findBaseUrl } from './base-url.ts';
import type { ExchangeDispatcher } from './connection/connection.ts';
import type { Exchange } from './connection/exchange.ts';
import type { UserListeners } from './connection/user-listeners.ts';
import { prepareForListener } from './listeners.ts';
import { logRequestError } from './logger.ts';
import { onFirstRead } from './node/messages.ts';
import type { Settings } from './options.ts';
import type { MountableListener } from './request-listener.ts';

/** The requests that were offered to an app, until it passes them to `requestListener`. */
export class OfferedRequests {
  // `undefined` once a request is dispatched.
  readonly #exchanges = new WeakMap<IncomingMessage, Exchange | undefined>();

  add(exchange: Exchange): void {
    this.#exchanges.set(exchange.request, exchange);
  }

  isTaken({ request }: Exchange): boolean {
    return this.#exchanges.get(request) === undefined;
  }

  /** Dispatches such a request, once. Returns `false` for any other. */
  take(request: IncomingMessage, dispatch: (exchange: Exchange) => void): boolean {
    const exchange = this.#exchanges.get(request);
    if (exchange === undefined) return this.#exchanges.has(request);
    this.#exchanges.set(request, undefined);
    if (!exchange.isOpen) return true;
    exchange.baseUrl = findBaseUrl(request);
    dispatch(exchange);
    return true;
  }
}

/** Makes a dispatcher that offers each request to the listeners of an app. */
export function offerTo(
  listeners: UserListeners, offered: OfferedRequests, { logger }: Settings, requestListener: MountableListener,
): ExchangeDispatcher {
  const dispatch = (exchange: Exchange): void => {
    const { request, response } = exchange;
    offered.add(exchange);
    prepareForListener(exchange, (thrown) => {
      logRequestError(logger, request, 'a listener of createServer', thrown);
      exchange.abandon();
    });
    // The client sends its body when a listener begins to read it.
    if (exchange.expectsContinue) onFirstRead(request, () => offered.isTaken(exchange) || !exchange.isOpen || exchange.sendContinue());
    const event = chooseEvent(exchange);
    if (listeners.has(event)) listeners.call(event, request, response);
    // Without a listener, Node responds 417, and so does the validation of the request.
    else if (event === 'checkExpectation' || !listeners.has('request')) requestListener(request, response);
    else listeners.call('request', request, response);
  };
  return { dispatch };
}

/** Returns the event that Node emits for a request. */
function chooseEvent({ expectsContinue, request }: Exchange): string {
  if (expectsContinue) return 'checkContinue';
  return request.headers.expect !== undefined && request.httpVersion === '1.1' ? 'checkExpectation' : 'request';
}
