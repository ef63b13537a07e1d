import { defineScenario } from '../check.ts'
import { sleepInSteps } from '../clock.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError } from '../judge/finding.ts'
import type { Charge } from '../session/balance.ts'
import { cancelJob, jobIdOf, jobStatus, pollJob, readJob } from '../session/jobs.ts'
import { type CancelledRun, cancelRunning, startRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { asyncJob, defaultRunJob, heldJob } from './runs.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A cancelled run, and what it was charged where that can be known. */
export interface MeasuredCancel extends CancelledRun {
  charge: Charge | undefined
}

/** A cancel right after an asynchronous run. */
export const cancelledQueued = defineScenario('cancelled-queued', { runs: { longest: 1 } }, async (session) => {
  const { value, charge } = await session.balance.measured(
    async () => cancelRunning(session, await startRun(session, 'longest', { sync: false })),
    () => 0,
  )
  return { ...value, charge }
})

/** A cancel once the job is seen to be processed. A slow one has time to reject cancels with wrong keys before. */
export const cancelledProcessing = defineScenario('cancelled-processing', { runs: { longest: 1 } }, async (session) => {
  const { value, charge } = await session.balance.measured(
    async () => {
      const started = await startRun(session, 'longest', { sync: false })
      const isProcessing = (response: ApiResponse) => jobStatus(response) === 'processing'
      const { last } = await pollJob(session, jobIdOf(started), { until: isProcessing })
      if (!isProcessing(last)) throw new BlockedError('the job was never seen in processing; give a slow model', last)
      if (session.options.models.slow !== undefined) await cancelWithWrongKeys(session, jobIdOf(started))
      return cancelRunning(session, started)
    },
    () => 0,
  )
  return { ...value, charge }
})

/** The read afterwards shows whether they did something. */
async function cancelWithWrongKeys(session: Session, jobId: string): Promise<void> {
  await cancelJob(session, jobId, { authorization: null })
  const lacking = session.options.keys['without-jobs-write'] ?? session.options.keys['read-only']
  if (lacking !== undefined) await cancelJob(session, jobId, { key: lacking })
  await readJob(session, jobId)
}

/** The cancelled jobs once their runs would have ended, and the credits before and after that time. */
export const cancelledLongAgo = defineScenario(
  'cancelled-long-ago',
  { uses: [cancelledQueued, cancelledProcessing], mayUse: [heldJob, asyncJob] },
  async (session) => {
    const durationMs = await runDurationOf(session)
    const jobs = [await session.evidence(cancelledQueued), await session.evidence(cancelledProcessing)]
    const { value: reads, charge } = await session.balance.measured(
      async () => {
        await sleepInSteps(session.clock, Math.min(durationMs, session.options.limits.jobMs))
        const responses: ApiResponse[] = []
        for (const { after } of jobs) responses.push(await readJob(session, after.jobId))
        return responses
      },
      () => 0,
    )
    return { reads, charge }
  },
)

/** How long a run of the model takes that is cancelled. */
async function runDurationOf(session: Session): Promise<number> {
  const { response, polled } = await session.evidence(session.options.models.slow === undefined ? asyncJob : heldJob)
  return response.durationMs + (polled.readAfterMs.at(-1) ?? 0)
}

/** A second cancel of the job that was cancelled. */
export const cancelledTwice = defineScenario('cancelled-twice', { uses: [cancelledQueued] }, async (session) =>
  cancelJob(session, jobIdOf((await session.evidence(cancelledQueued)).started)),
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
