/**
 * The specification of the model inference service as an executable suite.
 *
 * @module
 */
export type { ConformanceClock } from './clock.ts'
export type { Verdict } from './finding.ts'
export type { ConformanceOptions, SpecialKey } from './options.ts'
export { CannotStartError } from './options.ts'
export type { ServiceProfile } from './profile.ts'
export { type CheckResult, type ConformanceReport, isConformant } from './report.ts'
export { formatReport } from './reports/format-report.ts'
export { REQUIREMENTS } from './requirements.ts'
export { runConformance } from './run-conformance.ts'
export type { WebhookReceiver } from './webhooks/webhook-endpoints.ts'
