/**
 * The whole model inference service in memory, for tests and demos.
 *
 * @module
 */
export type { AssumptionNote } from './assumptions/assumption-note.ts'
export { ASSUMPTION_NOTES } from './assumptions/assumption-notes.ts'
export { type AssumptionOptions, type Assumptions, DEFAULT_ASSUMPTIONS } from './assumptions/assumptions.ts'
export type {
  CancelRejection,
  Rejection,
  RejectionKind,
  Rejections,
} from './assumptions/rejections.ts'
export type { ClockMode, ServerClock } from './clock/clock.ts'
export type { ClockSetting } from './clock/create-clock.ts'
export type { ClockEvent } from './clock/event-log.ts'
export { type CatalogModel, DEFAULT_CATALOG } from './domain/catalog.ts'
export type { Latency, LatencyOption, LatencySpread } from './domain/latency.ts'
export type { ScriptedOutcome } from './domain/scripted-outcome.ts'
export type { ScriptedReceiver, ScriptedWebhook } from './domain/scripted-webhook.ts'
export { type Exploration, ExplorationError, type ExploreOptions, explore } from './explore/explore.ts'
export type { ExploredTest } from './explore/run-order.ts'
export type { FaultRecord } from './faults/account-faults.ts'
export type { FaultControl, FaultHandle } from './faults/fault-control.ts'
export type { FaultKind, FaultOptions } from './faults/fault-options.ts'
export type { FaultEndpoint, FaultRoute } from './faults/fault-route.ts'
export { type Coverage, type CoverageItem, mergeCoverage } from './history/coverage.ts'
export type { CoverageGroup } from './history/coverage-items.ts'
export type { DeliveryEntry, JobEntry, JournalEntry, NoteEntry, RequestEntry } from './history/journal/journal-entry.ts'
export type { JournalFilter, JournalView } from './history/journal/journal-view.ts'
export type { UnmatchedRequest } from './history/observer.ts'
export { LeftoversError, type Report } from './history/report.ts'
export type { Retention, RetentionOptions } from './history/retention.ts'
export type { RequestContext } from './http/handle.ts'
export type { ProfileOption, ReferenceServerOptions } from './options.ts'
export {
  createReferenceServer,
  type NextDeliveryOptions,
  type ReferenceServer,
  type ServerClientOptions,
} from './reference-server.ts'
export type { JobControl } from './service/job-control.ts'
export type { KeyLimits } from './service/limit-key.ts'
export type { CreatedKey, CreateKeyOptions } from './service/tenants.ts'
export type { Snapshot } from './snapshot/snapshot.ts'
export type { DeliveryBody, DeliveryRecord } from './webhooks/delivery-record.ts'
export type { WebhookReceiver } from './webhooks/receivers.ts'
export type { Deliver } from './webhooks/send-delivery.ts'
