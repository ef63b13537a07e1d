/**
 * The specification of the model inference service as an executable suite.
 *
 * @module
 */
export type { ConformanceClock } from './clock.ts'
export { createClock } from './clock.ts'
export type { Exchange, ExchangeRequest, ExchangeResponse } from './exchange.ts'
export type { Verdict } from './finding.ts'
export type { JsonValue } from './json.ts'
export type { ConformanceOptions, ModelChoice, SpecialKey, TimeLimits } from './options.ts'
export { CannotStartError, SPECIAL_KEYS } from './options.ts'
export type { ServiceProfile } from './profile.ts'
export { type CheckResult, type ConformanceReport, isConformant, type Summary } from './report.ts'
export { formatReport, type ReportFormat } from './reports/format-report.ts'
export { REQUIREMENTS, type Requirement } from './requirements.ts'
export { runConformance } from './run-conformance.ts'
export type { WebhookReceiver } from './webhooks/webhook-endpoints.ts'
