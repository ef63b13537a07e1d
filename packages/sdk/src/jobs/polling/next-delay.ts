import type { ResolvedOptions } from '../../options.ts'
import { nextPollDelayMs, type PollContext } from './cadence.ts'
import type { ExpectedDurations } from './expected-durations.ts'
import type { PolledJob } from './job-watch.ts'

/** Full width of the jitter, so that jobs of one moment do not stay in step. */
const JITTER = 0.2

/** Makes the function that tells how many milliseconds after its last look a job is looked at again. */
export function createNextDelay(options: ResolvedOptions, durations: ExpectedDurations): (polled: PolledJob) => number {
  const { polling, random } = options
  return (polled) => {
    const context = contextOf(polled, durations)
    const defaultDelayMs = nextPollDelayMs(context, polling)
    const delayMs = customDelayMs(options, { ...context, defaultDelayMs }) ?? defaultDelayMs
    return delayMs + (random() - 0.5) * JITTER * Math.min(delayMs, polling.maxIntervalMs)
  }
}

function contextOf(polled: PolledJob, durations: ExpectedDurations): PollContext {
  const { job, state, subscribers, bornAt, polledAt, polls } = polled
  const { jobId, modelId, submittedAt } = job
  return {
    jobId,
    modelId,
    status: state?.status,
    ageMs: polledAt - bornAt,
    polls,
    expected: submittedAt === undefined || modelId === undefined ? undefined : durations.of(modelId),
    isWatched: subscribers.some(({ wantsStates }) => wantsStates),
    hasWebhook: subscribers.every(({ hasWebhook }) => hasWebhook),
  }
}

/** A cadence that throws or gives no number must not end the waits of other callers. */
function customDelayMs(
  { polling, log }: ResolvedOptions,
  context: PollContext & { defaultDelayMs: number },
): number | undefined {
  if (!polling.nextDelayMs) return undefined
  try {
    const delayMs = polling.nextDelayMs(context)
    if (delayMs >= 0) return delayMs
    log.warn(`polling.nextDelayMs gave ${String(delayMs)} for the job ${context.jobId}; the default is used`)
  } catch (error) {
    log.warn(`polling.nextDelayMs failed for the job ${context.jobId}; the default is used: ${String(error)}`)
  }
  return undefined
}
