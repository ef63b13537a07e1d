/**
 * The whole model inference service in memory, for tests and demos.
 *
 * @module
 */
export type { AssumptionNote } from './assumption-note.ts'
export { ASSUMPTION_NOTES } from './assumption-notes.ts'
export { type AssumptionOptions, type Assumptions, DEFAULT_ASSUMPTIONS } from './assumptions.ts'
export type { ClockMode, ServerClock } from './clock/clock.ts'
export type { ClockSetting } from './clock/create-clock.ts'
export { type CatalogModel, DEFAULT_CATALOG } from './domain/catalog.ts'
export type { ScriptedOutcome, ScriptedWebhook } from './domain/scripted-outcome.ts'
export type { FaultRecord } from './faults/account-faults.ts'
export type { FaultControl, FaultHandle } from './faults/fault-control.ts'
export type { FaultKind, FaultOptions } from './faults/fault-options.ts'
export type { FaultEndpoint, FaultRoute } from './faults/fault-route.ts'
export type { RequestContext } from './http/handle.ts'
export type { ReferenceServerOptions } from './options.ts'
export { createReferenceServer, type ReferenceServer } from './reference-server.ts'
export type { JobControl } from './service/job-control.ts'
export type { MintedKey, MintKeyOptions } from './service/tenants.ts'
export type { DeliveryBody, DeliveryRecord } from './webhooks/delivery-record.ts'
export type { Deliver } from './webhooks/send-delivery.ts'
