import { JOB_STATUSES, type Job } from '@modelrun/contract'
import { ConfigurationError, type Durations, isWorkers, ModelRunError } from '@modelrun/kit'
import { type Clock, startTimer, withinScope } from '../../../shared/clock.ts'
import { ApiError } from '../../errors/api-errors.ts'
import { noOutputError } from '../../errors/job-errors.ts'
import { InvalidResponseError } from '../../errors/transport-errors.ts'
import { isFromService, isTransient } from '../../http/status-policy.ts'
import type { Transport } from '../../http/transport.ts'
import type { Log } from '../../observe/logger.ts'
import type { ResolvedOptions } from '../../options.ts'
import { getJobOperation, isConfirmed, isEnded } from '../job-operations.ts'
import { createPollInterval, learnFrom } from './poll-interval.ts'
import { createPollLimiter } from './poll-limiter.ts'
import type { PolledJob, PollOutcome, Subscriber } from './polled-jobs.ts'
import { createPolledJobs, MAX_ATTEMPTS } from './polled-jobs.ts'

/**
 * Returns what starts a wait. In Workers each wait has a scheduler, so that no request uses what belongs to another one: the
 * limits of polls count for each wait there.
 */
export function createPolls(options: ResolvedOptions, transport: Transport, durations: Durations) {
  const create = () => new PollScheduler(options, transport, durations)
  const shared = isWorkers() ? undefined : create()
  return (wait: Subscriber) => (shared ?? create()).join(wait)
}

/**
 * Polls for every wait of a client: one timer, a bounded number of requests at once, and a rate limit over all of them.
 * What is due first is polled first, so that no job starves.
 */
class PollScheduler {
  /** How long the jobs of each model take, as this client has seen it. */
  readonly #durations: Durations
  readonly #client: Pick<ResolvedOptions, 'clock' | 'log' | 'polling'> & { transport: Transport }
  readonly #intervalMs: (polled: PolledJob) => number
  readonly #limiter: ReturnType<typeof createPollLimiter>
  readonly #jobs: ReturnType<typeof createPolledJobs>
  #timer: { at: number; stop: () => void } | undefined

  constructor(options: ResolvedOptions, transport: Transport, durations: Durations) {
    const { clock, log, polling } = options
    this.#durations = durations
    this.#client = { clock, log, polling, transport }
    this.#intervalMs = createPollInterval(options, durations)
    this.#limiter = createPollLimiter(clock, polling.maxRequestsPerSecond)
    this.#jobs = createPolledJobs(options, () => this.#stopTimer())
  }

  /** Starts a wait. It ends with the job, with an error, by its signal or deadline, or by `leave`. */
  join(wait: Subscriber) {
    const polled = this.#jobs.add(wait)
    const { job, options } = wait
    // The response to the run had the result already.
    if (job.state && isEnded(job.state) && !options.signal?.aborted) this.#end(polled, job.state)
    else {
      if (polled.state) wait.onState(polled.state, false, polled)
      if (polled.release) this.#setNextPoll(polled)
      if (options.signal?.aborted) this.#jobs.endEarly(polled, 'aborted')
      this.#run()
    }
    return {
      isOver: () => polled.release === undefined,
      /** Ends it without calling the subscriber. False when it had ended before. */
      leave: () => this.#jobs.remove(polled),
      /** Passes the end of the job that a webhook delivered. A poll gives the states before the end. */
      deliver: (end: Job) => {
        if (polled.release && isEnded(end)) this.#update(polled, end)
      },
    }
  }

  /** Does what is due, then sets the timer for what is due next. */
  #run(): void {
    const now = this.#client.clock.now()
    const { nextPolls, deadlines } = this.#jobs
    const jobs = this.#jobs.count()
    for (let late = deadlines.first(); late && late.at <= now; late = deadlines.first()) {
      this.#jobs.endEarly(late.polled, 'deadline', this.#heldBack(late.polled, jobs))
    }
    for (let due = nextPolls.first(); due && this.#dueAt(due) <= now; due = nextPolls.first()) {
      nextPolls.remove(due)
      // The timer serves many waits, and may have the async context of another one.
      due.wait.within(() => void this.#poll(due))
    }
    this.#setTimer(Math.min(this.#dueAt(nextPolls.first()), deadlines.first()?.at ?? Number.POSITIVE_INFINITY))
  }

