/**
 * OpenTelemetry spans and metrics for the requests that are published on `restpoint.request`, by the semantic conventions of HTTP servers.
 *
 *   start      begins a span: for the request, or as a child of the span of an instrumentation of `node:http`
 *   asyncEnd   ends the span with the status and the failure, and records the duration
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestMessage } from '../endpoint/request-message.ts';
import { checkFunction, checkObject } from '../util/options.ts';
import { findErrorType, knownMethod, requestAttributes, routeAttributes } from './attributes.ts';
import type { Attributes, Histogram, Meter, OpenTelemetryApi, Span, UpDownCounter } from './open-telemetry-api.ts';

/**
 * The options of `openTelemetry`.
 *
 * @example
 * ```ts
 * import { AsyncLocalStorage } from 'node:async_hooks';
 * import api from '@opentelemetry/api';
 *
 * const options: OpenTelemetryOptions = { storage: new AsyncLocalStorage() };
 * openTelemetry(api, options);
 * ```
 */
export interface OpenTelemetryOptions {
  /**
   * The storage in which the context manager keeps the active context. With it, the span of a request is active in its operation, so that
   * spans of the operation are its children.
   * @default no span is made active
   */
  readonly storage?: AsyncLocalStorage<object>;
}

// Not imported from node.ts, which loads node:http: an instrumentation could then only be registered before this module is imported.
const diagnosticsChannel: typeof import('node:diagnostics_channel') = process.getBuiltinModule('node:diagnostics_channel');
// `SpanKind` and `SpanStatusCode` of the package.
const KIND_INTERNAL = 0;
const KIND_SERVER = 1;
const STATUS_ERROR = 2;
const SCOPE = 'restpoint';
// In seconds, as the conventions advise.
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

interface Observation {
  readonly span: Span;
  readonly context: object;
  readonly startedMs: number;
  readonly measured: Attributes;
}

/**
 * Creates a span for each request with a route and, if `api.metrics` is given, the metrics `http.server.request.duration`, in seconds, and
 * `http.server.active_requests`. `api` is the module `@opentelemetry/api`. Returns a function that stops this.
 *
 * If a span is already active, such as the span of an instrumentation of `node:http`, the new span is its child, of kind `INTERNAL`.
 * Otherwise it is of kind `SERVER`, in the trace of the client.
 *
 * @example
 * ```ts
 * import * as api from '@opentelemetry/api';
 *
 * const stop = openTelemetry(api);
 * ```
 * @throws `TypeError` if `api` is not the module.
 */
export function openTelemetry(api: OpenTelemetryApi, { storage }: OpenTelemetryOptions = {}): () => void {
  const { trace, context } = checkObject(api, 'api') as Partial<OpenTelemetryApi>;
  for (const [of, name] of [[trace, 'getTracer'], [context, 'active']] as const) {
    const method: unknown = Object(of)[name];
    if (method !== undefined) checkFunction(method, `api.${name}`);
    else throw new TypeError(`api must be the module @opentelemetry/api: it has no ${name}`);
  }
  const observer = new Observer(api);
  const { start, asyncEnd } = diagnosticsChannel.tracingChannel<object, RequestMessage>('restpoint.request');
  const begin = (message: unknown): object => observer.begin(message as RequestMessage);
  const end = (message: unknown): void => observer.end(message as RequestMessage);
  if (storage === undefined) start.subscribe(begin);
  else start.bindStore(storage, begin);
  asyncEnd.subscribe(end);
  return () => {
    if (storage === undefined) start.unsubscribe(begin);
    else start.unbindStore(storage);
    asyncEnd.unsubscribe(end);
  };
}

class Observer {
  readonly #api: OpenTelemetryApi;
  readonly #metrics: Metrics | undefined;
  readonly #observations = new WeakMap<RequestMessage, Observation>();

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
    this.#metrics = api.metrics === undefined ? undefined : new Metrics(api.metrics.getMeter(SCOPE));
  }

  /** Returns the context in which the span is active. */
  begin(message: RequestMessage): object {
    const { trace, context, propagation } = this.#api;
    const { request, route, operation } = message;
    const active = context.active();
    const isInner = trace.getSpan(active) !== undefined;
    const parent = isInner ? active : propagation?.extract(active, request.headers) ?? active;
    const span = trace.getTracer(SCOPE).startSpan(
      isInner && operation !== undefined ? `${operation} ${route.path}` : formatName(message),
      { kind: isInner ? KIND_INTERNAL : KIND_SERVER, attributes: { ...requestAttributes(request), ...routeAttributes(message) } },
      parent,
    );
    const own = trace.setSpan(parent, span);
    const measured = this.#metrics?.begin(message, own) ?? {};
    this.#observations.set(message, { span, context: own, startedMs: performance.now(), measured });
    return own;
  }

  end(message: RequestMessage): void {
    const observation = this.#observations.get(message);
    // The request began before the subscription.
    if (observation === undefined) return;
    const { span } = observation;
    const { request, response, error } = message;
    const type = findErrorType(message);
    const result: Attributes = {
      ...routeAttributes(message),
      ...(response.headersSent && { 'http.response.status_code': response.statusCode }),
      ...(type !== undefined && { 'error.type': type }),
    };
    span.setAttributes(result);
    if (type !== undefined) {
      if (error !== undefined) span.recordException(error);
      span.setStatus({ code: STATUS_ERROR });
    }
    span.end();
    this.#metrics?.end(observation, { 'network.protocol.version': request.httpVersion, ...result });
  }
}

class Metrics {
  readonly #duration: Histogram;
  readonly #active: UpDownCounter;

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram('http.server.request.duration', {
      description: 'Duration of HTTP server requests.', unit: 's', advice: { explicitBucketBoundaries: BUCKETS },
    });
    this.#active = meter.createUpDownCounter('http.server.active_requests', {
      description: 'Number of active HTTP server requests.', unit: '{request}',
    });
  }

  /** Returns the attributes of all metrics of a request. Clients cannot choose any value of them freely. */
  begin({ request }: RequestMessage, context: object): Attributes {
    const { 'http.request.method': method = '', 'url.scheme': scheme = '' } = requestAttributes(request);
    const measured = { 'http.request.method': method, 'url.scheme': scheme };
    this.#active.add(1, measured, context);
    return measured;
  }

  end({ context, startedMs, measured }: Observation, result: Attributes): void {
    this.#active.add(-1, measured, context);
    this.#duration.record((performance.now() - startedMs) / 1000, { ...measured, ...result }, context);
  }
}

/** Formats the name of a span: `GET /v1/pet/:id`. A method that the conventions do not define is `HTTP`. */
function formatName({ request, route }: RequestMessage): string {
  return `${knownMethod(request) ?? 'HTTP'} ${route.path}`;
}
