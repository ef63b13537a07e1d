import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget } from '../plan/targets.ts'
import { cancelJob, jobIdOf, type PolledJob, pollJob, pollRun } from '../session/jobs.ts'
import { startRun, wasHeld } from '../session/runs.ts'
import type { Charge, Session } from '../session/session.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** A run with its response. */
export interface Run {
  target: ModelTarget
  response: ApiResponse
  /** The charge, where the balance can be read. */
  charge?: Charge | undefined
}

/** A run with the polls of its job. */
export interface PolledRun extends Run {
  polled: PolledJob
}

/** A run without `sync`. */
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
  const { value: response, charge } = await session.measured(() =>
    startRun(session, 'main', sync === undefined ? {} : { sync }),
  )
  if (wasHeld(response))
    throw new BlockedError(`${target.modelId} takes longer than the hold; choose a quicker model`, response)
  return { target, response, charge }
}

/** The job of the run above, asked for once it has ended. */
export const defaultRunJob: Scenario<PolledRun> = {
  id: 'default-run-job',
  uses: [defaultRun],
  perform: async (session) => {
    const run = await session.evidence(defaultRun)
    return { ...run, polled: await pollJob(session, jobIdOf(run.response)) }
  },
}

/** A run with `sync: false`, and its job polled from the start to the end. */
export const asyncRun: Scenario<Run & { polled: PolledJob | undefined }> = {
  id: 'async-run',
  runs: { main: 1 },
  perform: async (session) => {
    const { value, charge } = await session.measured(async () => {
      const response = await startRun(session, 'main', { sync: false })
      return { response, polled: await pollRun(session, response) }
    })
    return { ...value, target: session.target('main'), charge }
  },
}

/** The same for those who need the job. */
export const asyncJob: Scenario<PolledRun> = {
  id: 'async-job',
  uses: [asyncRun],
  perform: async (session) => {
    const { polled, ...run } = await session.evidence(asyncRun)
    if (polled === undefined) throw new BlockedError('the response to the asynchronous run has no job_id', run.response)
    return { ...run, polled }
  },
}

/** An asynchronous run of a slow model. Its job is cancelled afterwards. */
export const startedSlowRun: Scenario<ApiResponse> = {
  id: 'started-slow-run',
  runs: { slow: 1 },
  perform: async (session) => {
    const response = await startRun(session, 'slow', { sync: false })
    await cancelJob(session, jobIdOf(response))
    return response
  },
}

/** A synchronous run that takes longer than the hold, and its job. */
export const heldRun: Scenario<Run & { polled: PolledJob | undefined }> = {
  id: 'held-run',
  runs: { slow: 1 },
  perform: async (session) => {
    const target = session.target('slow')
    const { value, charge } = await session.measured(async () => {
      const response = await startRun(session, 'slow')
      return { response, polled: await pollRun(session, response) }
    })
    const { response } = value
    const isQuick = at(response.json, '/status') === 'completed' && response.durationMs < LIMITS.syncWaitMs
    if (!isQuick) return { ...value, target, charge }
    throw new BlockedError(
      `${target.modelId} took ${Math.round(response.durationMs)} ms; choose a slower model`,
      response,
    )
  },
}

export const heldJob: Scenario<PolledRun> = {
  id: 'held-job',
  uses: [heldRun],
  perform: async (session) => {
    const { polled, ...run } = await session.evidence(heldRun)
    if (polled === undefined) throw new BlockedError('the response to the run has no job_id', run.response)
    return { ...run, polled }
  },
}

/** A synchronous run that fails at the provider. */
export const failingRun: Scenario<Run> = {
  id: 'failing-run',
  runs: { failing: 1 },
  perform: async (session) => ({ target: session.target('failing'), response: await startRun(session, 'failing') }),
}

/** An asynchronous run that fails at the provider, polled to its end. */
export const failingJob: Scenario<PolledRun> = {
  id: 'failing-job',
  runs: { failing: 1 },
  perform: async (session) => {
    const { value, charge } = await session.measured(async () => {
      const response = await startRun(session, 'failing', { sync: false })
      return { response, polled: await pollJob(session, jobIdOf(response)) }
    })
    return { ...value, target: session.target('failing'), charge }
  },
}

/** A run of a model that is not there, with an input that another one takes. It counts nothing in the plan. */
export const unknownModelRun: Scenario<ApiResponse> = {
  id: 'unknown-model-run',
  runs: { main: 0 },
  perform: (session) => {
    const { input } = session.target('main')
    const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
    return session.call({ method: 'POST', path, body: { input, sync: false } })
  },
}

/** The same, and its job if there is one. */
export const unknownModelJob: Scenario<{ response: ApiResponse; polled: PolledJob | undefined }> = {
  id: 'unknown-model-job',
  uses: [unknownModelRun],
  perform: async (session) => {
    const response = await session.evidence(unknownModelRun)
    return { response, polled: await pollRun(session, response) }
  },
}
