import { JOB_STATUSES, type Job, jobResponseSchema, ROUTES, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { sleep } from '../abort.ts'
import type { Core } from '../core.ts'
import { isModelRunError } from '../errors/guards.ts'
import type { ModelRunError } from '../errors/model-run-error.ts'
import type { CallOptions, Operation } from '../http/operation.ts'
import { readJson } from '../http/read-json.ts'
import { traced } from '../observe/tracer.ts'
import type { Scope } from '../scope.ts'
import { nextPollDelayMs } from './cadence.ts'

/** The call of `GET /v1/jobs/{id}` (section 4.4). */
export function getJobOperation(jobId: string): Operation<Job> {
  const read = readJson(jobResponseSchema)
  return { route: ROUTES.getJob, parameters: { id: jobId }, jobId, read: (answer) => read(answer).data }
}

/** True for a status that a job never leaves. An unknown one counts as not finished (section 3). */
export function isFinished(job: Job): boolean {
  return (TERMINAL_JOB_STATUSES as readonly string[]).includes(job.status)
}

/** What one poll loop works with. */
export interface PollContext {
  core: Core
  scope: Scope
  options: CallOptions
  /** Milliseconds before the first look; 0 to look at once. */
  firstDelayMs: number
  /** Told after each look what failed, or nothing. */
  onLook?: ((failure: ModelRunError | undefined) => void) | undefined
}

/**
 * Looks at a job until it has finished, and yields each new state. Failed looks that may be passing (network, 429,
 * 5xx) do not end it: a blip during a long job costs nothing but time. The scope's end does.
 */
export async function* pollJob(jobId: string, context: PollContext): AsyncGenerator<Job, void, undefined> {
  const { core, scope } = context
  const { clock, polling, random } = core.options
  const startedAt = clock.now()
  let lastStatus: string | undefined
  let delayMs = context.firstDelayMs
  for (;;) {
    if (delayMs > 0) await sleep(clock, delayMs, scope.signal)
    const look = await lookAtJob(jobId, context)
    if (look.job && look.job.status !== lastStatus) {
      lastStatus = look.job.status
      warnOfUnknownStatus(core, jobId, lastStatus)
      yield look.job
    }
    if (look.job && isFinished(look.job)) return
    // Never sooner than the cadence: a service may answer `Retry-After: 0`, or a date that has passed.
    delayMs = Math.max(look.retryAfterMs ?? 0, nextPollDelayMs(clock.now() - startedAt, polling, random))
  }
}

async function lookAtJob(
  jobId: string,
  { core, scope, options, onLook }: PollContext,
): Promise<{ job?: Job; retryAfterMs?: number | undefined }> {
  const span = { name: 'modelrun.poll', attributes: { 'modelrun.job_id': jobId } }
  try {
    return await traced(core.options.tracer, span, async (active) => {
      const { data: job } = await core.transport.call(getJobOperation(jobId), { scope, options })
      active.setAttribute('modelrun.job_status', job.status)
      onLook?.(undefined)
      return { job }
    })
  } catch (error) {
    if (scope.signal.aborted || !isModelRunError(error) || !mayPass(error)) throw error
    onLook?.(error)
    return { retryAfterMs: error.retryAfterMs }
  }
}

/** Wider than what a single call retries: every 5xx may pass, a gateway's own 52x as well. */
function mayPass({ isRetryable, status = 0 }: ModelRunError): boolean {
  return isRetryable || status >= 500
}

function warnOfUnknownStatus({ options }: Core, jobId: string, status: string): void {
  if ((JOB_STATUSES as readonly string[]).includes(status)) return
  options.log.warn(`the job ${jobId} has the unknown status ${JSON.stringify(status)}; it is treated as not finished`)
}
