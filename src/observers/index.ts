export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
export type { Attributes, Histogram, Meter, OpenTelemetryApi, Span, Tracer, UpDownCounter } from './open-telemetry-api.ts';
