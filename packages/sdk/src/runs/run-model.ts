import { LIMITS } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { JobHandle } from '../jobs/job-handle.ts'
import { waitForJob } from '../jobs/wait-for-job.ts'
import { DEFAULT_DEADLINE_MS } from '../jobs/wait-options.ts'
import { traced } from '../observe/tracer.ts'
import { openScope, type Scope } from '../scope.ts'
import { preflight } from './preflight.ts'
import type { RunOptions, SubmitOptions } from './run-options.ts'
import { outcomeOfCompleted, type RunResult, toResult } from './run-result.ts'
import { type SentRun, sendRun } from './send-run.ts'

/** A run as its caller asked for it. */
export interface RunCall<O> {
  model: string
  input: Record<string, unknown>
  options: O
}

/** Runs a model to its end: within the hold, or by polling or a webhook after it. */
export function runModel(core: Core, call: RunCall<RunOptions>): Promise<RunResult> {
  const span = { name: 'modelrun.run', attributes: { 'modelrun.model_id': call.model } }
  return traced(core.options.tracer, span, () => runToEnd(core, call))
}

async function runToEnd(core: Core, call: RunCall<RunOptions>): Promise<RunResult> {
  const { options } = call
  const { clock } = core.options
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS
  const endsAt = clock.now() + deadlineMs
  const { answer, reference, elapsedMs } = await submit(core, call, deadlineMs)
  if (answer.status === 'completed') {
    core.scheduler.durations.learn(answer.model_id, elapsedMs, elapsedMs)
    return toResult(core, outcomeOfCompleted(answer))
  }
  const job = new JobHandle(core, reference)
  return await waitForJob({ core, job, reference, options, endsAt, webhook: options.webhook })
}

/** Starts a run and gives its job at once. */
export async function submitRun(core: Core, call: RunCall<SubmitOptions>): Promise<JobHandle> {
  const { reference } = await submit(core, { ...call, options: { ...call.options, mode: 'async' } })
  return new JobHandle(core, reference)
}

async function submit(
  core: Core,
  { model, input, options }: RunCall<RunOptions>,
  deadlineMs?: number,
): Promise<SentRun> {
  const { signal, webhook, webhookUrl } = options
  if (webhook !== undefined && webhookUrl !== undefined) {
    throw new ConfigurationError({ message: 'Pass either `webhook` or `webhookUrl`, not both. Nothing was sent.' })
  }
  const scope = openScope({ clock: core.options.clock, signal, deadlineMs })
  try {
    await preflight(core, { model, input }, { scope, options })
    const mode = options.mode ?? (needsJobAtOnce(options, scope) ? 'async' : 'sync')
    return await sendRun(core, {
      model,
      input,
      mode: mode === 'async' ? { sync: false } : {},
      scope,
      options,
    })
  } finally {
    scope.close()
  }
}

/** The hold takes "about" 55 s (section 8), and its answer has a way to go. */
const LONGEST_HOLD_MS = LIMITS.syncWaitMs + 5_000

/** While a run is held its job has no id here, so it could be neither handed over at the deadline nor cancelled. */
function needsJobAtOnce({ onAbort, onDeadline }: RunOptions, scope: Scope): boolean {
  return scope.remainingMs() <= LONGEST_HOLD_MS || onAbort === 'cancel' || onDeadline === 'cancel'
}
