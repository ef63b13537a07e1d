/**
 * The whole model inference service in memory, for tests and demos.
 *
 * @module
 */

export type { ServerClock } from './clock/clock.ts'
export type { ControlResponses } from './control/responses.ts'
export { type CatalogModel, DEFAULT_CATALOG } from './domain/catalog.ts'
export type { DeliveryRecord } from './domain/delivery.ts'
export type { FaultKind, FaultOptions } from './domain/fault-options.ts'
export type { Retention } from './domain/retention.ts'
export type { ScriptedOutcome, ScriptedWebhook } from './domain/scripted-outcome.ts'
export type { JournalEntry } from './history/journal-entry.ts'
export { createReferenceServer, type ReferenceServer, type ServerClientOptions } from './reference-server.ts'
export type { ServerTransport } from './server-transport.ts'
export type { FaultControl } from './service/fault-control.ts'
export type { JobControl } from './service/job-control.ts'
export type { ReferenceServerOptions } from './service/options.ts'
export { LeftoversError, type Report } from './service/report.ts'
export type { CreateKeyOptions } from './service/tenants.ts'
export type { Snapshot } from './snapshot/snapshot-schema.ts'
export type { Deliver } from './webhooks/receivers.ts'
