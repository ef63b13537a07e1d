import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { BlockedError, judge, observe } from '../judge/finding.ts'
import { observeRejection, rejectionText } from '../judge/responses.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { jobIdOf, jobStatus, type PolledJob, pollJob, pollRun } from '../session/jobs.ts'
import {
  isUnclear,
  type MeasuredOptions,
  measuredRun,
  startRun,
  unlessProviderFails,
  wasHeld,
} from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { UNKNOWN_ID } from './details.ts'

/** A run with its response. */
export interface Run {
  target: ModelTarget
  response: ApiResponse
}

/** A run without `sync`. */
export const defaultRun = defineScenario('default-run', { runs: { main: 1 }, mayFail: 'main' }, (session) =>
  quickRun(session),
)

/** The same with `sync: true`. */
export const syncRun = defineScenario('sync-run', { runs: { main: 1 }, mayFail: 'main' }, (session) =>
  quickRun(session, true),
)

async function quickRun(session: Session, sync?: boolean): Promise<Run> {
  const target = session.target('main')
  const { response } = await unlessProviderFails(session, 'main', () =>
    measuredRun(session, 'main', { sync, isPolled: isUnclear }),
  )
  if (wasHeld(response))
    throw new BlockedError(`${target.modelId} takes longer than the hold; choose a quicker model`, response)
  return { target, response }
}

/** The job of the run above, asked for once it has ended. */
export const defaultRunJob = defineScenario('default-run-job', { uses: [defaultRun] }, async (session) => {
  const run = await session.evidence(defaultRun)
  return { ...run, polled: await pollJob(session, jobIdOf(run.response)) }
})

/** The same of a model that may fail at the provider. */
function polledRun(session: Session, kind: RunKind, options?: MeasuredOptions) {
  return unlessProviderFails(session, kind, () => measuredRun(session, kind, options))
}

/** The same for those who need the job. */
function withJob<Polled extends Run & { polled: PolledJob | undefined }>({ polled, ...run }: Polled) {
  if (polled === undefined) throw new BlockedError('the response to the run has no job_id', run.response)
  return { ...run, polled }
}

/** A run with `sync: false`, and its job polled from the start to the end. */
export const asyncRun = defineScenario('async-run', { runs: { main: 1 }, mayFail: 'main' }, (session) =>
  polledRun(session, 'main', { sync: false, isMeasured: true }),
)

export const asyncJob = defineScenario('async-job', { uses: [asyncRun] }, async (session) =>
  withJob(await session.evidence(asyncRun)),
)

/** A synchronous run that takes longer than the hold, and its job. */
export const heldRun = defineScenario('held-run', { runs: { slow: 1 }, mayFail: 'slow' }, async (session) => {
  const run = await polledRun(session, 'slow')
  const { response, target } = run
  const isQuick = at(response.json, '/status') === 'completed' && response.durationMs < LIMITS.syncWaitMs
  if (!isQuick) return run
  const took = `${Math.round(response.durationMs)} ms`
  throw new BlockedError(`${target.modelId} took ${took}; choose a slower model`, response)
})

/** A synchronous run that fails at the provider. */
export const failingRun = defineScenario('failing-run', { runs: { failing: 1 } }, async (session) => ({
  target: session.target('failing'),
  response: await startRun(session, 'failing'),
}))

/** An asynchronous run that fails at the provider, polled to its end. */
export const failingJob = defineScenario('failing-job', { runs: { failing: 1 } }, async (session) =>
  withJob(await measuredRun(session, 'failing', { sync: false })),
)

/** A run of a model that is not there, with an input that another one takes. It counts nothing in the plan. */
const unknownModelRun = defineScenario('unknown-model-run', { runs: { main: 0 } }, (session) => {
  const { input } = session.target('main')
  const path = routePath(ROUTES.runModel, { model: UNKNOWN_ID })
  return session.call({ method: 'POST', path, body: { input, sync: false }, isOpen: true })
})

/** The same, and its job if there is one. */
const unknownModelJob = defineScenario('unknown-model-job', { uses: [unknownModelRun] }, async (session) => {
  const response = await session.evidence(unknownModelRun)
  return { response, polled: await pollRun(session, response) }
})

/** Runs: synchronous, asynchronous, held (sections 2.4, 3, 4.3 and 8). */
export const RUNS_CHECKS: readonly Check[] = [
  check('runs/async-status-code', asyncRun, ({ response }) =>
    observe(response.status, `status ${response.status}`, response),
  ),
  check('runs/failed-response', failingRun, ({ response }) =>
    observe(response.status, `${rejectionText(response)}, /status ${show(at(response.json, '/status'))}`, response),
  ),
  check('runs/failed-body', failingRun, ({ response }) => {
    const namesJob = typeof at(response.json, '/job_id') === 'string'
    return observe(namesJob ? 'job' : 'error', `the body ${namesJob ? 'names' : 'does not name'} the job`, response)
  }),
  check('runs/unknown-model', unknownModelRun, observeRejection),
  check('runs/unknown-model-does-not-run', unknownModelJob, ({ response, polled }) => {
    const status = polled === undefined ? at(response.json, '/status') : jobStatus(polled.last)
    const isRight = status !== 'completed' && status !== 'succeeded'
    return judge(isRight, `a run of an unknown model: ${rejectionText(response)}, then ${show(status)}`, response)
  }),
]
