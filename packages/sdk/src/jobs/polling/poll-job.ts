import type { Clock } from '../../clock.ts'
import { isModelRunError } from '../../errors/guard.ts'
import type { ModelRunError } from '../../errors/model-run-error.ts'
import { isTransient } from '../../http/status-policy.ts'
import type { Transport } from '../../http/transport.ts'
import { openScope } from '../../scope.ts'
import { getJobOperation } from '../get-job.ts'
import { isConfirmed } from '../job-reference.ts'
import type { PolledJob, PollOutcome } from './polled-jobs.ts'

/** The parts of the client that a poll uses. */
export interface PollClient {
  clock: Clock
  transport: Transport
}

/**
 * Polls a job once, in the trace of one of its waits: the timer serves many waits and may have the context of another
 * one. A failed poll is not retried here, because the scheduler decides when to poll again. Never rejects.
 */
export async function pollJob(client: PollClient, polled: PolledJob): Promise<PollOutcome> {
  const controller = new AbortController()
  const { signal } = controller
  polled.poll = controller
  const span = polled.subscribers.find((subscriber) => subscriber.span !== undefined)?.span
  const work = () => fetchStatus(client, polled, signal)
  const outcome = await (span === undefined ? work() : span.within(work))
  polled.poll = undefined
  for (const subscriber of polled.subscribers) subscriber.span?.onPoll(outcome)
  return outcome
}

async function fetchStatus(
  { clock, transport }: PollClient,
  { job, state, options }: PolledJob,
  signal: AbortSignal,
): Promise<PollOutcome> {
  const scope = openScope({ clock, signal })
  try {
    const call = { scope, options: { ...options, maxRetries: 0 } }
    const { data } = await transport.call(getJobOperation(job.jobId, state !== undefined || isConfirmed(job)), call)
    return { job: data }
  } catch (error) {
    return isModelRunError(error) && mayPass(error) ? { failure: error } : { error }
  } finally {
    scope.close()
  }
}

/** A poll goes on after more errors than a single call does: after each 5xx, also the 52x of a gateway. */
function mayPass({ isRetryable, status = 0 }: ModelRunError): boolean {
  return isRetryable || isTransient(status)
}
