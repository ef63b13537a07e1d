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

/** The results that are kept back until something else has happened. */
export class HeldDeliveries {
  readonly #releases = new Map<PendingDelivery, () => void>()

  /** Resolves when the moment of the errand has come, or it was taken back. */
  hold(delivery: PendingDelivery): Promise<void> {
    return new Promise((resolve) => {
      const release = () => {
        this.#releases.delete(delivery)
        resolve()
      }
      this.#releases.set(delivery, release)
      delivery.abort.signal.addEventListener('abort', release, { once: true })
    })
  }

  /** A read of the status has shown the end of the job. */
  polled(job: Job): void {
    this.#release((delivery) => delivery.webhook.when === 'after-poll' && delivery.job === job)
  }

  /** A job was delivered: those that wait for another of its account are next. */
  delivered({ account }: Job): void {
    this.#release((delivery) => delivery.webhook.when === 'after-next' && delivery.job.account === account)
  }

  #release(isMeant: (delivery: PendingDelivery) => boolean): void {
    for (const [delivery, release] of this.#releases) {
      if (isMeant(delivery)) release()
    }
  }
}
