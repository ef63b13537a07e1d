import type { Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { BlockedError } from '../judge/finding.ts'
import { cancelJob, type JobWatch, jobIdOf, jobStatus, readJob, watchJob } from '../session/jobs.ts'
import { type CancelledRun, cancelRunning, startRun } from '../session/runs.ts'
import { defaultRunJob } from './runs-scenarios.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A cancel right after an asynchronous run. */
export const cancelledQueued: Scenario<CancelledRun> = {
  id: 'cancelled-queued',
  runs: { longest: 1 },
  perform: async (session) => cancelRunning(session, await startRun(session, 'longest', { sync: false })),
}

/** A cancel once the job is seen to be processed. */
export const cancelledProcessing: Scenario<CancelledRun> = {
  id: 'cancelled-processing',
  runs: { longest: 1 },
  perform: async (session) => {
    const started = await startRun(session, 'longest', { sync: false })
    const isProcessing = (answer: Answer) => jobStatus(answer) === 'processing'
    const { last } = await watchJob(session, jobIdOf(started), isProcessing)
    if (!isProcessing(last)) throw new BlockedError('the job was never seen in processing; give a slow model', last)
    return cancelRunning(session, started)
  },
}

/** A second cancel of the job that was cancelled. */
export const cancelledTwice: Scenario<Answer> = {
  id: 'cancelled-twice',
  uses: [cancelledQueued],
  perform: async (session) => cancelJob(session, jobIdOf((await session.evidence(cancelledQueued)).started)),
}

/** A cancel of a job that has succeeded. */
export const cancelledFinished: Scenario<{ cancel: Answer; before: JobWatch; after: Answer }> = {
  id: 'cancelled-finished',
  writes: true,
  uses: [defaultRunJob],
  perform: async (session) => {
    const { watch } = await session.evidence(defaultRunJob)
    const cancel = await cancelJob(session, watch.jobId)
    return { cancel, before: watch, after: await readJob(session, watch.jobId) }
  },
}

export const cancelledUnknown: Scenario<Answer> = {
  id: 'cancelled-unknown',
  writes: true,
  perform: (session) => cancelJob(session, UNKNOWN_ID),
}

/** The credits before a run, and once its job was cancelled. */
export interface Charge {
  before: number
  after: number
  creditsPerRun: number
  answers: readonly Answer[]
}

export const chargeOfCancelled: Scenario<Charge> = {
  id: 'charge-of-cancelled',
  runs: { longest: 1 },
  credits: true,
  perform: async (session) => {
    const before = await session.credits()
    const { started, cancel, after } = await cancelRunning(session, await startRun(session, 'longest', { sync: false }))
    const answers = [started, cancel, after.last]
    return { before, after: await session.credits(), creditsPerRun: session.target('longest').creditsPerRun, answers }
  },
}

export const chargeOfSucceeded: Scenario<Charge> = {
  id: 'charge-of-succeeded',
  runs: { main: 1 },
  credits: true,
  perform: async (session) => {
    const before = await session.credits()
    const answer = await startRun(session, 'main')
    if (jobStatus((await watchJob(session, jobIdOf(answer))).last) !== 'succeeded') {
      throw new BlockedError('the run did not succeed', answer)
    }
    const { creditsPerRun } = session.target('main')
    return { before, after: await session.credits(), creditsPerRun, answers: [answer] }
  },
}

export const chargeOfFailed: Scenario<Charge> = {
  id: 'charge-of-failed',
  runs: { failing: 1 },
  credits: true,
  perform: async (session) => {
    const before = await session.credits()
    const answer = await startRun(session, 'failing', { sync: false })
    await watchJob(session, jobIdOf(answer))
    const { creditsPerRun } = session.target('failing')
    return { before, after: await session.credits(), creditsPerRun, answers: [answer] }
  },
}
