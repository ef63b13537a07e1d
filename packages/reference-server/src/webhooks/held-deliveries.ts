import type { Job } from '../domain/job.ts'
import type { PendingDelivery } from './pending-delivery.ts'

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
