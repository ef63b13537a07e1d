import type { Job } from '@modelrun/contract'
import type { Core } from '../../core.ts'
import { isModelRunError } from '../../errors/guards.ts'
import type { ModelRunError } from '../../errors/model-run-error.ts'
import { traced } from '../../observe/tracer.ts'
import { openScope } from '../../scope.ts'
import { getJobOperation } from '../get-job.ts'
import { isConfirmed } from '../job-reference.ts'
import type { JobWatch } from './job-watch.ts'

/** What a look at a job brought: its state, a failure that may pass, or an error that will not. */
export type Look = { job: Job } | { failure: ModelRunError } | { error: unknown }

/** Looks at a job once. Its failure is not repeated here: the scheduler decides when to look again. Never rejects. */
export async function lookAtJob(
  { options, transport }: Pick<Core, 'options' | 'transport'>,
  { job, options: callOptions, state }: JobWatch,
  signal: AbortSignal,
): Promise<Look> {
  const span = { name: 'modelrun.poll', attributes: { 'modelrun.job_id': job.jobId } }
  const scope = openScope({ clock: options.clock, signal })
  try {
    return await traced(options.tracer, span, async (active) => {
      const call = { scope, options: { ...callOptions, maxRetries: 0 } }
      const { data } = await transport.call(getJobOperation(job.jobId, state !== undefined || isConfirmed(job)), call)
      active.setAttribute('modelrun.job_status', data.status)
      return { job: data }
    })
  } catch (error) {
    return isModelRunError(error) && mayPass(error) ? { failure: error } : { error }
  } finally {
    scope.close()
  }
}

/** Wider than what a single call retries: every 5xx may pass, a gateway's own 52x as well. */
function mayPass({ isRetryable, status = 0 }: ModelRunError): boolean {
  return isRetryable || status >= 500
}
