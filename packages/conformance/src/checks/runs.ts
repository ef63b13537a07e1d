import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, show } from '../json.ts'
import { BlockedError, every, type Finding, judge, observe } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { hasCount, hasStatus, hasText, hasValue, observeRejection, rejectionText } from '../judge/responses.ts'
import type { ModelTarget, RunKind } from '../plan/targets.ts'
import { cancelJob, jobIdOf, jobStatus, type PolledJob, pollJob, pollRun } from '../session/jobs.ts'
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
const syncRun = defineScenario('sync-run', { runs: { main: 1 } }, (session) => quickRun(session, true))

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
const startedSlowRun = defineScenario('started-slow-run', { runs: { slow: 1 } }, async (session) => {
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
const failingRun = defineScenario('failing-run', { runs: { failing: 1 } }, async (session) => ({
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
const unknownModelJob = defineScenario('unknown-model-job', { uses: [unknownModelRun] }, async (session) => {
  const response = await session.evidence(unknownModelRun)
  return { response, polled: await pollRun(session, response) }
})

/** "About 55 s" with room for a slow network and for a service that counts from another moment. */
const SHORTEST_HOLD_MS = LIMITS.syncWaitMs - 10_000
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 15_000
/** Room for the rounding of both clocks. */
const SLACK_MS = 1_000
/** "At once", for a service on the other side of the world. */
const AT_ONCE_MS = 10_000

/** The specification gives no wording: polling, the path, or the status of a job in one order or the other. */
const MENTIONS_POLLING = /poll|\/jobs\b|\bjob\b.*\bstatus\b|\bstatus\b.*\bjob\b/i

/** Runs: synchronous, asynchronous, held (sections 2.4, 3, 4.3 and 8). */
export const RUNS_CHECKS: readonly Check[] = [
  check('runs/default-waits', defaultRun, ({ response }) => hasStatus(response, 200)),
  check('runs/sync-waits', syncRun, ({ response }) => isCompleted(response)),
  check('runs/completed-job-id', defaultRun, ({ response }) => hasText(response, '/job_id')),
  check('runs/completed-request-id', defaultRun, ({ response }) => hasText(response, '/request_id')),
  check('runs/completed-status', defaultRun, ({ response }) => hasValue(response, '/status', 'completed')),
  check('runs/completed-model-id', defaultRun, ({ response, target }) =>
    hasValue(response, '/model_id', target.modelId),
  ),
  check('runs/completed-output', defaultRun, ({ response }) => hasOutput(response, '/output')),
  check('runs/completed-duration', defaultRun, ({ response }) => hasCount(response, '/duration_ms')),
  check('runs/credits-are-the-price', defaultRun, ({ response, target }) =>
    hasValue(response, '/credits_used', target.creditsPerRun),
  ),
  check('runs/async-accepted', asyncRun, ({ response }) => hasStatus(response, 200, 202)),
  check('runs/async-status-code', asyncRun, ({ response }) =>
    observe(response.status, `status ${response.status}`, response),
  ),
  check('runs/async-identity', asyncRun, hasIdentity),
  check('runs/async-status', asyncRun, ({ response }) => hasValue(response, '/status', 'queued')),
  check('runs/async-at-once', startedSlowRun, (response) =>
    judge(response.durationMs < AT_ONCE_MS, `a response after ${Math.round(response.durationMs)} ms`, response),
  ),
  check('runs/held-status-code', heldRun, ({ response }) => hasStatus(response, 202)),
  check('runs/held-time', heldRun, ({ response }) => heldLongEnough(response)),
  check('runs/held-identity', heldRun, hasIdentity),
  check('runs/held-status', heldRun, ({ response }) => hasValue(response, '/status', 'processing')),
  check('runs/held-message', heldRun, ({ response }) => mentionsPolling(response)),
  check('runs/held-result-by-polling', heldJob, ({ polled }) => {
    const status = jobStatus(polled.last)
    return judge(status === 'succeeded', `the job that was held ended ${show(status)}`, [...polled.reads.slice(-1)])
  }),
  check('runs/failed-response', failingRun, ({ response }) =>
    observe(response.status, `${rejectionText(response)}, /status ${show(at(response.json, '/status'))}`, response),
  ),
  check('runs/failed-body', failingRun, ({ response }) => {
    const namesJob = typeof at(response.json, '/job_id') === 'string'
    return observe(namesJob ? 'job' : 'error', `the body ${namesJob ? 'names' : 'does not name'} the job`, response)
  }),
  check('runs/unknown-model', unknownModelRun, observeRejection),
  check('runs/sync-body', syncRun, ({ response, target }) =>
    every([
      hasIdentity({ response, target }),
      hasOutput(response, '/output'),
      hasCount(response, '/duration_ms'),
      hasValue(response, '/credits_used', target.creditsPerRun),
    ]),
  ),
  check('runs/duration-is-possible', defaultRun, ({ response }) => {
    const ms = at(response.json, '/duration_ms')
    const isRight = !(Number(ms) > response.durationMs * 1.1 + SLACK_MS)
    return judge(isRight, `/duration_ms is ${show(ms)} in a call of ${Math.round(response.durationMs)} ms`, response)
  }),
  check('jobs/same-output-type', defaultRunJob, ({ response, polled: { last } }) => {
    const [ran, read] = [at(response.json, '/output/type'), at(last.json, '/data/output/type')]
    return judge(ran === read, `the response to the run has the type ${show(ran)}, the job's status ${show(read)}`, [
      response,
      last,
    ])
  }),
  check('runs/failed-is-not-completed', failingRun, ({ response }) => {
    const status = at(response.json, '/status')
    return judge(
      status !== 'completed' && status !== 'succeeded',
      `/status of a failed run is ${show(status)}`,
      response,
    )
  }),
  check('runs/unknown-model-does-not-run', unknownModelJob, ({ response, polled }) => {
    const status = polled === undefined ? at(response.json, '/status') : jobStatus(polled.last)
    const isRight = status !== 'completed' && status !== 'succeeded'
    return judge(isRight, `a run of an unknown model: ${rejectionText(response)}, then ${show(status)}`, response)
  }),
]

/** Judges the ids of job, request and model that every response to a run holds. */
export function hasIdentity({ response, target }: Run): Finding {
  const ids = [hasText(response, '/job_id'), hasText(response, '/request_id')]
  return every([...ids, hasValue(response, '/model_id', target.modelId)])
}

function isCompleted(response: ApiResponse): Finding {
  const status = at(response.json, '/status')
  const isRight = response.status === 200 && status === 'completed'
  return judge(isRight, `status ${response.status}, /status ${show(status)}; expected 200 and completed`, response)
}

function heldLongEnough(response: ApiResponse): Finding {
  const isRight = response.durationMs >= SHORTEST_HOLD_MS && response.durationMs <= LONGEST_HOLD_MS
  return judge(isRight, `held for ${Math.round(response.durationMs)} ms; expected about ${LIMITS.syncWaitMs}`, response)
}

/** Judges the message that says to poll the job's status. */
export function mentionsPolling(response: ApiResponse): Finding {
  const message = at(response.json, '/message')
  const isRight = typeof message === 'string' && MENTIONS_POLLING.test(message)
  return judge(isRight, `/message is ${show(message)}; expected a text that says to poll the job`, response)
}
