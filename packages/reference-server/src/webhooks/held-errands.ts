import type { Job } from '../domain/job.ts'
import type { Errand } from './errand.ts'

/** The results that are kept back until something else has happened. */
export class HeldErrands {
  readonly #releases = new Map<Errand, () => void>()

  /** Resolves when the moment of the errand has come, or it was taken back. */
  hold(errand: Errand): Promise<void> {
    return new Promise((resolve) => {
      const release = () => {
        this.#releases.delete(errand)
        resolve()
      }
      this.#releases.set(errand, release)
      errand.abort.signal.addEventListener('abort', release, { once: true })
    })
  }

  /** A read of the status has shown the end of the job. */
  polled(job: Job): void {
    this.#release((errand) => errand.webhook.when === 'after-poll' && errand.job === job)
  }

  /** A job was delivered: those that wait for another of its account are next. */
  delivered({ account }: Job): void {
    this.#release((errand) => errand.webhook.when === 'after-next' && errand.job.account === account)
  }

  #release(isMeant: (errand: Errand) => boolean): void {
    for (const [errand, release] of this.#releases) {
      if (isMeant(errand)) release()
    }
  }
}
