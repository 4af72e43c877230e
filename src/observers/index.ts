export { openTelemetry, type OpenTelemetryApi, type OpenTelemetryOptions } from './open-telemetry.ts';
