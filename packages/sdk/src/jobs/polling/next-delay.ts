import type { ResolvedOptions } from '../../options.ts'
import { nextPollDelayMs, type PollContext } from './cadence.ts'
import type { ExpectedDurations } from './expected-durations.ts'
import type { JobWatch } from './job-watch.ts'

/** Full width of the jitter, so that jobs of one moment do not stay in step. */
const JITTER = 0.2

/** Makes the function that tells how many milliseconds after its last look a job is looked at again. */
export function createNextDelay(options: ResolvedOptions, durations: ExpectedDurations): (watch: JobWatch) => number {
  const { polling, random } = options
  return (watch) => {
    const context = contextOf(watch, durations)
    const defaultDelayMs = nextPollDelayMs(context, polling)
    const delayMs = customDelayMs(options, { ...context, defaultDelayMs }) ?? defaultDelayMs
    return delayMs + (random() - 0.5) * JITTER * Math.min(delayMs, polling.maxIntervalMs)
  }
}

function contextOf(watch: JobWatch, durations: ExpectedDurations): PollContext {
  const { job, state, watchers, bornAt, lookedAt, polls } = watch
  const { jobId, modelId, submittedAt } = job
  return {
    jobId,
    modelId,
    status: state?.status,
    ageMs: lookedAt - bornAt,
    polls,
    expected: submittedAt === undefined || modelId === undefined ? undefined : durations.of(modelId),
    isWatched: watchers.some(({ isWatching }) => isWatching),
    hasWebhook: watchers.every(({ hasWebhook }) => hasWebhook),
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
