/**
 * The specification of the model inference service as an executable suite.
 *
 * @module
 */
export type { ConformanceClock } from './clock.ts'
export type { Verdict } from './finding.ts'
export { formatReport } from './format-report.ts'
export type { ConformanceOptions, SpecialKey } from './options.ts'
export { CannotStartError } from './options.ts'
export type { CheckResult, ConformanceReport, ServiceProfile } from './report.ts'
export { REQUIREMENTS } from './requirements.ts'
export { runConformance } from './run-conformance.ts'
export type { WebhookReceiver } from './webhooks/webhook-endpoints.ts'
