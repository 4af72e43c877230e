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
import type { RequestMessage, Route } from '../../declaration/request.ts';
import { ApiError, toInternalError } from '../../errors/api-error.ts';
import type { Rejection } from '../../errors/problem.ts';
import { asyncHooks, diagnosticsChannel } from '../../node.ts';
import { isError } from '../../util/promises.ts';
import type { Exchange, Observer } from '../exchange/exchange.ts';
import { toNode } from '../exchange/memory/node/message-maker.ts';
import { findSocket } from '../exchange/node/internals/requests.ts';

type Published = { -readonly [Member in keyof RequestMessage]: RequestMessage[Member] };

const { start, end, asyncStart, asyncEnd, error } = diagnosticsChannel.tracingChannel<unknown, Published>('restpoint.request');

/** Whether anyone subscribes. The tracing channels of Bun do not have `hasSubscribers` themselves. */
export function isObserved(): boolean {
  return start.hasSubscribers || end.hasSubscribers || asyncEnd.hasSubscribers || asyncStart.hasSubscribers || error.hasSubscribers;
}

/** Publishes a request, and calls `serve` in the stores that subscribers bind to `start`. */
export function observe(exchange: Exchange, route: Route, operation: string | undefined, serve: (exchange: Exchange) => void): void {
  if (exchange.observer !== undefined) {
    exchange.observer.refine({ method: route.method, path: (exchange.baseUrl ?? '') + route.path }, operation, exchange.id);
    return serve(exchange);
  }
  const published = new PublishedMessages(exchange);
  const message = published.publish(route, operation);
  start.runStores(message, () => {
    const served = published.settle();
    const observation = new Observation(message);
    served.observer = observation;
    // Called before the listeners of tracers that follow the whole response.
    served.onClose(() => observation.end(), true);
    try {
      serve(served);
    } catch (thrown) {
      observation.fail(thrown);
      throw thrown;
    } finally {
      end.publish(message);
      observation.endSync();
    }
  });
}

/** Node's messages of a request. If its carrier has none, they are made when a subscriber reads them. */
class PublishedMessages {
  #exchange: Exchange;
  #isServed = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  publish(route: Route, operation: string | undefined): Published {
    return Object.defineProperties({ route, operation, id: this.#exchange.id }, {
      request: { get: () => this.#exchange.raw, enumerable: true },
      response: { get: () => this.#getResponse(), enumerable: true },
      client: { get: () => this.#exchange.clientAddress, enumerable: true },
    }) as Published;
  }

  /** Returns the exchange to serve. From now on, a response is a copy of what is sent. */
  settle(): Exchange {
    this.#isServed = true;
    return this.#exchange;
  }

  #getResponse(): Published['response'] {
    // A subscriber to `start` can set headers, and follow how the response is written.
    if (!this.#isServed) this.#exchange = toNode(this.#exchange);
    return this.#exchange.response;
  }
}

/** One request that is published. */
class Observation implements Observer {
  readonly #message: Published;
  // The events of a response have the async context of its connection.
  readonly #context = new asyncHooks.AsyncResource('RESTPOINT_OBSERVED');
  #isSync = true;
  #isEnded = false;
  #isOver = false;

  constructor(message: Published) {
    this.#message = message;
  }

  refine(route: Route, operation: string | undefined, id: string | undefined): void {
    this.#message.route = route;
    this.#message.operation = operation;
    this.#message.id ??= id;
  }

  fail(thrown: unknown): void {
    this.#publishError(() => (isError(thrown) ? thrown : toInternalError(thrown)));
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

  /** Publishes the end of a response that was sent before `end` of the synchronous part. */
  endSync(): void {
    this.#isSync = false;
    if (this.#isEnded) this.end();
  }

  end(): void {
    this.#isEnded = true;
    if (this.#isOver || this.#isSync) return;
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
