import type { Job, JobWebhook } from '../domain/job.ts'
import type { DeliveryBody } from './delivery-record.ts'

/** A result on its way, from the end of its job until all its deliveries are over. */
export interface PendingDelivery {
  readonly job: Job
  readonly webhook: JobWebhook
  readonly body: DeliveryBody
  /** Takes it back; the request going on ends, too. */
  readonly abort: AbortController
  /** How many of its deliveries are over. */
  sent: number
  /** Kept back until something else has happened. */
  isHeld: boolean
  /** When the next delivery begins; `undefined` while that is not known, or it has begun. */
  dueAt: number | undefined
}

/** How far an errand is, enough to take it up in another server. */
export type PendingDeliveryState = Pick<PendingDelivery, 'job' | 'webhook' | 'body' | 'sent' | 'isHeld' | 'dueAt'>
