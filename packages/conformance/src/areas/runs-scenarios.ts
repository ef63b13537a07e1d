import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { cancelJob, type JobWatch, jobIdOf, watchJob, watchRun } from '../session/jobs.ts'
import { startRun, wasHeld } from '../session/runs.ts'
import type { Charge, Session } from '../session/session.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A run with its answer. */
export interface Run {
  target: ModelTarget
  answer: Answer
  /** What it was charged, where that can be known. */
  charge?: Charge | undefined
}

/** A run with what was seen of its job until it ended. */
export interface FollowedRun extends Run {
  watch: JobWatch
}

/** A run that says nothing of `sync`. */
export const defaultRun: Scenario<Run> = {
  id: 'default-run',
  runs: { main: 1 },
  perform: (session) => quickRun(session),
}

/** The same with `sync: true`. */
export const syncRun: Scenario<Run> = {
  id: 'sync-run',
  runs: { main: 1 },
  perform: (session) => quickRun(session, true),
}

async function quickRun(session: Session, sync?: boolean): Promise<Run> {
  const target = session.target('main')
  const { value: answer, charge } = await session.measured(() =>
    startRun(session, 'main', sync === undefined ? {} : { sync }),
  )
  if (wasHeld(answer))
    throw new BlockedError(`${target.modelId} takes longer than the hold; choose a quicker model`, answer)
  return { target, answer, charge }
}

/** The job of the run above, asked for once it has ended. */
export const defaultRunJob: Scenario<FollowedRun> = {
  id: 'default-run-job',
  uses: [defaultRun],
  perform: async (session) => {
    const run = await session.evidence(defaultRun)
    return { ...run, watch: await watchJob(session, jobIdOf(run.answer)) }
  },
}

/** A run with `sync: false`, and its job followed to its end from the first moment on. */
export const asyncRun: Scenario<Run & { watch: JobWatch | undefined }> = {
  id: 'async-run',
  runs: { main: 1 },
  perform: async (session) => {
    const { value, charge } = await session.measured(async () => {
      const answer = await startRun(session, 'main', { sync: false })
      return { answer, watch: await watchRun(session, answer) }
    })
    return { ...value, target: session.target('main'), charge }
  },
}

/** The same for those who need the job. */
export const asyncJob: Scenario<FollowedRun> = {
  id: 'async-job',
  uses: [asyncRun],
  perform: async (session) => {
    const { watch, ...run } = await session.evidence(asyncRun)
    if (watch === undefined) throw new BlockedError('the asynchronous run was answered without a job_id', run.answer)
    return { ...run, watch }
  },
}

/** An asynchronous run of a slow model. Its job is cancelled afterwards. */
export const startedSlowRun: Scenario<Answer> = {
  id: 'started-slow-run',
  runs: { slow: 1 },
  perform: async (session) => {
    const answer = await startRun(session, 'slow', { sync: false })
    await cancelJob(session, jobIdOf(answer))
    return answer
  },
}

/** A synchronous run that takes longer than the hold, and its job. */
export const heldRun: Scenario<Run & { watch: JobWatch | undefined }> = {
  id: 'held-run',
  runs: { slow: 1 },
  perform: async (session) => {
    const target = session.target('slow')
    const { value, charge } = await session.measured(async () => {
      const answer = await startRun(session, 'slow')
      return { answer, watch: await watchRun(session, answer) }
    })
    const { answer } = value
    const isQuick = at(answer.json, '/status') === 'completed' && answer.durationMs < LIMITS.syncWaitMs
    if (!isQuick) return { ...value, target, charge }
    throw new BlockedError(`${target.modelId} took ${Math.round(answer.durationMs)} ms; choose a slower model`, answer)
  },
}

export const heldJob: Scenario<FollowedRun> = {
  id: 'held-job',
  uses: [heldRun],
  perform: async (session) => {
    const { watch, ...run } = await session.evidence(heldRun)
    if (watch === undefined) throw new BlockedError('the run was answered without a job_id', run.answer)
    return { ...run, watch }
  },
}

/** A synchronous run that fails at the provider. */
export const failingRun: Scenario<Run> = {
  id: 'failing-run',
  runs: { failing: 1 },
  perform: async (session) => ({ target: session.target('failing'), answer: await startRun(session, 'failing') }),
}

/** An asynchronous run that fails at the provider, followed to its end. */
export const failingJob: Scenario<FollowedRun> = {
  id: 'failing-job',
  runs: { failing: 1 },
  perform: async (session) => {
    const { value, charge } = await session.measured(async () => {
      const answer = await startRun(session, 'failing', { sync: false })
      return { answer, watch: await watchJob(session, jobIdOf(answer)) }
    })
    return { ...value, target: session.target('failing'), charge }
  },
}

/** A run of a model that is not there, with an input that another one takes. It counts nothing in the plan. */
export const unknownModelRun: Scenario<Answer> = {
  id: 'unknown-model-run',
  runs: { main: 0 },
  perform: (session) => {
    const { input } = session.target('main')
    const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
    return session.call({ method: 'POST', path, body: { input, sync: false } })
  },
}

/** The same, and its job if there is one. */
export const unknownModelJob: Scenario<{ answer: Answer; watch: JobWatch | undefined }> = {
  id: 'unknown-model-job',
  uses: [unknownModelRun],
  perform: async (session) => {
    const answer = await session.evidence(unknownModelRun)
    return { answer, watch: await watchRun(session, answer) }
  },
}
