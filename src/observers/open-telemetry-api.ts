/**
 * The parts of `@opentelemetry/api` that are used here. The types are copies, so that the package need not be installed. Functions are
 * declared as methods, so that the package's functions, which have narrower parameters, can be assigned.
 */
export type Attributes = Record<string, string | number>;

/** A span of `@opentelemetry/api`, as far as it is used here. */
export interface Span {
  /** Sets attributes. */
  setAttributes(attributes: Attributes): unknown;
  /** Sets the status: 2 for an error. */
  setStatus(status: { readonly code: number }): unknown;
  /** Records an error as an event. */
  recordException(error: Error): void;
  /** Ends the span. */
  end(): void;
}

/** Makes spans, as in `@opentelemetry/api`. */
export interface Tracer {
  /** Starts a span. */
  startSpan(name: string, options: { readonly kind: number; readonly attributes: Attributes }, context?: object): Span;
}

/** Records durations, as in `@opentelemetry/api`. */
export interface Histogram {
  /** Adds a value. */
  record(value: number, attributes: Attributes, context?: object): void;
}

/** Counts open requests, as in `@opentelemetry/api`. */
export interface UpDownCounter {
  /** Adds a value, which can be negative. */
  add(value: number, attributes: Attributes, context?: object): void;
}

/** Makes instruments, as in `@opentelemetry/api`. */
export interface Meter {
  /** Makes a histogram. */
  createHistogram(name: string, options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } }): Histogram;
  /** Makes a counter that can go down. */
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
