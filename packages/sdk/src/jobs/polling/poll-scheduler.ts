import { JOB_STATUSES, type Job } from '@modelrun/contract'
import { startTimer } from '../../clock.ts'
import type { Transport } from '../../http/transport.ts'
import type { Log } from '../../observe/logger.ts'
import type { ResolvedOptions } from '../../options.ts'
import { isFinished, withKnownStatus } from '../job-status.ts'
import { createExpectedDurations, type ExpectedDurations, learnFrom } from './expected-durations.ts'
import { createPollInterval } from './poll-interval.ts'
import { type PollClient, pollJob } from './poll-job.ts'
import { createPollLimiter, type PollLimiter } from './poll-limiter.ts'
import { createPolledJobs, type PolledJob, type PolledJobs, type PollOutcome, type Subscriber } from './polled-jobs.ts'

/**
 * Polls every job that has subscribers: one timer, a bounded number of requests at once, and a rate limit over all jobs.
 * The job that is due first is polled first, so that no job starves.
 */
export class PollScheduler {
  /** How long the jobs of each model take, as this client has seen it. */
  readonly durations: ExpectedDurations = createExpectedDurations()
  readonly #client: PollClient
  readonly #log: Log
  readonly #intervalMs: (polled: PolledJob) => number
  readonly #limiter: PollLimiter
  readonly #jobs: PolledJobs
  #timer: { at: number; stop: () => void } | undefined

  constructor(options: ResolvedOptions, transport: Transport) {
    const { clock, log, polling } = options
    this.#client = { clock, transport }
    this.#log = log
    this.#intervalMs = createPollInterval(options, this.durations)
    this.#limiter = createPollLimiter(clock, polling.maxRequestsPerSecond)
    this.#jobs = createPolledJobs({ clock, maxIntervalMs: polling.maxIntervalMs, onEmpty: () => this.#stopTimer() })
  }

  /** Starts a wait. It ends with the job, with an error, by its signal or deadline, or by `leave`. */
  join(subscriber: Subscriber): void {
    const polled = this.#jobs.add(subscriber)
    if (polled.state) report(subscriber, polled.state, false)
    if (!polled.poll && subscriber.polled) this.#setNextPoll(polled)
    if (subscriber.options.signal?.aborted) this.#jobs.endEarly(subscriber, 'aborted')
    this.#run()
  }

  /** Ends a wait without calling the subscriber. */
  leave(subscriber: Subscriber): void {
    this.#jobs.remove(subscriber)
  }

  /** Passes the end of a job that a webhook delivered to all subscribers of that job. */
  deliver({ polled }: Subscriber, job: Job): void {
    // A poll gives the states before the end.
    if (!polled || !isFinished(job)) return
    for (const { span } of polled.subscribers) span?.onDelivery(job)
    this.#update(polled, withKnownStatus(job), this.#client.clock.now())
  }

  /** Does what is due, then sets the timer for what is due next. */
  #run(): void {
    const now = this.#client.clock.now()
    const { nextPolls, deadlines } = this.#jobs
    for (let late = deadlines.first(); late && late.at <= now; late = deadlines.first()) {
      this.#jobs.endEarly(late, 'deadline')
    }
    for (let due = nextPolls.first(); due && this.#dueAt(due) <= now; due = nextPolls.first()) {
      nextPolls.remove(due)
      void this.#poll(due)
    }
    this.#setTimer(Math.min(this.#dueAt(nextPolls.first()), deadlines.first()?.at ?? Number.POSITIVE_INFINITY))
  }

  #dueAt(polled: PolledJob | undefined): number {
    return polled ? Math.max(polled.at, this.#limiter.nextAt()) : Number.POSITIVE_INFINITY
  }

  /** A timer that fires too early is kept: nothing is due then, and the right one is set. */
  #setTimer(at: number): void {
    if (this.#timer && this.#timer.at <= at) return
    this.#stopTimer()
    const { clock } = this.#client
    const onTime = () => {
      this.#timer = undefined
      this.#run()
    }
    this.#timer = { at, stop: startTimer(clock, at - clock.now(), onTime) }
  }

  #stopTimer(): void {
    this.#timer?.stop()
    this.#timer = undefined
  }

  async #poll(polled: PolledJob): Promise<void> {
    const done = this.#limiter.take()
    polled.polls++
    const outcome = await pollJob(this.#client, polled)
    done(outcome)
    if ('error' in outcome) this.#jobs.close(polled, (subscriber) => subscriber.onError(outcome.error))
    else this.#recordOutcome(polled, outcome)
    this.#run()
  }

  #recordOutcome(polled: PolledJob, outcome: Exclude<PollOutcome, { error: unknown }>): void {
    polled.polledAt = this.#client.clock.now()
    polled.at = Number.POSITIVE_INFINITY
    if ('job' in outcome) this.#update(polled, outcome.job, polled.seenAt ?? polled.bornAt)
    else {
      polled.failure = outcome.failure
      polled.notBefore = polled.polledAt + (outcome.failure.retryAfterMs ?? 0)
    }
    if (polled.subscribers.length > 0) this.#setNextPoll(polled)
  }

  /** @param runningAt When the job was last known to be running */
  #update(polled: PolledJob, job: Job, runningAt: number): void {
    const isNew = job.status !== polled.state?.status
    Object.assign(polled, { state: job, seenAt: this.#client.clock.now(), failure: undefined })
    learnFrom(this.durations, polled, runningAt)
    if (isNew) warnOfUnknownStatus(this.#log, polled.job.jobId, job.status)
    if (isFinished(job)) this.#jobs.close(polled, (subscriber) => report(subscriber, job, true))
    else if (isNew) for (const subscriber of [...polled.subscribers]) report(subscriber, job, false)
  }

  /** Sets the time of the next poll, unless it is earlier already. */
  #setNextPoll(polled: PolledJob): void {
    const isAtOnce = polled.polls === 0 && polled.subscribers.some(({ isEager }) => isEager)
    const nextAt = isAtOnce ? polled.notBefore : polled.polledAt + this.#intervalMs(polled)
    polled.at = Math.max(polled.notBefore, Math.min(polled.at, nextAt))
    this.#jobs.nextPolls.put(polled)
  }
}

/** Passes a state of the job to a subscriber and to its span. */
function report(subscriber: Subscriber, job: Job, isEnd: boolean): void {
  subscriber.span?.onState(job)
  subscriber.onState(job, isEnd)
}

function warnOfUnknownStatus(log: Log, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}
