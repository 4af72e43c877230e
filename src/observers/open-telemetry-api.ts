/**
 * The parts of `@opentelemetry/api` that are used here. The types are copies, so that the package need not be installed. Functions are
 * declared as methods, so that the package's functions, which have narrower parameters, can be assigned.
 */
export type Attributes = Record<string, string | number>;

/** A span of `@opentelemetry/api`, as far as it is used here. */
export interface Span {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  recordException(error: Error): void;
  end(): void;
}

/** Makes spans, as in `@opentelemetry/api`. */
export interface Tracer {
  startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }, context?: object): Span;
}

/** Records durations, as in `@opentelemetry/api`. */
export interface Histogram {
  record(value: number, attributes: Attributes, context?: object): void;
}

/** Counts open requests, as in `@opentelemetry/api`. */
export interface UpDownCounter {
  add(value: number, attributes: Attributes, context?: object): void;
}

/** Makes instruments, as in `@opentelemetry/api`. */
export interface Meter {
  createHistogram(name: string, options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } }): Histogram;
  createUpDownCounter(name: string, options: { description: string; unit: string }): UpDownCounter;
}

/** The module `@opentelemetry/api`, or a part of it. */
export interface OpenTelemetryApi {
  readonly context: { active(): object };
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
