/**
 * OpenTelemetry spans and metrics for the requests that are published on `restpoint.request`, by the semantic conventions of HTTP servers.
 *
 *   start      begins a span: for the request, or as a child of the span of an instrumentation of `node:http`
 *   asyncEnd   ends the span with the status and the failure, and records the duration
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { RequestMessage } from '../declaration/request.ts';
import { checkFunction, checkObject } from '../util/options.ts';

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

interface SpanRecord {
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
  const observer = new TelemetryObserver(api);
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

class TelemetryObserver {
  readonly #api: OpenTelemetryApi;
  readonly #metrics: Metrics | undefined;
  readonly #observations = new WeakMap<RequestMessage, SpanRecord>();

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
      // A method that the conventions do not define is `HTTP`.
      `${(isInner ? operation : undefined) ?? knownMethod(request) ?? 'HTTP'} ${route.path}`,
      { kind: isInner ? KIND_INTERNAL : KIND_SERVER, attributes: { ...requestAttributes(request), ...routeAttributes(message), ...idAttributes(message) } },
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
    // A mounted server may have given the request its id.
    span.setAttributes({ ...result, ...idAttributes(message) });
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

  end({ context, startedMs, measured }: SpanRecord, result: Attributes): void {
    this.#active.add(-1, measured, context);
    this.#duration.record((performance.now() - startedMs) / 1000, { ...measured, ...result }, context);
  }
}

// RFC 9110, RFC 5789 and RFC 10008. If any method were accepted, clients could invent an unlimited number of values.
const METHODS: readonly string[] = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY', 'TRACE'];

/** Returns the method of a request, if the conventions define it. */
export function knownMethod({ method = '' }: IncomingMessage): string | undefined {
  return METHODS.find((known) => known === method);
}

/** Returns the attributes that are known when a request begins. */
export function requestAttributes(request: IncomingMessage & { readonly originalUrl?: string }): Attributes {
  const { socket, headers, httpVersion } = request;
  const [path = '', ...queries] = (request.originalUrl ?? request.url ?? '').split('?');
  const method = knownMethod(request);
  const { host = '', 'user-agent': agent } = headers;
  // An IPv6 address has colons too.
  const [, address = '', port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return {
    'http.request.method': method ?? '_OTHER',
    ...(method === undefined && { 'http.request.method_original': request.method ?? '' }),
    'url.scheme': 'encrypted' in socket ? 'https' : 'http',
    'url.path': path,
    ...(queries.length > 0 && { 'url.query': queries.join('?') }),
    ...(address !== '' && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
    ...(socket.remoteAddress !== undefined && { 'client.address': socket.remoteAddress }),
    'network.protocol.version': httpVersion,
    ...(agent !== undefined && { 'user_agent.original': agent }),
  };
}

/** Returns the attributes of the route. A mounted server can still refine the route while the request is served. */
export function routeAttributes({ route, operation }: RequestMessage): Attributes {
  return { 'http.route': route.path, ...(operation !== undefined && { 'restpoint.operation': operation }) };
}

/** Returns the id of the request, for spans only: a metric would have a series for each request. */
function idAttributes({ id }: RequestMessage): Attributes {
  return id === undefined ? {} : { 'restpoint.request.id': id };
}

/** Returns the type of a failure: for a 5xx, or a response that failed after its head was sent. `undefined` for any other response. */
export function findErrorType({ response: { statusCode }, error }: RequestMessage): string | undefined {
  if (statusCode < 500 && !(error !== undefined && statusCode < 400)) return undefined;
  return error?.name ?? String(statusCode);
}

// The parts of `@opentelemetry/api` that are used here, copied so that the package need not be installed. Functions are declared as methods,
// so that the package's functions, which have narrower parameters, can be assigned.

type Attributes = Record<string, string | number>;

interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  recordException(error: Error): void;
  end(): void;
}

interface Tracer {
  startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }, context?: object): Span;
}

interface Histogram {
  record(value: number, attributes: Attributes, context?: object): void;
}

interface UpDownCounter {
  add(value: number, attributes: Attributes, context?: object): void;
}

interface Meter {
  createHistogram(name: string, options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } }): Histogram;
  createUpDownCounter(name: string, options: { description: string; unit: string }): UpDownCounter;
}

/** The module `@opentelemetry/api`, or a part of it. */
export interface OpenTelemetryApi {
  /** Returns the context that is active. */
  readonly context: { active(): object };
  /** Reads and sets the span of a context. */
  readonly trace: {
    getTracer(name: string): Tracer;
    getSpan(context: object): object | undefined;
    setSpan(context: object, span: Span): object;
  };
  /** Reads the trace of the client from the headers. Without it, each request begins a new trace. */
  readonly propagation?: { extract(context: object, headers: object): object } | undefined;
  /** Without it, nothing is measured. */
  readonly metrics?: { getMeter(name: string): Meter } | undefined;
}
