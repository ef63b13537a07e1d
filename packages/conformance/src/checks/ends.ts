import { defineScenario } from '../check.ts'
import { sleepInSteps } from '../clock.ts'
import { endOf, type JobStory, startOf, worldOf } from '../judges/world.ts'
import { namesOf } from '../plan/crossed-runs.ts'
import { jobStatus, pollJob, readJob } from '../session/jobs.ts'
import type { Session } from '../session/session.ts'
import { crossedRuns, keyOfJob } from './crossed.ts'
import { awaitDeliveries } from './webhooks.ts'

/** A job that was not read so long after its end is read again, so that an end which does not stay is noticed. */
const LATER_MS = 60_000

/**
 * The end of everything that was started: each job is polled until it ends and once more, and every delivery that should
 * come is waited for. Made after all other scenarios.
 */
export const endsOfJobs = defineScenario(
  'ends-of-jobs',
  { runs: { main: 0 }, mayUse: [crossedRuns] },
  async (session) => {
    const latest = session.clock.now() + session.options.limits.jobMs
    const until = () => session.clock.now() > latest
    const { jobs } = worldOf(session)
    const left = jobs.filter(isLeft).map(({ jobId }) => jobId)
    const poll = ({ jobId, run }: JobStory) => pollJob(session, jobId, { until, key: keyOf(session, run) })
    for (const job of jobs) if (job.end === undefined && !left.includes(job.jobId)) await poll(job)
    const isExpected = ({ jobId, end }: JobStory) =>
      left.includes(jobId) || (end !== undefined && /^(succeeded|failed)$/.test(String(jobStatus(end))))
    const expected = worldOf(session).jobs.filter(isExpected)
    await awaitDeliveries(
      session,
      expected.flatMap(({ run }) => run.endpoint ?? []),
    )
    const ended = worldOf(session).jobs
    // Until what was cancelled would have ended.
    const longestMs = Math.min(session.options.limits.jobMs, Math.max(0, ...ended.map(durationMs)))
    await sleepInSteps(session.clock, longestMs)
    const readLater = readerOf(session)
    for (const job of ended) {
      if (left.includes(job.jobId)) await poll(job)
      else if (!job.run.isOpen && !isReadLater(job, Math.max(LATER_MS, longestMs))) await readLater(job)
    }
  },
)

/** Performed after everything else, for judges of runs: what is combined, and how all of it ended. */
export const LASTS = [crossedRuns, endsOfJobs]

/** Some jobs are not polled before their deliveries: a service may notice an end by a poll alone. */
function isLeft({ run, reads, cancels }: JobStory, index: number): boolean {
  return index % 2 === 1 && run.endpoint !== undefined && reads.length + cancels.length === 0
}

function isReadLater({ end, reads }: JobStory, laterMs: number): boolean {
  const last = reads.at(-1)
  return end !== undefined && last !== undefined && endOf(last) > endOf(end) + laterMs
}

/** How long a job has taken that was not cancelled. */
function durationMs({ run, end, cancels }: JobStory): number {
  return end === undefined || cancels.length > 0 ? 0 : endOf(end) - startOf(run.response.exchange)
}

/** Reads jobs with all keys that may, in turn, as long as they belong to one account. */
function readerOf(session: Session): (job: JobStory) => Promise<void> {
  let others = namesOf(session.options, 'jobs:read').flatMap((name) => session.options.keys[name] ?? [])
  let count = 0
  return async ({ jobId, run }) => {
    const own = keyOf(session, run)
    const key = run.key.kind === 'full' ? [own, ...others][count++ % (others.length + 1)] : own
    const { status } = await readJob(session, jobId, { key })
    if (key === own || status < 300) return
    others = others.filter((other) => other !== key)
    await readJob(session, jobId, { key: own })
  }
}

/** The job may belong to the account of the key that ran it. */
function keyOf(session: Session, { key }: JobStory['run']): string | undefined {
  return keyOfJob(session, key.name, 'jobs:read')
}
