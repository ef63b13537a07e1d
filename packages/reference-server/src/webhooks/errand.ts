import type { Job, JobWebhook } from '../domain/job.ts'
import type { DeliveryBody } from './delivery-record.ts'

/** A result on its way, from the end of its job until all its deliveries are over. */
export interface Errand {
  readonly job: Job
  readonly webhook: JobWebhook
  readonly body: DeliveryBody
  /** Takes it back; the request going on ends, too. */
  readonly abort: AbortController
}
