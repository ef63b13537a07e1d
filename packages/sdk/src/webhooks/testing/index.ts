/**
 * For tests of webhook receivers, with any test runner.
 *
 * @module
 */
export { type DeliverOptions, type DeliveryResponse, deliver } from './deliver.ts'
export { type DeliveryBody, failedEvent, succeededEvent, unknownEvent } from './event-fixtures.ts'
