import { JOB_STATUSES, type Job } from '@modelrun/contract'
import type { Core } from '../../core.ts'
import type { Log } from '../../observe/logger.ts'
import { isFinished } from '../get-job.ts'
import { withKnownStatus } from '../job-status.ts'
import { createAgenda } from './agenda.ts'
import { createUsualDurations, type ExpectedDurations, learnFrom } from './expected-durations.ts'
import type { JobWatch, Watcher } from './job-watch.ts'
import { type Look, lookAtJob } from './look-at-job.ts'
import { createLookPermit } from './look-permit.ts'
import { createNextDelay } from './next-delay.ts'
import { createWatchList } from './watch-list.ts'

/**
 * Looks at every job that somebody waits for: one timer, a bounded number of requests at once, and a rate that holds
 * however many jobs there are. Who is due first is looked at first, so that no job starves.
 */
export interface PollScheduler {
  /** Starts a wait; it ends with the job, with an error, by its signal or deadline, or by `leave`. */
  join(watcher: Watcher): void
  /** Ends a wait without telling it. The last one of a job ends the looks at it. */
  leave(watcher: Watcher): void
  /** Tells the end of a job that came another way, by webhook, to everybody who waits with this one. */
  deliver(watcher: Watcher, job: Job): void
  /** How long the jobs of each model take, as far as this client has seen. */
  readonly durations: ExpectedDurations
}

export function createPollScheduler(core: Pick<Core, 'options' | 'transport'>): PollScheduler {
  const { clock, log } = core.options
  const durations = createUsualDurations()
  const nextDelayMs = createNextDelay(core.options, durations)
  const permit = createLookPermit(core.options)
  const agenda = createAgenda(clock, {
    look,
    nextLookAt: permit.nextAt,
    endAtDeadline: (watcher) => watchList.endEarly(watcher, 'deadline'),
  })
  const watchList = createWatchList(core.options, agenda)

  /** Sets the time of the next look, unless it is earlier already. */
  function schedule(watch: JobWatch): void {
    const isAtOnce = watch.polls === 0 && watch.watchers.some(({ isEager }) => isEager)
    const dueAt = isAtOnce ? watch.notBefore : watch.lookedAt + nextDelayMs(watch)
    watch.at = Math.max(watch.notBefore, Math.min(watch.at, dueAt))
    agenda.looks.put(watch)
  }

  async function look(watch: JobWatch): Promise<void> {
    const done = permit.take()
    watch.polls++
    const brought = await lookAtJob(core, watch)
    done(brought)
    if ('error' in brought) watchList.close(watch, (watcher) => watcher.onError(brought.error))
    else note(watch, brought)
    agenda.run()
  }

  function note(watch: JobWatch, brought: Exclude<Look, { error: unknown }>): void {
    watch.lookedAt = clock.now()
    watch.at = Number.POSITIVE_INFINITY
    if ('job' in brought) update(watch, brought.job, watch.seenAt ?? watch.bornAt)
    else {
      watch.failure = brought.failure
      watch.notBefore = watch.lookedAt + (brought.failure.retryAfterMs ?? 0)
    }
    if (watch.watchers.length > 0) schedule(watch)
  }

  /** @param runningAt When the job was last known to be running still */
  function update(watch: JobWatch, job: Job, runningAt: number): void {
    const isNew = job.status !== watch.state?.status
    Object.assign(watch, { state: job, seenAt: clock.now(), failure: undefined })
    learnFrom(durations, watch, runningAt)
    if (isNew) warnOfUnknownStatus(log, watch.job.jobId, job.status)
    if (isFinished(job)) watchList.close(watch, (watcher) => report(watcher, job, true))
    else if (isNew) for (const watcher of [...watch.watchers]) report(watcher, job, false)
  }

  return {
    join: (watcher) => {
      const watch = watchList.add(watcher)
      if (watch.state) report(watcher, watch.state, false)
      if (!watch.poll && watcher.watch) schedule(watch)
      if (watcher.options.signal?.aborted) watchList.endEarly(watcher, 'aborted')
      agenda.run()
    },
    leave: watchList.remove,
    deliver: ({ watch }, job) => {
      // What is not an end says nothing that polls would not say better.
      if (!watch || !isFinished(job)) return
      for (const { span } of watch.watchers) span?.onDelivery(job)
      update(watch, withKnownStatus(job), clock.now())
    },
    durations,
  }
}

/** Gives a state of the job to a wait and to its span. */
function report(watcher: Watcher, job: Job, isEnd: boolean): void {
  watcher.span?.onState(job)
  watcher.onState(job, isEnd)
}

function warnOfUnknownStatus(log: Log, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}
