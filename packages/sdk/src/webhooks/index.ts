/**
 * Receiving results by webhook (section 6).
 *
 * @module
 */

export type { InboxEngine } from '@modelrun/kit'
export { NonRetriableError, RetryAfterError } from '@modelrun/kit'
export { WebhookParseError } from '../client/errors/local-errors.ts'
export type { NodeListener } from '../shared/serving/node-listener.ts'
export type { DeadLetter, DeadLetters } from './dead-letters.ts'
export { createInbox, type Inbox } from './inbox.ts'
export type { DeliveryContext, EventHandler, InboxOptions } from './inbox-options.ts'
export { isSafeOutputUrl } from './output-urls.ts'
export { parseWebhook } from './parse-webhook.ts'
export { JobLostError } from './subscribers.ts'
export type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'
