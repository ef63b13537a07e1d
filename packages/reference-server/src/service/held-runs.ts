import type { ServerClock } from '../clock/clock.ts'
import type { Job } from '../domain/job.ts'

export interface HoldOptions {
  /** Not longer than this, on the server's clock. */
  forMs: number
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

/** The synchronous runs whose response waits for the end of their job (section 4.3). */
export class HeldRuns {
  readonly #clock: ServerClock
  readonly #onExpired: (job: Job) => void
  readonly #releases = new Map<Job, () => void>()

  /** @param onExpired called for each hold that ended before its job */
  constructor(clock: ServerClock, onExpired: (job: Job) => void = () => {}) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  /** Resolves when the job has ended, the time is over or the client is gone, whatever is first. */
  hold(job: Job, { forMs, signal }: HoldOptions): Promise<void> {
    const untilEndMs = (job.endsAt ?? Number.POSITIVE_INFINITY) - this.#clock.now()
    return new Promise((resolve) => {
      const release = () => {
        this.#clock.clearTimeout(timer)
        signal.removeEventListener('abort', release)
        this.#releases.delete(job)
        resolve()
      }
      const expire = () => {
        if (forMs < untilEndMs) this.#onExpired(job)
        release()
      }
      const timer = this.#clock.setTimeout(expire, Math.min(forMs, untilEndMs))
      this.#releases.set(job, release)
      signal.addEventListener('abort', release)
      if (signal.aborted) release()
    })
  }

  /** The job has ended before its time. */
  release(job: Job): void {
    this.#releases.get(job)?.()
  }

  releaseAll(): void {
    for (const release of [...this.#releases.values()]) release()
  }
}
