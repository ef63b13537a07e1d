import type { Job } from '@modelrun/contract'
import type { Core } from '../../core.ts'
import { isModelRunError } from '../../errors/guards.ts'
import type { ModelRunError } from '../../errors/model-run-error.ts'
import { openScope } from '../../scope.ts'
import { getJobOperation } from '../get-job.ts'
import { isConfirmed } from '../job-reference.ts'
import type { PolledJob } from './job-watch.ts'

/** What a look at a job brought: its state, a failure that may pass, or an error that will not. */
export type PollOutcome = { job: Job } | { failure: ModelRunError } | { error: unknown }

/**
 * Polls a job once, as a part of one of the waits that the poll is for: the timer, which serves many waits, may have been
 * set by another one. A failed poll is not repeated here: the scheduler decides when to poll again. Never rejects.
 */
export async function pollJob(core: PollCore, polled: PolledJob): Promise<PollOutcome> {
  const controller = new AbortController()
  const { signal } = controller
  polled.poll = controller
  const span = polled.subscribers.find((subscriber) => subscriber.span !== undefined)?.span
  const outcome = await (span === undefined
    ? fetchStatus(core, polled, signal)
    : span.within(() => fetchStatus(core, polled, signal)))
  polled.poll = undefined
  for (const subscriber of polled.subscribers) subscriber.span?.onPoll(outcome)
  return outcome
}

type PollCore = Pick<Core, 'options' | 'transport'>

async function fetchStatus(
  { options, transport }: PollCore,
  polled: PolledJob,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const { job, state } = polled
  const scope = openScope({ clock: options.clock, signal })
  try {
    const call = { scope, options: { ...polled.options, maxRetries: 0 } }
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
