import { JOB_STATUSES, type Job } from '@modelrun/contract'
import { backoffMs, createRateLimit } from '../../backoff.ts'
import { type Clock, openScope, startTimer } from '../../clock.ts'
import { isModelRunError, type ModelRunError } from '../../errors/model-run-error.ts'
import { isTransient } from '../../http/status-policy.ts'
import type { Transport } from '../../http/transport.ts'
import type { Log } from '../../observe/logger.ts'
import type { ResolvedOptions } from '../../options.ts'
import { getJobOperation, isFinished, withKnownStatus } from '../job-operations.ts'
import { isConfirmed } from '../job-reference.ts'
import { createExpectedDurations, createPollInterval, type ExpectedDurations, learnFrom } from './poll-interval.ts'
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
  readonly #limiter: ReturnType<typeof createPollLimiter>
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
    if (polled.state) subscriber.onState(polled.state, false)
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
    if (isFinished(job)) this.#jobs.close(polled, (subscriber) => subscriber.onState(job, true))
    else if (isNew) for (const subscriber of [...polled.subscribers]) subscriber.onState(job, false)
  }

  /** Sets the time of the next poll, unless it is earlier already. */
  #setNextPoll(polled: PolledJob): void {
    const isAtOnce = polled.polls === 0 && polled.subscribers.some(({ isEager }) => isEager)
    const nextAt = isAtOnce ? polled.notBefore : polled.polledAt + this.#intervalMs(polled)
    polled.at = Math.max(polled.notBefore, Math.min(polled.at, nextAt))
    this.#jobs.nextPolls.put(polled)
  }
}

function warnOfUnknownStatus(log: Log, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}

/** The parts of the client that a poll uses. */
export interface PollClient {
  clock: Clock
  transport: Transport
}

/**
 * Polls a job once, in the trace of one of its waits: the timer serves many waits and may have the context of another
 * one. A failed poll is not retried here, because the scheduler decides when to poll again. Never rejects.
 */
async function pollJob(client: PollClient, polled: PolledJob): Promise<PollOutcome> {
  const controller = new AbortController()
  const { signal } = controller
  polled.poll = controller
  const span = polled.subscribers.find((subscriber) => subscriber.span !== undefined)?.span
  const work = () => fetchStatus(client, polled, signal)
  const outcome = await (span === undefined ? work() : span.within(work))
  polled.poll = undefined
  for (const subscriber of polled.subscribers) subscriber.span?.onPoll(outcome)
  return outcome
}

async function fetchStatus(
  { clock, transport }: PollClient,
  { job, state, options }: PolledJob,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const scope = openScope({ clock, signal })
  try {
    const call = { scope, options: { ...options, maxRetries: 0 } }
    const { data } = await transport.call(getJobOperation(job.jobId, state !== undefined || isConfirmed(job)), call)
    return { job: data }
  } catch (error) {
    return isModelRunError(error) && mayPass(error) ? { failure: error } : { error }
  } finally {
    scope.close()
  }
}

/** Polls continue after more errors than a single call does: after each 5xx, also the 52x of a gateway. */
function mayPass({ isRetryable, status = 0 }: ModelRunError): boolean {
  return isRetryable || isTransient(status)
}

/** Largest number of polls at once. */
const MAX_IN_FLIGHT = 8
/** The pause after a 429 without `Retry-After`. It doubles each time that the first poll after it gets a 429 too. */
const PAUSE = { baseMs: 1_000, maxMs: 30_000 } as const

/**
 * Limits the polls of a client: their number at once, their rate, and none during a pause after a 429.
 *
 * @param maxPerSecond Polls in any second; `Infinity` for no limit
 */
function createPollLimiter(clock: Clock, maxPerSecond: number) {
  const rate = createRateLimit(maxPerSecond)
  let inFlight = 0
  let rejections = 0
  let rejectedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(startedAt: number, retryAfterMs: number | undefined): void {
    // Polls that were under way together get their 429 together: that counts once.
    if (startedAt > rejectedAt) rejections++
    rejectedAt = clock.now()
    const pauseMs = retryAfterMs ?? backoffMs(rejections, PAUSE)
    pausedUntil = Math.max(pausedUntil, rejectedAt + pauseMs)
  }

  return {
    /** The earliest time of the next poll, in milliseconds of the clock. `Infinity` while another poll must end first. */
    nextAt: () => (inFlight < MAX_IN_FLIGHT ? Math.max(rate.nextAt(), pausedUntil) : Number.POSITIVE_INFINITY),
    /** Starts a poll. Call the returned function with its outcome. */
    take: () => {
      const startedAt = clock.now()
      rate.take(startedAt)
      inFlight++
      return (outcome: PollOutcome) => {
        inFlight--
        if ('job' in outcome) rejections = 0
        else if ('failure' in outcome && outcome.failure.status === 429) pause(startedAt, outcome.failure.retryAfterMs)
      }
    },
  }
}