  /** Why a job, one of so many, is not polled now, for a message. Nothing when it is not due, or is being polled. */
  #heldBack({ notBefore, slot, at, polls }: PolledJob, jobs: number): string {
    const { clock, polling } = this.#client
    const now = clock.now()
    const pauseMs = Math.max(notBefore, this.#limiter.pausedUntil()) - now
    if (pauseMs > 0) return `; the service had asked for no poll in the next ${Math.ceil(pauseMs / 1_000)} s`
    if (slot < 0 || at >= now) return ''
    const what = polls === 0 ? 'it was never polled' : 'its next poll had to wait'
    return `; ${what}, because ${jobs} jobs share ${polling.maxRequestsPerSecond} polls a second: raise \`polling.maxRequestsPerSecond\` or \`deadlineMs\``
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
    if ('error' in outcome) {
      if (this.#jobs.remove(polled)) polled.wait.onError(outcome.error)
    } else if (polled.release) this.#recordOutcome(polled, outcome)
    this.#run()
  }

  #recordOutcome(polled: PolledJob, outcome: Exclude<PollOutcome, { error: unknown }>): void {
    polled.polledAt = this.#client.clock.now()
    const { attempts, requestId } = 'job' in outcome ? outcome : outcome.failure
    Object.assign(polled, { attempts: attempts.slice(-MAX_ATTEMPTS), requestId })
    if ('job' in outcome) this.#update(polled, outcome.job)
    else {
      const { failure } = outcome
      // Perhaps `baseUrl` is that of something else, or there is no key for longer.
      const isFirst = polled.uselessPolls === 1 || (polled.failure === undefined && failure.code === 'configuration')
      if (isFirst) this.#client.log.warn(failure.message)
      polled.notBefore = polled.polledAt + (failure.retryAfterMs ?? 0)
      polled.failure = failure
    }
    if (polled.release) this.#setNextPoll(polled)
  }

  #update(polled: PolledJob, job: Job): void {
    const runningAt = polled.seenAt ?? polled.bornAt
    const isNew = job.status !== polled.state?.status
    Object.assign(polled, { state: job, seenAt: this.#client.clock.now(), failure: undefined })
    learnFrom(this.#durations, polled, runningAt)
    if (isNew) warnOfUnknownStatus(this.#client.log, polled.wait.job.jobId, job.status)
    if (isEnded(job)) this.#end(polled, job)
    else if (isNew) polled.wait.onState(job, false, polled)
  }

  #end(polled: PolledJob, job: Job): void {
    if (this.#jobs.remove(polled)) polled.wait.onState(job, true, polled)
  }

  #setNextPoll(polled: PolledJob): void {
    const { wait, polls, notBefore, polledAt } = polled
    const isAtOnce = polls === 0 && wait.isEager
    const nextAt = isAtOnce ? notBefore : polledAt + wait.within(() => this.#intervalMs(polled))
    polled.at = Math.max(notBefore, nextAt)
    this.#jobs.nextPolls.put(polled)
  }
}

/** A service that deploys, or stores a result in two steps, may say nothing useful for some seconds. */
const MAX_USELESS_POLLS = 3

function warnOfUnknownStatus(log: Log, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}

/** Polls a job once. A failed poll is not retried here, because the scheduler decides when to poll again. Never rejects. */
async function pollJob(
  { clock, transport }: { clock: Clock; transport: Transport },
  polled: PolledJob,
): Promise<PollOutcome> {
  const { wait, state } = polled
  const { job } = wait
  const controller = new AbortController()
  polled.poll = controller
  const isKnown = state !== undefined || isConfirmed(job)
  try {
    const call = { ...wait.options, maxRetries: 0 }
    const { data, attempts, requestId } = await withinScope(
      { clock, signal: controller.signal, sent: polled },
      (scope) => transport.call(getJobOperation(job.jobId, isKnown), { scope, options: call }),
    )
    const hasOutput = data.status !== 'succeeded' || data.output !== undefined
    // The output of a job may be stored after its status.
    if (!hasOutput && polled.uselessPolls < MAX_USELESS_POLLS) throw noOutputError(job.jobId, { attempts, requestId })
    polled.uselessPolls = 0
    return { job: data, attempts, requestId }
  } catch (error) {
    if (!(error instanceof ModelRunError)) return { error }
    const isUseless = error instanceof InvalidResponseError && (error.status ?? 0) < 300
    return (isUseless && ++polled.uselessPolls <= MAX_USELESS_POLLS) || mayPass(error, isKnown)
      ? { failure: error }
      : { error }
  } finally {
    polled.poll = undefined
  }
}

/**
 * Polls continue after more errors than a single call does: after each 5xx, also the 52x of a gateway. A page with 404 or a
 * redirect during a deployment is not the service's own word: it does not end the wait for a job that the service has named.
 */
function mayPass(error: ModelRunError, isKnown: boolean): boolean {
  const { isRetryable, status = 0 } = error
  if (isRetryable || isTransient(status)) return true
  // The function `apiKey` failed, which may pass. A wrong key, and what cannot become a request, are the same at the next poll.
  if (error instanceof ConfigurationError)
    return error.cause !== undefined && !(error.cause instanceof ConfigurationError)
  const isOfGateway = error instanceof ApiError ? !isFromService(error.apiCode) : status >= 300 && status < 400
  return isKnown && isOfGateway
}
