import { type Durations, jitter, pollDelayMs, watch } from '@modelrun/kit'
import { textOf } from '../../observe/logger.ts'
import type { ResolvedOptions } from '../../options.ts'
import type { PolledJob } from './polled-jobs.ts'
import type { PollContext } from './polling-options.ts'

type IntervalOptions = Pick<ResolvedOptions, 'polling' | 'random' | 'log'>

/** The jitter, as a share of the interval. It keeps jobs that were submitted together from being polled together. */
const JITTER = [-0.1, 0.1] as const

/** Returns a function that computes how many milliseconds after its last poll a job is polled again. */
export function createPollInterval(options: IntervalOptions, durations: Durations): (polled: PolledJob) => number {
  const { polling, random } = options
  return (polled) => {
    const context = contextOf(polled, durations)
    const defaultDelayMs = pollDelayMs(context, polling)
    const delayMs = customDelayMs(options, { ...context, defaultDelayMs }) ?? defaultDelayMs
    return delayMs + jitter(Math.min(delayMs, polling.maxIntervalMs), JITTER, random)
  }
}

function contextOf(polled: PolledJob, durations: Durations): PollContext {
  const { wait, state, bornAt, polledAt, polls } = polled
  const { jobId, modelId, submittedAt } = wait.job
  return {
    jobId,
    modelId,
    status: state?.status,
    ageMs: polledAt - bornAt,
    polls,
    expected: submittedAt === undefined || modelId === undefined ? undefined : durations.of(modelId),
    isWatched: wait.wantsStates,
    hasWebhook: wait.hasWebhook,
  }
}

/** The caller's interval. A function that fails or gives no number is logged, and the wait continues. */
function customDelayMs(
  { polling, log }: IntervalOptions,
  context: PollContext & { defaultDelayMs: number },
): number | undefined {
  const { nextDelayMs } = polling
  if (!nextDelayMs) return undefined
  const warn = (what: string) =>
    log.warn(`polling.nextDelayMs ${what} for the job ${context.jobId}; the default is used`)
  let delayMs: number | undefined
  const ask = () => {
    const given: unknown = nextDelayMs(context)
    if (typeof given === 'number' && given >= 0) delayMs = given
    else warn(`gave ${textOf(given)}`)
    return given
  }
  watch(ask, (error) => warn(`failed (${textOf(error)})`))
  return delayMs
}

/** Records how long a job took that a poll or a delivery found finished. `runningAt`: when a poll last found it running. */
export function learnFrom(durations: Durations, polled: PolledJob, runningAt: number): void {
  const { wait, state, bornAt, seenAt = bornAt, isSeenFromStart } = polled
  const { modelId } = wait.job
  if (!isSeenFromStart || modelId === undefined || state?.status !== 'succeeded') return
  durations.learn(modelId, { runningMs: runningAt - bornAt, finishedMs: seenAt - bornAt })
}
