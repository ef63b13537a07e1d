/**
 * OpenTelemetry spans of runs, without a dependency on OpenTelemetry.
 *
 * @module
 */
export { type Tracer, traceRuns } from './trace-runs.ts'
