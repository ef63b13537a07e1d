import type { JobStatus } from '@modelrun/contract'
import type { ExpectedDuration } from '@modelrun/kit'

/** The values that the interval until the next poll of a job can depend on. */
export interface PollContext {
  /** Identifier of the job. */
  jobId: string
  /** The model that was run, when it is known. */
  modelId: string | undefined
  /** The status that the service gave last, in the response to the run or to a poll. Undefined before the first one. */
  status: JobStatus | undefined
  /** Milliseconds since the job was submitted; since its wait started when another process submitted it. */
  ageMs: number
  /** Polls so far. */
  polls: number
  /** Between which ages the jobs of this model are expected to end, once this client has seen some of them end. */
  expected: ExpectedDuration | undefined
  /** True when a caller wants each state, and not only the end. */
  isWatched: boolean
  /** True when a webhook is expected to deliver the end. Polls are a safety net then. */
  hasWebhook: boolean
}

/** How jobs are polled: by one scheduler for all waits of a client. */
export interface PollingOptions {
  /** Shortest interval between two polls of a job of unknown duration, in milliseconds. Default 500. */
  initialIntervalMs?: number | undefined
  /** Longest interval between two polls of a job that may end at any moment, in milliseconds. Default 5 000. */
  maxIntervalMs?: number | undefined
  /** Polls in any second, over all waits of the client. Default 10: raise it for thousands of waits. `Infinity` for no limit. */
  maxRequestsPerSecond?: number | undefined
  /**
   * Sets the interval yourself: milliseconds until the next poll of a job. `context.defaultDelayMs` is the client's own
   * interval. `Infinity` stops the polls of this job. The client adds a jitter of up to a tenth.
   */
  nextDelayMs?: ((context: PollContext & { defaultDelayMs: number }) => number) | undefined
}

export function resolvePolling(polling: PollingOptions) {
  const { initialIntervalMs = 500, maxIntervalMs = 5_000, maxRequestsPerSecond = 10, nextDelayMs } = polling
  return { initialIntervalMs, maxIntervalMs, maxRequestsPerSecond, nextDelayMs }
}
