import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError } from '../judge/finding.ts'
import { cancelJob, jobIdOf, jobStatus, pollJob, readJob } from '../session/jobs.ts'
import { cancelRunning, charged, startRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { defaultRunJob } from './runs.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A cancel right after an asynchronous run. */
export const cancelledQueued = defineScenario('cancelled-queued', { runs: { longest: 0 } }, (session) =>
  charged(
    session,
    async () => cancelRunning(session, await startRun(session, 'longest', { sync: false })),
    () => 0,
  ),
)

/** A cancel once the job is seen to be processed. A slow one has time to reject cancels with wrong keys before. */
export const cancelledProcessing = defineScenario('cancelled-processing', { runs: { longest: 0 } }, (session) =>
  charged(
    session,
    async () => {
      const started = await startRun(session, 'longest', { sync: false })
      const isProcessing = (response: ApiResponse) => jobStatus(response) === 'processing'
      const { last } = await pollJob(session, jobIdOf(started), { until: isProcessing })
      if (!isProcessing(last)) throw new BlockedError('the job was never seen in processing; give a slow model', last)
      if (session.options.models.slow !== undefined) await cancelWithWrongKeys(session, jobIdOf(started))
      return cancelRunning(session, started)
    },
    () => 0,
  ),
)

/** The read afterwards shows whether they did something. */
async function cancelWithWrongKeys(session: Session, jobId: string): Promise<void> {
  await cancelJob(session, jobId, { authorization: null })
  const lacking = session.options.keys['without-jobs-write'] ?? session.options.keys['read-only']
  if (lacking !== undefined) await cancelJob(session, jobId, { key: lacking })
  await readJob(session, jobId)
}

/** A second cancel of the job that was cancelled. */
export const cancelledTwice = defineScenario('cancelled-twice', { uses: [cancelledQueued] }, async (session) =>
  cancelJob(session, jobIdOf((await session.evidence(cancelledQueued)).response)),
)

/** A cancel of a job that has succeeded. */
export const cancelledFinished = defineScenario(
  'cancelled-finished',
  { writes: true, uses: [defaultRunJob] },
  async (session) => {
    const { polled } = await session.evidence(defaultRunJob)
    const cancel = await cancelJob(session, polled.jobId)
    return { cancel, before: polled, after: await readJob(session, polled.jobId) }
  },
)

export const cancelledUnknown = defineScenario('cancelled-unknown', { writes: true }, (session) =>
  cancelJob(session, UNKNOWN_ID, { isOpen: true }),
)
