import type { Core } from '../core.ts'
import type { ApiResult } from '../http/operation.ts'
import { ClientJob } from '../jobs/client-job.ts'
import { DEFAULT_DEADLINE_MS } from '../jobs/job-handle.ts'
import { waitForJob } from '../jobs/wait-for-job.ts'
import { notify } from '../notify.ts'
import { traceRun } from '../observe/run-spans.ts'
import type { SafeSpan } from '../observe/safe-span.ts'
import { startPriceReading } from './price-reading.ts'
import type { RunOptions } from './run-options.ts'
import type { RunResult } from './run-result.ts'
import { type RunCall, sendRun } from './submit-run.ts'
import { outcomeOfCompleted, toResult } from './to-result.ts'

/** Runs a model to its end: within the hold, or by polling or a webhook after it. */
export function runModel(core: Core, call: RunCall<RunOptions>): Promise<ApiResult<RunResult>> {
  return traceRun(core.tracing, call, (span) => runToEnd(core, call, span))
}

async function runToEnd(
  core: Core,
  call: RunCall<RunOptions>,
  span: SafeSpan | undefined,
): Promise<ApiResult<RunResult>> {
  const { model, options } = call
  const { clock, log } = core.options
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS
  const endsAt = clock.now() + deadlineMs
  const price = options.readPrice ? startPriceReading(core, model, options) : undefined
  try {
    const { runResponse, reference, elapsedMs, response, requestId } = await sendRun(core, call, deadlineMs)
    const job = new ClientJob(core, reference)
    if (runResponse.status !== 'completed') {
      const { webhook } = options
      const data = await waitForJob(() => ({ core, job, reference, options, endsAt, webhook, price, span }))
      return { data, response, requestId }
    }
    core.scheduler.durations.learn(runResponse.model_id, elapsedMs, elapsedMs)
    const { onStatus } = options
    const { state } = reference
    if (onStatus && state) notify(log, 'onStatus', () => onStatus(state, job))
    const data = toResult(core, outcomeOfCompleted(runResponse))
    return { data: (await price?.addTo(data)) ?? data, response, requestId }
  } finally {
    price?.stop()
  }
}
