import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { cancelJob, jobIdOf, type PolledJob, pollJob, pollRun } from '../session/jobs.ts'
import { type RunOptions, startRun, wasHeld } from '../session/runs.ts'
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
export const defaultRun = defineScenario('default-run', { runs: { main: 1 } }, (session) => quickRun(session))

/** The same with `sync: true`. */
export const syncRun = defineScenario('sync-run', { runs: { main: 1 } }, (session) => quickRun(session, true))

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
export const defaultRunJob = defineScenario('default-run-job', { uses: [defaultRun] }, async (session) => {
  const run = await session.evidence(defaultRun)
  return { ...run, polled: await pollJob(session, jobIdOf(run.response)) }
})

/** A run, its job polled to the end if it has one, and the charge. */
export async function polledRun(session: Session, kind: RunKind, options?: RunOptions) {
  const { value, charge } = await session.measured(async () => {
    const response = await startRun(session, kind, options)
    return { response, polled: await pollRun(session, response) }
  })
  return { ...value, target: session.target(kind), charge }
}

/** The same for those who need the job. */
function withJob<Polled extends Run & { polled: PolledJob | undefined }>({ polled, ...run }: Polled) {
  if (polled === undefined) throw new BlockedError('the response to the run has no job_id', run.response)
  return { ...run, polled }
}

/** A run with `sync: false`, and its job polled from the start to the end. */
export const asyncRun = defineScenario('async-run', { runs: { main: 1 } }, (session) =>
  polledRun(session, 'main', { sync: false }),
)

export const asyncJob = defineScenario('async-job', { uses: [asyncRun] }, async (session) =>
  withJob(await session.evidence(asyncRun)),
)

/** An asynchronous run of a slow model. Its job is cancelled afterwards. */
export const startedSlowRun = defineScenario('started-slow-run', { runs: { slow: 1 } }, async (session) => {
  const response = await startRun(session, 'slow', { sync: false })
  await cancelJob(session, jobIdOf(response))
  return response
})

/** A synchronous run that takes longer than the hold, and its job. */
export const heldRun = defineScenario('held-run', { runs: { slow: 1 } }, async (session) => {
  const run = await polledRun(session, 'slow')
  const { response, target } = run
  const isQuick = at(response.json, '/status') === 'completed' && response.durationMs < LIMITS.syncWaitMs
  if (!isQuick) return run
  const took = `${Math.round(response.durationMs)} ms`
  throw new BlockedError(`${target.modelId} took ${took}; choose a slower model`, response)
})

export const heldJob = defineScenario('held-job', { uses: [heldRun] }, async (session) =>
  withJob(await session.evidence(heldRun)),
)

/** A synchronous run that fails at the provider. */
export const failingRun = defineScenario('failing-run', { runs: { failing: 1 } }, async (session) => ({
  target: session.target('failing'),
  response: await startRun(session, 'failing'),
}))

/** An asynchronous run that fails at the provider, polled to its end. */
export const failingJob = defineScenario('failing-job', { runs: { failing: 1 } }, async (session) =>
  withJob(await polledRun(session, 'failing', { sync: false })),
)

/** A run of a model that is not there, with an input that another one takes. It counts nothing in the plan. */
export const unknownModelRun = defineScenario('unknown-model-run', { runs: { main: 0 } }, (session) => {
  const { input } = session.target('main')
  const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
  return session.call({ method: 'POST', path, body: { input, sync: false } })
})

/** The same, and its job if there is one. */
export const unknownModelJob = defineScenario('unknown-model-job', { uses: [unknownModelRun] }, async (session) => {
  const response = await session.evidence(unknownModelRun)
  return { response, polled: await pollRun(session, response) }
})
