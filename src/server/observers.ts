/**
 * Publishes requests on the tracing channel `restpoint.request`, for spans and metrics. One message goes through all events:
 *
 *   start        the route is known, and nothing else is done yet
 *   end          the synchronous part is done
 *   error        the response is an error, or is destroyed
 *   asyncStart   the response is sent, or the client has left
 *   asyncEnd     the same. It is the last event of a request, and comes once
 *
 * They are published in the async context that the stores of `start` make. The operation runs in it too.
 */
import type { RequestMessage } from '../endpoint/request-message.ts';
import type { Route } from '../endpoint/routes.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Rejection } from '../errors/problem.ts';
import { asyncHooks, diagnosticsChannel } from '../node.ts';
import type { Exchange, Observer } from './connection/exchange.ts';
import { shareRequest } from './node/incoming.ts';
import { onBeforeClose, findSocket } from './node/messages.ts';

type Published = { -readonly [Member in keyof RequestMessage]: RequestMessage[Member] };

const { start, end, asyncStart, asyncEnd, error } = diagnosticsChannel.tracingChannel<unknown, Published>('restpoint.request');

/** Whether anyone subscribes. The tracing channels of Bun do not have `hasSubscribers` themselves. */
export function isObserved(): boolean {
  return start.hasSubscribers || end.hasSubscribers || asyncEnd.hasSubscribers || asyncStart.hasSubscribers || error.hasSubscribers;
}

/** Publishes a request, and calls `serve` in the stores that subscribers bind to `start`. */
export function observe(exchange: Exchange, route: Route, operation: string | undefined, serve: () => void): void {
  const { response } = exchange;
  if (exchange.observer !== undefined) {
    exchange.observer.refine({ method: route.method, path: (exchange.baseUrl ?? '') + route.path }, operation);
    serve();
    return;
  }
  const message: Published = { request: shareRequest(exchange.request), response, route, operation };
  start.runStores(message, () => {
    const observation = new Observation(message);
    exchange.observer = observation;
    // Called before the listeners of tracers that follow the whole response.
    onBeforeClose(response, () => observation.end());
    try {
      serve();
    } catch (thrown) {
      observation.fail(thrown);
      throw thrown;
    } finally {
      end.publish(message);
    }
  });
}

/** One request that is published. */
class Observation implements Observer {
  readonly #message: Published;
  // The events of a response have the async context of its connection.
  readonly #context = new asyncHooks.AsyncResource('RESTPOINT_OBSERVED');
  #isOver = false;

  constructor(message: Published) {
    this.#message = message;
  }

  refine(route: Route, operation: string | undefined): void {
    this.#message.route = route;
    this.#message.operation = operation;
  }

  fail(thrown: unknown): void {
    this.#publishError(() => toError(thrown));
  }

  reject(rejection: Rejection): void {
    this.#publishError(() => ApiError.wrap(rejection));
  }

  replace(status: number): void {
    const { request, response } = this.#message;
    response.statusCode = status;
    // The response itself closes later, with the connection. The socket of an injected request may not be a stream.
    findSocket(request, response)?.once?.('finish', () => this.end());
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context.runInAsyncScope(() => {
      asyncStart.runStores(this.#message, () => asyncEnd.publish(this.#message));
    });
  }

  /** Publishes only the first error: the response was made from it. */
  #publishError(make: () => Error): void {
    if (this.#isOver || this.#message.error !== undefined) return;
    this.#message.error = make();
    this.#context.runInAsyncScope(() => error.publish(this.#message));
  }
}

/** Makes an `Error` of anything thrown. */
function toError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
  } catch {
    // The value may be a proxy that throws.
  }
  return ApiError.from(thrown, () => false);
}
