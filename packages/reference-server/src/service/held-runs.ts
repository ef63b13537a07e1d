import type { ServerClock } from '../clock/clock.ts'
import { type Job, nextChangeAt } from '../domain/job.ts'
import type { Jobs } from '../domain/jobs.ts'

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

/**
 * Timers for the few jobs that need one: jobs with a webhook, and, on an `auto` clock, jobs that a client polls whose own
 * waits do not run on this clock. Without a timer, time would be paused for this client.
 */
export class JobTimers {
  readonly #clock: ServerClock
  readonly #jobs: Jobs
  readonly #handles = new Map<Job, unknown>()

  constructor(clock: ServerClock, jobs: Jobs) {
    this.#clock = clock
    this.#jobs = jobs
  }

  /** Call it when a job was created or its status was read. */
  schedule(job: Job): void {
    const isAwaited = job.webhook !== undefined || this.#clock.mode === 'auto'
    if (!isAwaited || job.end !== undefined || this.#handles.has(job)) return
    const now = this.#clock.now()
    const changeAt = nextChangeAt(job, now)
    if (changeAt === undefined) return
    this.#handles.set(
      job,
      this.#clock.setTimeout(() => this.#wake(job), changeAt - now),
    )
  }

  /** The job has ended. */
  forget(job: Job): void {
    this.#clock.clearTimeout(this.#handles.get(job))
    this.#handles.delete(job)
  }

  #wake(job: Job): void {
    this.#handles.delete(job)
    this.#jobs.settle()
    if (job.webhook !== undefined) this.schedule(job)
  }
}
