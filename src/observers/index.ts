export {
  openTelemetry, type Attributes, type Histogram, type Meter, type OpenTelemetryApi, type OpenTelemetryOptions, type Span, type Tracer, type UpDownCounter,
} from './open-telemetry.ts';
