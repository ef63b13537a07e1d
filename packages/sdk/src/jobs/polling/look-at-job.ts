import type { Job } from '@modelrun/contract'
import type { Core } from '../../core.ts'
import { isModelRunError } from '../../errors/guards.ts'
import type { ModelRunError } from '../../errors/model-run-error.ts'
import { openScope } from '../../scope.ts'
import { getJobOperation } from '../get-job.ts'
import { isConfirmed } from '../job-reference.ts'
import type { JobWatch } from './job-watch.ts'

/** What a look at a job brought: its state, a failure that may pass, or an error that will not. */
export type Look = { job: Job } | { failure: ModelRunError } | { error: unknown }

/**
 * Polls a job once, as a part of one of the waits that the poll is for: the timer, which serves many waits, may have been
 * set by another one. A failed poll is not repeated here: the scheduler decides when to poll again. Never rejects.
 */
export async function lookAtJob(core: PollCore, watch: JobWatch): Promise<Look> {
  const controller = new AbortController()
  const { signal } = controller
  watch.poll = controller
  const span = watch.watchers.find((watcher) => watcher.span !== undefined)?.span
  const brought = await (span === undefined ? poll(core, watch, signal) : span.within(() => poll(core, watch, signal)))
  watch.poll = undefined
  for (const watcher of watch.watchers) watcher.span?.onPoll(brought)
  return brought
}

type PollCore = Pick<Core, 'options' | 'transport'>

async function poll({ options, transport }: PollCore, watch: JobWatch, signal: AbortSignal): Promise<Look> {
  const { job, state } = watch
  const scope = openScope({ clock: options.clock, signal })
  try {
    const call = { scope, options: { ...watch.options, maxRetries: 0 } }
    const { data } = await transport.call(getJobOperation(job.jobId, state !== undefined || isConfirmed(job)), call)
    return { job: data }
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
