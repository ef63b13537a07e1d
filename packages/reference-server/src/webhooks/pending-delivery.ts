import type { Job, JobWebhook } from '../domain/job.ts'
import type { DeliveryBody } from './delivery-record.ts'

/** A result on its way: from the end of its job until all its deliveries are over. */
export interface PendingDelivery {
  readonly job: Job
  readonly webhook: JobWebhook
  readonly body: DeliveryBody
  /** Cancels it, and the current request. */
  readonly abort: AbortController
  /** How many of its deliveries are over. */
  sent: number
  /** Held until another event has happened. */
  isHeld: boolean
  /** When the next delivery starts; `undefined` while that is not known, or it has started. */
  dueAt: number | undefined
}

/** The state of a pending delivery, from which another server can continue. */
export type PendingDeliveryState = Pick<PendingDelivery, 'job' | 'webhook' | 'body' | 'sent' | 'isHeld' | 'dueAt'>

/** The results that are held until another event has happened. */
export class HeldDeliveries {
  readonly #releases = new Map<PendingDelivery, () => void>()

  /** Resolves when the delivery may start, or was cancelled. */
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
