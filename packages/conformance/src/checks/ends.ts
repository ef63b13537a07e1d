import { defineScenario } from '../check.ts'
import { endOf, type JobStory, worldOf } from '../judges/world.ts'
import { jobStatus, pollJob, readJob } from '../session/jobs.ts'
import type { Session } from '../session/session.ts'
import { crossedRuns, keyOfJob } from './crossed.ts'
import { awaitDeliveries } from './webhooks.ts'

/** A job that was not read again this long after its end is, so that an end which does not stay is noticed. */
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
    for (const job of worldOf(session).jobs) {
      if (left.includes(job.jobId)) await poll(job)
      else if (!job.run.isOpen && !isReadLater(job)) await readJob(session, job.jobId, { key: keyOf(session, job.run) })
    }
  },
)

/** Performed after everything else, for judges of runs: what is combined, and how all of it ended. */
export const LASTS = [crossedRuns, endsOfJobs]

/** Some jobs are not polled before their deliveries: a service may notice an end by a poll alone. */
function isLeft({ run, reads, cancels }: JobStory, index: number): boolean {
  return index % 2 === 1 && run.endpoint !== undefined && reads.length + cancels.length === 0
}

function isReadLater({ end, reads }: JobStory): boolean {
  const last = reads.at(-1)
  return end !== undefined && last !== undefined && endOf(last) > endOf(end) + LATER_MS
}

/** The job may belong to the account of the key that ran it. */
function keyOf(session: Session, { key }: JobStory['run']): string | undefined {
  return keyOfJob(session, key.name, 'jobs:read')
}
