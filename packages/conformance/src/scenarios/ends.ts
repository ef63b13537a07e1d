import { sleep } from '@modelrun/kit'
import type { Scenario } from '../check.ts'
import { sleepInSteps } from '../clock.ts'
import { endOf, type JobStory, startOf, worldOf } from '../judges/world.ts'
import { pollJob, saysCancelled } from '../session/actions.ts'
import { mayDo } from '../session/keys.ts'
import type { Session } from '../session/session.ts'
import { SILENCE_MS } from '../webhooks/webhook-endpoints.ts'
import { otherRuns } from './runs.ts'

/**
 * The end of everything that was started: each job is polled until it ends and once more, and every delivery that should
 * come is waited for.
 */
export const endsOfJobs: Scenario = {
  name: 'the ends of all jobs',
  writes: true,
  after: [otherRuns],
  perform: async (session) => {
    const latest = session.clock.now() + session.options.limits.jobMs
    const poll = ({ jobId, run }: JobStory) =>
      pollJob(session, jobId, {
        until: () => session.clock.now() > latest,
        // The key of the run where it has the permission: the job may belong to its account.
        key: run.key.name && mayDo(run.key, 'getJob') ? session.options.keys[run.key.name] : undefined,
      })
    const { jobs } = worldOf(session)
    const left = new Set(jobs.filter(isLeft).map(({ jobId }) => jobId))
    for (const job of jobs)
      if (job.end === undefined && !left.has(job.jobId) && !isCancelledUnread(job)) await poll(job)
    const hasResult = ({ jobId, outcome }: JobStory) =>
      left.has(jobId) || outcome === 'succeeded' || outcome === 'failed'
    await awaitDeliveries(session, worldOf(session).jobs.filter(hasResult))
    const ended = worldOf(session).jobs
    // Until what was cancelled would have ended.
    const longestMs = Math.min(session.options.limits.jobMs, Math.max(0, ...ended.map(durationMs)))
    await sleepInSteps(session.clock, longestMs)
    for (const job of ended) if (!(job.run.isOpen && (job.end !== undefined || isCancelledUnread(job)))) await poll(job)
  },
}

/** Its cancel says that it is cancelled. When it would have ended, it is read. */
function isCancelledUnread({ end, cancels }: JobStory): boolean {
  return end === undefined && cancels.some(saysCancelled)
}

/** Some jobs are not polled before their deliveries: a service may notice an end by a poll alone. */
function isLeft({ run, reads, cancels }: JobStory, index: number): boolean {
  return index % 2 === 1 && run.endpoint !== undefined && reads.length + cancels.length === 0
}

/** How long a job has taken that was not cancelled. */
function durationMs({ run, end, cancels }: JobStory): number {
  return end === undefined || cancels.length > 0 ? 0 : endOf(end) - startOf(run.response.exchange)
}

const POLL_INTERVAL_MS = 500

/** Waits until a delivery has come to each, and for what comes afterwards: a duplicate, or an attempt that must not be. */
async function awaitDeliveries(session: Session, jobs: readonly JobStory[]): Promise<void> {
  const endpoints = jobs.flatMap(({ run }) => run.endpoint ?? [])
  const { deliveryMs, quietMs } = session.options.limits
  const until = session.clock.now() + deliveryMs
  const isWaiting = () => endpoints.some(({ deliveries }) => deliveries.length === 0)
  while (isWaiting() && session.clock.now() < until) await sleep(session.clock, POLL_INTERVAL_MS)
  const isSilent = endpoints.some(({ behavior }) => behavior === 'silent')
  const hasCome = endpoints.some(({ deliveries }) => deliveries.length > 0)
  if (hasCome) await sleepInSteps(session.clock, quietMs + (isSilent ? SILENCE_MS : 0))
}
