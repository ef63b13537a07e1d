import type { ServerClock } from '../clock/clock.ts'
import { type Job, nextChangeAt } from '../domain/job.ts'
import type { Jobs } from '../domain/jobs.ts'

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
