import { LIMITS } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { ApiResult } from '../http/operation.ts'
import { JobHandle } from '../jobs/job-handle.ts'
import { waitForJob } from '../jobs/wait-for-job.ts'
import { DEFAULT_DEADLINE_MS } from '../jobs/wait-options.ts'
import { notify } from '../notify.ts'
import { traceRun } from '../observe/run-span.ts'
import type { SafeSpan } from '../observe/safe-span.ts'
import { openScope, type Scope } from '../scope.ts'
import { checkInput } from './check-input.ts'
import { preflight } from './preflight.ts'
import { startPriceReading } from './price-reading.ts'
import type { RunOptions, SubmitOptions } from './run-options.ts'
import { outcomeOfCompleted, type RunResult, toResult } from './run-result.ts'
import { type SentRun, sendRun } from './send-run.ts'

/** A run as its caller asked for it. */
export interface RunCall<O> {
  model: string
  input: object
  options: O
}

/** Runs a model to its end: within the hold, or by polling or a webhook after it. */
export function runModel(core: Core, call: RunCall<RunOptions>): Promise<ApiResult<RunResult>> {
  return traceRun(core, call, (span) => runToEnd(core, call, span))
}

async function runToEnd(
  core: Core,
  call: RunCall<RunOptions>,
  span: SafeSpan | undefined,
): Promise<ApiResult<RunResult>> {
  const { model, options } = call
  const { clock } = core.options
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS
  const endsAt = clock.now() + deadlineMs
  const price = options.readPrice ? startPriceReading(core, model, options) : undefined
  try {
    const { runResponse, reference, elapsedMs, response, requestId } = await submit(core, call, deadlineMs)
    const job = new JobHandle(core, reference)
    if (runResponse.status !== 'completed') {
      const data = await waitForJob(() => {
        return { core, job, reference, options, endsAt, webhook: options.webhook, price, span }
      })
      return { data, response, requestId }
    }
    core.scheduler.durations.learn(runResponse.model_id, elapsedMs, elapsedMs)
    const { onStatus } = options
    const { state } = reference
    if (onStatus && state) notify(core.options.log, 'onStatus', () => onStatus(state, job))
    const data = toResult(core, outcomeOfCompleted(runResponse))
    return { data: (await price?.addTo(data)) ?? data, response, requestId }
  } finally {
    price?.stop()
  }
}

/** Starts a run and gives its job at once. */
export async function submitRun(core: Core, call: RunCall<SubmitOptions>): Promise<ApiResult<JobHandle>> {
  const sent = await submit(core, { ...call, options: { ...call.options, mode: 'async' } })
  return { data: new JobHandle(core, sent.reference), response: sent.response, requestId: sent.requestId }
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
  const parameters = checkInput(input)
  const scope = openScope({ clock: core.options.clock, signal, deadlineMs })
  try {
    await preflight(core, { model, input: parameters }, { scope, options })
    const mode = options.mode ?? (needsJobAtOnce(options, scope) ? 'async' : 'sync')
    return await sendRun(core, {
      model,
      input: parameters,
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

/**
 * While a run is held its job has no id here: an abort or a deadline would lose a job that is paid for, nothing could be
 * said of its progress, and nothing could cancel it.
 */
function needsJobAtOnce(options: RunOptions, scope: Scope): boolean {
  const { signal, onStatus, webhook, webhookUrl, onAbort, onDeadline } = options
  const isTracked = [signal, onStatus, webhook, webhookUrl].some((option) => option !== undefined)
  return isTracked || scope.remainingMs() <= LONGEST_HOLD_MS || onAbort === 'cancel' || onDeadline === 'cancel'
}
