/**
 * For tests of webhook receivers, with any test runner.
 *
 * @module
 */
export type {
  CrashHandlers,
  CrashSetup,
  ProcessTools,
  SimulatedTransaction,
  Step,
  Transaction,
} from './crashes/crash-world.ts'
export { type CrashOptions, type CrashReport, type CrashScenario, simulateCrashes } from './crashes/simulate-crashes.ts'
export { type DeliverOptions, type DeliveryResponse, type DeliveryTarget, deliver } from './deliver.ts'
export { type DeliveryBody, failedEvent, succeededEvent, type UnknownDelivery, unknownEvent } from './event-fixtures.ts'
