import { LIMITS, type RunRequest } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { JobHandle } from '../jobs/job-handle.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import { openWaitScope, waitInScope } from '../jobs/wait-for-job.ts'
import { traced } from '../observe/tracer.ts'
import { openScope, type Scope } from '../scope.ts'
import { preflight } from './preflight.ts'
import type { RunAnswer } from './run-answer.ts'
import { runOperation } from './run-operation.ts'
import type { RunOptions, SubmitOptions } from './run-options.ts'
import { outcomeOfCompleted, type RunResult, toResult } from './run-result.ts'

/** A run as its caller asked for it. */
export interface RunCall<O> {
  model: string
  input: Record<string, unknown>
  options: O
}

/** Runs a model to its end: within the hold, or by polling after it. */
export function runModel(core: Core, call: RunCall<RunOptions>): Promise<RunResult> {
  const span = { name: 'modelrun.run', attributes: { 'modelrun.model_id': call.model } }
  return traced(core.options.tracer, span, () => runToEnd(core, call))
}

async function runToEnd(core: Core, { model, input, options }: RunCall<RunOptions>): Promise<RunResult> {
  const scope = openWaitScope(core, options)
  try {
    await preflight(core, { model, input }, { scope, options })
    const body: RunRequest = { input, ...modeOf(options, scope) }
    const answer = await send(core, { model, body, scope, options })
    if (answer.status === 'completed') return toResult(core, outcomeOfCompleted(answer))
    const job = new JobHandle(core, referenceOf(model, answer))
    const firstDelayMs = answer.status === 'unknown' ? 0 : core.options.polling.initialIntervalMs
    return await waitInScope({ core, job, scope, options, firstDelayMs })
  } finally {
    scope.close()
  }
}

/** Starts a run and gives its job at once. */
export async function submitRun(core: Core, { model, input, options }: RunCall<SubmitOptions>): Promise<JobHandle> {
  const scope = openScope({ clock: core.options.clock, signal: options.signal })
  try {
    await preflight(core, { model, input }, { scope, options })
    const { webhookUrl } = options
    const body: RunRequest = { input, ...(webhookUrl === undefined ? { sync: false } : { webhook_url: webhookUrl }) }
    return new JobHandle(core, referenceOf(model, await send(core, { model, body, scope, options })))
  } finally {
    scope.close()
  }
}

interface Submission {
  model: string
  body: RunRequest
  scope: Scope
  options: SubmitOptions
}

function send(core: Core, { model, body, scope, options }: Submission): Promise<RunAnswer> {
  const span = { name: 'modelrun.submit', attributes: { 'modelrun.model_id': model } }
  return traced(core.options.tracer, span, async (active) => {
    const { data } = await core.transport.call(runOperation(model, body), { scope, options })
    active.setAttribute('modelrun.job_id', data.job_id)
    return data
  })
}

/** The hold takes "about" 55 s (section 8), and its answer has a way to go. */
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 5_000

function modeOf(options: RunOptions, scope: Scope): Partial<RunRequest> {
  if (options.webhookUrl !== undefined) return { webhook_url: options.webhookUrl }
  const mode = options.mode ?? (needsJobAtOnce(options, scope) ? 'async' : 'sync')
  return mode === 'async' ? { sync: false } : {}
}

/** While a run is held its job has no id here, so it could be neither handed over at the deadline nor cancelled. */
function needsJobAtOnce({ onAbort, onDeadline }: RunOptions, scope: Scope): boolean {
  return scope.remainingMs() <= LONGEST_HOLD_MS || onAbort === 'cancel' || onDeadline === 'cancel'
}

function referenceOf(model: string, answer: RunAnswer): JobReference {
  return answer.status === 'unknown'
    ? { jobId: answer.job_id, modelId: model }
    : { jobId: answer.job_id, modelId: answer.model_id, requestId: answer.request_id }
}
