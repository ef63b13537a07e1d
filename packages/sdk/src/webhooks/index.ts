/**
 * Receiving results by webhook (section 6).
 *
 * @module
 */
export { isWebhookParseError } from '../errors/guards.ts'
export { WebhookParseError } from '../errors/local-errors.ts'
export { createInbox, type Inbox } from './inbox.ts'
export type { DeliveryContext, HandlerFailure, InboxOptions, JobReader } from './inbox-options.ts'
export type { NodeListener, NodeRequest, NodeResponse } from './node-listener.ts'
export { parseWebhook, type WebhookBody } from './parse-webhook.ts'
export type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'
