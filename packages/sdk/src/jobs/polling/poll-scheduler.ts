import { JOB_STATUSES, type Job } from '@modelrun/contract'
import type { Core } from '../../core.ts'
import type { Log } from '../../observe/logger.ts'
import { isFinished } from '../get-job.ts'
import { withKnownStatus } from '../job-status.ts'
import { createPollSchedule } from './agenda.ts'
import { createExpectedDurations, type ExpectedDurations, learnFrom } from './expected-durations.ts'
import type { PolledJob, Subscriber } from './job-watch.ts'
import { type PollOutcome, pollJob } from './look-at-job.ts'
import { createPollLimiter } from './look-permit.ts'
import { createNextDelay } from './next-delay.ts'
import { createPolledJobs } from './watch-list.ts'

/**
 * Looks at every job that somebody waits for: one timer, a bounded number of requests at once, and a rate that holds
 * however many jobs there are. Who is due first is looked at first, so that no job starves.
 */
export interface PollScheduler {
  /** Starts a wait; it ends with the job, with an error, by its signal or deadline, or by `leave`. */
  join(subscriber: Subscriber): void
  /** Ends a wait without telling it. The last one of a job ends the looks at it. */
  leave(subscriber: Subscriber): void
  /** Tells the end of a job that came another way, by webhook, to everybody who waits with this one. */
  deliver(subscriber: Subscriber, job: Job): void
  /** How long the jobs of each model take, as far as this client has seen. */
  readonly durations: ExpectedDurations
}

export function createPollScheduler(core: Pick<Core, 'options' | 'transport'>): PollScheduler {
  const { clock, log } = core.options
  const durations = createExpectedDurations()
  const nextDelayMs = createNextDelay(core.options, durations)
  const limiter = createPollLimiter(core.options)
  const schedule = createPollSchedule(clock, {
    poll: poll,
    nextPollAt: limiter.nextAt,
    endAtDeadline: (subscriber) => polledJobs.endEarly(subscriber, 'deadline'),
  })
  const polledJobs = createPolledJobs(core.options, schedule)

  /** Sets the time of the next look, unless it is earlier already. */
  function setNextPoll(polled: PolledJob): void {
    const isAtOnce = polled.polls === 0 && polled.subscribers.some(({ isEager }) => isEager)
    const dueAt = isAtOnce ? polled.notBefore : polled.polledAt + nextDelayMs(polled)
    polled.at = Math.max(polled.notBefore, Math.min(polled.at, dueAt))
    schedule.nextPolls.put(polled)
  }

  async function poll(polled: PolledJob): Promise<void> {
    const done = limiter.take()
    polled.polls++
    const outcome = await pollJob(core, polled)
    done(outcome)
    if ('error' in outcome) polledJobs.close(polled, (subscriber) => subscriber.onError(outcome.error))
    else recordOutcome(polled, outcome)
    schedule.run()
  }

  function recordOutcome(polled: PolledJob, outcome: Exclude<PollOutcome, { error: unknown }>): void {
    polled.polledAt = clock.now()
    polled.at = Number.POSITIVE_INFINITY
    if ('job' in outcome) update(polled, outcome.job, polled.seenAt ?? polled.bornAt)
    else {
      polled.failure = outcome.failure
      polled.notBefore = polled.polledAt + (outcome.failure.retryAfterMs ?? 0)
    }
    if (polled.subscribers.length > 0) setNextPoll(polled)
  }

  /** @param runningAt When the job was last known to be running still */
  function update(polled: PolledJob, job: Job, runningAt: number): void {
    const isNew = job.status !== polled.state?.status
    Object.assign(polled, { state: job, seenAt: clock.now(), failure: undefined })
    learnFrom(durations, polled, runningAt)
    if (isNew) warnOfUnknownStatus(log, polled.job.jobId, job.status)
    if (isFinished(job)) polledJobs.close(polled, (subscriber) => report(subscriber, job, true))
    else if (isNew) for (const subscriber of [...polled.subscribers]) report(subscriber, job, false)
  }

  return {
    join: (subscriber) => {
      const polled = polledJobs.add(subscriber)
      if (polled.state) report(subscriber, polled.state, false)
      if (!polled.poll && subscriber.polled) setNextPoll(polled)
      if (subscriber.options.signal?.aborted) polledJobs.endEarly(subscriber, 'aborted')
      schedule.run()
    },
    leave: polledJobs.remove,
    deliver: ({ polled }, job) => {
      // What is not an end says nothing that polls would not say better.
      if (!polled || !isFinished(job)) return
      for (const { span } of polled.subscribers) span?.onDelivery(job)
      update(polled, withKnownStatus(job), clock.now())
    },
    durations,
  }
}

/** Gives a state of the job to a wait and to its span. */
function report(subscriber: Subscriber, job: Job, isEnd: boolean): void {
  subscriber.span?.onState(job)
  subscriber.onState(job, isEnd)
}

function warnOfUnknownStatus(log: Log, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}
